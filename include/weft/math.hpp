// The functions of traced values, found by ADL: `sqrt(a[i])`, `min(x, 0)`, `cast<int32_t>(x)`. What each computes to the
// last bit: KER-NUM-01..03 and -09. A function that gives a float takes an integer as one (WEAK-TYPE-04).
#pragma once

#include <weft/operators.hpp>

namespace weft {
namespace detail {
template <class T, class... A> Value<T> call(Fn fn, const A&... a) {
  return Value<T>(apply(fn, {operand(a)...}, dtype_of<T>));
}
template <class A>
concept Number = Traced<A> && is_number<traced_t<A>>;
template <class A>
concept RealVector = Traced<A> && is_vector<traced_t<A>> && is_real<traced_t<A>>;
template <class A>
concept Bits = Traced<A> && is_whole<traced_t<A>> && !is_weak(scalar_type<traced_t<A>>);
template <class A, class B, class C>
concept Three = (Traced<A> || Traced<B> || Traced<C>) && Operable<A> && Operable<B> && Operable<C> &&
                requires { typename promote_t<promote_t<traced_t<A>, traced_t<B>>, traced_t<C>>; };
template <class A, class B, class C> using Promoted3 = promote_t<Promoted<A, B>, traced_t<C>>;
}  // namespace detail

// clang-format off
// The operand's own type; floor, ceil, trunc and round of an integer are that integer.
#define WEFT_SAME(name)                                                                        \
  template <detail::Number A> auto name(const A& a) {                                          \
    return detail::call<detail::traced_t<A>>(detail::Fn::name, a);                             \
  }
WEFT_SAME(abs) WEFT_SAME(sign) WEFT_SAME(floor) WEFT_SAME(ceil) WEFT_SAME(trunc) WEFT_SAME(round) WEFT_SAME(fract)
#undef WEFT_SAME

#define WEFT_FLOAT(name)                                                                       \
  template <detail::Number A> auto name(const A& a) {                                          \
    return detail::call<detail::float_t<detail::traced_t<A>>>(detail::Fn::name, a);            \
  }
WEFT_FLOAT(sqrt) WEFT_FLOAT(inverse_sqrt) WEFT_FLOAT(exp) WEFT_FLOAT(exp2) WEFT_FLOAT(log) WEFT_FLOAT(log2)
WEFT_FLOAT(sin) WEFT_FLOAT(cos) WEFT_FLOAT(tan) WEFT_FLOAT(asin) WEFT_FLOAT(acos) WEFT_FLOAT(atan)
WEFT_FLOAT(sinh) WEFT_FLOAT(cosh) WEFT_FLOAT(tanh)
#undef WEFT_FLOAT

#define WEFT_BINARY(name)                                                                      \
  template <class A, class B> requires detail::Numbers<A, B> auto name(const A& a, const B& b) { \
    return detail::call<detail::Promoted<A, B>>(detail::Fn::name, a, b);                       \
  }
WEFT_BINARY(min) WEFT_BINARY(max)                      // a NaN loses to a number, -0 < +0 (KER-NUM-03)
WEFT_BINARY(min_propagate) WEFT_BINARY(max_propagate)  // a NaN wins
WEFT_BINARY(pow);
#undef WEFT_BINARY
// clang-format on

/// Quotient and remainder of integers rounded toward negative infinity (KER-NUM-02).
template <class A, class B>
  requires detail::Integers<A, B>
auto floor_div(const A& a, const B& b) {
  return detail::call<detail::Promoted<A, B>>(detail::Fn::floor_div, a, b);
}
template <class A, class B>
  requires detail::Integers<A, B>
auto floor_mod(const A& a, const B& b) {
  return detail::call<detail::Promoted<A, B>>(detail::Fn::floor_mod, a, b);
}
template <class A, class B>
  requires detail::Numbers<A, B>
auto atan2(const A& y, const B& x) {
  return detail::call<detail::float_t<detail::Promoted<A, B>>>(detail::Fn::atan2, y, x);
}

/// min(max(x, lo), hi).
template <class A, class B, class C>
  requires detail::Three<A, B, C>
auto clamp(const A& x, const B& lo, const C& hi) {
  return detail::call<detail::Promoted3<A, B, C>>(detail::Fn::clamp, x, lo, hi);
}
/// a*(1 - t) + b*t, of floats.
template <class A, class B, class C>
  requires detail::Three<A, B, C>
auto mix(const A& a, const B& b, const C& t) {
  static_assert(detail::is_real<detail::Promoted3<A, B, C>>, "weft: mix is of floats");
  return detail::call<detail::Promoted3<A, B, C>>(detail::Fn::mix, a, b, t);
}
/// a*b + c, rounded once.
template <class A, class B, class C>
  requires detail::Three<A, B, C>
auto fma(const A& a, const B& b, const C& c) {
  static_assert(detail::is_real<detail::Promoted3<A, B, C>>, "weft: fma is of floats");
  return detail::call<detail::Promoted3<A, B, C>>(detail::Fn::fma, a, b, c);
}

template <detail::Traced A, detail::Operable B>
  requires(detail::is_vector<detail::traced_t<A>> && detail::Numbers<A, B>)
auto dot(const A& a, const B& b) {
  return detail::call<detail::scalar_of<detail::Promoted<A, B>>>(detail::Fn::dot, a, b);
}
template <detail::RealVector A> auto length(const A& v) {
  return detail::call<detail::scalar_of<detail::traced_t<A>>>(detail::Fn::length, v);
}
template <detail::RealVector A> auto normalize(const A& v) {
  return detail::call<detail::traced_t<A>>(detail::Fn::normalize, v);
}
/// Whether any, or every, lane of a comparison of vectors holds.
template <detail::Traced A>
  requires detail::is_truth<detail::traced_t<A>>
auto any(const A& v) {
  return detail::call<bool>(detail::Fn::any, v);
}
template <detail::Traced A>
  requires detail::is_truth<detail::traced_t<A>>
auto all(const A& v) {
  return detail::call<bool>(detail::Fn::all, v);
}

template <detail::Bits A> auto count_one_bits(const A& a) {
  return detail::call<detail::traced_t<A>>(detail::Fn::count_one_bits, a);
}
template <detail::Bits A> auto reverse_bits(const A& a) {
  return detail::call<detail::traced_t<A>>(detail::Fn::reverse_bits, a);
}

/// `condition ? a : b`; both are computed. A vector of conditions chooses lane by lane.
template <class C, class A, class B>
  requires(detail::Traced<C> && detail::is_truth<detail::traced_t<C>> && detail::Operable<A> && detail::Operable<B> &&
           requires { typename detail::Promoted<A, B>; })
auto select(const C& condition, const A& a, const B& b) {
  return detail::call<detail::Promoted<A, B>>(detail::Fn::select, condition, a, b);
}

/// The value at another type: floats to integers truncate, saturate, and make 0 of NaN; integers wrap (KER-NUM-01).
template <class T, detail::Operable A> auto cast(const A& a) {
  using To = detail::with_scalar_t<detail::traced_t<A>, T>;
  static_assert(!detail::is_vector<T> && !dtype_of<T>.is_void(), "weft: cast<T> names a scalar type, of vectors too");
  return Value<To>(detail::cast(detail::operand(a), dtype_of<To>));
}
/// The same bits at another type of the same size.
template <class T, detail::Traced A> auto bitcast(const A& a) {
  using To = detail::with_scalar_t<detail::traced_t<A>, T>;
  static_assert(!dtype_of<To>.is_weak() && !dtype_of<detail::traced_t<A>>.is_weak(),
                "weft: a weak type has no bits yet");
  static_assert(dtype_of<To>.bytes() == dtype_of<detail::traced_t<A>>.bytes() && !detail::is_truth<detail::traced_t<A>>,
                "weft: bitcast<T> needs a type of the same size");
  return Value<To>(detail::bitcast(a.traced(), dtype_of<To>));
}

/// A vector of its components, at the type V: `vector<vec3f>(r, g, b)`.
template <class V, detail::Operable... A> Value<V> vector(const A&... a) {
  static_assert(detail::is_vector<V> && sizeof...(A) == detail::lane_count<V>,
                "weft: vector<V> takes one scalar a lane");
  (detail::check_conversion<detail::scalar_of<V>, detail::traced_t<A>>(), ...);
  return Value<V>(detail::vector({detail::operand(a)...}, dtype_of<V>));
}

}  // namespace weft
