#include "support/reference_value.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace weft::test {
namespace {

using ir::Op;

[[noreturn]] void unknown(Op op) {
  throw std::logic_error("the reference evaluator does not know " + std::string(ir::name(op)));
}

Int128 wrap(Int128 v, ScalarType t) {
  switch (t) {
    case ScalarType::boolean: return v != 0;
    case ScalarType::int32: return static_cast<std::int32_t>(static_cast<std::uint32_t>(v));
    case ScalarType::uint32: return static_cast<std::uint32_t>(v);
    case ScalarType::int64: return static_cast<std::int64_t>(static_cast<std::uint64_t>(v));
    case ScalarType::uint64: return static_cast<std::uint64_t>(v);
    case ScalarType::weakint: return v;
    default: throw std::logic_error("the reference evaluator does not know the type " + std::string(name(t)));
  }
}

float as_float(Int128 n) { return std::bit_cast<float>(static_cast<std::uint32_t>(n)); }
double as_double(Int128 n) { return std::bit_cast<double>(static_cast<std::uint64_t>(n)); }
Int128 from(float f) { return std::bit_cast<std::uint32_t>(f); }
Int128 from(double d) { return std::bit_cast<std::uint64_t>(d); }
bool is_double(ScalarType t) { return t == ScalarType::float64 || t == ScalarType::weakfloat; }
double real(Int128 n, ScalarType t) { return is_double(t) ? as_double(n) : static_cast<double>(as_float(n)); }

Int128 round_to_integer(double v, ScalarType t) {
  if (std::isnan(v)) return 0;
  const int bits = bit_size(t);
  const double end = std::ldexp(1.0, is_unsigned(t) ? bits : bits - 1), begin = is_unsigned(t) ? 0.0 : -end;
  const Int128 one = 1, last = (one << (is_unsigned(t) ? bits : bits - 1)) - 1;
  if (v >= end) return last;
  if (v <= begin) return is_unsigned(t) ? 0 : -last - 1;
  return static_cast<Int128>(std::trunc(v));
}

Int128 convert(Int128 n, ScalarType s, ScalarType t) {
  if (s == t) return n;
  if (is_float(t)) {
    if (is_float(s)) return t == ScalarType::float32 ? from(static_cast<float>(real(n, s))) : from(real(n, s));
    return t == ScalarType::float32 ? from(static_cast<float>(n)) : from(static_cast<double>(n));
  }
  if (is_float(s))
    return is_bool(t) ? real(n, s) != 0
                      : round_to_integer(real(n, s), t == ScalarType::weakint ? ScalarType::int64 : t);
  return wrap(n, t);
}

/// Where the result has no committed width: weak integers are exact, weak floats are computed as float.
ScalarType computed(ScalarType t) { return t == ScalarType::weakfloat ? ScalarType::float32 : t; }

Int128 whole(Op op, Int128 a, Int128 b, ScalarType t) {
  switch (op) {
    case Op::ADD: return wrap(a + b, t);
    case Op::SUB: return wrap(a - b, t);
    case Op::MUL:  // up to 64 bits each; the low bits are right even where 128 are not enough
      return wrap(static_cast<Int128>(static_cast<UInt128>(a) * static_cast<UInt128>(b)), t);
    case Op::AND: return a & b;
    case Op::OR: return a | b;
    case Op::XOR: return wrap(a ^ b, t);
    case Op::MIN: return a < b ? a : b;
    case Op::MAX: return a > b ? a : b;
    case Op::CDIV: return b == 0 ? a : wrap(a / b, t);
    case Op::CMOD: return b == 0 ? 0 : a % b;
    case Op::FLOORDIV: {
      if (b == 0) return a;
      Int128 q = a / b;
      if (q * b != a && (a < 0) != (b < 0)) --q;
      return wrap(q, t);
    }
    case Op::FLOORMOD: {
      if (b == 0) return 0;
      Int128 r = a % b;
      if (r != 0 && (r < 0) != (b < 0)) r += b;
      return r;
    }
    default: unknown(op);
  }
}

template <class T> T extreme(bool greatest, T a, T b) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  if (a == b) return std::signbit(a) == greatest ? b : a;  // -0 < +0
  return (a > b) == greatest ? a : b;
}

template <class T> T fractional(Op op, T a, T b) {
  switch (op) {
    case Op::ADD: return a + b;
    case Op::SUB: return a - b;
    case Op::MUL: return a * b;
    case Op::FDIV: return a / b;
    case Op::MIN: return extreme(false, a, b);
    case Op::MAX: return extreme(true, a, b);
    case Op::POW: return std::pow(a, b);
    case Op::ATAN2: return std::atan2(a, b);
    case Op::CDIV: return std::trunc(a / b);
    case Op::FLOORDIV: return std::floor(a / b);
    case Op::CMOD: {
      const T q = a / b, w = std::trunc(q) * b;
      return a - w;
    }
    case Op::FLOORMOD: {
      const T q = a / b, w = std::floor(q) * b;
      return a - w;
    }
    default: unknown(op);
  }
}

