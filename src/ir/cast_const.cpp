// cast_const: the last pass states the width of every literal that is still bare (spec weak.md, WEAK-CST). Being bare is a
// property of the edge from the consumer, so the rule is the consumer's.
#include "ir/bounds.hpp"
#include "ir/derive.hpp"
#include "ir/operands.hpp"
#include "ir/rewrite.hpp"

namespace weft::ir {
namespace {

bool is_bare(Node n) { return n->is(Op::CONST) && n->arg.tag != Arg::Tag::invalid; }

Node spell(Graph& g, Node u, const Match&) {
  const bool derives = derives_committed(g, u->op, u->src());
  const Scalar peer = derives ? least_upper(u->src()) : Scalar::void_;
  Operands src(u->src());
  for (Node& s : src)
    if (is_bare(s)) s = derives && s->dtype.is_weak() ? g.ccast(s, peer) : g.cconst(commit_dtype(g, s), s);
  return g.rebuild(u, src);
}

}  // namespace

Node cast_const(Graph& g, Node root, const Trace& trace) {
  static const Rules rules("cast_const", {{"spell", any_but(Op::CAST).over(node(Op::CONST)), spell}});
  return rewrite(g, root, rules, trace);
}

}  // namespace weft::ir
