// relayout beside what a C++ author would tune by hand for the same pattern, 64 MiB each, both over the same memory in one
// run, in turn: memory bandwidth drifts, so only neighbours compare (MAP-TEN-09).
//
//     build/release/bin/bench_relayout [--benchmark_filter='host/.*']
//
// host/: loops of -O3 -march=native on one core. cpu/: relayout of device tensors on the cpu tier beside the same loops on
// all cores. webgpu/: beside a kernel over arrays with the index arithmetic written by hand. `ratio` is the median of
// (hand-tuned / ours): above 0.8 is within a quarter of it, above 1 is faster. An error where a result differs.
#include <benchmark/benchmark.h>
#include <oneapi/tbb/parallel_for.h>
#include <weft/device_tensor.hpp>

#include <cstring>
#include <optional>

#include "side_by_side.hpp"

namespace {

using namespace weft;

WEFT_AXES(R = 4096, S = 4000, P = 4096, B = 16777216, T = 4096, U = 4096)
constexpr std::size_t n = 16777216, side = 4096;

// A pattern: its mappings; the loop by hand for a part of `parts` equal ones; where position p comes from, by hand.
struct Contiguous {
  static constexpr Mapping from = WEFT_M(R, P), to = WEFT_M(R, P);
  static constexpr std::size_t parts = 64;
  static void by_hand(const float* x, float* y, std::size_t part) {
    std::memcpy(y + part * (n / parts), x + part * (n / parts), n / parts * sizeof(float));
  }
  static Index source(Index p) { return p; }
};

// Squares of 64 x 64 through memory that stays in the nearest cache: whole cache lines are read and written.
struct Transpose {
  static constexpr Mapping from = WEFT_M(R, P), to = WEFT_M(P, R);
  static constexpr std::size_t parts = 64, b = 64;
  static void by_hand(const float* __restrict x, float* __restrict y, std::size_t part) {
    alignas(64) float square[b][b];
    for (std::size_t r = 0; r < side; r += b) {
      for (std::size_t i = 0; i < b; ++i)
        for (std::size_t j = 0; j < b; ++j) square[j][i] = x[(r + i) * side + part * b + j];
      for (std::size_t j = 0; j < b; ++j) std::memcpy(y + (part * b + j) * side + r, square[j], sizeof square[j]);
    }
  }
  static Index source(Index p) { return ((p & 4095) << 12) + (p >> 12); }
};

struct Pad {
  static constexpr Mapping from = WEFT_M(R, S), to = WEFT_M(R, S #{0} 4096);
  static constexpr std::size_t parts = 64;
  static void by_hand(const float* __restrict x, float* __restrict y, std::size_t part) {
    for (std::size_t r = part * 64; r < part * 64 + 64; ++r) {
      std::memcpy(y + r * 4096, x + r * 4000, 4000 * sizeof(float));
      std::memset(y + r * 4096 + 4000, 0, 96 * sizeof(float));
    }
  }
  static Index source(Index p) { return select((p & 4095) < 4000, (p >> 12) * 4000 + (p & 4095), -1); }
};

struct Tile {
  static constexpr Mapping from = WEFT_M(T, U), to = WEFT_M(T / 32, U / 32, T % 32, U % 32);
  static constexpr std::size_t parts = 128;
  static void by_hand(const float* __restrict x, float* __restrict y, std::size_t part) {
    y += part * (n / parts);
    for (std::size_t u = 0; u < 128; ++u)
      for (std::size_t i = 0; i < 32; ++i, y += 32)
        std::memcpy(y, x + (part * 32 + i) * 4096 + u * 32, 32 * sizeof(float));
  }
  static Index source(Index p) {
    return ((p >> 17) << 17) + (((p >> 5) & 31) << 12) + (((p >> 10) & 127) << 5) + (p & 31);
  }
};

struct BitInterleave {
  static constexpr Mapping from = WEFT_M(B), to = WEFT_M(B / 64, B % 32, B / 32 % 2);
  static constexpr std::size_t parts = 64;
  static void by_hand(const float* __restrict x, float* __restrict y, std::size_t part) {
    for (std::size_t i = part * (n / parts); i < (part + 1) * (n / parts); i += 64)
      for (std::size_t j = 0; j < 32; ++j) y[i + 2 * j] = x[i + j], y[i + 2 * j + 1] = x[i + 32 + j];
  }
  static Index source(Index p) { return ((p >> 6) << 6) + ((p & 1) << 5) + ((p >> 1) & 31); }
};

struct ChannelsToPlanes {
  static constexpr Mapping from = WEFT_M(B / 4, B % 4), to = WEFT_M(B % 4, B / 4);
  static constexpr std::size_t parts = 64;
  static void by_hand(const float* __restrict x, float* __restrict y, std::size_t part) {
    for (std::size_t i = part * (n / 4 / parts); i < (part + 1) * (n / 4 / parts); ++i)
      for (std::size_t k = 0; k < 4; ++k) y[k * (n / 4) + i] = x[i * 4 + k];
  }
  static Index source(Index p) { return ((p & (n / 4 - 1)) << 2) + (p >> 22); }
};

/// Times both in turn, and that their results are the same bits.
template <class Ours, class Theirs>
void side_by_side(benchmark::State& state, std::size_t elements, Ours ours, Theirs theirs) {
  std::vector<double> ratios, own, other;
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
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * elements * sizeof(float)));
}

