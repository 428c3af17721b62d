// What integers and floats mean on every tier (KER-NUM-01, -02, -03, -07, -08, -09), worked out by hand: as literals and as
// data, in every class and mode.
#include <bit>
#include <cmath>
#include <limits>

#include "lower/lowering.hpp"

namespace weft::test {
namespace {

using I = std::int32_t;
using U = std::uint32_t;
constexpr I least = INT32_MIN, greatest = INT32_MAX;
constexpr float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();

/// r[i] = f(x[i], y[i]) for each i.
template <class R, class X, class Y, class F>
std::vector<R> map(const std::vector<X>& x, const std::vector<Y>& y, F f) {
  const auto k = kernel("f(x, y, r)", [&](Array<const X> a, Array<const Y> b, Array<R> r) {
    loop(r.length(), [&](Index i) { r[i] = f(a[i], b[i]); });
  });
  return run(k.core(), x, y, std::vector<R>(x.size())).template array<R>(2);
}
/// r[i] = f(x[i]).
template <class R, class X, class F> std::vector<R> map(const std::vector<X>& x, F f) {
  return map<R>(x, x, [&](auto a, auto) { return f(a); });
}
std::vector<U> bits(const std::vector<float>& v) {
  std::vector<U> b;
  for (float f : v) b.push_back(std::bit_cast<U>(f));
  return b;
}

TEST(Number, shifts_past_the_width_KER_NUM_01) {
  const std::vector<I> x{1, -8, -8, -1, least, 5, -8, 1}, count{31, 40, 32, 31, 31, -1, -1, 0};
  EXPECT_EQ(map<I>(x, count, [](auto a, auto n) { return a << n; }), (std::vector<I>{least, 0, 0, least, 0, 0, 0, 1}));
  EXPECT_EQ(map<I>(x, count, [](auto a, auto n) { return a >> n; }), (std::vector<I>{0, -1, -1, -1, -1, 0, -1, 1}));
  const std::vector<U> u{1, 1, 1, 0xFFFFFFFFu, 0xFFFFFFFFu}, by{31, 32, 40, 32, 1};
  EXPECT_EQ(map<U>(u, by, [](auto a, auto n) { return a << n; }), (std::vector<U>{0x80000000u, 0, 0, 0, 0xFFFFFFFEu}));
  EXPECT_EQ(map<U>(u, by, [](auto a, auto n) { return a >> n; }), (std::vector<U>{0, 0, 0, 0, 0x7FFFFFFFu}));
}

TEST(Number, shifts_by_literals_KER_NUM_01) {
  const std::vector<U> one{1}, all{0xFFFFFFFFu};
  EXPECT_EQ(map<U>(one, [](auto a) { return a << 31; })[0], 0x80000000u);
  EXPECT_EQ(map<U>(one, [](auto a) { return a << 32; })[0], 0u);
  EXPECT_EQ(map<U>(one, [](auto a) { return a << 40; })[0], 0u);
  EXPECT_EQ(map<U>(all, [](auto a) { return a >> 32; })[0], 0u);
  const std::vector<I> x{-8};
  EXPECT_EQ(map<I>(x, [](auto a) { return a >> 40; })[0], -1);
  EXPECT_EQ(map<I>(x, [](auto a) { return a << 40; })[0], 0);
  EXPECT_EQ(map<I>(x, [](auto a) { return a >> 1; })[0], -4);
}

TEST(Number, a_shift_without_need_has_no_guard_KER_NUM_01) {
  const auto k = kernel("f(x)", [](Array<I> x) { loop(x.length(), [&](Index i) { x[i] = x[i] << (x[i] & 15); }); });
  EXPECT_EQ(count(lowered(k.core())->root, Op::WHERE), 0u);
}

TEST(Number, quotients_that_trap_elsewhere_KER_NUM_02) {
  std::vector<I> x, y;
  for (I a : {-1, -7, 7, least})
    for (I b : {2, -1, 0}) x.push_back(a), y.push_back(b);
  EXPECT_EQ(map<I>(x, y, [](auto a, auto b) { return a / b; }),
            (std::vector<I>{0, 1, -1, -3, 7, -7, 3, -7, 7, least / 2, least, least}));
  EXPECT_EQ(map<I>(x, y, [](auto a, auto b) { return a % b; }), (std::vector<I>{-1, 0, 0, -1, 0, 0, 1, 0, 0, 0, 0, 0}));
  const std::vector<U> u{7, 7}, v{0, 2};
  EXPECT_EQ(map<U>(u, v, [](auto a, auto b) { return a / b; }), (std::vector<U>{7, 3}));
  EXPECT_EQ(map<U>(u, v, [](auto a, auto b) { return a % b; }), (std::vector<U>{0, 1}));
  EXPECT_EQ(map<I>(x, [](auto a) { return a / 0; }), x);
}

TEST(Number, a_literal_divisor_needs_no_guard_KER_NUM_02) {
  const auto k = kernel("f(x)", [](Array<I> x) { loop(x.length(), [&](Index i) { x[i] = x[i] / 3 + x[i] % 5; }); });
  EXPECT_EQ(count(lowered(k.core())->root, Op::WHERE), 0u);
}

TEST(Number, floor_and_truncating_division_KER_NUM_02) {
  const std::vector<I> x{-4, -3, -2, -1, 0, 1, 2, 3};
  EXPECT_EQ(map<I>(x, [](auto a) { return a / 2; }), (std::vector<I>{-2, -1, -1, 0, 0, 0, 1, 1}));
  EXPECT_EQ(map<I>(x, [](auto a) { return floor_div(a, 2); }), (std::vector<I>{-2, -2, -1, -1, 0, 0, 1, 1}));
  EXPECT_EQ(map<I>(x, [](auto a) { return a % 2; }), (std::vector<I>{0, -1, 0, -1, 0, 1, 0, 1}));
  EXPECT_EQ(map<I>(x, [](auto a) { return floor_mod(a, 2); }), (std::vector<I>{0, 1, 0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(map<I>(x, [](auto a) { return a % -2; }), (std::vector<I>{0, -1, 0, -1, 0, 1, 0, 1}));
  EXPECT_EQ(map<I>(x, [](auto a) { return floor_mod(a, -3); }), (std::vector<I>{-1, 0, -2, -1, 0, -2, -1, 0}));
  const std::vector<I> d{3, -2, 0, -1, 5, -5, 0, 2};
  EXPECT_EQ(map<I>(x, d, [](auto a, auto b) { return floor_div(a, b); }), (std::vector<I>{-2, 1, -2, 1, 0, -1, 2, 1}));
  EXPECT_EQ(map<I>(x, d, [](auto a, auto b) { return floor_mod(a, b); }), (std::vector<I>{2, -1, 0, 0, 0, -4, 0, 1}));
}

TEST(Number, min_and_max_of_floats_KER_NUM_03) {
  const float quiet = std::bit_cast<float>(0xFFC00001u);
  const std::vector<float> x{1, nan, 1, nan, -0.0f, 0.0f, -infinity, nan, 3e-45f, -1},
      y{2, 1, nan, quiet, 0.0f, -0.0f, nan, infinity, 0.0f, -2};
  const auto hi = map<float>(x, y, [](auto a, auto b) { return max(a, b); });
  const auto lo = map<float>(x, y, [](auto a, auto b) { return min(a, b); });
  EXPECT_EQ(bits(hi), bits({2, 1, 1, quiet, 0.0f, 0.0f, -infinity, infinity, 3e-45f, -1}));
  EXPECT_EQ(bits(lo), bits({1, 1, 1, quiet, -0.0f, -0.0f, -infinity, infinity, 0.0f, -2}));
}

TEST(Number, no_float_minimum_is_left_to_a_tier_KER_NUM_03) {
  const auto k =
      kernel("f(x)", [](Array<float> x) { loop(x.length(), [&](Index i) { x[i] = clamp(x[i], 0.0f, 1.0f); }); });
  const auto l = lowered(k.core());
  EXPECT_EQ(count(l->root, Op::MIN) + count(l->root, Op::MAX), 0u);
  EXPECT_EQ(count(l->root, Op::WHERE), 3u) << "one question whether x is a NaN; a clamped value is none";
  EXPECT_EQ(bits(run(k.core(), std::vector{nan, -3.0f, 0.25f, 7.0f}).array<float>(0)), bits({0.0f, 0.0f, 0.25f, 1.0f}));
}

TEST(Number, floats_become_integers_KER_NUM_01) {
  const std::vector<float> x{2.7f,      -2.7f,         3e9f,           -3e9f, 5e9f,   nan,        infinity,
                             -infinity, 2147483520.0f, -2147483648.0f, -0.5f, 1e-40f, 16777216.0f};
  EXPECT_EQ(map<I>(x, [](auto a) { return cast<I>(a); }),
            (std::vector<I>{2, -2, greatest, least, greatest, 0, greatest, least, 2147483520, least, 0, 0, 16777216}));
  EXPECT_EQ(map<U>(x, [](auto a) { return cast<U>(a); }),
            (std::vector<U>{2, 0, 3000000000u, 0, 0xFFFFFFFFu, 0, 0xFFFFFFFFu, 0, 2147483520u, 0, 0, 0, 16777216u}));
  EXPECT_EQ(map<I>(std::vector<float>{std::bit_cast<float>(0xFFC00000u)}, [](auto a) { return cast<I>(a); })[0], 0)
      << "a negative NaN";
}

TEST(Number, integers_become_floats_rounded_once_KER_NUM_01) {
  EXPECT_EQ(map<float>(std::vector<I>{16777217, -16777219, greatest, least}, [](auto a) { return cast<float>(a); }),
            (std::vector<float>{16777216.0f, -16777220.0f, 2147483648.0f, -2147483648.0f}));
  EXPECT_EQ(map<float>(std::vector<U>{0xFFFFFFFFu, 16777217u}, [](auto a) { return cast<float>(a); }),
            (std::vector<float>{4294967296.0f, 16777216.0f}));
}

TEST(Number, integer_arithmetic_wraps_KER_NUM_01) {
  EXPECT_EQ(map<U>(std::vector<U>{0}, [](auto a) { return a + 4294967295u; })[0], 0xFFFFFFFFu);
  EXPECT_EQ(map<I>(std::vector<I>{greatest}, [](auto a) { return a + 1; })[0], least);
  EXPECT_EQ(map<I>(std::vector<I>{least}, [](auto a) { return -a; })[0], least);
  EXPECT_EQ(map<I>(std::vector<I>{least}, [](auto a) { return abs(a); })[0], least);
  EXPECT_EQ(map<U>(std::vector<U>{5}, [](auto a) { return -a; })[0], 0xFFFFFFFBu);
  EXPECT_EQ(map<U>(std::vector<U>{0x10001u}, [](auto a) { return a * a; })[0], 0x20001u);
}

TEST(Number, a_literal_that_does_not_fit_is_refused_KER_NUM_07) {
  const auto compares = [] {
    return kernel("f(x)", [](Array<U> x) { loop(x.length(), [&](Index i) { x[i] = select(x[i] < -1, 1, 0); }); });
  };
  EXPECT_THROW(compares(), RangeError);
}

TEST(Number, literals_keep_their_bits_KER_NUM_08) {
  const std::vector<float> values{std::numeric_limits<float>::max(),
                                  std::numeric_limits<float>::denorm_min(),
                                  1e-40f,
                                  infinity,
                                  -infinity,
                                  nan,
                                  -0.0f,
                                  0.1f};
  for (float v : values) {
    const auto k = kernel("f(x)", [&](Array<float> x) { loop(x.length(), [&](Index i) { x[i] = v; }); });
    EXPECT_EQ(bits(run(k.core(), std::vector{1.0f}).array<float>(0)), bits({v}));
  }
  for (I v : {least, greatest, -1}) {
    const auto k = kernel("f(x)", [&](Array<I> x) { loop(x.length(), [&](Index i) { x[i] = v; }); });
    EXPECT_EQ(run(k.core(), std::vector<I>{1}).array<I>(0)[0], v);
  }
  const auto k = kernel("f(x)", [&](Array<U> x) { loop(x.length(), [&](Index i) { x[i] = 4294967295u; }); });
  EXPECT_EQ(run(k.core(), std::vector<U>{1}).array<U>(0)[0], 4294967295u);
}

TEST(Number, every_literal_holds_a_value_of_its_type_KER_NUM_08) {
  const auto k =
      kernel("f(x)", [&](Array<I> x) { loop(x.length(), [&](Index i) { x[i] = (x[i] / 7 + least) % 11 << 33; }); });
  for (Node n : ir::topological(program(k.core())->root)) {
    if (!n->is(Op::CAST) || !(*n)[0]->is(Op::CONST)) continue;
    EXPECT_TRUE(ir::int_value(n) == (*n)[0]->arg.integer->to_int64()) << ir::print_node(n);
  }
}

TEST(Number, integer_power_KER_NUM_09) {
  const std::vector<I> x{11, 2, 2, 1, -1, -1, 0, 0, 3, -2, 3, 5, -7}, e{7, 31, -1, -1, -1, -2, -1, 0, 0, 3, -1, -2, -3};
  const std::vector<I> want{19487171, least, 0, 1, -1, 1, 0, 1, 1, -8, 0, 0, 0};
  EXPECT_EQ(map<I>(x, e, [](auto a, auto b) { return pow(a, b); }), want);
  for (std::size_t k = 0; k < x.size(); ++k)
    EXPECT_EQ(map<I>(std::vector<I>{x[k]}, [&](auto a) { return pow(a, e[k]); })[0], want[k])
        << x[k] << " to the " << e[k];
  EXPECT_EQ(map<U>(std::vector<U>{3, 0xFFFFFFFFu, 1}, std::vector<I>{6, -1, -5},
                   [](auto a, auto b) { return cast<U>(pow(a, cast<U>(b) & 7u)); }),
            (std::vector<U>{729, 0xFFFFFFFFu, 1}));
}

TEST(Number, a_power_of_an_unknown_exponent_is_a_loop_KER_NUM_09) {
  // Written out, x*x*... by squaring is a chain that drivers take exponential time to look at.
  const auto k = kernel("f(x, y)", [](Array<I> x, Array<const I> y) {
    loop(x.length(),
         [&](Index i) { If(y[i] != 3, [&] { x[i] = pow(x[i], pow(y[i], y[i] & 3)) + pow(x[i], 1 << 20); }); });
  });
  const auto l = lowered(k.core());
  EXPECT_EQ(count(l->root, Op::LOOP), 3u);
  EXPECT_EQ(count(l->root, Op::POW), 0u);
  EXPECT_LE(count(l->root, Op::MUL), 6u);
  run(k.core(), std::vector<I>{3, -5, 7, 1, -1, 2}, std::vector<I>{2, 5, 3, -2, -3, 0});
}

TEST(Number, lanes_are_computed_each_alone_KER_NUM_01) {
  const auto k = kernel("f(a, n, f, r, m)", [](Array<const vec4i> a, Array<const vec4i> n, Array<const vec4f> f,
                                               Array<vec4i> r, Array<vec4f> m) {
    loop(r.length(), [&](Index i) {
      r[i] = (a[i] / n[i] + (a[i] << n[i]) - (a[i] >> n[i])) ^ cast<I>(f[i]) ^ pow(a[i], n[i]);
      m[i] = max(min(f[i], 1.0f), f[i] * 0.5f) + cast<float>(a[i]);
    });
  });
  const vec4i a{{7, -7, least, -8}}, n{{0, 2, -1, 40}};
  const vec4f f{{nan, -0.0f, 3e9f, -2.5f}};
  const auto ran =
      run(k.core(), std::vector{a}, std::vector{n}, std::vector{f}, std::vector<vec4i>(1), std::vector<vec4f>(1));
  EXPECT_EQ(ran.array<vec4i>(3)[0][0], (7 + 7 - 7) ^ 0 ^ 1);
  EXPECT_EQ(ran.array<vec4i>(3)[0][3], (0 + 0 + 1) ^ -2 ^ 0);
  EXPECT_EQ(ran.array<vec4f>(4)[0][2], 1.5e9f - 2147483648.0f);
}

TEST(Number, rounding_functions_KER_NUM_09) {
  const std::vector<float> x{2.5f, 3.5f, -2.5f, -0.5f, 0.49999997f, 8388609.0f};
  EXPECT_EQ(bits(map<float>(x, [](auto a) { return round(a); })), bits({2.0f, 4.0f, -2.0f, -0.0f, 0.0f, 8388609.0f}));
  EXPECT_EQ(bits(map<float>(x, [](auto a) { return fract(a); })), bits({0.5f, 0.5f, 0.5f, 0.5f, 0.49999997f, 0.0f}));
  EXPECT_EQ(bits(map<float>(std::vector{3.0f}, [](auto a) { return 1.0f / a; })), bits({1.0f / 3.0f}));
}

TEST(Number, mixed_signs_meet_at_64_bits_KER_NUM_01) {
  // W-04
  const auto k = kernel("f(u, s, r)", [](Array<const U> u, Array<const I> s, Array<I> r) {
    loop(r.length(), [&](Index i) { r[i] = select(u[i] < s[i], 1, 0) + cast<I>((u[i] + s[i]) >> 31); });
  });
  EXPECT_TRUE(lowered(k.core())->needs_int64);
  EXPECT_EQ(run(k.core(), std::vector<U>{0x80000000u, 0xFFFFFFFFu, 3}, std::vector<I>{0, -1, 5}, std::vector<I>(3))
                .array<I>(2),
            (std::vector<I>{1, 1, 1}));
}

TEST(Number, bools_are_no_numbers_in_a_program_KER_NUM_10) {
  const auto k = kernel("f(x)", [](Array<float> x) {
    loop(x.length(),
         [&](Index i) { x[i] = cast<float>(x[i] > 1.0f) + select(!(x[i] > 2.0f) && cast<bool>(x[i]), 4.0f, 0.0f); });
  });
  EXPECT_EQ(run(k.core(), std::vector{0.0f, 1.5f, 3.0f}).array<float>(0), (std::vector{0.0f, 5.0f, 1.0f}));
}

TEST(Number, a_type_no_tier_has_is_refused_by_name_KER_NUM_10) {
  KernelBuilder k("halve");
  const auto a = k.array("a", Scalar::float32);
  k.loop(k.length(a), [&](Node i) {
    k.store(a, i, k.graph().cast(k.graph().cast(k.load(a, i), Scalar::float16), Scalar::float32));
  });
  try {
    lowered(k.finish());
    FAIL();
  } catch (const UnsupportedError& e) {
    EXPECT_STREQ(e.what(), "halve: it computes with float16, which no tier renders: cast to a type of 32 or 64 bits");
  }
}

}  // namespace
}  // namespace weft::test
