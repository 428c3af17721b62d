// Fuse scopes on the devices of this machine: default device, modules, report, times, bits (FUSE-REC, QUE, REP, WGS, TIM, RED).
#include <fstream>
#include <string>

#include "conformance/fuse_tiers.hpp"

namespace weft::test {
namespace {

using Count = weft::Scalar<std::int32_t>;

const auto& plus() {
  static const auto k =
      kernel("plus(x, y, n, k)", fusible, [](Array<const float> x, Array<float> y, Count n, weft::Scalar<float> k) {
        loop(n, [&](Index i) { y[i] = x[i] + k; });
      });
  return k;
}
const auto& total() {
  static const auto k = kernel("total(x, n)", fusible, [](Array<const float> x, Count n) {
    Var<float> s = 0;
    loop(n, [&](Index i) { s += x[i]; });
    return s;
  });
  return k;
}

bool mapped(const std::string& library) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.find(library) != std::string::npos) return true;
  return false;
}

// FUSE-QUE-08: a program that never fuses never loads the module, and recording does not either.
TEST(FuseModule, QUE08_ItIsLoadedByTheFirstPlan) {
#ifdef WEFT_STATIC_MODULES
  GTEST_SKIP() << "its modules are linked in";
#endif
  if (mapped("libweft-fuse")) GTEST_SKIP() << "another test of this process has fused";
  Device device;
  auto x = device.resident(std::vector<float>{1, 2, 3}), y = device.resident<float>(3);
  plus()(x, y, 3, 1.0f).get();
  EXPECT_FALSE(mapped("libweft-fuse"));
  auto report = device.fuse([&] {
    plus()(x, y, 3, 1.0f);
    EXPECT_FALSE(mapped("libweft-fuse"));
  });
  report.get();
  EXPECT_TRUE(mapped("libweft-fuse"));
}

// FUSE-REC-01, KER-DEV-05: weft::fuse opens a scope on the default device.
TEST(FuseModule, REC01_TheDefaultDevice) {
  auto x = weft::resident(std::vector<float>{1, 2, 3}), y = weft::resident<float>(3);
  const FuseReport r = weft::fuse([&](Scope& s) {
                         auto t = s.scratch(3);
                         plus()(x, t, 3, 1.0f), plus()(t, y, 3, 1.0f);
                       }).get();
  std::size_t calls = 0;
  for (const FuseGroup& g : r.groups) calls += g.calls.size();
  EXPECT_EQ(calls, 2u);
  EXPECT_EQ(y.read().get(), (std::vector<float>{3, 4, 5}));
}

template <class Body>
concept TakesOptions = requires(Body b) { weft::fuse(b, FuseOptions{}); };
static_assert(!TakesOptions<void (*)()>, "weft::fuse takes no options");

using Devices = EachTier;
WEFT_ON_EACH_TIER(Devices);

// FUSE-REP-01, FUSE-REP-02, FUSE-REP-06, FUSE-WGS-02, FUSE-WGS-07, FUSE-RED-04, FUSE-REP-11
TEST_P(Devices, REP01_TheReport) {
  auto x = ramp(1000), y = device->resident<float>(1000);
  Future<float> sum;
  const weft::FuseReport r = device->fuse([&] { plus()(x, y, 1000, 1.0f), sum = total()(y, 1000); }).get();
  EXPECT_EQ(r.tier, GetParam());
  EXPECT_EQ(sum.get(), 500500.0f);
  if (fuses()) {
    ASSERT_EQ(r.groups.size(), 1u);
    EXPECT_EQ(r.dispatches, 2u);
    EXPECT_EQ(r.submissions, 1u);
    EXPECT_EQ(r.groups[0].workgroup_shapes, (std::vector<std::array<std::uint32_t, 3>>{{256, 1, 1}}));
  } else {
    EXPECT_EQ(r.groups.size(), 2u);
    EXPECT_EQ(r.dispatches, 0u);
    EXPECT_EQ(r.submissions, 0u);
    for (const FuseGroup& g : r.groups) EXPECT_EQ(g.workgroup_shapes, std::nullopt);
  }
}

