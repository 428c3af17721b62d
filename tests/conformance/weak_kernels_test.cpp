// Cases from the field, W-01 to W-17, as kernels on every tier: literals, widths and shifts on which libraries of this kind
// have gone wrong. What a tier has no numbers for runs on the cpu tier, with the reason. The IR's half: tests/ir/field_test.cpp.
#include <cmath>
#include <limits>

#include "conformance/fuse_tiers.hpp"

namespace weft::test {
namespace {

using I = std::int32_t;
using U = std::uint32_t;

struct WeakField : EachTier {
  /// r[i] = f(x[i], y[i]).
  template <class R, class X, class Y, class F>
  std::vector<R> map(const std::vector<X>& x, const std::vector<Y>& y, F f) {
    const auto k = kernel("f(x, y, r)", [&](Array<const X> a, Array<const Y> b, Array<R> r) {
      loop(r.length(), [&](Index i) { r[i] = f(a[i], b[i]); });
    });
    auto r = device->resident<R>(x.size());
    k(device->resident(x), device->resident(y), r);
    return r.read().get();
  }
  template <class R, class X, class F> std::vector<R> map(const std::vector<X>& x, F f) {
    return map<R>(x, x, [&](auto a, auto) { return f(a); });
  }
  /// Where a call ran, and that it says why where that is not the tier under test.
  template <class T> void expect_a_reason(Future<T>& f, const std::string& reason) {
    const auto call = f.call();
    if (call->tier != GetParam()) { EXPECT_NE(call->reason.find(reason), std::string::npos) << call->reason; }
  }
};
WEFT_ON_EACH_TIER(WeakField);

constexpr I least = INT32_MIN, greatest = INT32_MAX;

TEST(WeakLiteral, W01_a_literal_that_its_peer_does_not_hold) {
  const auto message = [](auto trace) -> std::string {
    try {
      trace();
    } catch (const RangeError& e) { return e.what(); }
    return "nothing thrown";
  };
  const auto names = [&](auto trace, const char* literal, const char* type) {
    const std::string m = message(trace);
    EXPECT_NE(m.find(literal), std::string::npos) << m;
    EXPECT_NE(m.find(type), std::string::npos) << m;
  };
  names([] { kernel("f(x)", [](Array<U> x) { loop(x.length(), [&](Index i) { x[i] = select(x[i] < -1, 1, 0); }); }); },
        "-1", "uint32");
  names(
      [] {
        kernel("f(x)", [](Array<I> x) { loop(x.length(), [&](Index i) { x[i] = select(x[i] == 3000000000, 1, 0); }); });
      },
      "3000000000", "int32");
  names([] { kernel("f(x)", [](Array<U> x) { loop(x.length(), [&](Index i) { x[i] = max(x[i], -5); }); }); }, "-5",
        "uint32");
}

TEST_P(WeakField, W02_unsigned_steps) {
  EXPECT_EQ(map<U>(std::vector<U>{0}, [](auto) { return 4294967295; })[0], 4294967295u);
  EXPECT_EQ(map<U>(std::vector<U>{0}, [](auto x) { return x + 4294967295; })[0], 4294967295u);
}

TEST_P(WeakField, W03_loops_past_32_bits) {
  const auto sum = kernel("sum(x)", [](Array<const I>) {  // the array says which device
    Var<std::int64_t> s = 0;
    loop(2147483646, 2147483650, [&](Index i) { s += i; });
    return s;
  });
  EXPECT_EQ(sum(device->resident<I>(1)).get(), 8589934590);
}

TEST_P(WeakField, W04_signed_and_unsigned_meet_at_64_bits) {
  EXPECT_EQ(
      map<I>(std::vector<U>{2147483648u}, std::vector<I>{0}, [](auto a, auto b) { return select(a < b, 1, 0); })[0], 0);
  const auto sum = kernel("sum(a, b)", [](Array<const U> a, Array<const I> b) {
    Var<std::int64_t> s = 0;
    loop(a.length(), [&](Index i) { s += a[i] + b[i]; });
    return s;
  });
  for (auto [b, expected] : {std::pair<I, std::int64_t>{1, 4294967296}, {-1, 4294967294}}) {
    auto f = sum(device->resident(std::vector<U>{4294967295u}), device->resident(std::vector<I>{b}));
    EXPECT_EQ(f.get(), expected);
    expect_a_reason(f, "64");
  }
}

TEST_P(WeakField, W06_shifts_by_the_width_and_more) {
  struct Case {
    U x, n, left, right;
  };
  for (auto [x, n, left, right] : {Case{1, 31, 0x80000000u, 0},
                                   {1, 32, 0, 0},
                                   {1, 40, 0, 0},
                                   {0xFFFFFFFFu, 32, 0, 0},
                                   {0xFFFFFFFFu, 31, 0x80000000u, 1}}) {
    const std::vector<U> v{x}, count{n};
    EXPECT_EQ(map<U>(v, [&](auto a) { return a << n; })[0], left) << x << " << " << n;
    EXPECT_EQ(map<U>(v, count, [](auto a, auto b) { return a << b; })[0], left) << x << " << " << n << " as data";
    EXPECT_EQ(map<U>(v, [&](auto a) { return a >> n; })[0], right) << x << " >> " << n;
    EXPECT_EQ(map<U>(v, count, [](auto a, auto b) { return a >> b; })[0], right) << x << " >> " << n << " as data";
  }
  const std::vector<I> v{-8}, count{40};
  EXPECT_EQ(map<I>(v, [](auto a) { return a >> 40; })[0], -1);
  EXPECT_EQ(map<I>(v, [](auto a) { return a << 40; })[0], 0);
  EXPECT_EQ(map<I>(v, count, [](auto a, auto b) { return a >> b; })[0], -1);
  EXPECT_EQ(map<I>(v, count, [](auto a, auto b) { return a << b; })[0], 0);
}

TEST_P(WeakField, W08_shifts_of_and_by_other_types) {
  const std::vector<I> x{-8}, one{1};
  EXPECT_EQ(map<I>(x, one, [](auto a, auto b) { return a >> b; })[0], -4);
  EXPECT_EQ(map<I>(x, one, [](auto a, auto b) { return a << b; })[0], -16);
  EXPECT_EQ(map<U>(std::vector<U>{0, 1, 2, 3, 4}, [](auto i) { return 1 << (4 - i); }),
            (std::vector<U>{16, 8, 4, 2, 1}));
  EXPECT_EQ(map<U>(std::vector<U>{0xFFFFFFFFu}, one, [](auto a, auto b) { return a >> b; })[0], 2147483647u);
}

// With the narrowest types that kernels have: a cast to them wraps, and no bound says otherwise.
TEST_P(WeakField, W10_a_narrowing_cast_wraps) {
  const auto negative = kernel("negative(n)", [](Array<const I> x) {
    Var<I> count = 0;
    loop(x.length(), [&](Index i) { count += select(cast<I>(i * 16777216) < 0, 1, 0); });
    return count;
  });
  EXPECT_EQ(negative(device->resident<I>(256)).get(), 128);
  EXPECT_EQ(map<I>(std::vector<I>{-5, -4, -3, -2, -1}, [](auto i) { return select(cast<U>(i) > 4294967290, 1, 0); }),
            (std::vector<I>(5, 1)));
}

TEST_P(WeakField, W12_a_guard_keeps_its_64_bits) {
  const auto fill = kernel("fill(out)", [](Array<I> out) {
    loop(2, [&](Index i) {
      For(0, 10, 1, [&](Index j) {
        const auto at = i * 4294967296 + j;
        If(at < 10, [&] { out[at] = cast<I>(i) + 1; });
      });
    });
  });
  auto out = device->resident<I>(10);
  fill(out);
  EXPECT_EQ(out.read().get(), std::vector<I>(10, 1));
}

TEST_P(WeakField, W14_the_two_divisions_stay_apart) {
  const std::vector<I> x{-4, -3, -2, -1, 0, 1, 2, 3}, two(8, 2), minus(8, -2);
  const std::vector<I> half{-2, -1, -1, 0, 0, 0, 1, 1}, shifted{-2, -2, -1, -1, 0, 0, 1, 1},
      rest{0, -1, 0, -1, 0, 1, 0, 1};
  EXPECT_EQ(map<I>(x, [](auto a) { return a / 2; }), half);
  EXPECT_EQ(map<I>(x, [](auto a) { return a >> 1; }), shifted);
  EXPECT_EQ(map<I>(x, [](auto a) { return floor_div(a, 2); }), shifted);
  EXPECT_EQ(map<I>(x, [](auto a) { return a % 2; }), rest);
  EXPECT_EQ(map<I>(x, [](auto a) { return a % -2; }), rest);
  EXPECT_EQ(map<I>(x, two, [](auto a, auto b) { return a / b; }), half);
  EXPECT_EQ(map<I>(x, two, [](auto a, auto b) { return a % b; }), rest);
  EXPECT_EQ(map<I>(x, minus, [](auto a, auto b) { return a % b; }), rest);
}

TEST_P(WeakField, W15_an_integer_power_is_one_of_integers) {
  const std::vector<I> base{11, 2, 2, 1, -1, 0, -1, 0}, exponent{7, 31, -1, -1, -1, -1, -2, 0};
  const std::vector<I> expected{19487171, least, 0, 1, -1, 0, 1, 1};
  EXPECT_EQ(map<I>(base, exponent, [](auto a, auto b) { return pow(a, b); }), expected);
  for (std::size_t k = 0; k < base.size(); ++k)
    EXPECT_EQ(map<I>(std::vector<I>{base[k]}, [&](auto a) { return pow(a, exponent[k]); })[0], expected[k])
        << base[k] << " to the " << exponent[k];
}

TEST_P(WeakField, W16_conversions_are_not_left_out) {
  EXPECT_EQ(map<float>(std::vector<float>{2.7f, -2.7f}, [](auto x) { return cast<float>(cast<I>(x)); }),
            (std::vector<float>{2, -2}));
  EXPECT_EQ(map<float>(std::vector<I>{16777217}, [](auto x) { return cast<float>(x); })[0], 16777216.0f);
  EXPECT_EQ(map<I>(std::vector<I>{16777217}, [](auto x) { return cast<I>(cast<float>(x)); })[0], 16777216);
}

TEST_P(WeakField, W17_constants_keep_their_bits) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (I v : {least, greatest, -1}) EXPECT_EQ(map<I>(std::vector<I>{1}, [&](auto) { return v; })[0], v);
  EXPECT_EQ(map<U>(std::vector<U>{1}, [](auto) { return 0xFFFFFFFFu; })[0], 0xFFFFFFFFu);
  for (float v :
       {std::numeric_limits<float>::max(), infinity, -infinity, -0.0f, 0.1f, std::numeric_limits<float>::denorm_min()})
    EXPECT_EQ(bits_of(map<float>(std::vector<float>{1}, [&](auto) { return v; })[0]), bits_of(v)) << v;
  EXPECT_TRUE(
      std::isnan(map<float>(std::vector<float>{1}, [](auto) { return std::numeric_limits<float>::quiet_NaN(); })[0]));
  EXPECT_EQ(bits_of(map<float>(std::vector<float>{1}, [](auto) { return 1e40; })[0]), 0x7F800000u);
  const auto doubles = [&](double v) {
    return std::bit_cast<std::uint64_t>(map<double>(std::vector<double>{1}, [&](auto) { return v; })[0]);
  };
  EXPECT_EQ(doubles(0.1), 0x3FB999999999999Au);
  EXPECT_EQ(doubles(1.0 / 3.0), 0x3FD5555555555555u);
  // The least 64-bit integer, by way of its bits: 2^63 of the unsigned ones.
  EXPECT_EQ(map<U>(std::vector<I>{0},
                   [](auto x) {
                     return cast<U>((cast<std::int64_t>(x) + std::numeric_limits<std::int64_t>::min()) >> 32);
                   })[0],
            0x80000000u);
}

}  // namespace
}  // namespace weft::test
