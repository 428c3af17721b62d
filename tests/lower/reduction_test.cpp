// Reductions through lowering: their identities, their one tree order, what a loop of no iterations leaves (KER-RED).
#include <cmath>
#include <limits>

#include "lower/lowering.hpp"

namespace weft::test {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();

float as_float(const detail::ScalarValue& v) { return std::bit_cast<float>(static_cast<std::uint32_t>(v.bits)); }

/// The bits of a float reduction of x from an initial value.
template <class F> std::uint32_t reduce(const std::vector<float>& x, float initial, F update) {
  const auto k = kernel("fold(x, s)", [&](Array<const float> x, weft::Scalar<float> s) {
    Var<float> v = s;
    loop(x.length(), [&](Index i) { update(v, x[i]); });
    return v;
  });
  return static_cast<std::uint32_t>(run(k.core(), x, initial).results.at(0).bits);
}
const auto sum = [](auto& v, auto x) { v += x; };
const auto maximum = [](auto& v, auto x) { v = max(v, x); };
const auto minimum = [](auto& v, auto x) { v = min(v, x); };
std::uint32_t bits(float v) { return std::bit_cast<std::uint32_t>(v); }

/// KER-RED-02 once more, written out for a float sum.
float tree_sum(std::vector<float> v, float initial) {
  if (v.empty()) return initial;
  for (float& x : v) x = -0.0f + x;
  for (;;) {
    while (v.size() % 256 != 0) v.push_back(-0.0f);
    std::vector<float> next;
    for (std::size_t block = 0; block < v.size(); block += 256) {
      for (std::size_t stride = 128; stride > 0; stride /= 2)
        for (std::size_t k = 0; k < stride; ++k) v[block + k] = v[block + k] + v[block + k + stride];
      next.push_back(v[block]);
    }
    if (next.size() == 1) return initial + next[0];
    v = next;
  }
}

TEST(Reduction, one_tree_order_KER_RED_02) {
  for (std::size_t n : {0u, 1u, 2u, 255u, 256u, 257u, 65537u, 70000u}) {
    std::vector<float> x(n);
    for (std::size_t k = 0; k < n; ++k)
      x[k] = std::ldexp(static_cast<float>((k * 2654435761u) % 8191) - 4095.0f, static_cast<int>(k % 37) - 18);
    EXPECT_EQ(reduce(x, 3.0f, sum), bits(tree_sum(x, 3.0f))) << n;
  }
}

TEST(Reduction, of_nothing_is_the_initial_value_KER_RED_04) {
  for (float v : {0.0f, -0.0f, 5.0f, infinity}) EXPECT_EQ(reduce({}, v, sum), bits(v));
  EXPECT_EQ(reduce({}, infinity, minimum), bits(infinity));
}

TEST(Reduction, padding_changes_no_sign_of_zero_KER_RED_03) {
  const std::vector<float> zeros(300, -0.0f);
  EXPECT_EQ(reduce(zeros, -0.0f, sum), bits(-0.0f));
  EXPECT_EQ(reduce(zeros, 0.0f, sum), bits(0.0f));
  std::vector<float> one = zeros;
  one[7] = 0.0f;
  EXPECT_EQ(reduce(one, -0.0f, sum), bits(0.0f));
}

TEST(Reduction, a_nan_loses_wherever_it_stands_KER_RED_03) {
  EXPECT_EQ(reduce({1, nan, 2}, -infinity, maximum), bits(2.0f));
  EXPECT_EQ(reduce({nan, 1}, -infinity, maximum), bits(1.0f));
  EXPECT_EQ(reduce({nan, nan}, -infinity, maximum), bits(-infinity));
  EXPECT_EQ(reduce({-infinity, -infinity}, -infinity, maximum), bits(-infinity));
  for (std::size_t at : {0u, 299u, 599u}) {
    std::vector<float> ones(600, 1.0f);
    ones[at] = nan;
    EXPECT_EQ(reduce(ones, infinity, minimum), bits(1.0f)) << at;
  }
}

TEST(Reduction, several_updates_and_none_in_an_iteration_KER_RED_02) {
  const auto k = kernel("f(x)", [](Array<const std::int32_t> x) {
    Var<std::int32_t> s = 0;
    loop(x.length(), [&](Index i) {
      If(x[i] > 0, [&] {
        s += x[i];
        s += 1;
      });
    });
    return s;
  });
  EXPECT_EQ(static_cast<std::int32_t>(run(k.core(), std::vector<std::int32_t>{5, -3, 7, 0}).results.at(0).bits), 14);
}

TEST(Reduction, integers_wrap_and_every_operator_has_its_identity_KER_RED_05) {
  const auto k = kernel("f(x)", [](Array<const std::uint32_t> x) {
    Var<std::uint32_t> add = 7u, mul = 1u, all = 0xFFFFu, any = 0u, odd = 0u, least = 0xFFFFFFFFu, most = 0u;
    loop(x.length(), [&](Index i) {
      add += x[i];
      mul *= x[i];
      all &= x[i];
      any |= x[i];
      odd ^= x[i];
      least = min(least, x[i]);
      most = max(most, x[i]);
    });
    return std::tuple(add, mul, all, any, odd, least, most);
  });
  const std::vector<std::uint32_t> x{0xFFFFFFFFu, 0x10003u, 0x10007u};
  const auto r = run(k.core(), x).results;
  const std::uint32_t want[] = {7u + x[0] + x[1] + x[2], x[0] * x[1] * x[2], 3u,         0xFFFFFFFFu,
                                x[0] ^ x[1] ^ x[2],      0x10003u,           0xFFFFFFFFu};
  ASSERT_EQ(r.size(), std::size(want));
  for (std::size_t n = 0; n < r.size(); ++n) EXPECT_EQ(static_cast<std::uint32_t>(r[n].bits), want[n]) << n;
}

TEST(Reduction, a_mean_is_computed_after_the_loop_KER_RED_01) {
  const auto k = kernel("mean(x)", [](Array<const float> x) {
    Var<float> s = 0;
    loop(x.length(), [&](Index i) { s += x[i]; });
    return s / cast<float>(x.length());
  });
  EXPECT_EQ(as_float(run(k.core(), std::vector{1.0f, 2.0f, 6.0f}).results.at(0)), 3.0f);
}

}  // namespace
}  // namespace weft::test
