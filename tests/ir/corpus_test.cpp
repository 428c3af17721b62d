// The inputs of the fuzzer's corpus, each as a test: those it once failed on stay among them.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "fuzz/ir_input.hpp"

namespace weft::ir {
namespace {

TEST(Corpus, everyInputIsBorne) {
  std::size_t seen = 0;
  for (const auto& entry : std::filesystem::directory_iterator(WEFT_SOURCE_DIR "/tests/fuzz/corpus/ir")) {
    SCOPED_TRACE(entry.path().filename().string());
    std::ifstream file(entry.path(), std::ios::binary);
    try_ir_input(std::string(std::istreambuf_iterator<char>(file), {}));
    ++seen;
  }
  EXPECT_GE(seen, 40u);
}

}  // namespace
}  // namespace weft::ir
