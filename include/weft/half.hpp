// half and bfloat16: 16-bit floats to store (MAP-TEN-01). They convert to float exactly, and from float, double and the
// integers with one rounding to the nearest, ties to even; they have no arithmetic of their own.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>

namespace weft {
namespace detail {

/// The nearest value with so many bits of fraction and of exponent.
constexpr std::uint16_t narrow_float(double value, int fraction, int exponent) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
  const std::uint64_t sign = bits >> 63 << (fraction + exponent);
  const std::uint64_t infinity = ((std::uint64_t{1} << exponent) - 1) << fraction;
  const int lowest = 2 - (1 << (exponent - 1));  // the exponent of the smallest normal value
  const int e = static_cast<int>(bits >> 52 & 0x7ff) - 1023;
  const std::uint64_t rest = bits & ((std::uint64_t{1} << 52) - 1);
  if (e == 1024) {
    // A NaN stays one: the quiet bit is set, the top of its payload kept.
    const std::uint64_t payload = rest ? rest >> (52 - fraction) | std::uint64_t{1} << (fraction - 1) : 0;
    return static_cast<std::uint16_t>(sign | infinity | payload);
  }
  const int drop = 52 - fraction + (e < lowest ? lowest - e : 0);
  if (drop > 54) return static_cast<std::uint16_t>(sign);
  const std::uint64_t all = rest | std::uint64_t{1} << 52, lost = all & ((std::uint64_t{1} << drop) - 1);
  std::uint64_t kept = all >> drop;
  const std::uint64_t tie = std::uint64_t{1} << (drop - 1);
  if (lost > tie || (lost == tie && (kept & 1))) ++kept;
  // The bit before the fraction, and a carry out of it, count up the exponent.
  if (e >= lowest) kept += static_cast<std::uint64_t>(e - lowest) << fraction;
  return static_cast<std::uint16_t>(sign | (kept < infinity ? kept : infinity));
}

constexpr float widen_float(std::uint16_t bits, int fraction, int exponent) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits >> (fraction + exponent)) << 31;
  const std::uint32_t largest = (1u << exponent) - 1, e = bits >> fraction & largest;
  std::uint32_t rest = bits & ((1u << fraction) - 1);
  const int bias = (1 << (exponent - 1)) - 1;
  if (e == largest) return std::bit_cast<float>(sign | 0x7f800000u | rest << (23 - fraction));
  if (exponent == 8) return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
  int power = static_cast<int>(e) - bias;
  if (e == 0) {
    if (rest == 0) return std::bit_cast<float>(sign);
    const int shift = std::countl_zero(rest) - (31 - fraction);
    rest = rest << shift & ((1u << fraction) - 1);
    power = 1 - bias - shift;
  }
  return std::bit_cast<float>(sign | static_cast<std::uint32_t>(power + 127) << 23 | rest << (23 - fraction));
}

/// An integer as a double that rounds as the integer does: what does not fit its 53 bits is gathered in the last one.
template <std::integral T> constexpr double sticky_double(T value) {
  const bool negative = value < T{0};
  std::uint64_t magnitude = static_cast<std::uint64_t>(value);
  if (negative) magnitude = 0 - magnitude;
  double scale = 1;
  for (; magnitude >> 53; scale *= 2) magnitude = magnitude >> 1 | (magnitude & 1);
  return (negative ? -1.0 : 1.0) * static_cast<double>(magnitude) * scale;
}

template <int Fraction, int Exponent> struct StoredFloat {
  std::uint16_t bits = 0;

  constexpr StoredFloat() = default;
  constexpr explicit StoredFloat(double value) : bits(narrow_float(value, Fraction, Exponent)) {}
  constexpr explicit StoredFloat(float value) : StoredFloat(static_cast<double>(value)) {}
  template <std::integral T> constexpr explicit StoredFloat(T value) : StoredFloat(sticky_double(value)) {}
  constexpr operator float() const { return widen_float(bits, Fraction, Exponent); }
};

}  // namespace detail

/// IEEE binary16.
struct half : detail::StoredFloat<10, 5> {
  using StoredFloat::StoredFloat;
  static constexpr half from_bits(std::uint16_t b) {
    half h;
    return h.bits = b, h;
  }
};
/// The upper half of a float.
struct bfloat16 : detail::StoredFloat<7, 8> {
  using StoredFloat::StoredFloat;
  static constexpr bfloat16 from_bits(std::uint16_t b) {
    bfloat16 h;
    return h.bits = b, h;
  }
};

}  // namespace weft
