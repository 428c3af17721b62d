// The 16-bit floats of tensors: exact to float, rounded once from anything else (MAP-TEN-01).
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <weft/half.hpp>

namespace weft {
namespace {

// The nearest of all 65536 values, ties to the even pattern: no arithmetic in common with the conversion.
template <class H> float nearest(double value) {
  static const std::vector<double> all = [] {
    std::vector<double> v;
    for (std::uint32_t b = 0; b < 0x8000; ++b) {
      const float f = H::from_bits(static_cast<std::uint16_t>(b));
      if (std::isfinite(f)) v.push_back(f);
    }
    return v;
  }();
  const double x = std::fabs(value), past = 2 * all.back() - all[all.size() - 2];  // where infinity stands for rounding
  std::size_t low = 0, high = all.size();
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (all[middle] <= x) low = middle + 1;
    else high = middle;
  }
  --low;  // the largest that is not above
  const double above = low + 1 < all.size() ? all[low + 1] : past;
  const bool up = x - all[low] > above - x || (x - all[low] == above - x && (low & 1));
  const double r = !up ? all[low] : low + 1 < all.size() ? above : std::numeric_limits<double>::infinity();
  return static_cast<float>(std::signbit(value) ? -r : r);
}

template <class H> class Half : public testing::Test {};
using Halves = testing::Types<half, bfloat16>;
TYPED_TEST_SUITE(Half, Halves);

TYPED_TEST(Half, everyPatternGoesToFloatAndBack) {
  for (std::uint32_t b = 0; b < 0x10000; ++b) {
    const auto h = TypeParam::from_bits(static_cast<std::uint16_t>(b));
    const float f = h;
    const TypeParam back(f);
    if (std::isnan(f)) EXPECT_TRUE(std::isnan(float(back)));
    else ASSERT_EQ(back.bits, b);
  }
}

TYPED_TEST(Half, roundsToTheNearestEven) {
  EXPECT_TRUE(rc::check("as the nearest of all values", [] {
    const auto bits = *rc::gen::arbitrary<std::uint16_t>();
    const float f = TypeParam::from_bits(bits);
    RC_PRE(std::isfinite(f));
    // At a value, at the middle to its neighbour, and a little beside both.
    const float next = TypeParam::from_bits(static_cast<std::uint16_t>(bits + 1));
    double x = *rc::gen::element(double(f), std::isfinite(next) ? (double(f) + double(next)) / 2 : double(f) * 1.001);
    x = *rc::gen::element(x, std::nextafter(x, 1e300), std::nextafter(x, -1e300), x * 1.0001);
    const float want = nearest<TypeParam>(x), got = TypeParam(x);
    RC_ASSERT(std::memcmp(&want, &got, 4) == 0);
  }));
}

TEST(HalfValues, knownValues) {
  EXPECT_EQ(half(1.f).bits, 0x3c00);
  EXPECT_EQ(half(65504.0).bits, 0x7bff);
  EXPECT_EQ(half(65519.0).bits, 0x7bff);
  EXPECT_EQ(half(65520.0).bits, 0x7c00);
  EXPECT_EQ(half(5.9604644775390625e-08).bits, 1);
  EXPECT_EQ(half(-0.0).bits, 0x8000);
  EXPECT_EQ(half(2.98023223876953125e-08).bits, 0);  // half of the smallest: a tie, to even
  EXPECT_EQ(bfloat16(1.f).bits, 0x3f80);
  EXPECT_EQ(bfloat16(3.0e38f).bits, 0x7f62);
  EXPECT_EQ(bfloat16(std::numeric_limits<float>::max()).bits, 0x7f80);
  // An integer is rounded once: 2^62 + 2^54 + 1 is above the tie that a double would make of it.
  EXPECT_EQ(bfloat16((std::int64_t{1} << 62) + (std::int64_t{1} << 54) + 1).bits, 0x5e81);
  EXPECT_EQ(bfloat16((std::int64_t{1} << 62) + (std::int64_t{1} << 54)).bits, 0x5e80);
  EXPECT_EQ(half(-3).bits, 0xc200);
  static_assert(float(half(0.1f)) == 0.0999755859375f);
}

}  // namespace
}  // namespace weft
