// Value<T>: the value of a traced expression, known only when the kernel runs. It is not assigned: a value made inside an
// If or For cannot leak out of it; what changes is a Var (var.hpp).
#pragma once

#include <weft/detail/lanes.hpp>

#include <utility>

namespace weft {

/// T is bool, float, double, int32_t, uint32_t, int64_t, uint64_t, a vector of them, WeakInt or WeakFloat (KER-AUTH-02, -04).
template <class T> class Value : public detail::Held<detail::ValueRef, T>, public detail::NoTruth<T> {
 public:
  using traced_type = T;
  explicit Value(detail::Expr e) : detail::Held<detail::ValueRef, T>(detail::ValueRef{e}) {}
  Value(const Value&) = default;
  Value& operator=(const Value&) = delete;

  /// As an initialisation converts: for helpers that take a Value<float> and are given `a[i]`, a Var, a literal.
  template <detail::Operable U>
    requires(!std::is_base_of_v<Value, U> && detail::converts_to<T, detail::traced_t<U>>)
  Value(const U& u) : Value(detail::convert(detail::operand(u), dtype_of<T>)) {}

  detail::Expr traced() const { return this->ref.get(); }  // the library's

  /// Components of a vector by their letters, in any order: `v.swizzle<"zyx">()`.
  template <detail::Letters L> auto swizzle() const {
    return []<std::size_t... I>(detail::Expr e, std::index_sequence<I...>) {
      static_assert(((L.lane(I) < detail::lane_count<T>) && ...), "weft: a swizzle names lanes that the vector has");
      using S = detail::scalar_of<T>;
      return Value<std::conditional_t<sizeof...(I) == 1, S, Vec<S, sizeof...(I)>>>(detail::shuffle(e, {L.lane(I)...}));
    }(traced(), std::make_index_sequence<L.count>());
  }
};

/// An integer without a width yet: a loop's counter, a length, arithmetic of those (KER-AUTH-04, KER-ACC-03).
using Index = Value<WeakInt>;

}  // namespace weft
