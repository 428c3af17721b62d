#include "kernel/lower_legal.hpp"

#include <weft/error.hpp>

#include "ir/bounds.hpp"
#include "ir/derive.hpp"
#include "kernel/lower_form.hpp"

namespace weft::trace {

using ir::Node;
using ir::Op;

namespace {

class Legal {
 public:
  Legal(ir::Graph& from, ir::Graph& to) : from_(from), to_(to), forms_(to) {}

  Node change(Node old, std::span<const Node> src) {
    check(old);
    switch (old->op) {
      case Op::PARAM: return param(*old->arg.storage);
      case Op::CAST: return cast(old, src[0]);
      case Op::WHERE: return where(old, src);
      case Op::SHL:
      case Op::SHR:
        return forms_.shift(old->op, at_own_type(old, src[0]), src[1],
                            within(old, 1, 0, bit_size(old->dtype.scalar) - 1));
      case Op::CMPLT:
      case Op::CMPNE:
      case Op::CMPEQ: return compare(old, src);
      case Op::AND: return conjunction(old, src);
      case Op::POW:
        return old->dtype.is_integer() ? forms_.power(at_own_type(old, src[0]), ir::int_value(src[1]).value())
                                       : same_type(old, src);
      case Op::MIN:
      case Op::MAX:
        if (old->dtype.is_bool()) break;
        return forms_.min_max(old->op, at_own_type(old, src[0]), at_own_type(old, src[1]));
      case Op::CDIV:
      case Op::CMOD:
      case Op::FLOORDIV:
      case Op::FLOORMOD: return divide(old, src);
      case Op::FMA:
        if (old->dtype.is_float()) return same_type(old, src);
        [[fallthrough]];
      case Op::MULACC:
        return to_.make(Op::ADD, {to_.make(Op::MUL, {at_own_type(old, src[0]), at_own_type(old, src[1])}),
                                  at_own_type(old, src[2])});
      case Op::RECIPROCAL: return to_.make(Op::FDIV, {forms_.literal(old->dtype, 1.0), at_own_type(old, src[0])});
      case Op::TRUNC:
      case Op::FLOOR:
      case Op::CEIL:
      case Op::ROUND: return old->dtype.is_float() ? nullptr : src[0];  // of an integer: itself
      case Op::ABS: return is_unsigned(old->dtype.scalar) ? src[0] : nullptr;
      case Op::NEG:
        return is_unsigned(old->dtype.scalar) ? to_.make(Op::SUB, {forms_.literal(old->dtype, ir::Integer(0)), src[0]})
                                              : nullptr;
      case Op::VECTOR: return vector(old, src);
      case Op::EXTRACT: return src[0]->is(Op::VECTOR) ? (*src[0])[static_cast<std::size_t>(old->arg.number)] : nullptr;
      case Op::LOAD: return access(old, src, 1);
      case Op::STORE: return access(old, src, 2);
      default: break;
    }
    if (old->dtype.is_bool() && ir::is_binary(old->op)) return forms_.boolean(old->op, src[0], src[1]);
    return ir::is_arithmetic(old->op) ? same_type(old, src) : nullptr;
  }

 private:
  static void check(Node n) {
    switch (n->dtype.scalar) {
      case Scalar::void_:
      case Scalar::boolean:
      case Scalar::int32:
      case Scalar::uint32:
      case Scalar::int64:
      case Scalar::uint64:
      case Scalar::float32:
      case Scalar::float64: return;
      default:
        if (n->is(Op::CONST)) return;
        throw UnsupportedError("it computes with " + ir::to_string(n->dtype) +
                               ", which no tier renders: cast to a type of 32 or 64 bits");
    }
  }

  Node at_own_type(Node old, Node src) { return forms_.convert(src, old->dtype.scalar); }

  /// The same operation over operands of its own type.
  Node same_type(Node old, std::span<const Node> src) {
    std::vector<Node> operands;
    for (Node s : src) operands.push_back(at_own_type(old, s));
    return to_.make(old->op, operands, old->arg, old->dtype);
  }

  /// Whether the bounds of operand `i` lie in [lo, hi]; only asked where the operation reads it at the operand's own type.
  bool within(Node old, std::size_t i, const ir::Integer& lo, const ir::Integer& hi) {
    const ir::Bounds& b = ir::bounds(from_, (*old)[i]);
    return !b.real && b.lo >= lo && b.hi <= hi;
  }

  Node param(ir::Storage s) {
    s.size.reset();
    if (s.source == ir::Source::trip && s.dtype == Scalar::int64) {  // the trip count is one word in every class
      s.dtype = Scalar::uint32;
      return to_.cast(to_.storage(Op::PARAM, std::move(s)), Scalar::int64);
    }
    return to_.storage(Op::PARAM, std::move(s));
  }

