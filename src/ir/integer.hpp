// Integer: an exact integer of any size. Values that fit 64 signed bits live in the object and take no allocation; larger
// ones stand behind a pointer (integer.cpp, Boost.Multiprecision). Bounds of weak integers are made of these
// (WEAK-TYPE-05: nothing saturates).
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace weft::ir {

class Integer {
 public:
  Integer() = default;
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  Integer(T value) {
    if (std::in_range<std::int64_t>(value)) small_ = static_cast<std::int64_t>(value);
    else set_unsigned(static_cast<std::uint64_t>(value));
  }
  Integer(const Integer& o) : small_(o.small_), big_(o.big_ ? clone(o.big_) : nullptr) {}
  Integer(Integer&& o) noexcept : small_(o.small_), big_(std::exchange(o.big_, nullptr)) {}
  Integer& operator=(const Integer& o) {
    if (!big_ && !o.big_) small_ = o.small_;
    else if (this != &o) *this = Integer(o);
    return *this;
  }
  Integer& operator=(Integer&& o) noexcept {
    std::swap(small_, o.small_);
    std::swap(big_, o.big_);
    return *this;
  }
  ~Integer() {
    if (big_) release(big_);
  }

  static Integer power_of_two(unsigned exponent);
  /// The value truncated toward zero; nothing for an infinity or NaN.
  static std::optional<Integer> from_double(double);
  /// An optional '-' and decimal digits, at most 5000 of them (beyond every bound that WEAK-BND-06 admits).
  static std::optional<Integer> parse(std::string_view);

  bool is_small() const { return !big_; }
  std::optional<std::int64_t> to_int64() const {
    if (big_) return std::nullopt;
    return small_;
  }
  std::optional<std::uint64_t> to_uint64() const;
  double to_double() const;  // to nearest even; infinite beyond the largest double
  std::string to_string() const;
  std::size_t hash() const;
  int sign() const { return big_ ? big_sign(*this) : (small_ > 0) - (small_ < 0); }
  /// Bits of the magnitude: 0 for 0, 8 for 255 and -255.
  std::size_t bit_length() const;

  friend bool operator==(const Integer& a, const Integer& b) {
    if (!a.big_ && !b.big_) return a.small_ == b.small_;
    return big_compare(a, b) == 0;
  }
  friend std::strong_ordering operator<=>(const Integer& a, const Integer& b) {
    if (!a.big_ && !b.big_) return a.small_ <=> b.small_;
    return big_compare(a, b) <=> 0;
  }
  friend Integer operator+(const Integer& a, const Integer& b) {
    if (std::int64_t r; !a.big_ && !b.big_ && !__builtin_add_overflow(a.small_, b.small_, &r)) return r;
    return big_binary('+', a, b);
  }
  friend Integer operator-(const Integer& a, const Integer& b) {
    if (std::int64_t r; !a.big_ && !b.big_ && !__builtin_sub_overflow(a.small_, b.small_, &r)) return r;
    return big_binary('-', a, b);
  }
  friend Integer operator*(const Integer& a, const Integer& b) {
    if (std::int64_t r; !a.big_ && !b.big_ && !__builtin_mul_overflow(a.small_, b.small_, &r)) return r;
    return big_binary('*', a, b);
  }
  /// Truncating, as in C++; the divisor must not be 0.
  friend Integer operator/(const Integer& a, const Integer& b) {
    if (!a.big_ && !b.big_ && b.small_ != -1) return a.small_ / b.small_;
    return big_binary('/', a, b);
  }
  friend Integer operator%(const Integer& a, const Integer& b) {
    if (!a.big_ && !b.big_ && b.small_ != -1) return a.small_ % b.small_;
    return big_binary('%', a, b);
  }
  /// Two's complement of unlimited width.
  friend Integer operator&(const Integer& a, const Integer& b) {
    if (!a.big_ && !b.big_) return a.small_ & b.small_;
    return big_binary('&', a, b);
  }
  friend Integer operator|(const Integer& a, const Integer& b) {
    if (!a.big_ && !b.big_) return a.small_ | b.small_;
    return big_binary('|', a, b);
  }
  friend Integer operator^(const Integer& a, const Integer& b) {
    if (!a.big_ && !b.big_) return a.small_ ^ b.small_;
    return big_binary('^', a, b);
  }
  friend Integer operator-(const Integer& a) { return Integer() - a; }
  friend Integer operator~(const Integer& a) { return Integer(-1) - a; }
  friend Integer operator<<(const Integer& a, unsigned count) { return shift_left(a, count); }
  /// Toward negative infinity.
  friend Integer operator>>(const Integer& a, unsigned count) { return shift_right(a, count); }

 private:
  struct Big;  // holds a value that does not fit small_; absent otherwise
  friend struct IntegerAccess;

  static Big* clone(const Big*);
  static void release(Big*) noexcept;
  void set_unsigned(std::uint64_t);
  static int big_sign(const Integer&);
  static int big_compare(const Integer&, const Integer&);
  static Integer big_binary(char op, const Integer&, const Integer&);
  static Integer shift_left(const Integer&, unsigned);
  static Integer shift_right(const Integer&, unsigned);

  std::int64_t small_ = 0;
  Big* big_ = nullptr;
};

/// Quotient and remainder rounded toward negative infinity; the divisor must not be 0.
inline Integer floor_div(const Integer& a, const Integer& b) {
  Integer q = a / b;
  const Integer r = a - q * b;
  return r.sign() != 0 && (r.sign() < 0) != (b.sign() < 0) ? q - 1 : q;
}
inline Integer floor_mod(const Integer& a, const Integer& b) {
  Integer r = a % b;
  return r.sign() != 0 && (r.sign() < 0) != (b.sign() < 0) ? r + b : r;
}

}  // namespace weft::ir
