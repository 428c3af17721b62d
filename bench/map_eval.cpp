// Positions of mappings per second (MAP-POS-11): visiting all of them in order and, beside it, one call of map for each;
// nested loops over the same buffer as the peer; parsing and the normal form.
#include <benchmark/benchmark.h>

#include <weft/mapping.hpp>

namespace {

using namespace weft;

const Mapping& mapping(std::int64_t which) {
  static const Axes axes = weft::axes("A = 64, B = 512, C = 60, D = 12");
  static const Mapping mappings[] = {
      Mapping::parse("A, B", axes),                           // contiguous
      Mapping::parse("B / 64, B % 32, B / 32 % 2, A", axes),  // bits rearranged
      Mapping::parse("[[[A / 8, C # 64] # 520, B % 8] / 2, [A % 8, D #{0} 16] % 64] = 100000", axes),  // five deep
      Mapping::parse("[A / 8, [C # 64, D] / 6, A % 8] # 9000, [C # 64, D] % 6",
                     axes),  // digits apart: each cell decoded
  };
  return mappings[which];
}

std::uint64_t first_value(const Cell& c) { return c.is_live() && c.index().size() ? c.index().begin()->value : 1; }

void visit(benchmark::State& state) {
  const Mapping m = mapping(state.range(0));
  std::uint64_t sum = 0;
  for (auto _ : state) m.for_each([&](std::uint64_t i, const Cell& c) { sum += first_value(c) + i; });
  benchmark::DoNotOptimize(sum);
  state.SetLabel(to_string(m));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(m.size()));
}
BENCHMARK(visit)->DenseRange(0, 3);

void range(benchmark::State& state) {
  const Mapping m = mapping(state.range(0));
  std::uint64_t sum = 0;
  for (auto _ : state)
    for (const Cell& c : m.cells()) sum += first_value(c);
  benchmark::DoNotOptimize(sum);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(m.size()));
}
BENCHMARK(range)->DenseRange(0, 3);

void map_each(benchmark::State& state) {
  const Mapping m = mapping(state.range(0));
  std::uint64_t sum = 0, i = 0;
  for (auto _ : state) {
    sum += m.map(i).is_live();
    i = (i + 1) % m.size();
  }
  benchmark::DoNotOptimize(sum);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(map_each)->DenseRange(0, 3);

// The peer of `visit/1`: the same sum by nested loops.
void by_hand(benchmark::State& state) {
  std::uint64_t sum = 0;
  for (auto _ : state)
    for (std::uint64_t high = 0, i = 0; high < 8; ++high)
      for (std::uint64_t low = 0; low < 32; ++low)
        for (std::uint64_t mid = 0; mid < 2; ++mid)
          for (std::uint64_t a = 0; a < 64; ++a, ++i) {
            std::uint64_t b = high * 64 + mid * 32 + low;
            benchmark::DoNotOptimize(b);
            sum += b + i;
          }
  benchmark::DoNotOptimize(sum);
  state.SetItemsProcessed(state.iterations() * 8 * 32 * 2 * 64);
}
BENCHMARK(by_hand);

void parse(benchmark::State& state) {
  const Axes axes = weft::axes("A = 64, B = 512, C = 60, D = 12");
  const std::string text = to_string(mapping(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(Mapping::parse(text, axes));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(parse)->DenseRange(0, 3);

void normal_form(benchmark::State& state) {
  const Mapping m = mapping(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(normalize(m));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(normal_form)->DenseRange(0, 3);

}  // namespace