  Node cast(Node old, Node src) {
    if (src->is(Op::CONST) && src->arg.tag != ir::Arg::Tag::invalid) {
      if (old->dtype.is_integer() && src->arg.tag == ir::Arg::Tag::integer)
        return forms_.literal(old->dtype, *src->arg.integer);
      if (old->dtype.is_float() && src->arg.tag == ir::Arg::Tag::real) return forms_.literal(old->dtype, src->arg.real);
      if (old->dtype.is_bool() && src->arg.tag == ir::Arg::Tag::boolean) return nullptr;
      return to_.cconst(old->dtype.scalar, src);
    }
    return forms_.convert(src, old->dtype.scalar);
  }

  Node where(Node old, std::span<const Node> src) {
    if (src[2]->is(Op::CONST)) return src[1];  // a guarded index (WEAK-LOW-02): the gate stands on the access
    return to_.make(Op::WHERE, {src[0], at_own_type(old, src[1]), at_own_type(old, src[2])});
  }

  Node compare(Node old, std::span<const Node> src) {
    Scalar t = ir::least_upper((*old)[0]->dtype.scalar == (*old)[1]->dtype.scalar ? old->src().first(1) : old->src());
    if (weft::is_weak(t)) t = from_.default_float();
    const Node a = forms_.convert(src[0], t), b = forms_.convert(src[1], t);
    return is_bool(t) ? forms_.boolean(old->op, a, b) : to_.make(old->op, {a, b});
  }

  // `-1 < x && x < length` in one comparison: as unsigned bits, a negative x lies past every length.
  Node conjunction(Node old, std::span<const Node> src) {
    const Node a = src[0], b = src[1];
    if (a->is(Op::CMPLT) && b->is(Op::CMPLT) && ir::int_value((*a)[0]) == -1 && (*a)[1] == (*b)[0] &&
        (*old)[1]->is(Op::CMPLT) && ir::bounds(from_, (*(*old)[1])[1]).lo.sign() >= 0) {
      const Scalar s = (*b)[0]->dtype.scalar;
      if (s == Scalar::int32 || s == Scalar::int64) {
        const Scalar u = s == Scalar::int32 ? Scalar::uint32 : Scalar::uint64;
        return to_.make(Op::CMPLT, {to_.bitcast((*b)[0], u), to_.bitcast((*b)[1], u)});
      }
    }
    return same_type(old, src);
  }

  Node divide(Node old, std::span<const Node> src) {
    const Node x = at_own_type(old, src[0]), d = at_own_type(old, src[1]);
    const DType t = old->dtype;
    if (t.is_float()) {
      const Node q = to_.make(Op::FDIV, {x, d});
      const bool floor = old->is(Op::FLOORDIV) || old->is(Op::FLOORMOD);
      const Node whole = to_.make(floor ? Op::FLOOR : Op::TRUNC, {q});
      if (old->is(Op::CDIV) || old->is(Op::FLOORDIV)) return whole;
      return to_.make(Op::SUB, {x, to_.make(Op::MUL, {whole, d})});
    }
    Quotient known;
    const bool own_types = (*old)[0]->dtype == t && (*old)[1]->dtype == t;
    if (own_types) {
      const ir::Bounds &bx = ir::bounds(from_, (*old)[0]), bd = ir::bounds(from_, (*old)[1]);
      known.divisor_not_zero = bd.lo.sign() > 0 || bd.hi.sign() < 0;
      known.no_overflow = bx.lo > ir::limits(t.scalar).lo || bd.lo > ir::Integer(-1) || bd.hi < ir::Integer(-1);
      known.both_positive = bx.lo.sign() >= 0 && bd.lo.sign() >= 0;
    }
    return forms_.divide(old->op, x, d, known);
  }

  Node vector(Node old, std::span<const Node> src) { return same_type(old, src); }

  Node access(Node old, std::span<const Node> src, std::size_t gate_at) {
    std::vector<Node> operands(src.begin(), src.end());
    if (gate_at == 2) operands[1] = forms_.convert(operands[1], src[0]->dtype.scalar);
    if (operands.size() > gate_at && ir::int_value(operands[gate_at]) == 1) operands.pop_back();
    return to_.make(old->op, operands, old->arg, old->dtype);
  }

  ir::Graph& from_;
  ir::Graph& to_;
  LegalForms forms_;
};

}  // namespace

Node legalise(ir::Graph& from, Node root, ir::Graph& to) {
  Legal legal(from, to);
  return ir::copy(to, root, [&](ir::Graph&, Node old, std::span<const Node> src) { return legal.change(old, src); });
}

}  // namespace weft::trace
