#include "kernel/lower_copy.hpp"

#include "ir/bounds.hpp"
#include "kernel/lower_guard.hpp"

namespace weft::trace {

using ir::Graph;
using ir::Node;
using ir::Op;
using ir::Source;
using ir::Space;
using ir::Storage;

namespace {

Node scalar_param(Graph& g, Source source, std::uint32_t index, std::string name, const ir::Integer& vmin,
                  const ir::Integer& vmax) {
  Storage s;
  s.slot = index;
  s.dtype = Scalar::weakint;
  s.space = Space::alu;
  s.source = source;
  s.index = index;
  s.vmin = vmin;
  s.vmax = vmax;
  s.name = std::move(name);
  return g.storage(Op::PARAM, std::move(s));
}

class LoopCopy {
 public:
  LoopCopy(Graph& to, const KernelCore& core, std::size_t loop, std::uint64_t limit)
      : g_(to), core_(core), loop_(core.loops[loop]), limit_(limit), facts_(core, loop), used_(loop_.body->id + 1) {
    mark_used();
  }

  Node run() {
    const Node body =
        ir::copy(g_, loop_.body, [this](Graph&, Node old, std::span<const Node> src) { return change(old, src); });
    std::vector<Node> src{g_.range(trip(), loop_.range->arg.number), body};
    for (const FoldIR& f : loop_.folds) src.push_back(g_.make(Op::LOCAL, {}, f.local->arg, f.local->dtype));
    return g_.make(Op::GRID, src, Graph::number(g_.next_number()));
  }

 private:
  // A load whose value nothing needs is left out: `t[i] = x` reads no element, whoever asked for one on the way.
  void mark_used() {
    std::vector<Node> todo{loop_.body};
    while (!todo.empty()) {
      const Node n = todo.back();
      todo.pop_back();
      if (used_[n->id]) continue;
      used_[n->id] = true;
      for (Node s : n->src())
        if (!(n->is(Op::BLOCK) && s->is(Op::LOAD))) todo.push_back(s);
    }
  }

  Node trip() {
    const Storage& traced = *(*loop_.range)[0]->arg.storage;
    // The wide class counts in 64 bits, whatever is known: a group's calls share their trip count.
    const bool known =
        limit_ <= 0x7FFFFFFF && traced.source == Source::trip && traced.vmax && *traced.vmax < ir::Integer(limit_);
    return scalar_param(g_, Source::trip, 0, "trip", 0, known ? *traced.vmax : ir::Integer(limit_));
  }

  Node change(Node old, std::span<const Node> src) {
    if (old == loop_.counter && old != loop_.range) return counter(old, src);
    switch (old->op) {
      case Op::PARAM: return param(*old->arg.storage);
      case Op::BLOCK: return block(old, src);
      case Op::LOAD: return access(old, src, 1, old->arg.number);
      case Op::STORE: return access(old, src, 2, old->arg.number);
      case Op::ATOMIC: return access(old, src, 2, old->arg.number / 256);
      default: return nullptr;
    }
  }

  Node block(Node old, std::span<const Node> src) {
    std::vector<Node> kept;
    for (std::size_t k = 0; k < src.size(); ++k)
      if (used_[(*old)[k]->id]) kept.push_back(src[k]);
    return kept.size() == src.size() ? nullptr : g_.make(Op::BLOCK, kept, old->arg);
  }

  Node param(Storage s) {
    const ir::Integer limit = limit_;
    if (s.space == Space::global) {
      s.slot = s.index;
      s.size = limit_;  // lets a guarded index narrow (WEAK-LOW-02); no size is left in a program
      return g_.storage(Op::PARAM, std::move(s));
    }
    switch (s.source) {
      case Source::length: return length_param(g_, core_, s.index, limit_);
      case Source::trip: return trip();
      case Source::start: return scalar_param(g_, Source::start, 0, "start", -limit, limit);
      case Source::step: return scalar_param(g_, Source::step, 0, "step", -limit, limit);
      case Source::captured:
        s.slot = s.index;
        if (s.dtype == Scalar::weakint && !s.vmin && !s.vmax) s.vmin = -limit, s.vmax = limit;
        return g_.storage(Op::PARAM, std::move(s));
      default: s.slot = s.index; return g_.storage(Op::PARAM, std::move(s));
    }
  }

