// Types, literals and operators of traced values (KER-AUTH-02, -04, -05, KER-NUM-01..03, -07, -09, WEAK-TYPE-03), against plain C++.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernel/run_kernel.hpp"

using namespace weft;
using test::run;
using test::thrown;

namespace {

template <class A, class B> using Sum = detail::traced_t<decltype(std::declval<Value<A>>() + std::declval<Value<B>>())>;
template <class A, class B>
concept Adds = requires(Value<A> a, Value<B> b) { a + b; };

// KER-AUTH-04, WEAK-TYPE-03: the static type of an operator is what the lattice gives.
static_assert(std::is_same_v<Sum<std::int32_t, std::uint32_t>, std::int64_t>);
static_assert(std::is_same_v<Sum<float, std::int32_t>, float>);
static_assert(std::is_same_v<Sum<WeakInt, std::uint32_t>, std::uint32_t>);
static_assert(std::is_same_v<Sum<WeakInt, float>, float>);
static_assert(std::is_same_v<Sum<std::int32_t, WeakFloat>, WeakFloat>);
static_assert(std::is_same_v<Sum<WeakInt, WeakFloat>, WeakFloat>);
static_assert(std::is_same_v<Sum<float, double>, double>);
static_assert(std::is_same_v<Sum<vec3f, float>, vec3f>);
static_assert(std::is_same_v<Sum<WeakInt, vec3i>, vec3i>);
static_assert(std::is_same_v<Sum<vec2f, WeakFloat>, vec2f>);
static_assert(!Adds<vec2f, vec3f> && !Adds<vec2i, float> && !Adds<vec2i, vec2f> && !Adds<vec2f, double>);
static_assert(std::is_same_v<decltype(std::declval<Value<float>>() + 1)::traced_type, float>);
static_assert(std::is_same_v<decltype(std::declval<Value<int>>() * 0.5)::traced_type, WeakFloat>);
static_assert(std::is_same_v<decltype(std::declval<Index>() + 1)::traced_type, WeakInt>);
static_assert(std::is_same_v<decltype(std::declval<Value<vec2f>>() < 1)::traced_type, Vec<bool, 2>>);
static_assert(std::is_same_v<decltype(sqrt(std::declval<Value<int>>()))::traced_type, float>);

// KER-AUTH-02: what arrays are of.
static_assert(std::is_same_v<Array<const float>, Array<const f32>> && std::is_same_v<Array<i32>, Array<std::int32_t>>);

/// One call of f over the elements of x and y; R is what f's value is stored as.
template <class R, class T, class F> std::vector<R> map(std::vector<T> x, std::vector<T> y, F f) {
  const auto k = kernel("f(x, y, r)", [&](Array<const T> a, Array<const T> b, Array<R> r) {
    loop(r.length(), [&](Index i) { r[i] = f(a[i], b[i]); });
  });
  std::vector<R> r(x.size());
  run(k, x, y, r);
  return r;
}
template <class T> std::uint64_t bits(T v) {
  if constexpr (std::is_same_v<T, float>) return __builtin_bit_cast(std::uint32_t, v);
  else return static_cast<std::uint64_t>(v);
}
template <class R, class T = R, class F, class G>
void same(const std::vector<T>& x, const std::vector<T>& y, F f, G want) {
  std::vector<T> a, b;
  for (T u : x)
    for (T v : y) a.push_back(u), b.push_back(v);
  const auto r = map<R>(a, b, f);
  for (std::size_t k = 0; k < a.size(); ++k) {
    const R w = static_cast<R>(want(a[k], b[k]));
    EXPECT_EQ(bits(r[k]), bits(w)) << a[k] << ", " << b[k] << ": " << r[k] << " instead of " << w;
  }
}

constexpr float inf = std::numeric_limits<float>::infinity();
const std::vector<float> floats{0.0f, -0.0f, 0.5f, 1.5f, 2.5f, -1.25f, -2.5f, 3.7f, 1e10f, -1e20f, 1e-40f, inf, -inf};
const std::vector<int> ints{0, 1, -1, 7, -7, 100, INT32_MAX, INT32_MIN};
const std::vector<std::uint32_t> uints{0u, 1u, 7u, 31u, 32u, 0x80000000u, 0xFFFFFFFFu};

using I = std::int64_t;
int wrap(I v) { return static_cast<int>(static_cast<std::uint32_t>(v)); }

}  // namespace

