#include "kernel/lower_guard.hpp"

#include "ir/bounds.hpp"

namespace weft::trace {

using ir::Node;
using ir::Op;

namespace {

/// The arrays whose lengths a stop is certainly not above: the length itself, or a minimum with it.
std::vector<std::uint32_t> lengths_below(Node stop) {
  std::vector<std::uint32_t> found;
  std::vector<Node> todo;
  if (stop) todo.push_back(stop);
  while (!todo.empty()) {
    const Node n = todo.back();
    todo.pop_back();
    if (n->is(Op::PARAM) && n->arg.storage->source == ir::Source::length) found.push_back(n->arg.storage->index);
    if (n->is(Op::MIN)) todo.insert(todo.end(), n->src().begin(), n->src().end());
  }
  return found;
}

bool constant_at_least(Node n, std::int64_t least, std::int64_t if_absent) {
  if (!n) return if_absent >= least;
  const auto v = ir::int_value(n);
  return v && *v >= least;
}

}  // namespace

GuardFacts::GuardFacts(const KernelCore& core, std::size_t loop) : facts_(core.facts.loops[loop]) {
  for (const Access& a : facts_.accesses) by_number_[a.number] = &a;
  const LoopIR& l = core.loops[loop];
  if (constant_at_least(l.start, 0, 0) && constant_at_least(l.step, 1, 1)) stops_at_ = lengths_below(l.stop);
}

bool GuardFacts::in_header(const Access& a) const {
  if (!a.at.exactly_i()) return false;
  for (std::uint32_t p : stops_at_)
    if (p == a.param) return true;
  return false;
}

bool GuardFacts::proved(std::int64_t number) const {
  const auto found = by_number_.find(number);
  if (found == by_number_.end()) return false;
  const Access& a = *found->second;
  if (in_header(a)) return true;
  if (a.at.form != Affine::Form::constant) return false;
  // A write that every iteration makes is checked before the call (KER-CALL-05); it answers for the other accesses of the
  // same iteration at the same place.
  for (const Access& w : facts_.accesses)
    if (w.write && !w.conditional && !w.scatter && w.param == a.param && w.at.form == Affine::Form::constant &&
        w.at.a == a.at.a && w.at.c == a.at.c)
      return true;
  return false;
}

Node guard(ir::Graph& g, Node index, Node length) {
  if (!index->dtype.is_weak()) {  // one unsigned comparison: a negative index reads as one past every length
    const bool is64 = weft::bit_size(index->dtype.scalar) == 64;
    const Node bits =
        weft::is_unsigned(index->dtype.scalar) ? index : g.bitcast(index, is64 ? Scalar::uint64 : Scalar::uint32);
    return g.make(Op::CMPLT, {bits, length});
  }
  const Node below = g.make(Op::CMPLT, {index, length});
  if (ir::bounds(g, index).lo.sign() >= 0) return below;
  return g.make(Op::AND, {g.make(Op::CMPLT, {g.constant(-1), index}), below});
}

}  // namespace weft::trace
