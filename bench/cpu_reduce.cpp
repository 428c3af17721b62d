// Reductions of the cpu tier, in their fixed tree order, against the simplest fast C++: a sum under TBB with 64
// accumulators a chunk, whose value depends on the number of threads.
//
//     build/release/bin/bench_cpu_reduce [PAIRS]
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <weft/weft.hpp>

#include <cstdlib>
#include <limits>

#include "side_by_side.hpp"

namespace {

using Range = oneapi::tbb::blocked_range<std::size_t>;

const auto sum = weft::kernel("sum(x)", [](weft::Array<const float> x) {
  weft::Var<float> s = 0;
  weft::loop(x.length(), [&](weft::Index i) { s += x[i]; });
  return s;
});
const auto statistics = weft::kernel("statistics(x)", [](weft::Array<const float> x) {
  weft::Var<float> least = std::numeric_limits<float>::infinity(), most = -std::numeric_limits<float>::infinity(),
                   s = 0;
  weft::loop(x.length(), [&](weft::Index i) {
    least = min(least, x[i]);
    most = max(most, x[i]);
    s += x[i] * x[i];
  });
  return std::tuple(least, most, s);
});

template <class F> float reduce(const std::vector<float>& x, float first, F step) {
  return oneapi::tbb::parallel_reduce(
      Range(0, x.size(), 1 << 16), first,
      [&](const Range& r, float s) {
        float lane[64];
        std::fill(lane, lane + 64, first);
        std::size_t i = r.begin();
        for (; i + 64 <= r.end(); i += 64)
          for (std::size_t k = 0; k < 64; ++k) lane[k] = step(lane[k], x[i + k]);
        for (; i < r.end(); ++i) lane[0] = step(lane[0], x[i]);
        for (float v : lane) s = step(s, v);
        return s;
      },
      [&](float a, float b) { return step(a, b); });
}

}  // namespace

int main(int argc, char** argv) {
  setenv("WEFT_TIERS", "cpu", 0);
  const int pairs = argc > 1 ? std::atoi(argv[1]) : 40;
  for (std::size_t n : {std::size_t{1} << 18, std::size_t{16} << 20}) {
    std::vector<float> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<float>(i * 7919 % 1000) * 1e-3f;
    volatile float keep = 0;
    char what[64];
    std::snprintf(what, sizeof what, "sum of %zu floats", n);
    weft::bench::side_by_side(
        what, pairs, [&] { keep = sum(x).get(); },
        [&] { keep = reduce(x, 0.f, [](float a, float b) { return a + b; }); });
    std::snprintf(what, sizeof what, "min, max and sum of squares of %zu", n);
    weft::bench::side_by_side(
        what, pairs, [&] { keep = std::get<2>(statistics(x).get()); },
        [&] {
          keep = reduce(x, 1e30f, [](float a, float b) { return b < a ? b : a; });
          keep = reduce(x, -1e30f, [](float a, float b) { return b > a ? b : a; });
          keep = reduce(x, 0.f, [](float a, float b) { return a + b * b; });
        });
  }
}
