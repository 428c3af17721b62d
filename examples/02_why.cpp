// Why two calls do not join: the report says it in your names, with the line of the access.
#include <weft/weft.hpp>

#include <cstdio>

using weft::Array, weft::Index;

const auto mul = weft::kernel("mul(a, b, t)", weft::fusible, [](Array<const float> a, Array<const float> b, Array<float> t) {
  weft::loop(t.length(), [&](Index i) { t[i] = a[i] * b[i]; });
});
const auto blur = weft::kernel("blur(t, y)", weft::fusible, [](Array<const float> t, Array<float> y) {
  weft::loop(y.length(), [&](Index i) { y[i] = (t[i - 1] + t[i] + t[i + 1]) / 3; });
});
const auto sum = weft::kernel("sum(y)", weft::fusible, [](Array<const float> y) {
  weft::Var<float> total = 0;
  weft::loop(y.length(), [&](Index i) { total += y[i]; });
  return total;
});

int main() {
  // Named in the list, a software adapter is used without complaint; where there is no Vulkan driver the cpu takes over.
  weft::Device device({.tiers = {weft::Tier::webgpu, weft::Tier::cpu}});
  const std::vector<float> ones(1000, 1.0f);
  auto a = device.resident(ones), b = device.resident(ones), y = device.resident<float>(1000);
  weft::Future<float> total;
  const weft::FuseReport report = device.fuse([&](weft::Scope& scope) {
    auto t = scope.scratch(1000);
    mul(a, b, t);
    blur(t, y);
    total = sum(y);
  }).get();
  for (const weft::FuseGroup& group : report.groups) {
    if (group.why) std::printf("-- %s\n", group.why->c_str());
    for (const std::string& call : group.calls) std::printf("%s ", call.c_str());
    std::printf("\n");
  }
  std::printf("%.6f\n", total.get());
}
