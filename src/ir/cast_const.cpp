// cast_const: the last pass states the width of every literal that is still bare (spec weak.md, WEAK-CST). Being bare is a
// property of the edge from the consumer, so the rule is the consumer's.
#include <algorithm>

#include "ir/bounds.hpp"
#include "ir/derive.hpp"
#include "ir/rewrite.hpp"

namespace weft::ir {
namespace {

bool is_bare(Node n) { return n->is(Op::CONST) && n->arg.tag != Arg::Tag::invalid; }

Node spell(Graph& g, Node u, const Match&) {
  if (std::none_of(u->src().begin(), u->src().end(), is_bare)) return nullptr;
  if (u->is(Op::CAST)) return nullptr;  // a committed literal: the constant is its value
  if (derives_committed(g, u->op, u->src())) u = commit_weak_consts(g, u, least_upper(u->src()));
  std::vector<Node> src(u->src().begin(), u->src().end());
  for (Node& s : src)
    if (is_bare(s)) s = g.cconst(commit_dtype(g, s), s);
  return g.rebuild(u, src);
}

}  // namespace

Node cast_const(Graph& g, Node root, const Trace& trace) {
  static const Rules rules("cast_const", {{"spell", any(), spell}});
  return rewrite(g, root, rules, trace);
}

}  // namespace weft::ir
