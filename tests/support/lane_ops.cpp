#include "support/lane_ops.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

#include "support/program_interpreter.hpp"

namespace weft::test {
namespace {

using ir::Op;

[[noreturn]] void broken(Op op, Scalar type, const char* why) {
  throw ContractBroken(std::string(name(op)) + " " + std::string(weft::name(type)) + ": " + why);
}

template <class T> T get(std::uint64_t bits) {
  if constexpr (std::is_same_v<T, float>) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  else if constexpr (std::is_same_v<T, double>) return std::bit_cast<double>(bits);
  else return static_cast<T>(bits);
}
template <class T> std::uint64_t put(T v) {
  if constexpr (std::is_same_v<T, float>) return std::bit_cast<std::uint32_t>(v);
  else if constexpr (std::is_same_v<T, double>) return std::bit_cast<std::uint64_t>(v);
  else if constexpr (std::is_same_v<T, bool>) return v;
  else return static_cast<std::make_unsigned_t<T>>(v);
}

/// Calls f with a value of the C++ type of a scalar type.
template <class F> std::uint64_t with_type(Op op, Scalar s, F f) {
  switch (s) {
    case Scalar::boolean: return f(bool{});
    case Scalar::int32: return f(std::int32_t{});
    case Scalar::uint32: return f(std::uint32_t{});
    case Scalar::int64: return f(std::int64_t{});
    case Scalar::uint64: return f(std::uint64_t{});
    case Scalar::float32: return f(float{});
    case Scalar::float64: return f(double{});
    default: broken(op, s, "no program holds this type");
  }
}

template <class T> std::uint64_t compare(Op op, T a, T b) {
  switch (op) {
    case Op::CMPLT: return a < b;
    case Op::CMPEQ: return a == b;
    default: return a != b;
  }
}

std::uint64_t boolean_op(Op op, bool a, bool b) {
  switch (op) {
    case Op::AND: return a && b;
    case Op::OR: return a || b;
    case Op::XOR: return a != b;
    default: broken(op, Scalar::boolean, "bools are joined by AND, OR and XOR only");
  }
}

template <class T> std::uint64_t integer_op(Op op, Scalar s, T a, T b) {
  using U = std::make_unsigned_t<T>;
  const auto wrapped = [](U v) { return put(static_cast<T>(v)); };
  const U ua = static_cast<U>(a), ub = static_cast<U>(b);
  switch (op) {
    case Op::ADD: return wrapped(ua + ub);
    case Op::SUB: return wrapped(ua - ub);
    case Op::MUL: return wrapped(ua * ub);
    case Op::NEG: return wrapped(U{0} - ua);
    case Op::ABS: return wrapped(a < 0 ? U{0} - ua : ua);
    case Op::AND: return wrapped(ua & ub);
    case Op::OR: return wrapped(ua | ub);
    case Op::XOR: return wrapped(ua ^ ub);
    case Op::MAX: return put(a < b ? b : a);
    case Op::MIN: return put(b < a ? b : a);
    case Op::POPCOUNT: return static_cast<std::uint64_t>(std::popcount(ua));
    case Op::REVBITS: {
      U r = 0;
      for (int k = 0; k < std::numeric_limits<U>::digits; ++k)
        r |= (ua >> k & 1) << (std::numeric_limits<U>::digits - 1 - k);
      return wrapped(r);
    }
    case Op::CDIV:
    case Op::CMOD:
      if (b == 0) broken(op, s, "the divisor is 0");
      if constexpr (std::is_signed_v<T>)
        if (a == std::numeric_limits<T>::min() && b == -1) broken(op, s, "the quotient does not fit");
      return put(static_cast<T>(op == Op::CDIV ? a / b : a % b));
    default: broken(op, s, "no integer operation of a program");
  }
}

template <class T> std::uint64_t float_op(Op op, Scalar s, T a, T b, T c) {
  switch (op) {
    case Op::ADD: return put<T>(a + b);
    case Op::SUB: return put<T>(a - b);
    case Op::MUL: return put<T>(a * b);
    case Op::FDIV: return put<T>(a / b);
    case Op::FMA: return put<T>(std::fma(a, b, c));
    case Op::NEG: return put<T>(-a);
    case Op::ABS: return put<T>(std::fabs(a));
    case Op::TRUNC: return put<T>(std::trunc(a));
    case Op::FLOOR: return put<T>(std::floor(a));
    case Op::CEIL: return put<T>(std::ceil(a));
    case Op::ROUND: return put<T>(std::nearbyint(a));
    case Op::SQRT: return put<T>(std::sqrt(a));
    case Op::SIN: return put<T>(std::sin(a));
    case Op::COS: return put<T>(std::cos(a));
    case Op::TAN: return put<T>(std::tan(a));
    case Op::ASIN: return put<T>(std::asin(a));
    case Op::ACOS: return put<T>(std::acos(a));
    case Op::ATAN: return put<T>(std::atan(a));
    case Op::SINH: return put<T>(std::sinh(a));
    case Op::COSH: return put<T>(std::cosh(a));
    case Op::TANH: return put<T>(std::tanh(a));
    case Op::EXP: return put<T>(std::exp(a));
    case Op::EXP2: return put<T>(std::exp2(a));
    case Op::LOG: return put<T>(std::log(a));
    case Op::LOG2: return put<T>(std::log2(a));
    case Op::POW: return put<T>(std::pow(a, b));
    case Op::ATAN2: return put<T>(std::atan2(a, b));
    case Op::FENCE: return put<T>(a);
    default: broken(op, s, "no float operation of a program");
  }
}

template <class T> std::uint64_t shift(Op op, Scalar s, T a, std::uint64_t count) {
  using U = std::make_unsigned_t<T>;
  if (count >= static_cast<unsigned>(std::numeric_limits<U>::digits)) broken(op, s, "the count is not below the width");
  return op == Op::SHL ? put(static_cast<T>(static_cast<U>(a) << count)) : put(static_cast<T>(a >> count));
}

template <class To, class From> std::uint64_t convert(Scalar s, From v) {
  if constexpr (std::is_same_v<To, bool> || std::is_same_v<From, bool>) {
    broken(Op::CAST, s, "bools are made by comparisons and read by WHERE");
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    const double whole = std::trunc(static_cast<double>(v)), end = std::ldexp(1.0, std::numeric_limits<To>::digits);
    if (!(whole < end && whole >= (std::is_signed_v<To> ? -end : 0.0))) broken(Op::CAST, s, "the value does not fit");
    return put(static_cast<To>(whole));
  } else {
    return put(static_cast<To>(v));
  }
}

template <class T> int total_order(T a, T b) {  // of two that are not NaN: -0 < +0
  if (a < b) return -1;
  if (b < a) return 1;
  return static_cast<int>(std::signbit(b)) - static_cast<int>(std::signbit(a));
}

}  // namespace

std::uint64_t lane_op(Op op, Scalar type, Scalar from, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  switch (op) {
    case Op::WHERE: return a ? b : c;
    case Op::BITCAST:
      if (bit_size(type) != bit_size(from) || is_bool(type) || is_bool(from)) broken(op, type, "not the same bits");
      return a;
    case Op::CAST:
      return with_type(op, type, [&](auto to) {
        return with_type(op, from, [&](auto f) { return convert<decltype(to)>(type, get<decltype(f)>(a)); });
      });
    case Op::SHL:
    case Op::SHR:
      return with_type(op, type, [&](auto t) -> std::uint64_t {
        using T = decltype(t);
        if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) return shift(op, type, get<T>(a), b);
        else broken(op, type, "only integers are shifted");
      });
    case Op::CMPLT:
    case Op::CMPNE:
    case Op::CMPEQ:
      if (op == Op::CMPLT && is_bool(from)) broken(op, from, "bools have no order");
      return with_type(op, from, [&](auto t) { return compare(op, get<decltype(t)>(a), get<decltype(t)>(b)); });
    default:
      return with_type(op, type, [&](auto t) -> std::uint64_t {
        using T = decltype(t);
        if constexpr (std::is_same_v<T, bool>) return boolean_op(op, a, b);
        else if constexpr (std::is_integral_v<T>) return integer_op(op, type, get<T>(a), get<T>(b));
        else return float_op(op, type, get<T>(a), get<T>(b), get<T>(c));
      });
  }
}

