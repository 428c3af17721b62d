// Shapes of dispatches and levels of the tree: pure arithmetic.
#include "backends/webgpu/grid.hpp"

#include <gtest/gtest.h>

namespace weft::webgpu {
namespace {

// KER-LOOP-06: every number below n is there, none passes 2^32 - 1 (so none wraps and comes twice), and no side is longer
// than the device allows, for every workgroup size and n up to 2^32 - 1.
TEST(WebgpuGrid, HoldsEveryNumberOnce) {
  for (const std::uint32_t most : {65'535u, 65'536u, 1'000'000u})
    for (std::uint32_t size = 1; size <= 4096; size *= 2)
      for (std::uint64_t n : {1ull,          2ull,          63ull,         64ull,         65ull,         255ull,
                              256ull,        257ull,        65'535ull,     65'536ull,     4'194'240ull,  4'194'241ull,
                              5'000'000ull,  16'776'961ull, 0x7fffffffull, 0x80000000ull, 0x80000001ull, 0xfffeffffull,
                              0xffff0000ull, 0xffff0001ull, 0xfffffffeull, 0xffffffffull}) {
        SCOPED_TRACE(testing::Message() << n << " in workgroups of " << size << ", at most " << most);
        const auto shape = dispatch_shape(n, size, most);
        ASSERT_TRUE(shape);
        const auto [x, y, z] = *shape;
        ASSERT_TRUE(x >= 1 && y >= 1 && z >= 1 && x <= most && y <= most && z <= most);
        const unsigned __int128 numbers = static_cast<unsigned __int128>(x) * y * z * size;
        ASSERT_GE(numbers, n);
        ASSERT_LE(numbers, static_cast<unsigned __int128>(1) << 32);
      }
}

// One row as long as it is enough; then no more rows than are needed.
TEST(WebgpuGrid, SpreadsOnlyWhatItMust) {
  using Shape = std::array<std::uint32_t, 3>;
  EXPECT_EQ(dispatch_shape(1, 64, 65'535), (Shape{1, 1, 1}));
  EXPECT_EQ(dispatch_shape(4'194'240, 64, 65'535), (Shape{65'535, 1, 1}));
  EXPECT_EQ(dispatch_shape(4'194'241, 64, 65'535), (Shape{32'768, 2, 1}));
  EXPECT_EQ(dispatch_shape(5'000'000, 1, 65'535), (Shape{64'936, 77, 1}));
}

// A limit that was lowered too far for a call is seen before it is recorded.
TEST(WebgpuGrid, SaysWhenNoShapeHoldsIt) {
  EXPECT_TRUE(dispatch_shape(64 * 8, 64, 2));
  EXPECT_FALSE(dispatch_shape(64 * 8 + 1, 64, 2));
}

// MODEL-9: no further level up to 256, one up to 65,536, two up to 16,777,216, then three; each reads what the one before
// wrote, and nothing overlaps.
TEST(WebgpuGrid, FoldLevelsFollowEachOther) {
  struct Case {
    std::uint64_t n;
    std::size_t levels;
  };
  for (const Case c : {Case{1, 0}, Case{256, 0}, Case{257, 1}, Case{65'536, 1}, Case{65'537, 2}, Case{16'777'216, 2},
                       Case{16'777'217, 3}, Case{0xffffffffu, 3}}) {
    SCOPED_TRACE(c.n);
    const FoldLevels tree = fold_levels(c.n);
    EXPECT_EQ(tree.levels.size(), c.levels);
    std::uint32_t from = 0;
    std::uint64_t count = (c.n + 255) / 256;
    for (const FoldLevel& level : tree.levels) {
      EXPECT_EQ(level.from, from);
      EXPECT_EQ(level.count, count);
      EXPECT_EQ(level.to, from + count);
      from = level.to;
      count = (count + 255) / 256;
    }
    EXPECT_EQ(count, 1u);
    EXPECT_EQ(tree.result, from);
    EXPECT_EQ(tree.elements, from + 1);
  }
}

}  // namespace
}  // namespace weft::webgpu
