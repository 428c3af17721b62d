// Numbers where hardware and compilers differ (KER-NUM), as data and as literals.
#include <cmath>
#include <limits>

#include "cpu/rig.hpp"
#include "kernel/run_kernel.hpp"

using namespace weft;
using cpu::test::bits;
using cpu::test::Rig;

namespace {

constexpr int least = std::numeric_limits<int>::min();

Rig& rig() {
  static Rig r;
  return r;
}

template <class R, class T, class F> std::vector<R> map(std::vector<T> x, std::vector<T> y, F f) {
  const auto k = kernel("f(x, y, r)", [&](Array<const T> a, Array<const T> b, Array<R> r) {
    loop(r.length(), [&](Index i) { r[i] = f(a[i], b[i]); });
  });
  std::vector<R> r(x.size());
  rig().run(k, x, y, r);
  return r;
}

/// The same value in each of 20 lanes, so that vector code is run, and the rest loop too.
template <class R, class T, class F> R one(T x, T y, F f) {
  const auto r = map<R>(std::vector<T>(21, x), std::vector<T>(21, y), f);
  for (const R& v : r) EXPECT_TRUE(cpu::test::same_bits(v, r[0]));
  return r[0];
}

const auto quotient = [](auto a, auto b) { return a / b; };
const auto rest = [](auto a, auto b) { return a % b; };
const auto left = [](auto a, auto b) { return a << b; };
const auto right = [](auto a, auto b) { return a >> b; };

}  // namespace

TEST(CpuNumber, F_20_division_never_traps) {
  const auto q = [](int a, int b) { return one<int>(a, b, quotient); };
  const auto r = [](int a, int b) { return one<int>(a, b, rest); };
  EXPECT_EQ(r(-1, 2), -1);
  EXPECT_EQ(q(-7, 2), -3);
  EXPECT_EQ(r(-7, 2), -1);
  EXPECT_EQ(q(least, -1), least);
  EXPECT_EQ(r(least, -1), 0);
  for (int a : {-1, -7, 7, least}) {
    EXPECT_EQ(q(a, 0), a);
    EXPECT_EQ(r(a, 0), 0);
  }
  EXPECT_EQ(one<unsigned>(7u, 0u, quotient), 7u);
  EXPECT_EQ(one<unsigned>(7u, 0u, rest), 0u);
}

TEST(CpuNumber, W_14_truncating_division) {
  const std::vector<int> x{-4, -3, -2, -1, 0, 1, 2, 3}, zero(8);
  EXPECT_EQ(map<int>(x, zero, [](auto a, auto) { return a / 2; }), (std::vector{-2, -1, -1, 0, 0, 0, 1, 1}));
  EXPECT_EQ(map<int>(x, zero, [](auto a, auto) { return a >> 1; }), (std::vector{-2, -2, -1, -1, 0, 0, 1, 1}));
  EXPECT_EQ(map<int>(x, zero, [](auto a, auto) { return a % 2; }), (std::vector{0, -1, 0, -1, 0, 1, 0, 1}));
  EXPECT_EQ(map<int>(x, zero, [](auto a, auto) { return a % -2; }), (std::vector{0, -1, 0, -1, 0, 1, 0, 1}));
  EXPECT_EQ(map<int>(x, zero, [](auto a, auto) { return floor_div(a, 3); }), (std::vector{-2, -1, -1, -1, 0, 0, 0, 1}));
  EXPECT_EQ(map<int>(x, zero, [](auto a, auto) { return floor_mod(a, 3); }), (std::vector{2, 0, 1, 2, 0, 1, 2, 0}));
}

TEST(CpuNumber, W_06_shifts_by_the_width_and_more) {
  for (unsigned count : {31u, 32u, 40u}) EXPECT_EQ(one<unsigned>(1u, count, left), count == 31 ? 2147483648u : 0u);
  EXPECT_EQ(one<unsigned>(0xFFFFFFFFu, 32u, right), 0u);
  EXPECT_EQ(one<int>(-8, 40, right), -1);
  EXPECT_EQ(one<int>(-8, 40, left), 0);
  EXPECT_EQ(one<int>(-8, -1, right), -1);  // a negative count is read as its bits
  EXPECT_EQ(one<int>(-8, 0, [](auto a, auto) { return a >> 40; }), -1);
  EXPECT_EQ(one<int>(-8, 0, [](auto a, auto) { return a << 40; }), 0);
}

