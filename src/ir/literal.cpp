#include "ir/literal.hpp"

#include <bit>
#include <cmath>
#include <limits>

namespace weft::ir {
namespace {

struct Format {
  int precision;     // bits of the significand, the implicit one included
  int min_exponent;  // of the smallest normal value
  double largest;
  bool saturates, infinities, negative_zero;
};

Format format(Scalar s) {
  switch (s) {
    case Scalar::fp8e4m3: return {4, -6, 448, true, false, true};
    case Scalar::fp8e5m2: return {3, -14, 57344, true, true, true};
    case Scalar::fp8e4m3fnuz: return {4, -7, 240, true, false, false};
    case Scalar::fp8e5m2fnuz: return {3, -15, 57344, true, false, false};
    case Scalar::float16: return {11, -14, 65504, false, true, true};
    case Scalar::bfloat16: return {8, -126, 0x1.FEp+127, false, true, true};
    case Scalar::float32: return {24, -126, std::numeric_limits<float>::max(), false, true, true};
    default: return {53, -1022, std::numeric_limits<double>::max(), false, true, true};
  }
}

// (-1)^negative * significand * 2^exponent, rounded once. Bits below the significand are summed in its lowest bit, which
// therefore lies at least two below the precision: 64 bits are enough for every format.
double round_parts(const Format& f, bool negative, std::uint64_t significand, int exponent) {
  double magnitude = 0;
  if (significand != 0) {
    const int top = exponent + 63 - std::countl_zero(significand);  // floor(log2(value))
    const int unit = std::max(top, f.min_exponent) - (f.precision - 1);
    const int drop = unit - exponent;
    if (drop > 64) {
      magnitude = 0;  // below half of the smallest value
    } else if (drop > 0) {
      const std::uint64_t kept = drop == 64 ? 0 : significand >> drop;
      const std::uint64_t rest = drop == 64 ? significand : significand & ((std::uint64_t{1} << drop) - 1);
      const std::uint64_t half = std::uint64_t{1} << (drop - 1);
      const bool up = rest > half || (rest == half && (kept & 1));
      magnitude = std::ldexp(static_cast<double>(kept + up), unit);
    } else {
      magnitude = std::ldexp(static_cast<double>(significand), exponent);
    }
  }
  if (magnitude > f.largest) magnitude = f.saturates ? f.largest : std::numeric_limits<double>::infinity();
  if (magnitude == 0 && !f.negative_zero) negative = false;
  return negative ? -magnitude : magnitude;
}

}  // namespace

double round_to(Scalar s, double v) {
  if (std::isnan(v)) return std::numeric_limits<double>::quiet_NaN();
  if (s == Scalar::float64 || s == Scalar::weakfloat) return v;
  if (s == Scalar::float32) return static_cast<double>(static_cast<float>(v));
  const Format f = format(s);
  if (std::isinf(v)) return f.infinities ? v : std::numeric_limits<double>::quiet_NaN();
  int exponent;
  const double fraction = std::frexp(std::fabs(v), &exponent);
  return round_parts(f, std::signbit(v), static_cast<std::uint64_t>(std::ldexp(fraction, 53)), exponent - 53);
}

double round_to(Scalar s, const Integer& v) {
  const bool negative = v.sign() < 0;
  const Integer magnitude = negative ? -v : v;
  const std::size_t bits = magnitude.bit_length();
  if (bits <= 64) return round_parts(format(s), negative, *magnitude.to_uint64(), 0);
  if (bits > 2000) return round_parts(format(s), negative, 1, 2000);
  const auto drop = static_cast<unsigned>(bits - 64);
  const Integer top = magnitude >> drop;
  const bool sticky = (top << drop) != magnitude;
  return round_parts(format(s), negative, *top.to_uint64() | (sticky ? 1u : 0u), static_cast<int>(drop));
}

Grid grid(Scalar s) {
  const Format f = format(s);
  return {f.largest, std::ldexp(1.0, f.min_exponent), std::ldexp(1.0, 1 - f.precision)};
}

Node literal_at(Graph& g, Node c, Scalar s) {
  const Arg& a = c->arg;
  if (a.tag == Arg::Tag::invalid) return c;
  if (a.tag == Arg::Tag::integer && is_integer(s)) return c;
  const Integer integer =
      a.tag == Arg::Tag::integer ? *a.integer : Integer(a.tag == Arg::Tag::boolean && a.boolean ? 1 : 0);
  if (is_bool(s)) {
    if (a.tag == Arg::Tag::real) return g.constant(!(a.real == 0));
    return g.constant(integer.sign() != 0);
  }
  if (is_float(s)) {
    if (a.tag == Arg::Tag::real) {
      const double rounded = round_to(s, a.real);
      return std::bit_cast<std::uint64_t>(rounded) == std::bit_cast<std::uint64_t>(a.real) ? c : g.constant(rounded);
    }
    return g.constant(round_to(s, integer));
  }
  if (is_integer(s)) {
    if (a.tag != Arg::Tag::real) return g.constant(integer);
    if (auto whole = Integer::from_double(a.real)) return g.constant(*whole);
    throw ConstructError("CONST " +
                         std::string(std::isnan(a.real) ? "nan"
                                     : a.real < 0       ? "-inf"
                                                        : "inf") +
                         " has no value at " + std::string(name(s)) + ": only a finite float becomes an integer.");
  }
  throw ConstructError("CONST has no value at void.");
}

}  // namespace weft::ir
