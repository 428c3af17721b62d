#include "kernel/lower.hpp"

#include <weft/error.hpp>

#include "ir/passes.hpp"
#include "kernel/lower_cache.hpp"
#include "kernel/lower_copy.hpp"
#include "kernel/lower_form.hpp"
#include "kernel/lower_legal.hpp"
#include "kernel/lower_power.hpp"

namespace weft::trace {

namespace {

constexpr std::uint64_t wide_limit = 0xFFFFFFFF;  // 2^32 - 1
constexpr std::uint64_t limit_of_bits(unsigned bits) { return (std::uint64_t{1} << bits) - 1; }

struct Typed {
  ir::Graph graph;
  ir::Node root = nullptr;
};

/// The loop under a limit, through the weak passes.
Typed through_weak_passes(const KernelCore& core, std::size_t loop, std::uint64_t limit) {
  Typed t{ir::Graph(core.graph.default_float()), nullptr};
  t.root = copy_loop(t.graph, core, loop, limit);
  t.root = ir::commit_weak(t.graph, t.root);
  t.root = ir::lower_weak(t.graph, t.root);
  t.root = ir::cast_const(t.graph, t.root);
  if (auto fault = ir::verify(t.graph, t.root, ir::Stage::spelled))
    throw CompileError(core.facts.name + ": after the weak passes " + *fault, "");
  return t;
}

bool is_64_bits(ir::Node n) { return n->dtype == Scalar::int64 || n->dtype == Scalar::uint64; }

std::size_t count_64_bits(ir::Node root) {
  std::size_t count = 0;
  for (ir::Node n : ir::topological(root)) count += is_64_bits(n);
  return count;
}

/// KER-ACC-05: the largest 2^b - 1 up to which the loop needs no more 64-bit integers than it needs for the smallest arrays,
/// that is, none but those the author committed himself. Most loops need none at 2^31 - 1 and are looked at once.
std::uint64_t find_narrow_limit(const KernelCore& core, std::size_t loop) {
  const auto count = [&](unsigned bits) {
    return count_64_bits(through_weak_passes(core, loop, limit_of_bits(bits)).root);
  };
  unsigned low = 16, high = 31;
  const std::size_t at_high = count(high);
  if (at_high == 0) return limit_of_bits(high);
  const std::size_t least = count(low);
  if (at_high == least) return limit_of_bits(high);
  while (high - low > 1) {  // low is enough, high is too much
    const unsigned middle = (low + high) / 2;
    (count(middle) == least ? low : high) = middle;
  }
  return limit_of_bits(low);
}

/// The errors of the passes in the author's terms: they know nodes, not kernels.
template <class F> auto naming(const KernelCore& core, F f) {
  try {
    return f();
  } catch (const UnsupportedError& e) {
    throw UnsupportedError(core.facts.name + ": " + e.what());
  } catch (const ir::RuleError& e) {
    throw RangeError(core.facts.name + ": " + e.what());
  } catch (const ir::ConstructError& e) { throw CompileError(core.facts.name + ": " + e.what(), ""); }
}

std::uint64_t narrow_limit(const KernelCore& core, std::size_t loop) {
  {
    std::lock_guard lock(core.cache->mutex);
    if (const auto found = core.cache->narrow_limit.find(loop); found != core.cache->narrow_limit.end())
      return found->second;
  }
  const std::uint64_t limit = find_narrow_limit(core, loop);  // outside the lock: two threads may both look, and agree
  std::lock_guard lock(core.cache->mutex);
  return core.cache->narrow_limit.emplace(loop, limit).first->second;
}

std::shared_ptr<const Lowered> lower_now(const KernelCore& core, std::size_t loop, const Config& config) {
  auto lowered =
      std::make_shared<Lowered>(Lowered{.kernel = std::shared_ptr<const KernelCore>(std::shared_ptr<void>(), &core),
                                        .loop = loop,
                                        .graph = ir::Graph(core.graph.default_float()),
                                        .root = nullptr,
                                        .config = config,
                                        .limit = config.wide ? wide_limit : narrow_limit(core, loop),
                                        .needs_int64 = false});
  Typed typed = through_weak_passes(core, loop, lowered->limit);
  ir::Graph looped(core.graph.default_float());
  const ir::Node root = loop_powers(typed.graph, typed.root, looped);
  lowered->root = legalise(root == typed.root ? typed.graph : looped, root, lowered->graph);
  lowered->needs_int64 = count_64_bits(lowered->root) != 0;
  if (auto fault = ir::verify(lowered->graph, lowered->root, ir::Stage::spelled))
    throw CompileError(core.facts.name + ": after legalisation " + *fault, "");
  return lowered;
}

}  // namespace

std::shared_ptr<LoweringCache> make_lowering_cache() { return std::make_shared<LoweringCache>(); }

std::shared_ptr<const Lowered> lower_loop(const std::shared_ptr<const KernelCore>& core, std::size_t loop,
                                          const Config& config) {
  std::shared_ptr<const Lowered> lowered;
  LoweringCache& cache = *core->cache;
  {
    std::lock_guard lock(cache.mutex);
    if (const auto found = cache.loops.find(LoweringCache::key(loop, config)); found != cache.loops.end())
      lowered = found->second;
  }
  if (!lowered) {
    lowered = naming(*core, [&] { return lower_now(*core, loop, config); });
    std::lock_guard lock(cache.mutex);
    lowered = cache.loops.emplace(LoweringCache::key(loop, config), std::move(lowered)).first->second;
  }
  // Who holds the result holds the kernel.
  using Both = std::pair<std::shared_ptr<const KernelCore>, std::shared_ptr<const Lowered>>;
  const Lowered* raw = lowered.get();
  return {std::make_shared<Both>(core, std::move(lowered)), raw};
}

ir::Node legal_fold_step(ir::Graph& g, ir::Op op, ir::Node a, ir::Node b) {
  LegalForms forms(g);
  if (op == ir::Op::MIN || op == ir::Op::MAX) return forms.min_max(op, a, b);
  return g.make(op, {a, b});
}

}  // namespace weft::trace