template <class Pattern> HostTensor<float, Pattern::from> numbered() {
  HostTensor<float, Pattern::from> t;
  for (std::uint64_t i = 0; i < t.size(); ++i) t.data()[i] = static_cast<float>(i);
  return t;
}
template <class Pattern>
bool differs(benchmark::State& state, const float* got, const HostTensor<float, Pattern::from>& from) {
  HostTensor<float, Pattern::to> check;
  for (std::size_t part = 0; part < Pattern::parts; ++part) Pattern::by_hand(from.data(), check.data(), part);
  if (std::memcmp(got, check.data(), check.size() * sizeof(float)) == 0) return false;
  state.SkipWithError("the results differ");
  return true;
}

template <class Pattern> void host(benchmark::State& state) {
  const auto from = numbered<Pattern>();
  HostTensor<float, Pattern::to> to;
  relayout(from, to);
  if (differs<Pattern>(state, to.data(), from)) return;
  side_by_side(
      state, from.size() + to.size(), [&] { relayout(from, to); },
      [&] {
        for (std::size_t part = 0; part < Pattern::parts; ++part) Pattern::by_hand(from.data(), to.data(), part);
      });
}

template <class Pattern> void on_tier(benchmark::State& state, Tier tier) {
  std::optional<Device> device;
  try {
    device.emplace(DeviceOptions{.tiers = {tier}});
  } catch (const LoadError& e) { return state.SkipWithError(e.what()); }
  const auto from = numbered<Pattern>();
  const DeviceTensor<float, WEFT_M(1), Pattern::from> source(*device, from);
  DeviceTensor<float, WEFT_M(1), Pattern::to> target(*device), other(*device);
  relayout(source, target).get();
  if (differs<Pattern>(state, target.read().get().data(), from)) return;
  const auto ours = [&] { relayout(source, target).get(); };
  if (tier == Tier::cpu) {
    HostTensor<float, Pattern::to> to;
    return side_by_side(state, from.size() + to.size(), ours, [&] {
      oneapi::tbb::parallel_for(std::size_t{0}, Pattern::parts,
                                [&](std::size_t part) { Pattern::by_hand(from.data(), to.data(), part); });
    });
  }
  const auto written = kernel("by_hand(x, y)", [](Array<const float> x, Array<float> y) {
    loop(y.length(), [&](Index p) { y[p] = x[Pattern::source(p)]; });
  });
  written(source.array(), other.array()).get();
  if (differs<Pattern>(state, other.read().get().data(), from)) return;
  side_by_side(state, source.size() + target.size(), ours, [&] { written(source.array(), other.array()).get(); });
}
template <class Pattern> void cpu(benchmark::State& state) { on_tier<Pattern>(state, Tier::cpu); }
template <class Pattern> void webgpu(benchmark::State& state) { on_tier<Pattern>(state, Tier::webgpu); }

void tuned(benchmark::internal::Benchmark* b) { b->UseManualTime()->Iterations(31)->Unit(benchmark::kMillisecond); }

#define WEFT_PATTERN(Pattern, name)                                                                                    \
  BENCHMARK(host<Pattern>)->Name("host/" name)->Apply(tuned);                                                          \
  BENCHMARK(cpu<Pattern>)->Name("cpu/" name)->Apply(tuned);                                                            \
  BENCHMARK(webgpu<Pattern>)->Name("webgpu/" name)->Apply(tuned)
WEFT_PATTERN(Contiguous, "contiguous");
WEFT_PATTERN(Transpose, "transpose");
WEFT_PATTERN(Pad, "pad");
WEFT_PATTERN(Tile, "tile");
WEFT_PATTERN(BitInterleave, "bit_interleave");
WEFT_PATTERN(ChannelsToPlanes, "channels_to_planes");

}  // namespace
