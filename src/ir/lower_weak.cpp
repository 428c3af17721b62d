// lower_weak: default widths for what nothing committed (spec weak.md, WEAK-LOW). Not to be mixed with simplification: that
// would remove the casts back to the weak types, which the rules put there for consumers to absorb, and cycle.
#include <algorithm>

#include "ir/bounds.hpp"
#include "ir/derive.hpp"
#include "ir/operands.hpp"
#include "ir/rewrite.hpp"

namespace weft::ir {
namespace {

bool is_weak_literal(Node n) { return n->is(Op::CONST) && n->dtype.is_weak(); }
bool is_invalid(Node n) { return n->is(Op::CONST) && n->arg.tag == Arg::Tag::invalid; }

DType at(Scalar s, Node n) { return {s, n->dtype.lanes}; }

// The ops that settle at one type once none of their sources is a weak expression (WEAK-LOW-07).
bool computes_at_one_type(Op op) {
  return is_unary(op) || is_binary(op) || op == Op::WHERE || op == Op::RANGE || op == Op::STACK || op == Op::SPECIAL ||
         op == Op::VECTOR;
}

bool greatest_index_fits_int32(Graph& g, Node storage) {
  const Integer most = limits(Scalar::int32).hi;
  if (storage->arg.tag == Arg::Tag::storage)
    return storage->arg.storage->size && Integer(*storage->arg.storage->size) - 1 <= most;
  if (storage->is(Op::SHRINK)) return !bounds(g, (*storage)[2]).real && bounds(g, (*storage)[2]).hi - 1 <= most;
  return false;
}

// The values outside the guard are discarded, so what is inside decides the width.
Node guarded_index(Graph& g, Node u, const Match& m) {
  if (!greatest_index_fits_int32(g, m["storage"])) return nullptr;
  Operands src(u->src());
  src[1] = g.make(Op::WHERE, {m["gate"], g.cast(m["x"], at(Scalar::int32, m["x"])), m["invalid"]});
  return g.rebuild(u, src);
}

Node stacked_casts(Graph& g, Node u, const Match& m) {
  const Node inner = m["inner"];
  const Node first = g.cast(m["x"], at(commit_dtype(g, inner), inner));
  return g.cast(g.cast(first, at(commit_dtype(g, u), u)), u->dtype);
}

Node weak_scalar(Graph& g, Node u, const Match&) {
  if (u->arg.storage->space != Space::alu) return nullptr;
  Storage s = *u->arg.storage;
  s.dtype.scalar = commit_dtype(g, u);
  return g.cast(g.storage(u->op, std::move(s)), u->dtype);
}

// A kernel op: a variable of a weak type takes its default, as its loads and stores then do.
Node weak_local(Graph& g, Node u, const Match&) {
  return g.cast(g.local(at(commit_dtype(g, u), u), u->arg.number), u->dtype);
}

// WEAK-LOW-05: a weak cast restates a width that the consumer restates; an integer of a bool or a float is a conversion.
Node absorbed(Graph& g, Node s) {
  if (!s->is(Op::CAST) || !s->dtype.is_weak()) return s;
  const Node x = (*s)[0];
  return s->dtype.scalar == Scalar::weakint && !x->dtype.is_integer() ? g.cast(x, at(commit_dtype(g, s), s)) : x;
}

// WEAK-LOW-07
Scalar type_to_compute_at(Graph& g, Node u, std::span<const Node> src) {
  Scalar dt;
  if (is_binary(u->op)) {
    LeastUpper widths;
    widths.add(commit_dtype(g, u));
    for (Node s : src) widths.add(s->dtype.scalar);
    dt = widths.type();
  } else {
    dt = derive_type(u->op, src, u->arg, u->dtype, g.default_float()).scalar;
  }
  return dt == Scalar::weakint ? Scalar::int32 : dt == Scalar::weakfloat ? g.default_float() : dt;
}

Node general(Graph& g, Node u, const Match&) {
  if (u->is(Op::CAST) && (*u)[0]->is(Op::CONST)) return nullptr;

  Operands src(u->src());
  for (Node& s : src) s = absorbed(g, s);
  if (!derives_committed(g, u->op, src))
    for (Node& s : src)
      if (is_weak_literal(s)) s = g.ccast(s, commit_dtype(g, s));
  if (std::equal(src.begin(), src.end(), u->sources)) return nullptr;

  const std::span<Node> operands = std::span(src.begin(), src.size()).subspan(u->is(Op::WHERE) ? 1 : 0);
  const bool waits =
      std::any_of(operands.begin(), operands.end(), [](Node s) { return s->dtype.is_weak() && !s->is(Op::CONST); });
  if (waits || !computes_at_one_type(u->op)) return g.rebuild(u, src);

  const Scalar dt = type_to_compute_at(g, u, src);
  for (Node& s : operands)
    if (!is_invalid(s) && !s->dtype.is_weak()) s = g.ccast(s, dt);
  return g.cast(g.rebuild(u, src), u->dtype);
}

}  // namespace

Node lower_weak(Graph& g, Node root, const Trace& trace) {
  static const Rules rules(
      "lower_weak",
      {
          {"guarded index",
           node({Op::INDEX, Op::SHRINK}, any("storage"),
                node(Op::WHERE, any("gate"), any("x").of(Scalar::int64), any("invalid").invalid())),
           guarded_index},
          {"stacked casts", node(Op::CAST, node(Op::CAST, any("x").committed()).weak().named("inner")).weak(),
           stacked_casts},
          {"weak scalar", node({Op::PARAM, Op::BUFFER}).of(Scalar::weakint), weak_scalar},
          {"weak local", node(Op::LOCAL).weak(), weak_local},
          {"general", any().over(any().weak()), general},
      });
  return rewrite(g, root, rules, trace);
}

}  // namespace weft::ir