  // start + range * step lies between start and stop, though its bounds (range and step apart) do not show it: with a
  // run-time step it would never fit 32 bits. It is computed at the width of the class, wrapping on the way, and clamped to
  // what it is known to be.
  Node counter(Node old, std::span<const Node> src) {
    if (!loop_.step || ir::int_value(loop_.step)) return nullptr;
    const Scalar width = limit_ <= 0x7FFFFFFF ? Scalar::int32 : Scalar::int64;
    const auto at_width = [&](Node n) { return g_.cast(n, width); };
    if (!old->is(Op::ADD) && !old->is(Op::MUL)) return nullptr;
    Node value = nullptr;
    if (old->is(Op::MUL)) {
      value = g_.make(Op::MUL, {at_width(src[0]), at_width(src[1])});
    } else {
      const auto side = [&](Node n) {
        return n->is(Op::MUL) ? g_.make(Op::MUL, {at_width((*n)[0]), at_width((*n)[1])}) : at_width(n);
      };
      value = g_.make(Op::ADD, {side(src[0]), side(src[1])});
    }
    const ir::Integer limit = limit_;
    const Node weak = g_.cast(value, Scalar::weakint);
    return g_.make(Op::MAX, {g_.make(Op::MIN, {weak, g_.constant(limit)}), g_.constant(-limit)});
  }

  Node access(Node old, std::span<const Node> src, std::size_t gate_at, std::int64_t number) {
    const Node place = src[0];
    if (!place->is(Op::INDEX) || place->count != 2 || facts_.proved(number)) return nullptr;
    const Node array = (*place)[0], index = (*place)[1];
    if (!array->is(Op::PARAM) || array->arg.storage->space != Space::global) return nullptr;
    const Node length = length_param(g_, core_, array->arg.storage->index, limit_);
    std::vector<Node> operands(src.begin(), src.end());
    if (const auto stated = core_.facts.params[array->arg.storage->index].length) {
      if (inside(index, *stated)) return nullptr;
      // `condition ? index : somewhere outside`, as a tensor's coordinates are: the condition is the guard.
      if (index->is(Op::WHERE) && inside((*index)[1], *stated) && outside((*index)[2], *stated))
        return gated(old, std::move(operands), gate_at, (*index)[0]);
    }
    const Node in_array = guard(g_, index, length);
    // Past int32 only where the gate is false: the index may narrow to what the array can hold, the gate keeps its width.
    if (index->dtype.is_weak() && ir::commit_dtype(g_, index) != Scalar::int32)
      operands[0] = g_.make(Op::INDEX, {array, g_.make(Op::WHERE, {in_array, index, g_.invalid()})});
    return gated(old, std::move(operands), gate_at, in_array);
  }
  Node gated(Node old, std::vector<Node> operands, std::size_t gate_at, Node gate) {
    if (operands.size() > gate_at) operands[gate_at] = g_.make(Op::AND, {operands[gate_at], gate});
    else operands.push_back(gate);
    return g_.make(old->op, operands, old->arg, old->dtype);
  }
  bool inside(Node index, std::uint64_t length) {
    const ir::Bounds& b = ir::bounds(g_, index);
    return !b.real && b.lo.sign() >= 0 && b.hi < ir::Integer(length);
  }
  bool outside(Node index, std::uint64_t length) {
    const ir::Bounds& b = ir::bounds(g_, index);
    return !b.real && (b.hi.sign() < 0 || b.lo >= ir::Integer(length));
  }

  Graph& g_;
  const KernelCore& core_;
  const LoopIR& loop_;
  std::uint64_t limit_;
  GuardFacts facts_;
  std::vector<bool> used_;  // by id in the kernel's graph
};

}  // namespace

Node length_param(Graph& g, const KernelCore& core, std::uint32_t param, std::uint64_t limit) {
  if (const auto stated = core.facts.params[param].length) return g.constant(ir::Integer(*stated));
  return scalar_param(g, Source::length, param, core.facts.params[param].name + ".length", 0, limit);
}

Node copy_loop(Graph& to, const KernelCore& core, std::size_t loop, std::uint64_t limit) {
  return LoopCopy(to, core, loop, limit).run();
}

}  // namespace weft::trace