TEST(Value, KER_AUTH_05_float_operators) {
  same<float>(floats, floats, [](auto a, auto b) { return a + b; }, [](float a, float b) { return a + b; });
  same<float>(
      floats, {0.5f, 3.0f, -7.0f}, [](auto a, auto b) { return (a - b) * b / 3; },
      [](float a, float b) { return (a - b) * b / 3; });
  same<float>(floats, floats, [](auto a, auto b) { return -a + 2 * b; }, [](float a, float b) { return -a + 2 * b; });
  const std::vector<float> with_nan{1, 2, std::numeric_limits<float>::quiet_NaN()};
  const auto flags = [](auto a, auto b) {
    const auto bit = [](auto c, int v) { return select(c, v, 0); };
    return bit(a < b, 1) + bit(a <= b, 2) + bit(a > b, 4) + bit(a >= b, 8) + bit(a == b, 16) + bit(a != b, 32);
  };
  same<int>(with_nan, with_nan, flags, [](float a, float b) {
    return (a < b) + 2 * (a <= b) + 4 * (a > b) + 8 * (a >= b) + 16 * (a == b) + 32 * (a != b);
  });
  same<int>(ints, ints, flags, [](int a, int b) {
    return (a < b) + 2 * (a <= b) + 4 * (a > b) + 8 * (a >= b) + 16 * (a == b) + 32 * (a != b);
  });
}

TEST(Value, KER_NUM_01_integer_operators_wrap) {
  same<int>(
      ints, ints, [](auto a, auto b) { return a * b + a - b; },
      [](int a, int b) { return wrap(I{wrap(I{wrap(I{a} * b)} + a)} - b); });
  same<int>(
      ints, ints, [](auto a, auto b) { return (a & b) | (~a ^ 5); }, [](int a, int b) { return (a & b) | (~a ^ 5); });
  same<std::uint32_t>(
      uints, uints, [](auto a, auto b) { return (~a + b) * 3; },
      [](std::uint32_t a, std::uint32_t b) { return (~a + b) * 3; });
  // WEAK-TYPE-03, W-04: signed and unsigned meet at 64 bits.
  const auto k = kernel("f(a, b, r)", [](Array<const std::uint32_t> a, Array<const int> b, Array<int> r) {
    loop(a.length(), [&](Index i) { r[i] = select(a[i] < b[i], 1, select(a[i] + b[i] == 4294967294, 2, 0)); });
  });
  std::vector<std::uint32_t> a{0x80000000u, 4294967295u};
  std::vector<int> b{0, -1}, r(2);
  run(k, a, b, r);
  EXPECT_EQ(r, (std::vector<int>{0, 2}));
}

TEST(Value, KER_NUM_01_shifts_past_the_width) {  // W-06
  const auto left = [](auto a, auto b) { return a << b; };
  const auto right = [](auto a, auto b) { return a >> b; };
  same<int>(ints, {0, 1, 31, 32, 40, -1}, left, [](int a, int b) { return b < 0 || b > 31 ? 0 : wrap(I{a} << b); });
  same<int>(ints, {0, 1, 31, 32, 40, -1}, right, [](int a, int b) { return a >> (b < 0 || b > 31 ? 31 : b); });
  same<std::uint32_t>(uints, {0u, 1u, 31u, 32u, 40u}, left,
                      [](std::uint32_t a, std::uint32_t b) { return b > 31 ? 0 : a << b; });
  same<int>(ints, {0}, [](auto a, auto) { return (a << 40) + (a >> 40); }, [](int a, int) { return a >> 31; });
  same<std::uint32_t>(
      {0u, 1u, 2u, 3u, 4u}, {0u}, [](auto a, auto) { return 1 << (4 - a); },
      [](std::uint32_t a, std::uint32_t) { return 1u << (4 - a); });  // W-08
}

TEST(Value, KER_NUM_02_division) {  // F-20, W-14
  same<int>(ints, ints, [](auto a, auto b) { return a / b; }, [](int a, int b) { return b == 0 ? a : wrap(I{a} / b); });
  same<int>(ints, ints, [](auto a, auto b) { return a % b; }, [](int a, int b) { return b == 0 ? 0 : wrap(I{a} % b); });
  same<std::uint32_t>(
      uints, uints, [](auto a, auto b) { return a / b + a % b; },
      [](auto a, auto b) { return b == 0 ? a : a / b + a % b; });
  same<int>(
      {-4, -3, -2, -1, 0, 1, 2, 3}, {2, -2}, [](auto a, auto b) { return floor_div(a, b) * 100 + floor_mod(a, b); },
      [](int a, int b) {
        const int q = static_cast<int>(std::floor(a / static_cast<double>(b)));
        return q * 100 + (a - q * b);
      });
}

