// The libFuzzer target over the notation of mappings: fuzz_mapping tests/fuzz/corpus/mapping
#include <cstddef>
#include <cstdint>

#include "fuzz/mapping_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  weft::try_mapping_input({reinterpret_cast<const char*>(data), size});
  return 0;
}