std::uint64_t fold_lane(Op op, Scalar s, std::uint64_t a, std::uint64_t b) {
  if (!is_float(s) || (op != Op::MIN && op != Op::MAX)) return lane_op(op, s, s, a, b, 0);
  return with_type(op, s, [&](auto t) -> std::uint64_t {
    using T = decltype(t);
    if constexpr (std::is_floating_point_v<T>) {
      const T x = get<T>(a), y = get<T>(b);
      if (std::isnan(x)) return b;
      if (std::isnan(y)) return a;
      return (op == Op::MAX ? total_order(x, y) < 0 : total_order(y, x) < 0) ? b : a;
    } else {
      return 0;
    }
  });
}

std::uint64_t fold_identity_bits(Op op, Scalar s) {
  return with_type(op, s, [&](auto t) -> std::uint64_t {
    using T = decltype(t);
    using Limits = std::numeric_limits<T>;
    switch (op) {
      case Op::ADD: return std::is_floating_point_v<T> ? put(static_cast<T>(-0.0)) : 0;
      case Op::MUL: return put(static_cast<T>(1));
      case Op::OR:
      case Op::XOR: return 0;
      case Op::MIN: return put(Limits::has_infinity ? Limits::infinity() : Limits::max());
      case Op::MAX: return put(Limits::has_infinity ? static_cast<T>(-Limits::infinity()) : Limits::lowest());
      case Op::AND:
        if constexpr (std::is_same_v<T, bool>) return 1;
        else if constexpr (std::is_integral_v<T>) return put(static_cast<T>(~T{0}));
        else return 0;
      default: broken(op, s, "no fold");
    }
  });
}

}  // namespace weft::test