TEST(Value, KER_NUM_03_min_and_max) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto r = map<float>(std::vector<float>{nan, 1, 0.0f, -0.0f, 3}, std::vector<float>{1, nan, -0.0f, 0.0f, 4},
                            [](auto a, auto b) { return min(a, b); });
  EXPECT_EQ(r[0], 1);
  EXPECT_EQ(r[1], 1);
  EXPECT_TRUE(std::signbit(r[2]) && std::signbit(r[3]));
  EXPECT_EQ(r[4], 3);
  const auto p = map<float>(std::vector<float>{nan, 1, 2}, std::vector<float>{1, nan, 3},
                            [](auto a, auto b) { return max_propagate(a, b); });
  EXPECT_TRUE(std::isnan(p[0]) && std::isnan(p[1]));
  EXPECT_EQ(p[2], 3);
  same<int>(
      ints, ints, [](auto a, auto b) { return max(a, b) - min(a, 3); },
      [](int a, int b) { return wrap(I{std::max(a, b)} - std::min(a, 3)); });
}

TEST(Value, KER_NUM_09_functions) {
  same<float>(
      floats, {0}, [](auto a, auto) { return floor(a) + ceil(a) + trunc(a); },
      [](float a, float) { return std::floor(a) + std::ceil(a) + std::trunc(a); });
  same<float>(floats, {0}, [](auto a, auto) { return round(a); }, [](float a, float) { return std::nearbyint(a); });
  same<float>(
      {0.5f, -1.25f, 3.7f}, {0}, [](auto a, auto) { return fract(a); },
      [](float a, float) { return a - std::floor(a); });
  same<float>(floats, {0}, [](auto a, auto) { return abs(a); }, [](float a, float) { return std::fabs(a); });
  same<float>(
      floats, {0}, [](auto a, auto) { return sign(a); },
      [](float a, float) { return a > 0   ? 1.0f
                                  : a < 0 ? -1.0f
                                          : a; });
  same<int>(
      ints, {0}, [](auto a, auto) { return sign(a) + abs(a); },
      [](int a, int) { return wrap(I{(a > 0) - (a < 0)} + (a == INT32_MIN ? I{a} : std::abs(I{a}))); });
  same<std::uint32_t>(
      uints, {0u}, [](auto a, auto) { return sign(a) + abs(a); }, [](auto a, auto) { return (a > 0) + a; });
  same<float>(
      floats, {0.25f}, [](auto a, auto t) { return mix(a, 3, t); },
      [](float a, float t) { return a * (1 - t) + 3 * t; });
  same<float>(
      {-3, 0.25f, 9}, {2}, [](auto a, auto b) { return clamp(a, 0, b); },
      [](float a, float b) { return std::fmin(std::fmax(a, 0.0f), b); });
  same<float>(
      {0.25f, 4, 2}, {0}, [](auto a, auto) { return sqrt(a) + inverse_sqrt(a); },
      [](float a, float) { return std::sqrt(a) + 1 / std::sqrt(a); });
  same<float>(
      {1 + 0x1p-12f}, {1 - 0x1p-12f}, [](auto a, auto b) { return fma(a, b, -1); },
      [](float a, float b) { return std::fma(a, b, -1.0f); });
  same<int>(
      {11, 2, 1, -1, 0}, {7, 31, -1, -2, 0}, [](auto a, auto b) { return pow(a, b); },
      [](int a, int b) {
        if (b < 0) return a == 1 ? 1 : a == -1 ? (b % 2 ? -1 : 1) : 0;
        int r = 1;
        for (int k = 0; k < b; ++k) r = wrap(I{r} * a);
        return r;
      });
  same<std::uint32_t>(
      uints, {0u}, [](auto a, auto) { return count_one_bits(a) + reverse_bits(a); },
      [](std::uint32_t a, auto) {
        std::uint32_t r = 0;
        for (int b = 0; b < 32; ++b) r |= (a >> b & 1u) << (31 - b);
        return static_cast<std::uint32_t>(__builtin_popcount(a)) + r;
      });
}