// FUSE-TIM-01, FUSE-TIM-02, FUSE-TIM-04, FUSE-TIM-06, FUSE-TIM-11: times are there with the report, where the device has them.
TEST_P(Devices, TIM04_TimesOfGroups) {
  auto x = ramp(100000), y = device->resident<float>(100000);
  const FuseReport r = device
                           ->fuse([&] {
                             plus()(x, y, 100000, 1.0f);
                             plus()(x, y, 0, 1.0f);
                             (void)total()(y, 100000);
                           })
                           .get();
  ASSERT_EQ(r.groups.size(), 3u);
  bool timestamps = false;
  for (const std::string& f : device->info().features) timestamps |= f == "timestamp-query";
  if (fuses() && timestamps) {
    EXPECT_GT(r.groups[0].gpu_time.value_or(-1), 0);
    EXPECT_LT(r.groups[0].gpu_time.value_or(-1), 1e10);
    EXPECT_TRUE(r.groups[2].gpu_time);
  }
  EXPECT_EQ(r.groups[1].gpu_time, std::nullopt) << "no dispatch";
  if (!fuses()) { EXPECT_EQ(r.groups[0].gpu_time, std::nullopt); }
}

// FUSE-TIM-09, FUSE-TIM-12: a long plan, and many plans.
TEST_P(Devices, TIM12_ManyPlans) {
  auto x = ramp(16), y = device->resident<float>(16);
  for (int k = 0; k < 300; ++k) device->fuse([&] { plus()(x, y, 16, 1.0f), plus()(y, x, 16, 0.0f); }).get();
  EXPECT_EQ(x.read().get()[0], 300.0f);
  const FuseReport r = device
                           ->fuse([&] {
                             for (int k = 0; k < 2100; ++k) plus()(k % 2 ? y : x, k % 2 ? x : y, 16, 0.0f);
                           })
                           .get();
  EXPECT_EQ(r.groups.size(), 2100u);
  if (fuses()) {
    EXPECT_EQ(r.submissions, 1u);
    EXPECT_EQ(r.groups[0].gpu_time, std::nullopt) << "more passes in one submission than a query set holds";
  }
}

// FUSE-RED-06, KER-RED-02: the order of the tree, fused and apart.
TEST_P(Devices, RED06_TheOrderOfTheTree) {
  for (int n : {1, 255, 256, 257, 1000, 70000}) {
    std::vector<float> v(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < v.size(); ++i)
      v[i] =
          (i % 3 ? 1.0f : -1.0f) * static_cast<float>(1 + i * 7919 % 1000) * 0x1p-7f + 1e3f * static_cast<float>(i % 2);
    auto x = device->resident(v), y = device->resident<float>(v.size());
    Future<float> fused;
    device
        ->fuse([&](Scope& s) {
          auto t = s.scratch(n);
          plus()(x, t, n, 0.25f);
          fused = total()(t, n);
        })
        .get();
    plus()(x, y, n, 0.25f);
    std::vector<float> level = y.read().get();
    while (level.size() > 1) {
      std::vector<float> next;
      for (std::size_t b = 0; b < level.size(); b += 256) {
        float slot[256];
        for (std::size_t k = 0; k < 256; ++k) slot[k] = b + k < level.size() ? level[b + k] : -0.0f;
        for (std::size_t stride = 128; stride > 0; stride /= 2)
          for (std::size_t k = 0; k < stride; ++k) slot[k] = slot[k] + slot[k + stride];
        next.push_back(slot[0]);
      }
      level = std::move(next);
    }
    EXPECT_EQ(bits_of(fused.get()), bits_of(0.0f + level[0])) << n;
    EXPECT_EQ(bits_of(total()(y, n).get()), bits_of(0.0f + level[0])) << n;
  }
}

// FUSE-LIM-02: an author's names are no shader text.
TEST_P(Devices, LIM02_Names) {
  const std::string huge(10000, 'n');
  const std::string names[] = {"let(_start, u32, n)", "fn(return, var, n)", huge + "(x, y, n)", "łódź(ä, ö, n)"};
  auto x = ramp(8), y = device->resident<float>(8), z = device->resident<float>(8);
  for (const std::string& signature : names) {
    try {
      const auto k = kernel(signature, fusible, [](Array<const float> p, Array<float> q, Count n) {
        loop(n, [&](Index i) { q[i] = p[i] + 1; });
      });
      const FuseReport r = device->fuse([&] { k(x, y, 8), k(y, z, 8), k(z, x, 7); }).get();
      EXPECT_EQ(r.groups[0].calls[0], k.name());
      EXPECT_EQ(z.read().get()[0] + 1, x.read().get()[0]);
    } catch (const TypeError&) {  // a name that no signature may have
    }
  }
}

}  // namespace
}  // namespace weft::test
