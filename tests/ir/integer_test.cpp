#include "ir/integer.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

namespace weft::ir {
namespace {

Integer big(const char* digits) { return *Integer::parse(digits); }

TEST(Integer, keeps64BitValuesInTheObject) {
  EXPECT_TRUE(Integer(INT64_MIN).is_small());
  EXPECT_TRUE(Integer(INT64_MAX).is_small());
  EXPECT_FALSE(Integer(UINT64_MAX).is_small());
  EXPECT_EQ(Integer(UINT64_MAX).to_uint64(), UINT64_MAX);
  EXPECT_EQ(Integer(UINT64_MAX).to_int64(), std::nullopt);
}

TEST(Integer, comesBackToTheSmallFormWhenItFits) {
  const Integer a = Integer(INT64_MAX) + 1;
  EXPECT_FALSE(a.is_small());
  EXPECT_TRUE((a - 1).is_small());
  EXPECT_EQ(a - 1, Integer(INT64_MAX));
}

TEST(Integer, printsAndParsesAnySize) {
  for (const char* digits : {"0", "-1", "9223372036854775807", "9223372036854775808", "-9223372036854775809",
                             "340282366920938463463374607431768211456"})
    EXPECT_EQ(big(digits).to_string(), digits);
  EXPECT_EQ(big("-0000000000000000000000000012").to_string(), "-12");
  for (const char* wrong : {"", "-", "1.5", "0x10", "+1", " 1"}) EXPECT_FALSE(Integer::parse(wrong)) << wrong;
  EXPECT_FALSE(Integer::parse(std::string(5001, '1')));
}

TEST(Integer, dividesTowardZeroAndTowardMinusInfinity) {
  EXPECT_EQ(Integer(-7) / 2, Integer(-3));
  EXPECT_EQ(Integer(-7) % 2, Integer(-1));
  EXPECT_EQ(floor_div(-7, 2), Integer(-4));
  EXPECT_EQ(floor_mod(-7, 2), Integer(1));
  EXPECT_EQ(floor_mod(7, -2), Integer(-1));
  EXPECT_EQ(Integer(INT64_MIN) / -1, big("9223372036854775808"));
}

TEST(Integer, shiftsRightTowardMinusInfinity) {
  EXPECT_EQ(Integer(-1) >> 5, Integer(-1));
  EXPECT_EQ(-(Integer(1) << 100) >> 99, Integer(-2));
  EXPECT_EQ((-(Integer(1) << 100) - 1) >> 99, Integer(-3));
}

TEST(Integer, convertsToDoubleRoundingOnceToEven) {
  EXPECT_EQ((Integer::power_of_two(53) + 1).to_double(), 0x1p53);
  EXPECT_EQ((Integer::power_of_two(53) + 3).to_double(), 0x1p53 + 4);
  EXPECT_EQ((Integer::power_of_two(200) + Integer::power_of_two(147)).to_double(), 0x1p200);
  EXPECT_EQ((Integer::power_of_two(200) + Integer::power_of_two(147) + 1).to_double(), 0x1p200 + 0x1p148);
  EXPECT_EQ(Integer::power_of_two(1024).to_double(), HUGE_VAL);
  EXPECT_EQ(Integer::from_double(-0x1.8p100), -(Integer(3) << 99));
  EXPECT_EQ(Integer::from_double(-2.7), Integer(-2));
  EXPECT_EQ(Integer::from_double(NAN), std::nullopt);
}

// The positive control of all of the above: the same operations on 128-bit integers of the compiler.
TEST(Integer, computesAs128BitIntegersDo) {
  using Wide = __int128;
  const auto make = [](Wide v) {
    return (Integer(static_cast<std::int64_t>(v >> 64)) << 64) + Integer(static_cast<std::uint64_t>(v));
  };
  rc::check([&](std::int64_t a, std::int64_t b, std::int32_t c) {
    const Wide x = static_cast<Wide>(a) * b, y = static_cast<Wide>(b) * c + a;
    RC_ASSERT(make(x) + make(y) == make(x + y));
    RC_ASSERT(make(x) - make(y) == make(x - y));
    RC_ASSERT(Integer(a) * Integer(b) == make(x));
    RC_ASSERT((make(x) < make(y)) == (x < y));
    RC_ASSERT((make(x) & make(y)) == make(x & y));
    RC_ASSERT((make(x) | make(y)) == make(x | y));
    RC_ASSERT((make(x) ^ make(y)) == make(x ^ y));
    RC_ASSERT(~make(x) == make(~x));
    if (y != 0) {
      RC_ASSERT(make(x) / make(y) == make(x / y));
      RC_ASSERT(make(x) % make(y) == make(x % y));
      RC_ASSERT(floor_div(make(x), make(y)) * make(y) + floor_mod(make(x), make(y)) == make(x));
    }
    RC_ASSERT((make(x) >> (c & 63)) == make(x >> (c & 63)));
    RC_ASSERT(*Integer::parse(make(x).to_string()) == make(x));
  });
}

}  // namespace
}  // namespace weft::ir
