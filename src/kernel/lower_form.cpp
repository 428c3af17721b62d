#include "kernel/lower_form.hpp"

#include <vector>

#include "ir/bounds.hpp"
#include "ir/literal.hpp"

namespace weft::trace {

using ir::Integer;
using ir::Node;
using ir::Op;

namespace {

DType with(DType t, Scalar s) { return {s, t.lanes}; }
unsigned width(DType t) { return static_cast<unsigned>(bit_size(t.scalar)); }
Scalar unsigned_of(DType t) { return width(t) == 64 ? Scalar::uint64 : Scalar::uint32; }

Node splat(ir::Graph& g, Node one, std::uint8_t lanes) {
  if (lanes == 1) return one;
  const std::vector<Node> all(lanes, one);
  return g.make(Op::VECTOR, all);
}

}  // namespace

Node LegalForms::literal(DType t, const Integer& v) {
  if (t.is_float()) return literal(t, ir::round_to(t.scalar, v));
  const Node c = t.is_bool() ? g_.constant(v.sign() != 0) : g_.constant(ir::wrap(v, t.scalar));
  return splat(g_, g_.make(Op::CAST, {c}, {}, t.scalar), t.lanes);
}

Node LegalForms::literal(DType t, double v) {
  return splat(g_, g_.make(Op::CAST, {g_.constant(ir::round_to(t.scalar, v))}, {}, t.scalar), t.lanes);
}

Node LegalForms::convert(Node x, Scalar s) {
  const DType from = x->dtype, to = with(from, s);
  if (from == to) return x;
  if (ir::is_literal(x) && !to.is_bool()) {
    const ir::Arg& a = (x->is(Op::CAST) ? (*x)[0] : x)->arg;
    if (a.tag == ir::Arg::Tag::integer)
      return literal(to, from.is_integer() && !from.is_weak() ? ir::wrap(*a.integer, from.scalar) : *a.integer);
    if (a.tag == ir::Arg::Tag::boolean) return literal(to, Integer(a.boolean ? 1 : 0));
    if (a.tag == ir::Arg::Tag::real && to.is_float() && from.is_float()) return literal(to, *ir::float_value(x));
  }
  if (x->is(Op::VECTOR)) {
    std::vector<Node> lanes;
    for (Node e : x->src()) lanes.push_back(convert(e, s));
    return g_.make(Op::VECTOR, lanes);
  }
  if (to.is_bool()) return g_.make(Op::CMPNE, {x, literal(from, Integer(0))});
  if (from.is_bool()) return select(x, literal(to, Integer(1)), literal(to, Integer(0)));
  if (from.is_float() && to.is_integer()) return saturate(x, to);
  const Node cast = g_.cast(x, to);
  if (from.is_integer() && to.is_float()) numbers_.insert(cast);
  return cast;
}

Node LegalForms::bits(Node x, bool as_unsigned) {
  const bool is64 = width(x->dtype) == 64;
  const Scalar s = as_unsigned ? (is64 ? Scalar::uint64 : Scalar::uint32) : (is64 ? Scalar::int64 : Scalar::int32);
  return g_.bitcast(x, with(x->dtype, s));
}

namespace {
/// The bits of +infinity, and of 2^n, as integers of a float type's size.
Integer infinity_bits(DType t) { return t.scalar == Scalar::float64 ? Integer(0x7FF) << 52 : Integer(0xFF) << 23; }
Integer power_bits(DType t, unsigned n) {
  return t.scalar == Scalar::float64 ? Integer(1023 + n) << 52 : Integer(127 + n) << 23;
}
Integer magnitude_mask(DType t) { return Integer::power_of_two(width(t) - 1) - Integer(1); }
}  // namespace

// By the bits, since a driver may assume that there is no NaN: what has a magnitude of 2^31 or more does not fit an int32,
// and above infinity lie only NaNs. As unsigned bits every negative float lies above infinity too.
Node LegalForms::saturate(Node x, DType to) {
  const DType f = x->dtype;
  const Integer least = ir::limits(to.scalar).lo, greatest = ir::limits(to.scalar).hi;
  const Node zero = literal(to, Integer(0));
  const bool is_signed = !is_unsigned(to.scalar);
  const Node b = bits(x, !is_signed);
  const Node magnitude = is_signed ? g_.make(Op::AND, {b, literal(b->dtype, magnitude_mask(f))}) : b;
  const Node fits = less(magnitude, literal(b->dtype, power_bits(f, width(to) - (is_signed ? 1 : 0))));
  const Node inside = g_.cast(select(fits, x, literal(f, 0.0)), to);
  Node outside = literal(to, greatest);
  if (is_signed) outside = select(less(b, literal(b->dtype, Integer(0))), literal(to, least), outside);
  outside = select(less(literal(b->dtype, infinity_bits(f)), magnitude), zero, outside);
  return select(fits, inside, outside);
}

Node LegalForms::shift(Op op, Node x, Node count, bool count_below_width) {
  const DType t = x->dtype;
  const bool keeps_sign = op == Op::SHR && !is_unsigned(t.scalar);
  const auto by = [&](Node n) { return g_.make(op, {x, convert(n, Scalar::uint32)}); };
  if (const auto n = ir::int_value(count)) {
    if (*n >= 0 && *n < static_cast<std::int64_t>(width(t))) return by(count);
    return keeps_sign ? by(literal(with(t, Scalar::uint32), Integer(width(t) - 1))) : literal(t, Integer(0));
  }
  if (count_below_width) return by(count);
  const Scalar u = unsigned_of(count->dtype);
  const Node n = is_unsigned(count->dtype.scalar) ? convert(count, u) : g_.bitcast(count, with(count->dtype, u));
  const Node last = literal(n->dtype, Integer(width(t) - 1));
  if (keeps_sign) return by(g_.make(Op::MIN, {n, last}));
  return select(less(n, literal(n->dtype, Integer(width(t)))), by(g_.make(Op::AND, {n, last})), literal(t, Integer(0)));
}

Node LegalForms::divide(Op op, Node x, Node d, Quotient known) {
  const DType t = x->dtype;
  const Node zero = literal(t, Integer(0)), one = literal(t, Integer(1));
  const bool is_signed = !is_unsigned(t.scalar);
  // Dividing by 1 instead gives what the spec says for both cases: the value itself, and the remainder 0.
  Node bad = known.divisor_not_zero ? nullptr : g_.make(Op::CMPEQ, {d, zero});
  if (is_signed && !known.no_overflow && !known.both_positive) {
    const Node overflow = g_.make(Op::AND, {g_.make(Op::CMPEQ, {x, literal(t, ir::limits(t.scalar).lo)}),
                                            g_.make(Op::CMPEQ, {d, literal(t, Integer(-1))})});
    bad = bad ? g_.make(Op::OR, {bad, overflow}) : overflow;
  }
  const Node by = bad ? select(bad, one, d) : d;
  if (op == Op::CDIV || op == Op::CMOD) return g_.make(op, {x, by});
  if (!is_signed || known.both_positive) return g_.make(op == Op::FLOORDIV ? Op::CDIV : Op::CMOD, {x, by});

  if (const auto n = ir::int_value(by); n && *n > 0 && (*n & (*n - 1)) == 0) {
    if (op == Op::FLOORMOD) return g_.make(Op::AND, {x, literal(t, Integer(*n - 1))});
    unsigned log = 0;
    while ((std::int64_t{1} << log) < *n) ++log;
    return g_.make(Op::SHR, {x, literal(with(t, Scalar::uint32), Integer(log))});
  }
  const Node rest = g_.make(Op::CMOD, {x, by});
  const Node adjust = g_.make(Op::AND, {g_.make(Op::CMPNE, {rest, zero}), less(g_.make(Op::XOR, {rest, by}), zero)});
  if (op == Op::FLOORMOD) return select(adjust, g_.make(Op::ADD, {rest, by}), rest);
  const Node quotient = g_.make(Op::CDIV, {x, by});
  return select(adjust, g_.make(Op::SUB, {quotient, one}), quotient);
}

Node LegalForms::power(Node x, std::int64_t exponent) {
  const Node one = literal(x->dtype, Integer(1));
  if (exponent < 0) return reciprocal_power(x, literal(with(x->dtype, Scalar::int32), Integer(exponent % 2)));
  Node r = nullptr, square = x;
  for (std::int64_t left = exponent; left > 0; left >>= 1) {
    if (left & 1) r = r ? g_.make(Op::MUL, {r, square}) : square;
    if (left > 1) square = g_.make(Op::MUL, {square, square});
  }
  return r ? r : one;
}

Node LegalForms::reciprocal_power(Node x, Node exponent) {
  const DType t = x->dtype;
  const Node one = literal(t, Integer(1));
  Node r = literal(t, Integer(0));
  if (!is_unsigned(t.scalar)) {
    const Node minus = literal(t, Integer(-1)), bit = literal(exponent->dtype, Integer(1));
    const Node odd = g_.make(Op::CMPEQ, {g_.make(Op::AND, {exponent, bit}), bit});
    r = select(g_.make(Op::CMPEQ, {x, minus}), select(odd, minus, one), r);
  }
  return select(g_.make(Op::CMPEQ, {x, one}), one, r);
}

bool LegalForms::never_nan(Node x) const {
  if (numbers_.contains(x)) return true;
  if (const auto v = ir::float_value(x)) return *v == *v;
  if (!x->is(Op::VECTOR)) return false;
  for (Node e : x->src())
    if (!never_nan(e)) return false;
  return true;
}

Node LegalForms::is_nan(Node x) {
  const Node b = bits(x);
  return less(literal(b->dtype, infinity_bits(x->dtype)),
              g_.make(Op::AND, {b, literal(b->dtype, magnitude_mask(x->dtype))}));
}

// Of two floats that are not NaN the greater has the greater key, -0 below +0: the magnitude bits of negatives are reversed.
Node LegalForms::order_key(Node x) {
  const Node b = bits(x);
  const Node sign = g_.make(Op::SHR, {b, literal(with(x->dtype, Scalar::uint32), Integer(width(x->dtype) - 1))});
  return g_.make(Op::XOR, {b, g_.make(Op::AND, {sign, literal(b->dtype, magnitude_mask(x->dtype))})});
}

Node LegalForms::min_max(Op op, Node a, Node b) {
  if (!a->dtype.is_float()) return g_.make(op, {a, b});
  const Node ka = order_key(a), kb = order_key(b);
  Node r = select(op == Op::MAX ? less(ka, kb) : less(kb, ka), b, a);
  const bool a_number = never_nan(a), b_number = never_nan(b);
  if (!b_number) r = select(is_nan(b), a, r);
  if (!a_number) r = select(is_nan(a), b, r);
  if (a_number || b_number) numbers_.insert(r);
  return r;
}

Node LegalForms::boolean(Op op, Node a, Node b) {
  const auto negated = [&](Node n) { return g_.make(Op::XOR, {n, literal(n->dtype, Integer(1))}); };
  switch (op) {
    case Op::CMPLT: return g_.make(Op::AND, {negated(a), b});
    case Op::MUL:
    case Op::MIN: return g_.make(Op::AND, {a, b});
    case Op::ADD:
    case Op::MAX: return g_.make(Op::OR, {a, b});
    case Op::SUB: return g_.make(Op::XOR, {a, b});
    default: return g_.make(op, {a, b});
  }
}

}  // namespace weft::trace
