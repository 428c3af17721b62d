#include "ir/integer.hpp"

#include <boost/multiprecision/cpp_int.hpp>

#include <cmath>
#include <functional>
#include <limits>

namespace weft::ir {

using boost::multiprecision::cpp_int;

struct Integer::Big {
  cpp_int value;
};

struct IntegerAccess {
  static cpp_int big(const Integer& i) { return i.big_ ? i.big_->value : cpp_int(i.small_); }
  static Integer make(cpp_int&& v) {
    Integer r;
    if (v >= std::numeric_limits<std::int64_t>::min() && v <= std::numeric_limits<std::int64_t>::max())
      r.small_ = v.convert_to<std::int64_t>();
    else r.big_ = new Integer::Big{std::move(v)};
    return r;
  }
  static const cpp_int* pointer(const Integer& i) { return i.big_ ? &i.big_->value : nullptr; }
};

namespace {
cpp_int big(const Integer& i) { return IntegerAccess::big(i); }
}  // namespace

Integer::Big* Integer::clone(const Big* b) { return new Big(*b); }
void Integer::release(Big* b) noexcept { delete b; }
void Integer::set_unsigned(std::uint64_t v) { big_ = new Big{cpp_int(v)}; }
int Integer::big_sign(const Integer& a) { return a.big_->value.sign(); }
int Integer::big_compare(const Integer& a, const Integer& b) {
  if (a.big_ && b.big_) return a.big_->value.compare(b.big_->value);
  return a.big_ ? a.big_->value.sign() : -b.big_->value.sign();  // what is big lies past everything small
}

Integer Integer::big_binary(char op, const Integer& a, const Integer& b) {
  const cpp_int x = big(a), y = big(b);
  switch (op) {
    case '+': return IntegerAccess::make(x + y);
    case '-': return IntegerAccess::make(x - y);
    case '*': return IntegerAccess::make(x * y);
    case '/': return IntegerAccess::make(x / y);
    case '%': return IntegerAccess::make(x % y);
    case '&': return IntegerAccess::make(x & y);
    case '|': return IntegerAccess::make(x | y);
    default: return IntegerAccess::make(x ^ y);
  }
}

Integer Integer::shift_left(const Integer& a, unsigned count) {
  if (a.is_small() && count < 63)
    if (std::int64_t r; !__builtin_mul_overflow(a.small_, std::int64_t{1} << count, &r)) return r;
  return IntegerAccess::make(big(a) << count);
}

Integer Integer::shift_right(const Integer& a, unsigned count) {
  if (a.is_small()) return a.small_ >> (count > 63 ? 63 : count);
  // cpp_int shifts magnitudes: rounding toward negative infinity is stated by hand.
  return floor_div(a, power_of_two(count));
}

Integer Integer::power_of_two(unsigned exponent) { return Integer(1) << exponent; }

std::optional<Integer> Integer::from_double(double v) {
  if (!std::isfinite(v)) return std::nullopt;
  v = std::trunc(v);
  if (std::fabs(v) < 0x1p62) return Integer(static_cast<std::int64_t>(v));
  int exponent;
  const double fraction = std::frexp(v, &exponent);  // |v| >= 2^62: 53 bits shifted left by exponent - 53 > 0
  return Integer(static_cast<std::int64_t>(std::ldexp(fraction, 53))) << static_cast<unsigned>(exponent - 53);
}

std::optional<Integer> Integer::parse(std::string_view text) {
  const bool negative = text.starts_with('-');
  std::string_view digits = text.substr(negative ? 1 : 0);
  if (digits.empty() || digits.size() > 5000) return std::nullopt;
  for (char c : digits)
    if (c < '0' || c > '9') return std::nullopt;
  if (digits.size() <= 18) {
    std::int64_t v = 0;
    for (char c : digits) v = v * 10 + (c - '0');
    return Integer(negative ? -v : v);
  }
  while (digits.size() > 1 && digits.front() == '0') digits.remove_prefix(1);  // a leading 0 would mean octal
  cpp_int v{std::string(digits)};
  return IntegerAccess::make(negative ? cpp_int(-v) : std::move(v));
}

std::optional<std::uint64_t> Integer::to_uint64() const {
  if (!big_) return small_ < 0 ? std::nullopt : std::optional<std::uint64_t>(static_cast<std::uint64_t>(small_));
  if (big_->value.sign() < 0 || big_->value > std::numeric_limits<std::uint64_t>::max()) return std::nullopt;
  return big_->value.convert_to<std::uint64_t>();
}

double Integer::to_double() const {
  if (!big_) return static_cast<double>(small_);
  cpp_int m = abs(big_->value);
  const std::size_t bits = msb(m) + 1;
  if (bits > 1024) return big_->value.sign() < 0 ? -HUGE_VAL : HUGE_VAL;
  double r;
  if (bits <= 64) {
    r = static_cast<double>(m.convert_to<std::uint64_t>());
  } else {
    // The top 64 bits, their lowest one sticky, round once in the conversion.
    const auto drop = static_cast<unsigned>(bits - 64);
    auto top = cpp_int(m >> drop).convert_to<std::uint64_t>();
    if (lsb(m) < drop) top |= 1;
    r = std::ldexp(static_cast<double>(top), static_cast<int>(drop));
  }
  return big_->value.sign() < 0 ? -r : r;
}

std::string Integer::to_string() const { return big_ ? big_->value.str() : std::to_string(small_); }

std::size_t Integer::hash() const {
  if (!big_) return std::hash<std::int64_t>()(small_) * 0x9E3779B97F4A7C15u;
  return std::hash<cpp_int>()(big_->value);
}

std::size_t Integer::bit_length() const {
  if (big_) return msb(abs(big_->value)) + 1;
  const std::uint64_t magnitude =
      small_ < 0 ? 0 - static_cast<std::uint64_t>(small_) : static_cast<std::uint64_t>(small_);
  return magnitude == 0 ? 0 : 64 - static_cast<std::size_t>(__builtin_clzll(magnitude));
}

}  // namespace weft::ir
