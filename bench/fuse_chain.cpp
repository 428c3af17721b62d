// 16 stages t*b + 0.5 over 65,536 floats on the webgpu tier: in one fuse scope, against the same 16 calls made without one.
// The two are interleaved and their medians compared, since the machine's speed drifts.
//
//   bench_fuse_chain [pairs]
#include <weft/weft.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

constexpr int stages = 16, n = 65536;

double milliseconds(std::chrono::steady_clock::duration d) {
  return std::chrono::duration<double, std::milli>(d).count();
}
double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
  return v[v.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  using namespace weft;
  const int pairs = argc > 1 ? std::max(1, std::atoi(argv[1])) : 100;
  const auto stage = kernel("stage(t, b, r, n)", fusible,
                            [](Array<const float> t, Array<const float> b, Array<float> r,
                               weft::Scalar<std::int32_t> n) { loop(n, [&](Index i) { r[i] = t[i] * b[i] + 0.5f; }); });
  std::vector<float> start(n), factor(n);
  for (int i = 0; i < n; ++i)
    start[i] = static_cast<float>(i % 100) / 10, factor[i] = 1 - static_cast<float>(i % 7) / 8;

  try {
    DeviceOptions options;
    options.tiers = {Tier::webgpu};
    Device device(options);
    std::printf("%s (%s)\n", device.info().adapter.c_str(), device.info().driver.c_str());
    auto x = device.resident(start), b = device.resident(factor), fused_out = device.resident<float>(n);
    std::vector<Resident<float>> between;
    for (int k = 0; k < stages; ++k) between.push_back(device.resident<float>(n));

    const auto apart = [&] {
      const auto begin = std::chrono::steady_clock::now();
      for (int k = 0; k < stages; ++k) (void)stage(k == 0 ? x : between[k - 1], b, between[k], n);
      device.wait();
      return milliseconds(std::chrono::steady_clock::now() - begin);
    };
    FuseReport report;
    double host = 0;
    const auto fused = [&] {
      const auto begin = std::chrono::steady_clock::now();
      auto done = device.fuse([&](Scope& scope) {
        auto from = x;
        for (int k = 0; k < stages; ++k) {
          auto to = k + 1 == stages ? fused_out : scope.scratch(n);
          (void)stage(from, b, to, n);
          from = to;
        }
      });
      host += milliseconds(std::chrono::steady_clock::now() - begin);
      report = done.get();
      return milliseconds(std::chrono::steady_clock::now() - begin);
    };
    for (int k = 0; k < 5; ++k) apart(), fused();  // programs built, memory made
    host = 0;
    std::vector<double> a, f, gpu;
    for (int k = 0; k < pairs; ++k) {
      a.push_back(apart()), f.push_back(fused());
      if (report.groups[0].gpu_time) gpu.push_back(*report.groups[0].gpu_time / 1e6);
    }
    const auto p = between.back().read().get(), q = fused_out.read().get();
    std::printf("apart: %d calls, median %.3f ms\n", stages, median(a));
    std::printf("fused: %llu dispatches, median %.3f ms; recording %.3f ms, on the device %.3f ms\n",
                static_cast<unsigned long long>(report.dispatches), median(f), host / pairs,
                gpu.empty() ? 0.0 : median(gpu));
    for (const FuseGroup& g : report.groups)
      if (g.why) std::printf("  %s\n", g.why->c_str());
    std::printf("ratio: %.1f over %d interleaved pairs\n", median(a) / median(f), pairs);
    std::printf("bits equal: %s\n", std::memcmp(p.data(), q.data(), n * sizeof(float)) == 0 ? "yes" : "no");
  } catch (const Error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
