// Var<T>: a variable of a kernel (KER-AUTH-04, -05). Declared before a loop and updated in it by one operator it is a
// reduction (KER-RED-01); inside a loop it belongs to one iteration.
#pragma once

#include <weft/value.hpp>

namespace weft {

/// Copying a Var makes another variable with its value; assigning stores. Without an initial value it is zero.
template <class T>
class Var : public detail::Held<detail::VarRef, T>, public detail::NoTruth<T>, public detail::Assignable<Var<T>, T> {
  static_assert(!dtype_of<T>.is_void() && !dtype_of<T>.is_weak(),
                "weft: Var<T> is of bool, float, double, int32_t, uint32_t, int64_t, uint64_t or a vector of them");
  using Base = detail::Held<detail::VarRef, T>;

 public:
  using traced_type = T;
  explicit Var(std::source_location where = std::source_location::current())
      : Base({detail::declare(dtype_of<T>, detail::zero<T>(), detail::line_of(where))}) {}
  template <detail::Operable U>
  Var(const U& u, std::source_location where = std::source_location::current())
      : Base({detail::declare(dtype_of<T>, initial(u), detail::line_of(where))}) {}
  Var(const Var& o, std::source_location where = std::source_location::current())
      : Base({detail::declare(dtype_of<T>, o.traced(), detail::line_of(where))}) {}

  Var& operator=(const Var& o) {
    detail::assign(this->ref.variable, o.traced());
    return *this;
  }
  template <detail::Operable U> Var& operator=(const U& u) {
    detail::assign(this->ref.variable, initial(u));
    return *this;
  }

  detail::Expr traced() const { return this->ref.get(); }  // the library's: reads the variable here
  void put_changed(detail::Fn fn, const detail::Operand& u) { detail::update(fn, this->ref.variable, u); }
  template <detail::Letters L> auto swizzle() const { return Value<T>(traced()).template swizzle<L>(); }

 private:
  template <class U> static detail::Operand initial(const U& u) {
    detail::check_conversion<T, detail::traced_t<U>>();
    return detail::operand(u);
  }
};

}  // namespace weft
