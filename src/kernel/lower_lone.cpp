// The program of one loop called alone.
#include <algorithm>
#include <map>
#include <set>

#include "kernel/lower.hpp"
#include "kernel/lower_cache.hpp"

namespace weft::trace {

using ir::Node;
using ir::Op;

namespace {

bool is_array(Node n) { return n->is(Op::PARAM) && n->arg.storage->space == ir::Space::global; }

LoneProgram make(const Lowered& l, std::span<const std::uint16_t> same) {
  const auto first = [&](std::uint32_t param) {
    return static_cast<std::uint16_t>(same.empty() ? param : same[param]);
  };
  std::set<std::uint16_t> touched;
  for (Node n : ir::topological(l.root))
    if (is_array(n)) touched.insert(first(n->arg.storage->index));

  LoneProgram lone;
  lone.params.assign(touched.begin(), touched.end());
  std::map<std::uint16_t, std::uint32_t> slot_of;
  Draft draft{.graph = ir::Graph(l.graph.default_float()),
              .root = nullptr,
              .slots = {},
              .workgroup = 64,
              .config = l.config,
              .needs_int64 = l.needs_int64,
              .serial = false,
              .label = l.kernel->facts.name,
              .folds = {}};
  for (std::uint16_t p : lone.params) {
    const ParamFact& fact = l.kernel->facts.params[p];
    slot_of[p] = static_cast<std::uint32_t>(draft.slots.size());
    draft.slots.push_back({fact.dtype, false, false, fact.name});  // finish notes how they are used
  }
  draft.root = ir::copy(draft.graph, l.root, [&](ir::Graph& g, Node old, std::span<const Node>) -> Node {
    if (!is_array(old)) return nullptr;
    ir::Storage s = *old->arg.storage;
    s.index = first(s.index);
    s.slot = slot_of.at(static_cast<std::uint16_t>(s.index));
    s.name = l.kernel->facts.params[s.index].name;
    return g.storage(Op::PARAM, std::move(s));
  });
  const LoopFacts& facts = l.kernel->facts.loops[l.loop];
  if (l.kernel->facts.workgroup) draft.workgroup = *l.kernel->facts.workgroup;
  draft.serial = facts.not_parallel.has_value();
  for (const FoldIR& f : l.kernel->loops[l.loop].folds) draft.folds.push_back({f.op, f.local->dtype});
  if (draft.move = l.kernel->loops[l.loop].move; draft.move && same.empty()) {
    draft.move->to = slot_of.at(static_cast<std::uint16_t>(draft.move->to));
    draft.move->from = slot_of.at(static_cast<std::uint16_t>(draft.move->from));
  } else {
    draft.move.reset();
  }
  lone.program = finish(std::move(draft));
  return lone;
}

}  // namespace

LoneProgram lone_program(const std::shared_ptr<const Lowered>& l, std::span<const std::uint16_t> same) {
  LoweringCache& cache = *l->kernel->cache;
  const std::pair key(LoweringCache::key(l->loop, l->config), std::vector<std::uint16_t>(same.begin(), same.end()));
  {
    std::lock_guard lock(cache.mutex);
    if (const auto found = cache.lone.find(key); found != cache.lone.end()) return found->second;
  }
  LoneProgram made = make(*l, same);  // outside the lock: whoever comes second takes what the first put there
  std::lock_guard lock(cache.mutex);
  return cache.lone.emplace(key, std::move(made)).first->second;
}

}  // namespace weft::trace
