// relayout beside the loops that a C++ author would tune by hand for the same pattern (-O3 -march=native), 64 MiB each, both
// over the same memory in one run, in turn: memory bandwidth drifts, so only neighbours compare (MAP-TEN-09).
//
//     build/release/bin/bench_relayout [--benchmark_filter=...]
//
// `ratio` is the median of (hand-tuned / ours): above 0.8 is within a quarter of it, above 1 is faster. Exit code 1 where a
// result differs.
#include <benchmark/benchmark.h>
#include <weft/tensor.hpp>

#include <cstring>

#include "side_by_side.hpp"

namespace {

WEFT_AXES(R = 4096, S = 4000, P = 4096, B = 16777216, T = 4096, U = 4096)

constexpr weft::Mapping rows = WEFT_M(R, P), columns = WEFT_M(P, R);
constexpr weft::Mapping tight = WEFT_M(R, S), padded = WEFT_M(R, S #{0} 4096);
constexpr weft::Mapping plain = WEFT_M(T, U), tiled = WEFT_M(T / 32, U / 32, T % 32, U % 32);
constexpr weft::Mapping bits = WEFT_M(B), interleaved = WEFT_M(B / 64, B % 32, B / 32 % 2);
constexpr weft::Mapping channels = WEFT_M(B / 4, B % 4), planes = WEFT_M(B % 4, B / 4);

void hand_copy(const float* x, float* y) { std::memcpy(y, x, rows.size() * sizeof(float)); }

// Blocks of 16 x 16: a cache line either way.
void hand_transpose(const float* __restrict x, float* __restrict y) {
  constexpr std::size_t n = 4096, b = 16, strip = 64;
  for (std::size_t r0 = 0; r0 < n; r0 += strip)
    for (std::size_t c0 = 0; c0 < n; c0 += b)
      for (std::size_t r1 = r0; r1 < r0 + strip; r1 += b)
        for (std::size_t c = c0; c < c0 + b; ++c)
          for (std::size_t r = r1; r < r1 + b; ++r) y[c * n + r] = x[r * n + c];
}

void hand_pad(const float* __restrict x, float* __restrict y) {
  for (std::size_t r = 0; r < 4096; ++r) {
    std::memcpy(y + r * 4096, x + r * 4000, 4000 * sizeof(float));
    std::memset(y + r * 4096 + 4000, 0, 96 * sizeof(float));
  }
}

void hand_tile(const float* __restrict x, float* __restrict y) {
  for (std::size_t t = 0; t < 128; ++t)
    for (std::size_t u = 0; u < 128; ++u)
      for (std::size_t i = 0; i < 32; ++i, y += 32)
        std::memcpy(y, x + (t * 32 + i) * 4096 + u * 32, 32 * sizeof(float));
}

void hand_interleave(const float* __restrict x, float* __restrict y) {
  for (std::size_t i = 0; i < 16777216; i += 64)
    for (std::size_t j = 0; j < 32; ++j) y[i + 2 * j] = x[i + j], y[i + 2 * j + 1] = x[i + 32 + j];
}

void hand_planes(const float* __restrict x, float* __restrict y) {
  constexpr std::size_t n = 16777216 / 4;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < 4; ++k) y[k * n + i] = x[i * 4 + k];
}

template <weft::Mapping From, weft::Mapping To, auto by_hand> void run(benchmark::State& state) {
  weft::HostTensor<float, From> from;
  for (std::uint64_t i = 0; i < from.size(); ++i) from.data()[i] = static_cast<float>(i);
  weft::HostTensor<float, To> to, check;
  weft::relayout(from, to);
  by_hand(from.data(), check.data());
  if (std::memcmp(to.data(), check.data(), to.size() * sizeof(float)) != 0) {
    state.SkipWithError("the results differ");
    return;
  }
  std::vector<double> ratios, own, other;
  auto ours = [&] { weft::relayout(from, to); };
  auto theirs = [&] { by_hand(from.data(), to.data()); };
  for (auto _ : state) {
    double a = 0, b = 0;
    if (ratios.size() % 2) a = weft::bench::seconds(ours), b = weft::bench::seconds(theirs);
    else b = weft::bench::seconds(theirs), a = weft::bench::seconds(ours);
    state.SetIterationTime(a);
    own.push_back(a * 1e3), other.push_back(b * 1e3), ratios.push_back(b / a);
  }
  state.counters["ours_ms"] = weft::bench::median(own);
  state.counters["hand_ms"] = weft::bench::median(other);
  state.counters["ratio"] = weft::bench::median(ratios);
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * (from.size() + to.size()) * sizeof(float)));
}

void tuned(benchmark::internal::Benchmark* b) { b->UseManualTime()->Iterations(31)->Unit(benchmark::kMillisecond); }
BENCHMARK(run<rows, rows, hand_copy>)->Name("contiguous")->Apply(tuned);
BENCHMARK(run<rows, columns, hand_transpose>)->Name("transpose")->Apply(tuned);
BENCHMARK(run<tight, padded, hand_pad>)->Name("pad")->Apply(tuned);
BENCHMARK(run<plain, tiled, hand_tile>)->Name("tile")->Apply(tuned);
BENCHMARK(run<bits, interleaved, hand_interleave>)->Name("bit_interleave")->Apply(tuned);
BENCHMARK(run<channels, planes, hand_planes>)->Name("channels_to_planes")->Apply(tuned);

}  // namespace
