// Views and tiles (MAP-TEN-02 to -07).
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include <weft/error.hpp>
#include <weft/tensor_view.hpp>

namespace weft {
namespace {

WEFT_AXES(A = 8, B = 512)

std::vector<int> counting(std::size_t n) {
  std::vector<int> v(n);
  std::iota(v.begin(), v.end(), 0);
  return v;
}

TEST(TensorView, tileIsTheSameMemory) {  // MAP-TEN-03, -04
  auto memory = counting(8 * 512);
  const TensorView<const int, WEFT_M(A, B)> v(memory);
  const auto tile = v.tile<WEFT_M(B), WEFT_M(A, B = 2 #512), 2>(6);
  static_assert(tile.size() == v.size());
  EXPECT_EQ(&tile.at(3, 1), &memory[3 * 512 + 7]);
  EXPECT_EQ(tile.read(0), 6);
  EXPECT_EQ(tile.read(2), 8);                                                          // top padding: what is stored
  EXPECT_EQ((v.tile<WEFT_M(B), WEFT_M(A, B = 2 #512), 2>(510).read(8 * 512 - 1)), 0);  // past the memory
  EXPECT_THROW(tile.at(0, 2), RangeError);
}

TEST(TensorView, overlappingReadTiles) {  // MAP-TEN-05
  auto memory = counting(8 * 512);
  const TensorView<const int, WEFT_M(A, B)> v(memory);
  for (std::uint64_t i = 0; i < 15; ++i) {
    const auto tile = v.tile<WEFT_M(B / 32), WEFT_M(A, B / 32 = 2 #16, B % 32), 2>(i);
    EXPECT_EQ(&tile.at(2, 33), &memory[2 * 512 + 32 * i + 33]);
  }
  try {
    v.tile<WEFT_M(B / 32), WEFT_M(A, B / 32 = 2 #16, B % 32), 2>(15);
    FAIL();
  } catch (const RangeError& e) {
    const std::string text = e.what();
    for (const char* part : {"15", "2", "16"}) EXPECT_NE(text.find(part), std::string::npos) << text;
  }
}

TEST(TensorView, nestedTilesAddTheirStarts) {  // MAP-TEN-05, -06
  auto memory = counting(8 * 512);
  const TensorView<const int, WEFT_M(A, B)> v(memory);
  const auto outer = v.tile<WEFT_M(A), WEFT_M([A = 4] #8, B), 4>(3);
  const auto inner = outer.tile<WEFT_M(B / 32), WEFT_M([A = 4] #8, 1 #16, B % 32), 1>(5);
  EXPECT_EQ(&inner.at(2, 7), &memory[(3 + 2) * 512 + 5 * 32 + 7]);
}

TEST(TensorView, mutableTilesAreApart) {  // MAP-TEN-04, -05
  auto memory = counting(8 * 512);
  const TensorView<int, WEFT_M(A, B)> v(memory);
  {
    const auto first = v.tile<WEFT_M(B), WEFT_M(A, B = 2 #{ ! } 512), 2>(6);
    const auto beside = v.tile<WEFT_M(B), WEFT_M(A, B = 2 #{ ! } 512), 2>(8);
    first.at(1, 1) = -1;
    beside.at(1, 0) = -2;
    EXPECT_EQ(memory[512 + 7], -1);
    EXPECT_EQ(memory[512 + 8], -2);
    EXPECT_THROW(first.read(2), RangeError);  // MAP-TEN-07
    try {
      v.tile<WEFT_M(B), WEFT_M(A, B = 2 #{ ! } 512), 2>(7);
      FAIL();
    } catch (const StateError& e) {
      EXPECT_NE(std::string(e.what()).find("from position 6 on"), std::string::npos) << e.what();
    }
  }
  v.tile<WEFT_M(B), WEFT_M(A, B = 2 #{ ! } 512), 2>(7).at(0, 0) = 5;
  EXPECT_EQ(memory[7], 5);
}

TEST(TensorView, paddingIsRead) {  // MAP-TEN-07
  auto memory = counting(16);
  const TensorView<const int, WEFT_M(A #{0} 16)> zero(memory);
  EXPECT_EQ(zero.read(7), 7);
  EXPECT_EQ(zero.read(12), 0);
  EXPECT_THROW(zero.read(16), RangeError);
  EXPECT_THROW((TensorView<const int, WEFT_M(A #{ ! } 16)>(memory).read(12)), RangeError);
  EXPECT_THROW((TensorView<const int, WEFT_M(A #17)>(memory)), TypeError);
}

}  // namespace
}  // namespace weft
