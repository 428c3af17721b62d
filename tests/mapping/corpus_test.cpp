// The inputs of the fuzzer's corpus, each as a test: those it once failed on stay among them.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "fuzz/mapping_input.hpp"

namespace weft {
namespace {

TEST(MappingCorpus, everyInputIsBorne) {
  std::size_t seen = 0;
  for (const auto& entry : std::filesystem::directory_iterator(WEFT_SOURCE_DIR "/tests/fuzz/corpus/mapping")) {
    SCOPED_TRACE(entry.path().filename().string());
    std::ifstream file(entry.path(), std::ios::binary);
    try_mapping_input(std::string(std::istreambuf_iterator<char>(file), {}));
    ++seen;
  }
  EXPECT_GE(seen, 20u);
}

}  // namespace
}  // namespace weft