TEST(Value, KER_AUTH_05_conversions) {
  const std::vector<float> x{0.0f, 2.7f, -2.7f, 3e9f, -3e9f, 1e20f, std::numeric_limits<float>::quiet_NaN(), inf, -inf};
  const auto saturated = [](double low, double high) {
    return [=](float a, float) { return std::isnan(a) ? 0.0 : std::trunc(std::fmin(std::fmax(a, low), high)); };
  };
  same<int>(x, {0}, [](auto a, auto) { return cast<int>(a); }, saturated(INT32_MIN, INT32_MAX));
  same<std::uint32_t>(x, {0}, [](auto a, auto) { return cast<std::uint32_t>(a); }, saturated(0, UINT32_MAX));
  same<float>(ints, {0}, [](auto a, auto) { return cast<float>(a); }, [](int a, int) { return static_cast<float>(a); });
  same<std::uint32_t>(
      floats, {0}, [](auto a, auto) { return bitcast<std::uint32_t>(a); }, [](float a, float) { return bits(a); });
  same<int>(ints, {0}, [](auto a, auto) { return bitcast<int>(cast<std::uint32_t>(a)); }, [](int a, int) { return a; });
  same<int>(
      ints, {0}, [](auto a, auto) { return cast<int>(a > 0) + select(cast<int>(a != 0) == 1, 5, 0); },
      [](int a, int) { return (a > 0) + (a != 0 ? 5 : 0); });
}

TEST(Value, KER_AUTH_05_both_sides_of_and_and_or) {
  same<int>(
      ints, ints, [](auto a, auto b) { return select((a > 0 && b > 0) || !(a < b), 1, 0); },
      [](int a, int b) { return (a > 0 && b > 0) || !(a < b); });
}

TEST(Value, KER_AUTH_05_vectors) {
  const auto k =
      kernel("f(a, b, r, s)", [](Array<const vec3f> a, Array<const vec3f> b, Array<vec3f> r, Array<float> s) {
        loop(a.length(), [&](Index i) {
          Value<vec3f> u = a[i];
          auto v = b[i] * 2 + vec3f{1, 0, -1};
          r[i] = select(u < v, u, v) + vector<vec3f>(u.z, v.x, i) * u.xyz;
          s[4 * i] = dot(u, v);
          s[4 * i + 1] = length(u);
          s[4 * i + 2] = select(any(u > v), 1, 0) + select(all(u == a[i]), 10, 0);
          s[4 * i + 3] = normalize(u).y + u.swizzle<"zx">().x;
        });
      });
  std::vector<vec3f> a{{3, 4, 0}}, b{{1, 2, 3}}, r(1);
  std::vector<float> s(4);
  run(k, a, b, r, s);
  EXPECT_EQ(r[0], (vec3f{3 + 0 * 3, 4 + 3 * 4, 0 + 0 * 0}));
  EXPECT_EQ(s, (std::vector<float>{3 * 3 + 4 * 4, 5, 10, 0.8f + 0}));
}

TEST(Value, KER_AUTH_04_helpers_take_values) {
  const auto curve = [](Value<float> x) { return x * x * (3 - 2 * x); };
  const auto k = kernel("f(t, k)", [&](Array<float> t, Scalar<float> k) {
    loop(t.length(), [&](Index i) {
      Var<float> v = k;
      t[i] = curve(t[i]) + curve(v) + curve(k) + curve(i) + curve(2);
    });
  });
  std::vector<float> t{0.5f, 0.5f};
  run(k, t, 0.5f);
  EXPECT_EQ(t, (std::vector<float>{1.5f + 0 - 4, 1.5f + 1 - 4}));
}

namespace {
template <class T, class F> std::string tracing(F f) {
  return thrown([&] {
    kernel("f(x, t)", [&](Array<const T> x, Array<T> t) { loop(x.length(), [&](Index i) { f(x[i], t[i], i); }); });
  });
}
}  // namespace

TEST(Literal, KER_NUM_07_one_that_its_peer_cannot_hold_is_a_range_error) {  // W-01
  const auto error = [](const std::string& literal, const std::string& beside, const std::string& type) {
    return "RangeError: f: the literal " + literal + " meets " + beside + type +
           ", which cannot represent it; write it at the type you mean, "
           "as cast<int64_t>(...) of a value.";
  };
  using U = std::uint32_t;
  EXPECT_EQ(tracing<U>([](auto x, auto, auto) { (void)(x < -1); }), error("-1", "`x[i]` of type ", "uint32"));
  EXPECT_EQ(tracing<int>([](auto x, auto, auto) { (void)(x == 3000000000); }),
            error("3000000000", "`x[i]` of type ", "int32"));
  EXPECT_EQ(tracing<U>([](auto x, auto, auto) { (void)(max(x, -5)); }), error("-5", "`x[i]` of type ", "uint32"));
  EXPECT_EQ(tracing<U>([](auto, auto t, auto) { t = -1; }), error("-1", "`t[i]` of type ", "uint32"));
  EXPECT_EQ(tracing<U>([](auto, auto t, auto) { t += -1; }), error("-1", "`t[i]` of type ", "uint32"));
  EXPECT_EQ(tracing<U>([](auto, auto, auto) {
              Var<std::uint32_t> v = -1;
              v += 1;
            }),
            error("-1", "the type ", "uint32"));
  EXPECT_EQ(tracing<int>([](auto x, auto, auto i) { select(i > 2, x, 1LL << 31); }),
            error("2147483648", "`x[i]` of type ", "int32"));
  EXPECT_EQ(tracing<int>([](auto x, auto, auto) { clamp(x, 0, 0xFFFFFFFFu); }),
            error("4294967295", "`x[i]` of type ", "int32"));
  EXPECT_EQ(tracing<int>([](auto x, auto, auto) { (void)(x + UINT64_MAX); }),
            error("18446744073709551615", "`x[i]` of type ", "int32"));
  EXPECT_EQ(tracing<int>([](auto x, auto, auto) {
              Value<vec2i> v = x;
              v + 3000000000;
            }),
            error("3000000000", "`vector(x[i], x[i])` of type ", "int32"));
}

