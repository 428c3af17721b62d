// WEAK-TYPE-06: the value of a constant taken at a type.
#include "ir/literal.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "pass_text.hpp"

namespace weft::ir {
namespace {

constexpr double infinity = HUGE_VAL;

TEST(Literal, isTruncatedTowardZeroAtAnInteger) {
  Graph g;
  EXPECT_EQ(literal_at(g, g.constant(2.7), Scalar::int32), g.constant(2));
  EXPECT_EQ(literal_at(g, g.constant(-2.7), Scalar::uint8), g.constant(-2));
  EXPECT_EQ(literal_at(g, g.constant(true), Scalar::int8), g.constant(1));
}

TEST(Literal, isKeptWholeAndNeverWraps) {
  Graph g;
  EXPECT_EQ(literal_at(g, g.constant(256), Scalar::uint8), g.constant(256));
  EXPECT_EQ(int_value(g.ccast(g.constant(256), Scalar::uint8)), 0) << "the cast over it wraps when it is evaluated";
  EXPECT_EQ(int_value(g.ccast(g.constant(-1), Scalar::uint32)), 4294967295);
}

TEST(Literal, ofInfinityOrNanHasNoIntegerValue) {
  Graph g;
  EXPECT_EQ(error_of([&] { literal_at(g, g.constant(infinity), Scalar::int32); }),
            "CONST inf has no value at int32: only a finite float becomes an integer.");
  EXPECT_THROW(literal_at(g, g.constant(NAN), Scalar::weakint), ConstructError);
}

TEST(Literal, atBoolIsWhetherItIsNotZero) {
  Graph g;
  EXPECT_EQ(literal_at(g, g.constant(0.5), Scalar::boolean), g.constant(true));
  EXPECT_EQ(literal_at(g, g.constant(-0.0), Scalar::boolean), g.constant(false));
  EXPECT_EQ(literal_at(g, g.constant(NAN), Scalar::boolean), g.constant(true));
}

TEST(Literal, invalidIsUnchanged) {
  Graph g;
  for (Scalar s : {Scalar::int32, Scalar::float16, Scalar::boolean}) {
    EXPECT_EQ(literal_at(g, g.invalid(), s), g.invalid());
    EXPECT_EQ(g.ccast(g.invalid(), s), g.invalid());
  }
}

TEST(Literal, roundsToNearestEvenOnTheGrid) {
  EXPECT_EQ(round_to(Scalar::float16, 0.1), 0x1.998p-4);
  EXPECT_EQ(round_to(Scalar::bfloat16, 0.1), 0x1.9ap-4);
  EXPECT_EQ(round_to(Scalar::float16, 2049.0), 2048.0);
  EXPECT_EQ(round_to(Scalar::float16, 2051.0), 2052.0);
  EXPECT_EQ(round_to(Scalar::float16, 0x1p-25), 0.0) << "half of the smallest value, to even";
  EXPECT_EQ(round_to(Scalar::float16, 0x1.8p-24), 0x1p-23);
  EXPECT_EQ(round_to(Scalar::fp8e4m3, 17.0), 16.0);
  EXPECT_EQ(round_to(Scalar::fp8e5m2, 0x1p-17), 0.0);
}

TEST(Literal, overflowSaturatesIn8BitsAndIsInfiniteInMore) {
  EXPECT_EQ(round_to(Scalar::fp8e4m3, 70000.0), 448.0);
  EXPECT_EQ(round_to(Scalar::fp8e5m2, -1e9), -57344.0);
  EXPECT_EQ(round_to(Scalar::float16, 65519.0), 65504.0);
  EXPECT_EQ(round_to(Scalar::float16, 65520.0), infinity);
  EXPECT_EQ(round_to(Scalar::float32, 1e40), infinity);
  EXPECT_EQ(round_to(Scalar::bfloat16, -3.4e38), -infinity);
}

TEST(Literal, infinityIsNanWhereThereIsNone) {
  EXPECT_EQ(round_to(Scalar::fp8e5m2, infinity), infinity);
  for (Scalar s : {Scalar::fp8e4m3, Scalar::fp8e4m3fnuz, Scalar::fp8e5m2fnuz}) {
    EXPECT_TRUE(std::isnan(round_to(s, infinity)));
    EXPECT_TRUE(std::isnan(round_to(s, NAN)));
  }
  EXPECT_TRUE(std::signbit(round_to(Scalar::fp8e4m3, -0.0)));
  EXPECT_FALSE(std::signbit(round_to(Scalar::fp8e4m3fnuz, -0.0)));
  EXPECT_FALSE(std::signbit(round_to(Scalar::fp8e5m2fnuz, -1e-30)));
}

TEST(Literal, ofALargeIntegerRoundsOnce) {
  // Through a double it would round twice: 2^24 + 1 + 2^-30, say, scaled to an integer.
  const Integer v = (Integer((1 << 24) + 1) << 40) + 1;
  EXPECT_EQ(round_to(Scalar::float32, v), 0x1.000002p64);
  EXPECT_EQ(round_to(Scalar::float32, v - 1), 0x1p64);
  EXPECT_EQ(round_to(Scalar::float32, Integer::power_of_two(128)), infinity);
}

// Every value of the 16-bit grids comes back as itself, and midpoints go to the even neighbour.
TEST(Literal, agreesWithTheCompilersFloat16) {
  for (unsigned bits = 0; bits < 0x7C00; ++bits) {
    const double v =
        bits < 0x400 ? std::ldexp(bits, -24) : std::ldexp(1024 + (bits & 0x3FF), static_cast<int>(bits >> 10) - 25);
    ASSERT_EQ(round_to(Scalar::float16, v), v);
    if (bits + 1 < 0x7C00) {
      const unsigned up = bits + 1;
      const double w =
          up < 0x400 ? std::ldexp(up, -24) : std::ldexp(1024 + (up & 0x3FF), static_cast<int>(up >> 10) - 25);
      ASSERT_EQ(round_to(Scalar::float16, (v + w) / 2), bits % 2 == 0 ? v : w);
    }
  }
}

}  // namespace
}  // namespace weft::ir
