#include "kernel/lower_fence.hpp"

#include <cmath>
#include <vector>

namespace weft::trace {

using ir::Node;
using ir::Op;

namespace {

/// A value that a driver might compute otherwise if it saw where it goes. Literals are no operations.
bool is_float_operation(Node n) {
  return n->dtype.is_float() && (ir::is_arithmetic(n->op) ? !n->is(Op::WHERE) : n->is(Op::CAST) && !ir::is_literal(n));
}

/// A driver that sees a zero takes x * 0 for 0, x + 0 for x and 0 - x for -x, which have another sign where x is -0 or less.
/// With -0 they are right.
bool is_zero(Node n) {
  if (!n->dtype.is_float() || !n->is(Op::CAST) || !ir::is_literal(n)) return false;
  const auto value = ir::float_value(n);
  return value && *value == 0 && !std::signbit(*value);
}

/// Only moves its operands: what happens to it happens to them.
bool only_moves(Op op) { return op == Op::WHERE || op == Op::VECTOR || op == Op::EXTRACT; }

/// By id: whether something is done with the value besides storing it in an array that the program never reads. A value
/// stored in a local, or in an array that is read, comes back: drivers forward stores to loads. So do folds: what is left
/// in the local at the end goes into the tree. Without `to_integers`, comparisons and conversions do not count: they take
/// a literal as it is.
std::vector<bool> uses_that_compute(const std::vector<Node>& order, bool to_integers) {
  std::vector<bool> computes(order.empty() ? 0 : order.back()->id + 1);
  std::vector<bool> read;  // by slot
  const auto slot = [](Node place) { return (*place)[0]->arg.storage->slot; };
  for (Node n : order)
    if ((n->is(Op::LOAD) || n->is(Op::ATOMIC)) && (*n)[0]->is(Op::INDEX)) {
      if (slot((*n)[0]) >= read.size()) read.resize(slot((*n)[0]) + 1);
      read[slot((*n)[0])] = true;
    }
  for (std::size_t i = order.size(); i-- > 0;) {  // users before their operands
    const Node n = order[i];
    for (Node s : n->src()) {
      if (!s->dtype.is_float()) continue;
      if (only_moves(n->op)) {
        if (computes[n->id]) computes[s->id] = true;
      } else if (n->is(Op::STORE) && (*n)[0]->is(Op::INDEX)) {
        const auto to = slot((*n)[0]);
        if (to < read.size() && read[to]) computes[s->id] = true;
      } else if (!n->is(Op::FENCE) && (to_integers || !(n->dtype.is_bool() || n->dtype.is_integer()))) {
        computes[s->id] = true;
      }
    }
  }
  return computes;
}

}  // namespace

// Every float operation whose result feeds another is fenced, and every zero that does. Other literals are not made opaque
// here, and nothing is left out yet because it could not matter.
Node place_fences(ir::Graph& to, Node root, const Config& config) {
  const std::vector<Node> order = ir::topological(root);
  const bool inside = config.fences && config.bits == Bits::exact;
  const std::vector<bool> none(root->id + 1);
  const std::vector<bool> computes = inside ? uses_that_compute(order, true) : none;
  const std::vector<bool> sums = inside ? uses_that_compute(order, false) : none;
  return ir::copy(to, root, [&](ir::Graph& g, Node old, std::span<const Node> src) -> Node {
    if (old->is(Op::FENCE)) return config.fences && !src[0]->is(Op::FENCE) ? g.make(Op::FENCE, {src[0]}) : src[0];
    if (!(computes[old->id] && is_float_operation(old)) && !(sums[old->id] && is_zero(old))) return nullptr;
    return g.make(Op::FENCE, {g.rebuild(old, src)});
  });
}

}  // namespace weft::trace