TEST(Literal, KER_NUM_07_what_fits_is_taken) {
  EXPECT_EQ(tracing<std::uint32_t>([](auto x, auto t, auto i) {
              t = x + 4294967295u;
              t = i - 1;
              t = x << 40;
            }),
            "nothing thrown");
  EXPECT_EQ(tracing<int>([](auto x, auto t, auto) {
              t = x + INT32_MIN;
              t = select(x + 3e9 > 0, x, -1);
            }),
            "nothing thrown");
  EXPECT_EQ(tracing<float>([](auto x, auto t, auto) {
              t = x + 1e40;
              t = x * 16777217;
            }),
            "nothing thrown");
}

TEST(Literal, KER_NUM_08_every_value_arrives) {  // W-17, W-02
  const std::vector<float> values{
      std::numeric_limits<float>::max(), std::numeric_limits<float>::denorm_min(), inf, -inf, -0.0f, 0.1f};
  for (float v : values)
    EXPECT_EQ(
        bits(map<float>(std::vector<float>{0}, std::vector<float>{0}, [&](auto, auto) { return Value<float>(v); })[0]),
        bits(v));
  EXPECT_TRUE(std::isnan(
      map<float>(std::vector<float>{0}, std::vector<float>{0}, [](auto, auto) { return Value<float>(NAN); })[0]));
  EXPECT_EQ(
      bits(map<float>(std::vector<float>{0}, std::vector<float>{0}, [](auto, auto) { return Value<float>(1e40); })[0]),
      0x7F800000u);
  for (int v : {INT32_MIN, INT32_MAX})
    EXPECT_EQ(map<int>(std::vector<int>{0}, std::vector<int>{0}, [&](auto a, auto) { return a + v; })[0], v);
  EXPECT_EQ(map<std::uint32_t>(std::vector<std::uint32_t>{0}, std::vector<std::uint32_t>{0},
                               [](auto a, auto) { return a + 4294967295; })[0],
            4294967295u);
}

TEST(Straight, KER_AUTH_04_host_arithmetic_is_that_of_the_device) {
  const auto k = kernel("f(a, b, k)", [](Scalar<int> a, Scalar<std::uint32_t> b, Scalar<float> k) {
    return std::tuple(a / 0, a % b, a + b, b << 33, a >> 40, min(k, 0.5), cast<int>(k * 1e20), fma(k, k, -1),
                      k * 0.1 + a, count_one_bits(b), select(k > 0 || a != 0, floor_div(a, 2), 7), pow(a, 3),
                      bitcast<std::uint32_t>(k), a < b, 1.5, Value<float>(7) / 3);
  });
  const auto r = run(k, -7, 3u, 1.5f);
  EXPECT_EQ(std::get<0>(r), -7);
  EXPECT_EQ(std::get<1>(r), -1);
  EXPECT_EQ(std::get<2>(r), -4);
  EXPECT_EQ(std::get<3>(r), 0u);
  EXPECT_EQ(std::get<4>(r), -1);
  EXPECT_EQ(std::get<5>(r), 0.5f);
  EXPECT_EQ(std::get<6>(r), INT32_MAX);
  EXPECT_EQ(std::get<7>(r), 1.25f);
  EXPECT_EQ(std::get<8>(r), 1.5f * 0.1f + -7.0f);
  EXPECT_EQ(std::get<9>(r), 2u);
  EXPECT_EQ(std::get<10>(r), -4);
  EXPECT_EQ(std::get<11>(r), -343);
  EXPECT_EQ(std::get<12>(r), 0x3FC00000u);
  EXPECT_TRUE(std::get<13>(r));
  EXPECT_EQ(std::get<14>(r), 1.5f);
  EXPECT_EQ(std::get<15>(r), 7.0f / 3);
}
