// Ticks to times: pure arithmetic.
#include "backends/webgpu/timing.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace weft::webgpu {
namespace {

// FUSE-TIM-06, -10, F-17: ticks times the period; a pass that ends before it begins has no time, and never a huge one.
TEST(WebgpuTiming, EndBeforeBeginIsNoTime) {
  EXPECT_EQ(duration_ns(100, 100, 1), 0.0);
  EXPECT_EQ(duration_ns(100, 350, 2.5), 625.0);
  EXPECT_EQ(duration_ns(101, 100, 1), std::nullopt);
  EXPECT_EQ(duration_ns(std::numeric_limits<std::uint64_t>::max(), 0, 1), std::nullopt);
}

}  // namespace
}  // namespace weft::webgpu