TEST(CpuNumber, W_17_literals_keep_their_bits) {
  const auto literal = [](auto value) { return one<float>(0.f, 0.f, [&](auto, auto) { return value; }); };
  EXPECT_EQ(one<int>(0, 0, [](auto a, auto) { return a + least; }), least);
  EXPECT_EQ(one<unsigned>(0u, 0u, [](auto a, auto) { return a | 0xFFFFFFFFu; }), 0xFFFFFFFFu);
  for (std::uint32_t want : {0x7F7FFFFFu, 0x7F800000u, 0xFF800000u, 0x80000000u, 0x00000001u, 0x807FFFFFu, 0x3F800001u})
    EXPECT_EQ(bits(literal(std::bit_cast<float>(want))), want);
  EXPECT_TRUE(std::isnan(literal(std::numeric_limits<float>::quiet_NaN())));
  EXPECT_EQ(bits(literal(1e40)), 0x7F800000u);
  const auto as_double = [](auto value) { return one<double>(0.0, 0.0, [&](auto, auto) { return value; }); };
  EXPECT_EQ(std::bit_cast<std::uint64_t>(as_double(0.1)), 0x3FB999999999999Au);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(as_double(1.0 / 3.0)), 0x3FD5555555555555u);
}

TEST(CpuNumber, KER_NUM_01_conversions_saturate) {
  const float inf = std::numeric_limits<float>::infinity();
  const auto to_int = [](float x) { return one<int>(x, 0.f, [](auto a, auto) { return cast<int>(a); }); };
  const auto to_unsigned = [](float x) {
    return one<unsigned>(x, 0.f, [](auto a, auto) { return cast<unsigned>(a); });
  };
  EXPECT_EQ(to_int(3e9f), 2147483647);
  EXPECT_EQ(to_int(-inf), least);
  EXPECT_EQ(to_int(-2.9f), -2);
  EXPECT_EQ(to_int(std::nanf("")), 0);
  EXPECT_EQ(to_unsigned(3e9f), 3000000000u);
  EXPECT_EQ(to_unsigned(-1.f), 0u);
  EXPECT_EQ(to_unsigned(inf), 0xFFFFFFFFu);
  EXPECT_EQ(to_unsigned(std::nanf("")), 0u);
}

TEST(CpuNumber, KER_NUM_03_minimum_and_maximum) {
  const float nan = std::nanf("");
  const auto lo = [](auto a, auto b) { return min(a, b); };
  const auto hi = [](auto a, auto b) { return max(a, b); };
  EXPECT_EQ(one<float>(nan, 1.f, lo), 1.f);
  EXPECT_EQ(one<float>(1.f, nan, hi), 1.f);
  EXPECT_TRUE(std::isnan(one<float>(nan, nan, lo)));
  EXPECT_EQ(bits(one<float>(0.f, -0.f, lo)), 0x80000000u);
  EXPECT_EQ(bits(one<float>(-0.f, 0.f, lo)), 0x80000000u);
  EXPECT_EQ(bits(one<float>(0.f, -0.f, hi)), 0u);
  EXPECT_EQ(bits(one<float>(-0.f, 0.f, hi)), 0u);
}

TEST(CpuNumber, KER_NUM_05_subnormals_are_kept) {
  const float tiny = std::bit_cast<float>(0x00000003u);
  EXPECT_EQ(bits(one<float>(tiny, tiny, [](auto a, auto b) { return a + b; })), 6u);
  EXPECT_EQ(bits(one<float>(std::bit_cast<float>(0x00800000u), 0.5f, [](auto a, auto b) { return a * b; })),
            0x00400000u);
}

TEST(CpuNumber, KER_AUTH_05_functions) {
  const auto same = [](auto f, auto want) {
    for (float x : {0.3f, 0.99f, 1.5f, 7.25f}) EXPECT_EQ(bits(one<float>(x, 2.5f, f)), bits(want(x))) << x;
  };
  same([](auto a, auto) { return floor(a) + ceil(a) * 3 + trunc(a) * 5 + round(a) * 7; },
       [](float x) { return std::floor(x) + std::ceil(x) * 3 + std::trunc(x) * 5 + std::nearbyint(x) * 7; });
  same([](auto a, auto b) { return fma(a, b, a); }, [](float x) { return std::fma(x, 2.5f, x); });
  same([](auto a, auto) { return sqrt(a); }, [](float x) { return std::sqrt(x); });
  same([](auto a, auto) { return sin(a); }, [](float x) { return std::sin(x); });
  same([](auto a, auto) { return exp(a); }, [](float x) { return std::exp(x); });
  same([](auto a, auto b) { return pow(a, b); }, [](float x) { return std::pow(x, 2.5f); });
  same([](auto a, auto b) { return atan2(a, b); }, [](float x) { return std::atan2(x, 2.5f); });
  EXPECT_EQ(one<int>(11, 7, [](auto a, auto b) { return pow(a, b); }), 19487171);
  EXPECT_EQ(one<unsigned>(0xF0F0u, 0u, [](auto a, auto) { return count_one_bits(a); }), 8u);
  EXPECT_EQ(one<unsigned>(1u, 0u, [](auto a, auto) { return reverse_bits(a); }), 0x80000000u);
}
