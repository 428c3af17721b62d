// commit_weak: the widths that something states, a peer, a store, or a cast (spec weak.md, WEAK-COM).
#include "ir/bounds.hpp"
#include "ir/derive.hpp"
#include "ir/literal.hpp"
#include "ir/operands.hpp"
#include "ir/rewrite.hpp"

namespace weft::ir {

bool derives_committed(const Graph& g, Op op, std::span<const Node> src) {
  if (!is_broadcastable(op) || is_weak(least_upper(src))) return false;
  return !derive_type(op, src, {}, {}, g.default_float()).is_weak();
}

Node commit_weak_consts(Graph& g, Node u, std::optional<Scalar> dtype) {
  if (!dtype) return u;
  Operands src(u->src());
  for (Node& s : src)
    if (s->is(Op::CONST) && s->dtype.is_weak()) s = g.ccast(s, *dtype);
  return g.rebuild(u, src);
}

namespace {

bool is_shift(Op op) { return op == Op::SHL || op == Op::SHR; }

// A shift's count and the exponent of an integer power are numbers: they have no part in the width.
bool is_number_operand(Node u, std::size_t i, bool integer) {
  return i == 1 && (is_shift(u->op) || (u->op == Op::POW && integer));
}

// WEAK-COM-03: bare where the node derives its type without it.
Node literal(Graph& g, Node constant, Scalar dt, bool bare) {
  return bare ? literal_at(g, constant, dt) : g.ccast(constant, dt);
}

// WEAK-COM-05: a count of the width or more shifts every bit out, and never wraps to a smaller one.
Node shift_count(Graph& g, Node u, Node count, Scalar dt, bool bare) {
  const int width = bit_size(dt);
  if (count->is(Op::CONST)) return literal(g, *count->arg.integer > width ? g.constant(width) : count, dt, bare);
  const DType to{dt, count->dtype.lanes};
  const Bounds& b = bounds(g, count);
  if (holds(dt, b)) return g.cast(count, to);
  if (fits_no_int(g, count)) {
    if (b.lo >= width) return literal(g, g.constant(width), dt, bare);
    throw RuleError("The count of " + std::string(name(u->op)) + " has the bounds [" + b.lo.to_string() + ", " +
                        b.hi.to_string() + "], which no 64-bit integer holds, and they are not all past the width of " +
                        std::string(name(dt)) + " (" + std::to_string(width) + ").",
                    u);
  }
  const Node wide = g.cast(count, {commit_dtype(g, count), count->dtype.lanes}), most = g.constant(width);
  return g.cast(g.make(Op::WHERE, {g.make(Op::CMPLT, {wide, most}), wide, most}), to);
}

// Every weak source of u at dt; null where that changes nothing.
Node commit_sources(Graph& g, Node u, Scalar dt) {
  const bool bare = derives_committed(g, u->op, u->src());
  Operands src(u->src());
  for (std::size_t i = 0; i < src.size(); ++i) {
    const Node s = src[i];
    if (!s->dtype.is_weak()) continue;
    if (is_number_operand(u, i, is_integer(dt))) {
      if (is_shift(u->op)) src[i] = shift_count(g, u, s, dt, bare);
    } else {
      src[i] = s->is(Op::CONST) ? literal(g, s, dt, bare) : g.ccast(s, dt);
    }
  }
  return g.rebuild(u, src);
}

Node peer(Graph& g, Node u, const Match&) {
  const Scalar dt = least_upper(u->src());
  return is_weak(dt) || dt == Scalar::void_ ? nullptr : commit_sources(g, u, dt);
}

Node store(Graph& g, Node u, const Match& m) {
  Operands src(u->src());
  src[1] = g.ccast(m["x"], m["to"]->dtype.scalar);
  return g.rebuild(u, src);
}

// The cast states a width; the bounds of the node and of its sources may need more, and the node never gets less.
Node cast(Graph& g, Node c, const Match& m) {
  const Node u = m["u"];
  const Scalar to = c->dtype.scalar;
  if (is_integer(to) ? u->dtype.scalar != Scalar::weakint : !is_float(to) || u->dtype.scalar != Scalar::weakfloat)
    return nullptr;
  const bool integer = is_integer(to);
  const Scalar own = commit_dtype(g, u);
  LeastUpper widths;
  widths.add(to).add(own);
  bool needs_uint64 = own == Scalar::uint64;
  for (std::size_t i = 0; i < u->count; ++i) {
    const Node s = (*u)[i];
    if (!s->dtype.is_weak() || is_number_operand(u, i, integer)) continue;
    const Scalar width = commit_dtype(g, s);
    widths.add(width);
    needs_uint64 |= width == Scalar::uint64;
  }
  Scalar dt = widths.type();
  // The lattice puts a float above a 64-bit unsigned and a signed integer, and an integer cast computes in integers.
  if (integer && is_float(dt)) dt = needs_uint64 ? Scalar::uint64 : Scalar::int64;
  const Node committed = commit_sources(g, u, dt);
  return committed == u ? nullptr : g.cast(committed, c->dtype);
}

// Kernel ops: the lanes of a vector are peers, and a cast of a vector is a cast of its lanes.
Node lanes(Graph& g, Node u, const Match&) {
  const Scalar dt = least_upper(u->src());
  if (is_weak(dt)) return nullptr;
  Operands src(u->src());
  for (Node& s : src)
    if (s->dtype.is_weak()) s = g.ccast(s, dt);
  return g.rebuild(u, src);
}

Node vector_cast(Graph& g, Node c, const Match& m) {
  Operands src(m["v"]->src());
  for (Node& s : src) s = g.ccast(s, c->dtype.scalar);
  return g.rebuild(m["v"], src);
}

}  // namespace

Node commit_weak(Graph& g, Node root, const Trace& trace) {
  static const Rules rules(
      "commit_weak",
      {
          {"peer", node(OpSet(is_broadcastable)).over(any().weak()), peer},
          {"store", node({Op::STORE, Op::ATOMIC}, any("to").committed(), any("x").weak()), store},
          {"cast", node(Op::CAST, node(OpSet(is_arithmetic)).weak().over(any().weak()).named("u")).committed(), cast},
          {"lanes", node(Op::VECTOR).over(any().weak()), lanes},
          {"vector cast", node(Op::CAST, node(Op::VECTOR).weak().named("v")).committed(), vector_cast},
      });
  return rewrite(g, root, rules, trace);
}

}  // namespace weft::ir
