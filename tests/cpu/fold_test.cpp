// Reductions (KER-RED) in the tree order, by the bits, for any number of threads.
#include <cmath>
#include <limits>

#include "cpu/rig.hpp"
#include "kernel/run_kernel.hpp"

using namespace weft;
using cpu::test::bits;
using cpu::test::random_floats;
using cpu::test::Rig;
using cpu::test::same_bits;

namespace {

constexpr float inf = std::numeric_limits<float>::infinity(), NaN = std::numeric_limits<float>::quiet_NaN();

Rig& rig() {
  static Rig r;
  return r;
}
Rig& one_thread() {
  static Rig r(1);
  return r;
}

template <class K, class... A> auto agree(const K& kernel, const A&... args) {
  const auto a = rig().run(kernel, args...), b = one_thread().run(kernel, args...), c = test::run(kernel, args...);
  EXPECT_TRUE(same_bits(a, c)) << a << " is not " << c;
  EXPECT_TRUE(same_bits(b, c)) << b << " is not " << c;
  return a;
}

template <class T, class F> auto fold(T first, F step) {
  return kernel("fold(x)", [=](Array<const T> x) {
    Var<T> s = first;
    loop(x.length(), [&](Index i) { step(s, x[i]); });
    return s;
  });
}

const auto sum = kernel("sum(x, s0)", [](Array<const float> x, Scalar<float> s0) {
  Var<float> s = s0;
  loop(x.length(), [&](Index i) { s += x[i]; });
  return s;
});
const auto largest = kernel("largest(x, s0)", [](Array<const float> x, Scalar<float> s0) {
  Var<float> s = s0;
  loop(x.length(), [&](Index i) { s = max(s, x[i]); });
  return s;
});
const auto least = kernel("least(x, s0)", [](Array<const float> x, Scalar<float> s0) {
  Var<float> s = s0;
  loop(x.length(), [&](Index i) { s = min(s, x[i]); });
  return s;
});

}  // namespace