template <class T> T function(Op op, T x) {
  switch (op) {
    case Op::NEG: return -x;
    case Op::ABS: return std::fabs(x);
    case Op::TRUNC: return std::trunc(x);
    case Op::FLOOR: return std::floor(x);
    case Op::CEIL: return std::ceil(x);
    case Op::ROUND: {  // halves to even
      const T below = std::floor(x), rest = x - below;
      if (!std::isfinite(x) || rest == 0) return x;
      const T even = std::floor(below / 2) * 2 == below ? below : below + 1;
      return std::copysign(rest < T(0.5) ? below : rest > T(0.5) ? below + 1 : even, x);
    }
    case Op::SQRT: return std::sqrt(x);
    case Op::RECIPROCAL: return 1 / x;
    case Op::SIN: return std::sin(x);
    case Op::COS: return std::cos(x);
    case Op::TAN: return std::tan(x);
    case Op::ASIN: return std::asin(x);
    case Op::ACOS: return std::acos(x);
    case Op::ATAN: return std::atan(x);
    case Op::SINH: return std::sinh(x);
    case Op::COSH: return std::cosh(x);
    case Op::TANH: return std::tanh(x);
    case Op::EXP: return std::exp(x);
    case Op::EXP2: return std::exp2(x);
    case Op::LOG: return std::log(x);
    case Op::LOG2: return std::log2(x);
    default: unknown(op);
  }
}

Int128 power(Int128 base, Int128 exponent, ScalarType t) {
  if (exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0;
  Int128 r = wrap(1, t);
  for (Int128 k = exponent; k > 0; k /= 2) {
    if (k % 2) r = whole(Op::MUL, r, base, t);
    base = whole(Op::MUL, base, base, t);
  }
  return r;
}

Int128 shift(Op op, Int128 a, Int128 count, ScalarType count_type, ScalarType t) {
  const int bits = t == ScalarType::weakint ? 100 : bit_size(t);
  if (count < 0 && count_type != ScalarType::weakint) count += Int128(1) << bit_size(count_type);
  if (count < 0 || count >= bits) return op == Op::SHR && a < 0 ? -1 : 0;
  return op == Op::SHL ? wrap(static_cast<Int128>(static_cast<UInt128>(a) << static_cast<int>(count)), t)
                       : a >> static_cast<int>(count);
}

template <class F> RefValue each(DType type, F f) {
  RefValue r{type, {}};
  for (std::size_t k = 0; k < type.lanes; ++k) r.n[k] = f(k);
  return r;
}

RefValue shifted(Op op, const RefValue& a, const RefValue& count) {
  // A left side without a width takes the count's (weak.md, WEAK-COM-03).
  const RefValue left = a.type.is_weak() && !count.type.is_weak() ? ref_cast(a, count.type.scalar) : a;
  return each(left.type,
              [&](std::size_t k) { return shift(op, left.n[k], count.n[k], count.type.scalar, left.type.scalar); });
}

RefValue compared(Op op, const RefValue& a, const RefValue& b) {
  const ScalarType t = computed(least_upper(a.type.scalar, b.type.scalar));
  const RefValue x = ref_cast(a, t), y = ref_cast(b, t);
  return each({ScalarType::boolean, x.type.lanes}, [&](std::size_t k) -> Int128 {
    if (is_float(t)) {
      const double u = real(x.n[k], t), v = real(y.n[k], t);
      return op == Op::CMPLT ? u < v : op == Op::CMPEQ ? u == v : u != v;
    }
    return op == Op::CMPLT ? x.n[k] < y.n[k] : op == Op::CMPEQ ? x.n[k] == y.n[k] : x.n[k] != y.n[k];
  });
}

}  // namespace

RefValue ref_integer(DType t, Int128 v) {
  return each(t, [&](std::size_t) { return wrap(v, t.scalar); });
}
RefValue ref_weakfloat(double v) { return {ScalarType::weakfloat, {from(v)}}; }

RefValue ref_from_bits(DType t, const std::uint64_t* lanes) {
  return each(t, [&](std::size_t k) -> Int128 {
    return t.is_float() ? static_cast<Int128>(lanes[k]) : wrap(static_cast<Int128>(lanes[k]), t.scalar);
  });
}

std::uint64_t ref_bits(const RefValue& v, std::size_t lane) {
  const auto bits = static_cast<std::uint64_t>(v.n[lane]);
  return v.type.scalar == ScalarType::int32 ? bits & 0xFFFFFFFFu : bits;
}

bool ref_true(const RefValue& v) { return v.n[0] != 0; }

RefValue ref_cast(const RefValue& v, ScalarType t) {
  return each({t, v.type.lanes}, [&](std::size_t k) { return convert(v.n[k], v.type.scalar, t); });
}

