// Array<const T>, Array<T>: a kernel's array parameters, and the elements that a subscript gives (KER-AUTH-02, KER-ACC).
#pragma once

#include <weft/index.hpp>
#include <weft/var.hpp>

namespace weft {

/// An element of a written array, as `t[i]` gives it: it reads as the value at the subscript, and may be assigned. Reading
/// outside the array gives zero, writing outside is dropped (KER-ACC-01).
template <class T>
class ArrayElement : public detail::Held<detail::ElementRef, T>,
                     public detail::NoTruth<T>,
                     public detail::Assignable<ArrayElement<T>, T> {
 public:
  using traced_type = T;
  explicit ArrayElement(detail::ElementRef r) : detail::Held<detail::ElementRef, T>(r) {}
  ArrayElement(const ArrayElement&) = default;

  ArrayElement& operator=(const ArrayElement& o) {
    this->ref.put(o.traced());
    return *this;
  }
  template <detail::Operable U> ArrayElement& operator=(const U& u) {
    detail::check_conversion<T, detail::traced_t<U>>();
    this->ref.put(detail::operand(u));
    return *this;
  }

  detail::Expr traced() const { return this->ref.get(); }  // the library's
  void put_changed(detail::Fn fn, const detail::Operand& u) {
    this->ref.put(detail::combine(fn, traced(), u, dtype_of<T>));
  }
  template <detail::Letters L> auto swizzle() const { return Value<T>(traced()).template swizzle<L>(); }
};

namespace detail {
template <class T> constexpr bool is_element_type() {
  using S = scalar_of<T>;
  const bool scalar = std::is_same_v<S, float> || std::is_same_v<S, std::int32_t> || std::is_same_v<S, std::uint32_t>;
  return scalar ? lane_count<T> <= 4 : std::is_same_v<T, double>;
}
template <class T> class ArrayBase {
  static_assert(is_element_type<T>(),
                "weft: Array<T> is of float, int32_t, uint32_t, double, or a vector vec2f..vec4u");
 public:
  explicit ArrayBase(Expr array) : array_(array) {}
  /// The number of elements of the array bound at the call (KER-ACC-02).
  Index length() const { return Index(detail::length(array_)); }

 protected:
  Expr array_;
};
}  // namespace detail

/// An array that is read and written.
template <class T> class Array : public detail::ArrayBase<T> {
 public:
  using detail::ArrayBase<T>::ArrayBase;
  ArrayElement<T> operator[](At at) const {
    return ArrayElement<T>({this->array_, at.index, detail::load(this->array_, at.index, at.line), at.line});
  }
};

/// An array that is read.
template <class T> class Array<const T> : public detail::ArrayBase<T> {
 public:
  using detail::ArrayBase<T>::ArrayBase;
  Value<T> operator[](At at) const { return Value<T>(detail::load(this->array_, at.index, at.line)); }
};

}  // namespace weft
