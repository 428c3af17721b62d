// Nodes per second through the three weak-type passes (WEAK-DRV-04), on the index arithmetic that kernels are full of: a
// long chain of (i * stride + offset) / size % size over loop counters, with literals, stores and casts.
// `bench_ir_weak --graph deep|wide NODES` prints such a graph as JSON, for other compilers: bench/ir_weak_peer.py.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <string_view>

#include "ir/graph.hpp"
#include "ir/json.hpp"
#include "ir/passes.hpp"

namespace {

using namespace weft::ir;

// About `nodes` nodes; `deep` chains each expression on the one before, else they are apart and each is stored.
Node index_arithmetic(Graph& g, std::int64_t nodes, bool deep) {
  Storage s;
  s.slot = 1;
  s.dtype = Scalar::float32;
  s.size = 1u << 20;
  const Node out = g.storage(Op::PARAM, s);
  const Node i = g.range(g.constant(1024), 1), j = g.range(g.constant(768), 2);
  std::vector<Node> effects;
  Node x = i;
  for (std::int64_t k = 0; static_cast<std::int64_t>(g.size()) < nodes; ++k) {
    const Node row = g.make(Op::ADD, {g.make(Op::MUL, {x, g.constant(3 + k % 61)}), j});
    const Node place = g.make(Op::ADD, {row, g.constant(k)});
    x = g.make(Op::FLOORMOD, {g.make(Op::FLOORDIV, {place, g.constant(7)}), g.constant(1024)});
    if (deep && k % 16 != 0) continue;
    const Node value = g.make(Op::MUL, {g.cast(x, Scalar::float32), g.constant(0.5)});
    effects.push_back(g.make(Op::STORE, {g.make(Op::INDEX, {out, x}), value}));
    if (!deep) x = i;
  }
  return g.make(Op::SINK, effects);
}

void weak_passes(benchmark::State& state, bool deep) {
  std::size_t nodes = 0;
  for (auto _ : state) {
    state.PauseTiming();
    auto g = std::make_unique<Graph>();
    Node root = index_arithmetic(*g, state.range(0), deep);
    nodes = g->size();
    state.ResumeTiming();
    root = cast_const(*g, lower_weak(*g, commit_weak(*g, root)));
    benchmark::DoNotOptimize(root);
    state.PauseTiming();
    g.reset();
    state.ResumeTiming();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(nodes) * state.iterations());
  state.SetComplexityN(state.range(0));
}

void deep(benchmark::State& state) { weak_passes(state, true); }
void wide(benchmark::State& state) { weak_passes(state, false); }

BENCHMARK(deep)->RangeMultiplier(10)->Range(1000, 1000000)->Unit(benchmark::kMillisecond)->Complexity(benchmark::oN);
BENCHMARK(wide)->RangeMultiplier(10)->Range(1000, 1000000)->Unit(benchmark::kMillisecond)->Complexity(benchmark::oN);

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4 && std::string_view(argv[1]) == "--graph") {
    Graph g;
    std::cout << print_json(index_arithmetic(g, std::atoll(argv[3]), std::string_view(argv[2]) == "deep")) << '\n';
    return 0;
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
