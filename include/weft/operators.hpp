// The operators of traced values (KER-AUTH-05). `&&` and `||` compute both sides. Integer `/` and `%` truncate, whatever
// the divisor (KER-NUM-02); shifts by the width or more shift every bit out (KER-NUM-01).
#pragma once

#include <weft/value.hpp>

namespace weft {
namespace detail {

template <class A, class B>
concept Binary = (Traced<A> || Traced<B>) && Operable<A> && Operable<B>;
template <class A, class B>
concept Numbers = Binary<A, B> && requires { typename promote_t<traced_t<A>, traced_t<B>>; };
template <class A, class B>
concept Integers = Numbers<A, B> && !is_real<promote_t<traced_t<A>, traced_t<B>>>;  // bools among them
template <class A, class B>
concept Truths = Binary<A, B> && is_truth<traced_t<A>> && is_truth<traced_t<B>> && Numbers<A, B>;
template <class A, class B>
concept Shiftable = Binary<A, B> && is_whole<traced_t<A>> && is_whole<traced_t<B>> &&
                    (lane_count<traced_t<A>> == lane_count<traced_t<B>> || !is_vector<traced_t<B>>);

template <class T, class A, class B> Value<T> binary(Fn fn, const A& a, const B& b) {
  return Value<T>(apply(fn, {operand(a), operand(b)}, dtype_of<T>));
}
template <class A, class B> using Promoted = promote_t<traced_t<A>, traced_t<B>>;
template <class A, class B> using Compared = with_scalar_t<Promoted<A, B>, bool>;
template <class A> using Same = traced_t<A>;

}  // namespace detail

template <class A, class B>
  requires detail::Numbers<A, B>
auto operator+(const A& a, const B& b) {
  return detail::binary<detail::Promoted<A, B>>(detail::Fn::add, a, b);
}
template <class A, class B>
  requires detail::Numbers<A, B>
auto operator-(const A& a, const B& b) {
  return detail::binary<detail::Promoted<A, B>>(detail::Fn::sub, a, b);
}
template <class A, class B>
  requires detail::Numbers<A, B>
auto operator*(const A& a, const B& b) {
  return detail::binary<detail::Promoted<A, B>>(detail::Fn::mul, a, b);
}
template <class A, class B>
  requires detail::Numbers<A, B>
auto operator/(const A& a, const B& b) {
  return detail::binary<detail::Promoted<A, B>>(detail::Fn::div, a, b);
}
template <class A, class B>
  requires detail::Integers<A, B>
auto operator%(const A& a, const B& b) {
  return detail::binary<detail::Promoted<A, B>>(detail::Fn::mod, a, b);
}
template <class A, class B>
  requires detail::Integers<A, B>
auto operator&(const A& a, const B& b) {
  return detail::binary<detail::Promoted<A, B>>(detail::Fn::bit_and, a, b);
}
template <class A, class B>
  requires detail::Integers<A, B>
auto operator|(const A& a, const B& b) {
  return detail::binary<detail::Promoted<A, B>>(detail::Fn::bit_or, a, b);
}
template <class A, class B>
  requires detail::Integers<A, B>
auto operator^(const A& a, const B& b) {
  return detail::binary<detail::Promoted<A, B>>(detail::Fn::bit_xor, a, b);
}
template <class A, class B>
  requires detail::Shiftable<A, B>
auto operator<<(const A& a, const B& b) {
  return detail::binary<detail::Same<A>>(detail::Fn::shl, a, b);
}
template <class A, class B>
  requires detail::Shiftable<A, B>
auto operator>>(const A& a, const B& b) {
  return detail::binary<detail::Same<A>>(detail::Fn::shr, a, b);
}

template <class A, class B>
  requires detail::Truths<A, B>
auto operator&&(const A& a, const B& b) {
  return detail::binary<detail::Promoted<A, B>>(detail::Fn::bit_and, a, b);
}
template <class A, class B>
  requires detail::Truths<A, B>
auto operator||(const A& a, const B& b) {
  return detail::binary<detail::Promoted<A, B>>(detail::Fn::bit_or, a, b);
}

template <class A, class B>
  requires detail::Numbers<A, B>
auto operator<(const A& a, const B& b) {
  return detail::binary<detail::Compared<A, B>>(detail::Fn::lt, a, b);
}
template <class A, class B>
  requires detail::Numbers<A, B>
auto operator<=(const A& a, const B& b) {
  return detail::binary<detail::Compared<A, B>>(detail::Fn::le, a, b);
}
template <class A, class B>
  requires detail::Numbers<A, B>
auto operator>(const A& a, const B& b) {
  return detail::binary<detail::Compared<A, B>>(detail::Fn::gt, a, b);
}
template <class A, class B>
  requires detail::Numbers<A, B>
auto operator>=(const A& a, const B& b) {
  return detail::binary<detail::Compared<A, B>>(detail::Fn::ge, a, b);
}
template <class A, class B>
  requires detail::Numbers<A, B>
auto operator==(const A& a, const B& b) {
  return detail::binary<detail::Compared<A, B>>(detail::Fn::eq, a, b);
}
template <class A, class B>
  requires detail::Numbers<A, B>
auto operator!=(const A& a, const B& b) {
  return detail::binary<detail::Compared<A, B>>(detail::Fn::ne, a, b);
}

template <detail::Traced A>
  requires detail::is_number<detail::traced_t<A>>
auto operator-(const A& a) {
  return Value<detail::traced_t<A>>(detail::apply(detail::Fn::neg, {a.traced()}, dtype_of<detail::traced_t<A>>));
}
template <detail::Traced A>
  requires detail::is_number<detail::traced_t<A>>
auto operator+(const A& a) {
  return Value<detail::traced_t<A>>(a.traced());
}
template <detail::Traced A>
  requires detail::is_whole<detail::traced_t<A>>
auto operator~(const A& a) {
  return Value<detail::traced_t<A>>(detail::apply(detail::Fn::bit_not, {a.traced()}, dtype_of<detail::traced_t<A>>));
}
template <detail::Traced A>
  requires detail::is_truth<detail::traced_t<A>>
auto operator!(const A& a) {
  return Value<detail::traced_t<A>>(
      detail::apply(detail::Fn::logical_not, {a.traced()}, dtype_of<detail::traced_t<A>>));
}

}  // namespace weft
