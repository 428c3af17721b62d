#include "kernel/host_eval.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "ir/derive.hpp"

namespace weft::trace {

using ir::Node;
using ir::Op;
using I = __int128;

namespace {

constexpr bool real(Scalar s) { return is_float(s); }
// Arithmetic of weak floats is that of the default float.
double rounded(Scalar s, double v) { return s == Scalar::float64 ? v : static_cast<double>(static_cast<float>(v)); }

I wrapped(Scalar s, I v) {
  if (is_bool(s)) return v != 0;
  if (is_weak(s)) return v;
  const int bits = bit_size(s);
  const unsigned __int128 mask = (static_cast<unsigned __int128>(1) << bits) - 1;
  const auto low = static_cast<unsigned __int128>(v) & mask;
  if (!is_unsigned(s) && (low >> (bits - 1)) != 0) return static_cast<I>(low) - (static_cast<I>(1) << bits);
  return static_cast<I>(low);
}

I greatest(Scalar s) { return (static_cast<I>(1) << (bit_size(s) - (is_unsigned(s) ? 0 : 1))) - 1; }
I least(Scalar s) { return is_unsigned(s) ? 0 : -greatest(s) - 1; }

// One lane.
struct Lane {
  I i = 0;
  double f = 0;
};

Lane converted(Scalar to, Scalar from, Lane v) {
  if (real(to))
    return {0, from == to && is_weak(to) ? v.f
               : real(from)              ? (is_weak(to) ? v.f : rounded(to, v.f))
                                         : rounded(to, static_cast<double>(v.i))};
  if (!real(from)) return {wrapped(to, v.i), 0};
  if (is_bool(to)) return {v.f != 0, 0};
  if (std::isnan(v.f)) return {0, 0};
  const Scalar s = is_weak(to) ? Scalar::int64 : to;
  const double t = std::trunc(v.f);
  if (t >= static_cast<double>(greatest(s))) return {greatest(s), 0};
  if (t <= static_cast<double>(least(s))) return {least(s), 0};
  return {static_cast<I>(t), 0};
}

double number_min(double a, double b) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
double number_max(double a, double b) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

I power(Scalar s, I base, I exponent) {
  if (exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent & 1 ? -1 : 1) : 0;
  I r = 1;
  for (; exponent; exponent >>= 1) {
    if (exponent & 1) r = wrapped(s, r * base);
    base = wrapped(is_weak(s) ? Scalar::int64 : s, base * base);
  }
  return r;
}

I shifted(Scalar s, Op op, I a, I count, Scalar count_type) {
  if (!is_weak(count_type)) count = wrapped(count_type == Scalar::int32 ? Scalar::uint32 : Scalar::uint64, count);
  const int bits = is_weak(s) ? 64 : bit_size(s);
  const bool out = count < 0 || count >= bits;
  if (op == Op::SHL) return out ? 0 : wrapped(s, a << static_cast<int>(count));
  return out ? (a < 0 ? -1 : 0) : a >> static_cast<int>(count);
}

Lane integer(Op op, Scalar s, I a, I b) {
  const auto floored = [&] { return a / b - (a % b != 0 && (a < 0) != (b < 0)); };
  switch (op) {
    case Op::ADD: return {a + b, 0};
    case Op::SUB: return {a - b, 0};
    case Op::MUL: {
      I r;
      if (__builtin_mul_overflow(a, b, &r)) throw std::overflow_error("an integer of straight code passes 128 bits");
      return {r, 0};
    }
    case Op::MIN: return {a < b ? a : b, 0};
    case Op::MAX: return {a > b ? a : b, 0};
    case Op::AND: return {a & b, 0};
    case Op::OR: return {a | b, 0};
    case Op::XOR: return {a ^ b, 0};
    case Op::CDIV: return {b == 0 ? a : a / b, 0};
    case Op::CMOD: return {b == 0 ? 0 : a % b, 0};
    case Op::FLOORDIV: return {b == 0 ? a : floored(), 0};
    case Op::FLOORMOD: return {b == 0 ? 0 : a - b * floored(), 0};
    case Op::POW: return {power(s, a, b), 0};
    default: throw std::logic_error("weft: straight code cannot compute " + std::string(ir::name(op)));
  }
}

double floating(Op op, Scalar s, double a, double b) {
  const bool single = s != Scalar::float64;
  switch (op) {
    case Op::ADD: return a + b;
    case Op::SUB: return a - b;
    case Op::MUL: return a * b;
    case Op::FDIV: return a / b;
    case Op::MIN: return number_min(a, b);
    case Op::MAX: return number_max(a, b);
    case Op::POW: return single ? std::pow(static_cast<float>(a), static_cast<float>(b)) : std::pow(a, b);
    case Op::ATAN2: return single ? std::atan2(static_cast<float>(a), static_cast<float>(b)) : std::atan2(a, b);
    default: throw std::logic_error("weft: straight code cannot compute " + std::string(ir::name(op)));
  }
}

double floating(Op op, Scalar s, double a) {
  switch (op) {
    case Op::NEG: return -a;
    case Op::ABS: return std::fabs(a);
    case Op::FLOOR: return std::floor(a);
    case Op::CEIL: return std::ceil(a);
    case Op::TRUNC: return std::trunc(a);
    case Op::ROUND: return std::nearbyint(a);
    case Op::SQRT: return std::sqrt(a);
    case Op::RECIPROCAL: return 1 / a;
    default: break;
  }
  const auto in_type = [&](auto v) -> double {
    switch (op) {
      case Op::SIN: return std::sin(v);
      case Op::COS: return std::cos(v);
      case Op::TAN: return std::tan(v);
      case Op::ASIN: return std::asin(v);
      case Op::ACOS: return std::acos(v);
      case Op::ATAN: return std::atan(v);
      case Op::SINH: return std::sinh(v);
      case Op::COSH: return std::cosh(v);
      case Op::TANH: return std::tanh(v);
      case Op::EXP: return std::exp(v);
      case Op::EXP2: return std::exp2(v);
      case Op::LOG: return std::log(v);
      case Op::LOG2: return std::log2(v);
      default: throw std::logic_error("weft: straight code cannot compute " + std::string(ir::name(op)));
    }
  };
  return s == Scalar::float64 ? in_type(a) : in_type(static_cast<float>(a));
}

Lane at(const HostValue& v, unsigned k) {
  if (v.dtype.lanes == 1) k = 0;
  return {v.i[k], v.f[k]};
}

Lane lane_of(Node n, std::span<const HostValue* const> src, unsigned k) {
  const auto type = [&](std::size_t o) { return src[o]->dtype.scalar; };
  const auto get = [&](std::size_t o, Scalar s) { return converted(s, type(o), at(*src[o], k)); };
  const Scalar own = n->dtype.scalar;
  switch (n->op) {
    case Op::CAST: return get(0, own);
    case Op::BITCAST: {
      HostValue v = *src[0];
      v.i[0] = at(v, k).i, v.f[0] = at(v, k).f, v.dtype = DType(v.dtype.scalar);
      const HostValue r = from_bits({DType(own), to_bits(v).bits});
      return at(r, 0);
    }
    case Op::EXTRACT: return at(*src[0], static_cast<unsigned>(n->arg.number));
    case Op::VECTOR: return converted(own, type(k), at(*src[k], 0));
    case Op::FENCE: return at(*src[0], k);
    case Op::WHERE: return at(*src[0], k).i ? get(1, own) : get(2, own);
    case Op::SHL:
    case Op::SHR: return {shifted(own, n->op, at(*src[0], k).i, at(*src[1], k).i, type(1)), 0};
    case Op::CMPLT:
    case Op::CMPEQ:
    case Op::CMPNE: {
      const Scalar s = least_upper(type(0), type(1));
      const Lane a = get(0, s), b = get(1, s);
      if (real(s)) return {n->is(Op::CMPLT) ? a.f < b.f : n->is(Op::CMPEQ) ? a.f == b.f : a.f != b.f, 0};
      return {n->is(Op::CMPLT) ? a.i < b.i : n->is(Op::CMPEQ) ? a.i == b.i : a.i != b.i, 0};
    }
    case Op::MULACC: {
      const double p = rounded(own, get(0, own).f * get(1, own).f);
      return real(own) ? Lane{0, rounded(own, p + get(2, own).f)}
                       : Lane{wrapped(own, get(0, own).i * get(1, own).i + get(2, own).i), 0};
    }
    case Op::FMA: {
      const double a = get(0, own).f, b = get(1, own).f, c = get(2, own).f;
      return {0, own == Scalar::float64
                     ? std::fma(a, b, c)
                     : std::fma(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c))};
    }
    case Op::POPCOUNT:
    case Op::REVBITS: {
      const int bits = bit_size(own);
      auto u = static_cast<std::uint64_t>(at(*src[0], k).i & ((static_cast<I>(1) << bits) - 1));
      if (n->is(Op::POPCOUNT)) return {std::popcount(u), 0};
      std::uint64_t r = 0;
      for (int b = 0; b < bits; ++b) r |= (u >> b & 1u) << (bits - 1 - b);
      return {wrapped(own, static_cast<I>(r)), 0};
    }
    default: break;
  }
  if (n->count == 1) {
    if (real(own)) return {0, rounded(own, floating(n->op, own, get(0, own).f))};
    const I a = at(*src[0], k).i;
    if (n->is(Op::NEG)) return {wrapped(own, -a), 0};
    if (n->is(Op::ABS)) return {wrapped(own, a < 0 ? -a : a), 0};
    return {a, 0};  // rounding an integer
  }
  const Lane a = get(0, own), b = get(1, own);
  if (real(own)) return {0, rounded(own, floating(n->op, own, a.f, b.f))};
  return {wrapped(own, integer(n->op, own, a.i, b.i).i), 0};
}

HostValue literal(const ir::Arg& a) {
  HostValue v;
  switch (a.tag) {
    case ir::Arg::Tag::boolean: v.dtype = Scalar::boolean, v.i[0] = a.boolean; break;
    case ir::Arg::Tag::integer:
      v.dtype = Scalar::weakint;
      if (const auto s = a.integer->to_int64()) v.i[0] = *s;
      else if (const auto u = a.integer->to_uint64()) v.i[0] = *u;
      break;
    default: v.dtype = Scalar::weakfloat, v.f[0] = a.real; break;
  }
  return v;
}

}  // namespace

