#include "kernel/host_values.hpp"

#include "kernel/text.hpp"

namespace weft::trace {

using ir::Node;
using ir::Op;
using ir::Source;

namespace {

/// Visits what `root` reaches and `seen` does not yet hold, sources first.
template <class Known, class Visit> void sources_first(Node root, const Known& known, const Visit& visit) {
  std::vector<Node> stack{root};
  while (!stack.empty()) {
    const Node n = stack.back();
    if (known(n)) {
      stack.pop_back();
      continue;
    }
    const std::size_t before = stack.size();
    for (std::size_t k = n->count; k-- > 0;)
      if (!known((*n)[k])) stack.push_back((*n)[k]);
    if (stack.size() != before) continue;
    stack.pop_back();
    visit(n);
  }
}

}  // namespace

void HostValues::load(Node raw) {
  copies_[raw] = variable((*raw)[0]);
  host_[raw] = true;
}

void HostValues::store(Node raw) {
  const Node local = (*raw)[0];
  const Node v = copy((*raw)[1]);
  set(local, v->dtype == local->dtype ? v
             : v->is(Op::CONST)       ? to_.ccast(v, local->dtype.scalar)
                                      : to_.cast(v, local->dtype));
}

Node HostValues::variable(Node local) const { return variables_.at(local->arg.number); }
void HostValues::set(Node local, Node value) { variables_[local->arg.number] = value; }

bool HostValues::is_host(Node raw) {
  sources_first(
      raw, [&](Node n) { return host_.contains(n); },
      [&](Node n) {
        bool host = true;
        for (Node s : n->src()) host &= host_.at(s);
        if (n->is(Op::LOAD) || n->is(Op::LOCAL) || n->is(Op::RANGE) || n->is(Op::INDEX) || ir::is_effect(n->op))
          host = false;
        if (n->is(Op::PARAM))
          host = n->arg.storage->source == Source::scalar || n->arg.storage->source == Source::length;
        host_[n] = host;
      });
  return host_.at(raw);
}

Node HostValues::copy(Node raw) {
  if (!is_host(raw))
    throw StateError(t_.name() + ": the value `" + print(t_, raw) +
                     "` is used outside the loop in which it was made; only a reduction variable leaves a loop.");
  sources_first(
      raw, [&](Node n) { return copies_.contains(n); },
      [&](Node n) {
        std::vector<Node> src;
        for (Node s : n->src()) src.push_back(copies_.at(s));
        copies_[n] = to_.make(n->op, src, n->arg, n->dtype);
      });
  return copies_.at(raw);
}

bool HostValues::reads_folded(Node root) {
  sources_first(
      root, [&](Node n) { return folded_reads_.contains(n); },
      [&](Node n) {
        bool reads = folded_.contains(n);
        for (Node s : n->src()) reads |= folded_reads_.at(s);
        folded_reads_[n] = reads;
      });
  return folded_reads_.at(root);
}

}  // namespace weft::trace
