// verify: what each stage promises to the next (WEAK-DRV-02).
#include "ir/bounds.hpp"
#include "ir/derive.hpp"
#include "ir/passes.hpp"

namespace weft::ir {
namespace {

std::string text(Node n) {
  return std::string(name(n->op)) + " (" + to_string(n->dtype) + ", node " + std::to_string(n->id) + ")";
}

bool is_number_operand(Node u, std::size_t i) {
  return i == 1 && (u->is(Op::SHL) || u->is(Op::SHR) || (u->is(Op::POW) && !u->dtype.is_float()));
}

std::optional<std::string> well_built(const Graph& g, Node n) {
  try {
    const DType t = derive_type(n->op, n->src(), n->arg, n->dtype, g.default_float());
    if (t != n->dtype) return text(n) + " is stated as " + to_string(n->dtype) + " and derives " + to_string(t) + ".";
  } catch (const ConstructError& e) { return e.what(); }
  return std::nullopt;
}

std::optional<std::string> committed(Node n) {
  if (n->is(Op::STORE) && (*n)[1]->dtype.is_weak() && !(*n)[0]->dtype.is_weak())
    return text(n) + " stores a value whose width its destination should have stated.";
  if (!is_broadcastable(n->op)) return std::nullopt;
  const Scalar dt = least_upper(n->src());
  if (is_weak(dt) || dt == Scalar::void_) return std::nullopt;
  for (std::size_t i = 0; i < n->count; ++i)
    if ((*n)[i]->dtype.is_weak() && !(*n)[i]->is(Op::CONST) && !is_number_operand(n, i))
      return text(n) + " has the weak operand " + text((*n)[i]) + " beside a committed one.";
  return std::nullopt;
}

}  // namespace

std::optional<std::string> verify(const Graph& g, Node root, Stage stage) {
  for (Node n : topological(root)) {
    if (auto fault = well_built(g, n)) return fault;
    if (stage >= Stage::committed)
      if (auto fault = committed(n)) return fault;
    if (stage >= Stage::lowered && n->dtype.is_weak() && !n->is(Op::CONST))
      return text(n) + " has a weak type after lower_weak.";
    if (stage >= Stage::spelled && !n->is(Op::CAST))
      for (Node s : n->src())
        if (s->is(Op::CONST) && s->arg.tag != Arg::Tag::invalid)
          return text(n) + " has the bare literal " + text(s) + " as an operand.";
  }
  return std::nullopt;
}

}  // namespace weft::ir
