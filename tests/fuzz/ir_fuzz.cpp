// The libFuzzer target over the text and JSON forms and the passes: fuzz_ir tests/fuzz/corpus/ir
#include <cstddef>
#include <cstdint>

#include "fuzz/ir_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  weft::ir::try_ir_input({reinterpret_cast<const char*>(data), size});
  return 0;
}