RefValue ref_bitcast(const RefValue& v, DType t) {
  std::uint64_t lanes[4];
  for (std::size_t k = 0; k < 4; ++k) lanes[k] = ref_bits(v, k);
  return ref_from_bits(t, lanes);
}

RefValue ref_unary(Op op, const RefValue& a) {
  const DType t = a.type;
  if (op == Op::POPCOUNT || op == Op::REVBITS)
    return each(t, [&](std::size_t k) -> Int128 {
      Int128 r = 0;
      for (int b = 0, n = bit_size(t.scalar); b < n; ++b)
        if (a.n[k] >> b & 1) r += op == Op::POPCOUNT ? 1 : Int128(1) << (n - 1 - b);
      return wrap(r, t.scalar);
    });
  if (t.is_integer()) {
    switch (op) {
      case Op::NEG: return each(t, [&](std::size_t k) { return wrap(-a.n[k], t.scalar); });
      case Op::ABS: return each(t, [&](std::size_t k) { return wrap(a.n[k] < 0 ? -a.n[k] : a.n[k], t.scalar); });
      case Op::TRUNC:
      case Op::FLOOR:
      case Op::CEIL:
      case Op::ROUND: return a;
      default: break;
    }
  }
  const ScalarType f = computed(least_upper_float(t.scalar));
  const RefValue x = ref_cast(a, f);
  return each({f, t.lanes}, [&](std::size_t k) {
    return is_double(f) ? from(function(op, as_double(x.n[k]))) : from(function(op, as_float(x.n[k])));
  });
}

RefValue ref_binary(Op op, const RefValue& a, const RefValue& b) {
  if (op == Op::SHL || op == Op::SHR) return shifted(op, a, b);
  if (ir::is_comparison(op)) return compared(op, a, b);
  ScalarType t = least_upper(a.type.scalar, b.type.scalar);
  if (op == Op::FDIV || op == Op::ATAN2) t = least_upper_float(t);
  t = computed(t);
  if (op == Op::POW && is_integer(t)) {
    const RefValue x = ref_cast(a, t);
    return each(x.type, [&](std::size_t k) { return power(x.n[k], b.n[k], t); });
  }
  const RefValue x = ref_cast(a, t), y = ref_cast(b, t);
  return each(x.type, [&](std::size_t k) {
    if (!is_float(t)) return whole(op, x.n[k], y.n[k], t);
    return is_double(t) ? from(fractional(op, as_double(x.n[k]), as_double(y.n[k])))
                        : from(fractional(op, as_float(x.n[k]), as_float(y.n[k])));
  });
}

RefValue ref_where(const RefValue& c, const RefValue& a, const RefValue& b) {
  const ScalarType t = least_upper(a.type.scalar, b.type.scalar);
  const RefValue x = ref_cast(a, t), y = ref_cast(b, t);
  return each(x.type, [&](std::size_t k) { return c.n[c.type.lanes == 1 ? 0 : k] != 0 ? x.n[k] : y.n[k]; });
}

RefValue ref_fma(const RefValue& a, const RefValue& b, const RefValue& c) {
  const ScalarType t = computed(least_upper(least_upper(a.type.scalar, b.type.scalar), c.type.scalar));
  if (!is_float(t)) return ref_binary(Op::ADD, ref_binary(Op::MUL, a, b), c);
  const RefValue x = ref_cast(a, t), y = ref_cast(b, t), z = ref_cast(c, t);
  return each(x.type, [&](std::size_t k) {
    return is_double(t) ? from(std::fma(as_double(x.n[k]), as_double(y.n[k]), as_double(z.n[k])))
                        : from(std::fma(as_float(x.n[k]), as_float(y.n[k]), as_float(z.n[k])));
  });
}

RefValue ref_identity(Op op, DType t) {
  const auto real_value = [&](double v) {
    return t.scalar == ScalarType::float32 ? from(static_cast<float>(v)) : from(v);
  };
  const bool f = t.is_float();
  const int bits = bit_size(t.scalar);
  const Int128 one = 1, greatest = (one << (is_unsigned(t.scalar) ? bits : bits - 1)) - 1;
  const double infinity = std::numeric_limits<double>::infinity();
  switch (op) {
    case Op::ADD: return {t, {f ? real_value(-0.0) : Int128(0)}};
    case Op::MUL: return {t, {f ? real_value(1.0) : one}};
    case Op::AND: return {t, {wrap(-1, t.scalar)}};
    case Op::OR:
    case Op::XOR: return {t, {}};
    case Op::MIN: return {t, {f ? real_value(infinity) : greatest}};
    case Op::MAX: return {t, {f ? real_value(-infinity) : is_unsigned(t.scalar) ? Int128(0) : -greatest - 1}};
    default: unknown(op);
  }
}

}  // namespace weft::test