const HostValue& HostEvaluator::operator()(Node root) {
  std::vector<Node> stack{root};
  while (!stack.empty()) {
    const Node n = stack.back();
    if (done_.contains(n)) {
      stack.pop_back();
      continue;
    }
    if (n->is(Op::PARAM) || n->is(Op::LOAD) || n->is(Op::CONST)) {
      done_[n] = n->is(Op::CONST) ? literal(n->arg) : leaf_(n);
      continue;
    }
    bool ready = true;
    std::vector<const HostValue*> src;
    for (Node s : n->src()) {
      const auto f = done_.find(s);
      if (f == done_.end()) stack.push_back(s), ready = false;
      else src.push_back(&f->second);
    }
    if (!ready) continue;
    HostValue v;
    v.dtype = n->dtype;
    for (unsigned k = 0; k < n->dtype.lanes; ++k) {
      const Lane l = lane_of(n, src, k);
      v.i[k] = l.i, v.f[k] = l.f;
    }
    done_[n] = v;
  }
  return done_.at(root);
}

HostValue from_bits(detail::ScalarValue s) {
  HostValue v;
  v.dtype = s.dtype;
  switch (s.dtype.scalar) {
    case Scalar::float32: v.f[0] = std::bit_cast<float>(static_cast<std::uint32_t>(s.bits)); break;
    case Scalar::float64: v.f[0] = std::bit_cast<double>(s.bits); break;
    case Scalar::weakint: v.i[0] = static_cast<std::int64_t>(s.bits); break;
    default: v.i[0] = wrapped(s.dtype.scalar, static_cast<I>(s.bits));
  }
  return v;
}

detail::ScalarValue to_bits(const HostValue& v) {
  const Scalar s = v.dtype.scalar;
  if (s == Scalar::float64) return {s, std::bit_cast<std::uint64_t>(v.f[0])};
  if (real(s)) return {Scalar::float32, std::bit_cast<std::uint32_t>(static_cast<float>(v.f[0]))};
  return {s == Scalar::weakint ? Scalar::int64 : s, static_cast<std::uint64_t>(v.i[0])};
}

}  // namespace weft::trace
