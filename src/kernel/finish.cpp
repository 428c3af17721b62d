#include "kernel/finish.hpp"

#include "kernel/loop_facts.hpp"
#include "kernel/text.hpp"

namespace weft::trace {

using ir::Node;
using ir::Op;

namespace {

// MODEL-26: the clause after "<name> runs on the CPU, ".
std::optional<std::string> why_no_gpu(const Facts& f) {
  for (const ParamFact& p : f.params)
    if (p.dtype.scalar == Scalar::float64)
      return "its parameter `" + p.name + "` has type " + cpp_name(p.dtype) + ", which GPU memory cannot hold";
  if (f.loops.empty()) return "no loop of it can be dispatched";
  for (std::size_t k = 0; k < f.loops.size(); ++k) {
    const LoopFacts& l = f.loops[k];
    if (l.not_parallel)
      return "its loop " + std::to_string(k + 1) + " may not run in any order: it " + text(*l.not_parallel, f, l);
    if (l.needs_folded) return "its loop " + std::to_string(k + 1) + " needs a value that an earlier loop folds";
  }
  return std::nullopt;
}

void add_loop(Tracer& t, const RawLoop& raw, KernelCore& core, HostValues& host) {
  const BodyView view(t, raw);
  CopiedBody body = copy_body(t, raw, view, core, host);
  Forms forms(body.loop.counter);
  LoopKnowledge known = read_loop(t, body, core.graph, forms);
  prove(t, view, known, body.loop, core.graph, forms);
  if (!known.facts.not_parallel) body.loop.move = find_move(core, body.loop);
  core.steps.push_back(core.loops.size());
  core.facts.loops.push_back(std::move(known.facts));
  core.loops.push_back(std::move(body.loop));
}

}  // namespace

std::shared_ptr<const KernelCore> finish(Tracer& t) {
  auto core = std::make_shared<KernelCore>();
  core->facts = t.facts;
  core->bits = t.bits;
  HostValues host(t, core->graph);
  for (const RawStep& step : t.steps) {
    if (const auto* raw = std::get_if<RawLoop>(&step)) add_loop(t, *raw, *core, host);
    else if (const Node n = std::get<Node>(step); n->is(Op::LOAD)) host.load(n);
    else host.store(n);
  }
  for (Node r : t.results) core->results.push_back(host.copy(r));
  core->facts.no_gpu = why_no_gpu(core->facts);
  return core;
}

}  // namespace weft::trace