TEST(CpuFold, KER_RED_02_every_operator_and_type_at_every_level) {
  for (std::size_t n : {0u, 1u, 255u, 256u, 257u, 4095u, 4097u, 65'535u, 65'536u, 65'537u, 70'000u, 200'001u}) {
    std::vector<float> f = random_floats(n, 7), near_one = f;
    for (float& x : near_one) x = 1 + x * 1e-4f;
    std::vector<int> s(n);
    std::vector<std::uint32_t> u(n);
    std::vector<double> d(n);
    for (std::size_t k = 0; k < n; ++k)
      s[k] = static_cast<int>(k * 2654435761u), u[k] = ~static_cast<unsigned>(s[k]), d[k] = 0.1 * s[k];
    agree(sum, f, 0.5f);
    agree(largest, f, -1000.f);
    agree(least, f, 1000.f);
    agree(fold(1.f, [](auto& a, auto v) { a *= v; }), near_one);
    agree(fold(0.0, [](auto& a, auto v) { a += v; }), d);
    agree(fold(0, [](auto& a, auto v) { a += v; }), s);
    agree(fold(1, [](auto& a, auto v) { a *= v | 1; }), s);
    agree(fold(5, [](auto& a, auto v) { a = min(a, v); }), s);
    agree(fold(5, [](auto& a, auto v) { a = max(a, v); }), s);
    agree(fold(5u, [](auto& a, auto v) { a = min(a, v); }), u);
    agree(fold(5u, [](auto& a, auto v) { a = max(a, v); }), u);
    agree(fold(~0u, [](auto& a, auto v) { a &= v | 0xFFFFFF00u; }), u);
    agree(fold(0u, [](auto& a, auto v) { a |= v; }), u);
    agree(fold(0u, [](auto& a, auto v) { a ^= v; }), u);
  }
}

TEST(CpuFold, KER_RED_01_several_at_once_with_stores_and_edges) {
  const auto k = kernel("f(x, y)", [](Array<const float> x, Array<float> y) {
    Var<float> s = 0, m = -inf;
    Var<int> count = 0;
    loop(y.length(), [&](Index i) {
      y[i] = x[i - 1] + x[i + 1];
      s += y[i] * 2;
      If(y[i] > 3, [&] {
        count += 1;
        s += 1;
      });
      m = max(m, y[i]);
    });
    return std::tuple(s, m, count);
  });
  for (std::size_t n : {1u, 300u, 70'000u}) {
    const auto x = random_floats(n, 8);
    std::vector<float> a(n), b(n);
    const auto [s1, m1, c1] = rig().run(k, x, a);
    const auto [s2, m2, c2] = test::run(k, x, b);
    EXPECT_TRUE(same_bits(a, b));
    EXPECT_EQ(bits(s1), bits(s2));
    EXPECT_EQ(bits(m1), bits(m2));
    EXPECT_EQ(c1, c2);
  }
}

TEST(CpuFold, F_06_no_elements_give_the_initial_value) {
  const std::vector<float> none;
  EXPECT_EQ(bits(agree(sum, none, 0.f)), bits(0.f));
  EXPECT_EQ(bits(agree(sum, none, -0.f)), bits(-0.f));
  EXPECT_EQ(agree(sum, none, 5.f), 5.f);
  EXPECT_EQ(agree(least, none, inf), inf);
  EXPECT_EQ(agree(fold(7u, [](auto& a, auto v) { a += v; }), std::vector<std::uint32_t>{}), 7u);
}

TEST(CpuFold, F_07_minus_zero_is_the_neutral_element_of_a_float_sum) {
  std::vector<float> x(300, -0.f);
  EXPECT_EQ(bits(agree(sum, x, -0.f)), 0x80000000u);
  EXPECT_EQ(bits(agree(sum, x, 0.f)), 0u);
  x[17] = 0.f;
  EXPECT_EQ(bits(agree(sum, x, -0.f)), 0u);
}

TEST(CpuFold, F_08_a_nan_loses_wherever_it_stands) {
  EXPECT_EQ(agree(largest, std::vector<float>{1, NaN, 2}, -inf), 2.f);
  EXPECT_EQ(agree(largest, std::vector<float>{NaN, 1}, -inf), 1.f);
  EXPECT_EQ(agree(largest, std::vector<float>{NaN, NaN}, -inf), -inf);
  EXPECT_EQ(agree(least, std::vector<float>{NaN, NaN}, inf), inf);
  for (std::size_t at : {0u, 299u, 599u}) {
    std::vector<float> ones(600, 1.f);
    ones[at] = NaN;
    EXPECT_EQ(agree(largest, ones, -inf), 1.f);
    EXPECT_EQ(agree(least, ones, inf), 1.f);
  }
  // KER-NUM-03: -0 < +0, on either side.
  for (std::size_t at : {0u, 1u, 255u, 256u}) {
    std::vector<float> zeros(300, 0.f);
    zeros[at] = -0.f;
    EXPECT_EQ(bits(agree(least, zeros, inf)), 0x80000000u) << at;
    std::vector<float> minus(300, -0.f);
    minus[at] = 0.f;
    EXPECT_EQ(bits(agree(largest, minus, -inf)), 0u) << at;
  }
}

TEST(CpuFold, F_10c_sixteen_million_ones) {
  const auto k = fold(0u, [](auto& a, auto v) { a += v; });
  const std::vector<std::uint32_t> ones(16'776'961, 1);
  EXPECT_EQ(rig().run(k, ones), 16'776'961u);
}

TEST(CpuFold, F_11_a_map_and_a_fold_of_257) {
  const auto check = [&]<class T>(T) {
    const auto k = kernel("f(x, y)", [](Array<const T> x, Array<T> y) {
      Var<T> s = 0;
      loop(x.length(), [&](Index i) {
        y[i] = x[i] + 1;
        s += y[i];
      });
      return s;
    });
    std::vector<T> x(257), y(400, 9);
    EXPECT_EQ(rig().run(k, x, y), T{257});
    EXPECT_EQ(y[256], T{1});
    for (std::size_t i = 257; i < y.size(); ++i) EXPECT_EQ(y[i], T{9});
  };
  check(float{});
  check(std::uint32_t{});
}

// The control: the sum of another order has other bits, so equality above says something.
TEST(CpuFold, KER_RED_02_control_another_order_differs) {
  const auto x = random_floats(70'000, 9);
  float in_order = 0;
  for (float v : x) in_order += v;
  EXPECT_NE(bits(agree(sum, x, 0.f)), bits(in_order));
}
