// What each function of the author's surface becomes (KER-NUM-09): one operation of the IR, or a few.
#include "kernel/tracer.hpp"

namespace weft::detail {

using ir::Graph;
using ir::Node;
using ir::Op;
using trace::Tracer;

namespace {

// The operands at what they meet: literals checked, scalars beside a vector at its type and in every lane.
std::vector<Node> meet(Tracer& t, std::initializer_list<Operand> operands) {
  std::vector<Node> nodes;
  ScalarType peer = ScalarType::boolean;
  unsigned lanes = 1;
  Node beside = nullptr;
  bool first = true;
  for (const Operand& o : operands) {
    const Node n = t.node(o);
    nodes.push_back(n);
    peer = first ? n->dtype.scalar : least_upper(peer, n->dtype.scalar);
    first = false;
    if (n->dtype.lanes > 1) lanes = n->dtype.lanes;
    if (o.kind == Operand::Kind::traced && (!beside || beside->dtype.is_weak())) beside = n;
  }
  std::size_t k = 0;
  for (const Operand& o : operands) {
    trace::check_literal(t, o, peer, beside);
    if (lanes > 1 && nodes[k]->dtype.lanes == 1)
      nodes[k] = trace::broadcast(t.graph, trace::committed(t, o, peer, beside), lanes);
    ++k;
  }
  return nodes;
}

Node truth(Graph& g, DType like) { return trace::broadcast(g, g.constant(true), like.lanes); }

Node invert(Graph& g, Node b) { return g.make(Op::XOR, {b, truth(g, b->dtype)}); }

// Every bit of a type.
Node ones(Graph& g, DType t) {
  const bool natural = is_unsigned(t.scalar);
  const Node c =
      g.constant(natural ? ir::Integer::power_of_two(static_cast<unsigned>(bit_size(t.scalar))) - 1 : ir::Integer(-1));
  return t.lanes == 1 ? c : trace::broadcast(g, g.cast(c, t.scalar), t.lanes);
}

// A small constant beside `like`: weak beside a scalar, at its type beside a vector.
Node number(Graph& g, Node like, int v) {
  const Node c = like->dtype.is_float() ? g.constant(static_cast<double>(v)) : g.constant(v);
  return like->dtype.lanes == 1 ? c : trace::broadcast(g, g.ccast(c, like->dtype.scalar), like->dtype.lanes);
}

Node dot(Graph& g, Node a, Node b) {
  Node sum = nullptr;
  for (unsigned k = 0; k < a->dtype.lanes; ++k) {
    const Node p = g.make(Op::MUL, {trace::lane(g, a, k), trace::lane(g, b, k)});
    sum = sum ? g.make(Op::ADD, {sum, p}) : p;
  }
  return sum;
}

Node less(Graph& g, Node a, Node b) { return g.make(Op::CMPLT, {a, b}); }
// Of floats false where one is NaN.
Node at_most(Graph& g, Node a, Node b) {
  if (a->dtype.is_float() || b->dtype.is_float()) return g.make(Op::OR, {less(g, a, b), g.make(Op::CMPEQ, {a, b})});
  return invert(g, less(g, b, a));
}

Node unary(Graph& g, Fn fn, Node a) {
  const bool whole = !a->dtype.is_float();
  const auto same = [&](Op op) { return whole ? a : g.make(op, {a}); };
  // A committed integer becomes a float first; a weak one is left to the weak passes.
  const auto real = [&](Op op) {
    const bool as_is = a->dtype.is_float() || a->dtype.is_weak();
    return g.make(op, {as_is ? a : g.cast(a, {least_upper_float(a->dtype.scalar), a->dtype.lanes})});
  };
  switch (fn) {
    case Fn::neg: return g.make(Op::NEG, {a});
    case Fn::bit_not: return g.make(Op::XOR, {a, ones(g, a->dtype)});
    case Fn::logical_not: return invert(g, a);
    case Fn::abs: return is_unsigned(a->dtype.scalar) ? a : g.make(Op::ABS, {a});
    case Fn::sign: {
      const Node zero = number(g, a, 0);
      const Node below = is_unsigned(a->dtype.scalar) ? a : g.make(Op::WHERE, {less(g, a, zero), number(g, a, -1), a});
      return g.make(Op::WHERE, {less(g, zero, a), number(g, a, 1), below});
    }
    case Fn::floor: return same(Op::FLOOR);
    case Fn::ceil: return same(Op::CEIL);
    case Fn::trunc: return same(Op::TRUNC);
    case Fn::round: return same(Op::ROUND);
    case Fn::fract: return whole ? g.make(Op::SUB, {a, a}) : g.make(Op::SUB, {a, g.make(Op::FLOOR, {a})});
    case Fn::sqrt: return real(Op::SQRT);
    case Fn::inverse_sqrt: {
      const Node root = real(Op::SQRT);
      return g.make(Op::FDIV, {number(g, root, 1), root});
    }
    case Fn::exp: return real(Op::EXP);
    case Fn::exp2: return real(Op::EXP2);
    case Fn::log: return real(Op::LOG);
    case Fn::log2: return real(Op::LOG2);
    case Fn::sin: return real(Op::SIN);
    case Fn::cos: return real(Op::COS);
    case Fn::tan: return real(Op::TAN);
    case Fn::asin: return real(Op::ASIN);
    case Fn::acos: return real(Op::ACOS);
    case Fn::atan: return real(Op::ATAN);
    case Fn::sinh: return real(Op::SINH);
    case Fn::cosh: return real(Op::COSH);
    case Fn::tanh: return real(Op::TANH);
    case Fn::count_one_bits: return g.make(Op::POPCOUNT, {a});
    case Fn::reverse_bits: return g.make(Op::REVBITS, {a});
    case Fn::length: return g.make(Op::SQRT, {dot(g, a, a)});
    case Fn::normalize:
      return g.make(Op::FDIV, {a, trace::broadcast(g, g.make(Op::SQRT, {dot(g, a, a)}), a->dtype.lanes)});
    case Fn::any:
    case Fn::all: {
      Node r = trace::lane(g, a, 0);
      for (unsigned k = 1; k < a->dtype.lanes; ++k)
        r = g.make(fn == Fn::any ? Op::OR : Op::AND, {r, trace::lane(g, a, k)});
      return r;
    }
    default: throw std::logic_error("weft: not a function of one operand");
  }
}

Node binary(Graph& g, Fn fn, Node a, Node b, DType result) {
  const auto make = [&](Op op) { return g.make(op, {a, b}); };
  switch (fn) {
    case Fn::add: return make(Op::ADD);
    case Fn::sub: return make(Op::SUB);
    case Fn::mul: return make(Op::MUL);
    case Fn::div: return make(result.is_float() ? Op::FDIV : Op::CDIV);
    case Fn::mod: return make(Op::CMOD);
    case Fn::shl: return make(Op::SHL);
    case Fn::shr: return make(Op::SHR);
    case Fn::bit_and: return make(Op::AND);
    case Fn::bit_or: return make(Op::OR);
    case Fn::bit_xor: return make(Op::XOR);
    case Fn::lt: return less(g, a, b);
    case Fn::gt: return less(g, b, a);
    case Fn::le: return at_most(g, a, b);
    case Fn::ge: return at_most(g, b, a);
    case Fn::eq: return make(Op::CMPEQ);
    case Fn::ne: return make(Op::CMPNE);
    case Fn::min: return make(Op::MIN);
    case Fn::max: return make(Op::MAX);
    case Fn::min_propagate:
    case Fn::max_propagate: {
      const Node chosen = make(fn == Fn::min_propagate ? Op::MIN : Op::MAX);
      if (!result.is_float()) return chosen;
      const auto nan = [&](Node x) { return g.make(Op::CMPNE, {x, x}); };
      return g.make(Op::WHERE, {nan(a), a, g.make(Op::WHERE, {nan(b), b, chosen})});
    }
    case Fn::pow: return make(Op::POW);
    case Fn::atan2: {
      const auto real = [&](Node x) {
        return x->dtype.is_float() || x->dtype.is_weak() ? x : g.cast(x, {result.scalar, x->dtype.lanes});
      };
      return g.make(Op::ATAN2, {real(a), real(b)});
    }
    case Fn::floor_div: return make(Op::FLOORDIV);
    case Fn::floor_mod: return make(Op::FLOORMOD);
    case Fn::dot: return dot(g, a, b);
    default: throw std::logic_error("weft: not a function of two operands");
  }
}

}  // namespace

Expr apply(Fn fn, std::initializer_list<Operand> operands, DType result) {
  Tracer& t = trace::current("An operator on a traced value");
  Graph& g = t.graph;
  const auto* o = operands.begin();
  Node n = nullptr;
  if (fn == Fn::select) {
    const Node condition = t.node(o[0]);
    std::vector<Node> arms = meet(t, {o[1], o[2]});
    for (Node& arm : arms)
      if (condition->dtype.lanes > arm->dtype.lanes) arm = trace::broadcast(g, arm, condition->dtype.lanes);
    n = g.make(Op::WHERE, {condition, arms[0], arms[1]});
  } else if (fn == Fn::shl || fn == Fn::shr) {
    const Node a = t.node(o[0]);
    Node b = t.node(o[1]);  // a count is read as a number: any literal will do
    if (a->dtype.lanes > b->dtype.lanes)
      b = trace::broadcast(g, b->is(Op::CONST) ? g.cast(b, a->dtype.scalar) : b, a->dtype.lanes);
    n = binary(g, fn, a, b, result);
  } else if (operands.size() == 1) {
    n = unary(g, fn, t.node(o[0]));
  } else if (operands.size() == 2) {
    const auto ab = meet(t, {o[0], o[1]});
    n = binary(g, fn, ab[0], ab[1], result);
  } else {
    const auto abc = meet(t, operands);
    const Node a = abc[0], b = abc[1], c = abc[2];
    if (fn == Fn::clamp) n = g.make(Op::MIN, {g.make(Op::MAX, {a, b}), c});
    else if (fn == Fn::fma) n = g.make(Op::FMA, {a, b, c});
    else n = g.make(Op::ADD, {g.make(Op::MUL, {a, g.make(Op::SUB, {number(g, c, 1), c})}), g.make(Op::MUL, {b, c})});
  }
  if (n->dtype.lanes != result.lanes) n = trace::broadcast(g, n, result.lanes);
  if (n->dtype != result) n = g.cast(n, result);  // where the derived type of an expansion is not the promised one
  return t.expr(n);
}

Expr convert(const Operand& o, DType to) {
  Tracer& t = trace::current("A traced value");
  const Node n = trace::committed(t, o, to.scalar, nullptr);
  return t.expr(trace::broadcast(t.graph, n, to.lanes));
}

Expr cast(const Operand& o, DType to) {
  Tracer& t = trace::current("weft::cast");
  if (o.kind != Operand::Kind::traced) return convert(o, to);
  return t.expr(t.graph.cast(t.node(o), to));
}

Expr bitcast(const Operand& o, DType to) {
  Tracer& t = trace::current("weft::bitcast");
  return t.expr(t.graph.bitcast(t.node(o), to));
}

Expr vector(std::initializer_list<Operand> lanes, DType type) {
  Tracer& t = trace::current("weft::vector");
  std::vector<Node> src;
  for (const Operand& o : lanes) src.push_back(trace::committed(t, o, type.scalar, nullptr));
  return t.expr(t.graph.make(Op::VECTOR, src));
}

Expr shuffle(Expr v, std::initializer_list<unsigned> lanes) {
  Tracer& t = trace::current("A component of a vector");
  std::vector<Node> src;
  for (unsigned k : lanes) {
    const Node n = t.check(v);
    src.push_back(n->is(Op::VECTOR) ? (*n)[k] : t.graph.make(Op::EXTRACT, {n}, Graph::number(k)));
  }
  return t.expr(src.size() == 1 ? src[0] : t.graph.make(Op::VECTOR, src));
}

Expr insert(Expr v, unsigned at, const Operand& o) {
  Tracer& t = trace::current("A component of a vector");
  const Node n = t.check(v);
  std::vector<Node> src;
  for (unsigned k = 0; k < n->dtype.lanes; ++k)
    src.push_back(k == at ? trace::committed(t, o, n->dtype.scalar, n) : t.check(shuffle(v, {k})));
  return t.expr(t.graph.make(Op::VECTOR, src));
}

Expr combine(Fn fn, Expr left, const Operand& right, DType type) {
  if (fn == Fn::shl || fn == Fn::shr) return apply(fn, {left, right}, type);
  Tracer& t = trace::current("An assignment");
  if (right.kind == Operand::Kind::traced && right.expr.node && t.check(right.expr)->dtype != type &&
      !right.expr.node->dtype.is_weak() && right.expr.node->dtype.scalar != type.scalar)
    return apply(fn, {left, convert(right, DType(type.scalar, right.expr.node->dtype.lanes))}, type);
  return apply(fn, {left, right}, type);
}

}  // namespace weft::detail
