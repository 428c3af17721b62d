// The cpu tier against the loop that a C++ author would write: y = a*x + y over 16 M floats, through the public interface,
// and the same over the same memory under tbb::parallel_for (-O3 -march=native -ffp-contract=off). And how long a kernel
// takes to compile.
//
//     build/release/bin/bench_cpu_map [PAIRS]
//
// Exit code 1 where the median ratio is below 0.95 or the bits differ.
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <weft/weft.hpp>

#include <cstdlib>
#include <cstring>

#include "side_by_side.hpp"

namespace {

constexpr std::size_t n = 16 << 20;

const auto axpy =
    weft::kernel("axpy(x, y, a)", [](weft::Array<const float> x, weft::Array<float> y, weft::Scalar<float> a) {
      weft::loop(y.length(), [&](weft::Index i) { y[i] = a * x[i] + y[i]; });
    });

const auto smooth = weft::kernel("smooth(x, y)", [](weft::Array<const float> x, weft::Array<float> y) {
  weft::loop(y.length(), [&](weft::Index i) { y[i] = x[i - 1] * 0.25f + x[i] * 0.5f + x[i + 1] * 0.25f; });
});

using Range = oneapi::tbb::blocked_range<std::size_t>;

void axpy_cpp(const float* x, float* y, float a) {
  oneapi::tbb::parallel_for(Range(0, n), [=](const Range& r) {
    for (std::size_t i = r.begin(); i < r.end(); ++i) y[i] = a * x[i] + y[i];
  });
}

void smooth_cpp(const float* x, float* y) {
  oneapi::tbb::parallel_for(Range(0, n), [=](const Range& r) {
    const auto edge = [&](std::size_t i) {
      y[i] = (i ? x[i - 1] : 0) * 0.25f + x[i] * 0.5f + (i + 1 < n ? x[i + 1] : 0) * 0.25f;
    };
    std::size_t i = r.begin();
    const std::size_t last = r.end() == n ? n - 1 : r.end();
    if (i == 0) edge(i++);
    for (; i < last; ++i) y[i] = x[i - 1] * 0.25f + x[i] * 0.5f + x[i + 1] * 0.25f;
    if (r.end() == n) edge(n - 1);
  });
}

/// A kernel of `operations` operations, new at each call, from its making to its first result.
double compile_ms(int operations) {
  static int salt = 0;
  ++salt;
  std::vector<float> x(16, 1.f), y(16);
  const auto k = weft::kernel("chain(x, y)", [&](weft::Array<const float> a, weft::Array<float> b) {
    weft::loop(b.length(), [&](weft::Index i) {
      weft::Var<float> v = a[i];
      for (int k = 0; k < operations; ++k) {
        if (k % 2) v = v * (1.f + static_cast<float>(k + salt) * 1e-3f);
        else v = v + a[i];
      }
      b[i] = v;
    });
  });
  auto call = [&] { k(x, y).wait(); };
  return weft::bench::seconds(call) * 1e3;
}

}  // namespace

int main(int argc, char** argv) {
  setenv("WEFT_TIERS", "cpu", 0);
  const int pairs = argc > 1 ? std::atoi(argv[1]) : 60;
  weft::Device& device = weft::default_device();
  std::printf("%s, %s, %llu threads\n", device.info().adapter.c_str(), device.info().driver.c_str(),
              static_cast<unsigned long long>(device.info().limits.empty() ? 0 : device.info().limits[0].second));
  std::printf("compile and first run: %.1f ms the first time, then", compile_ms(2));
  for (int operations : {2, 100}) {
    std::vector<double> times;
    for (int k = 0; k < 15; ++k) times.push_back(compile_ms(operations));
    std::printf("%s %.1f ms for %d operations", operations == 2 ? "" : ",", weft::bench::median(times), operations);
  }
  std::printf("\n");

  std::vector<float> x(n), y(n), check(n);
  for (std::size_t i = 0; i < n; ++i)
    x[i] = static_cast<float>(i % 1000) * 0.01f, y[i] = check[i] = static_cast<float>(i % 777);
  axpy(x, y, 1.1f).get();
  axpy_cpp(x.data(), check.data(), 1.1f);
  bool equal = std::memcmp(y.data(), check.data(), n * 4) == 0;
  // Both over the same memory, so that neither has the luckier pages.
  const double ratio = weft::bench::side_by_side(
      "y = a*x + y, 16 Mi floats", pairs, [&] { axpy(x, y, 1e-3f).get(); },
      [&] { axpy_cpp(x.data(), y.data(), 1e-3f); });
  smooth(x, y).get();
  smooth_cpp(x.data(), check.data());
  equal = equal && std::memcmp(y.data(), check.data(), n * 4) == 0;
  weft::bench::side_by_side(
      "y[i] = (x[i-1] + 2 x[i] + x[i+1]) / 4", pairs, [&] { smooth(x, y).get(); },
      [&] { smooth_cpp(x.data(), y.data()); });
  std::printf("bits equal: %s\n", equal ? "yes" : "no");
  return equal && ratio >= 0.95 ? 0 : 1;
}
