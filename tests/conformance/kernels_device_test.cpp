// KER-DEV and KER-TIER on the tiers of this machine.
#include <cstdlib>

#include "conformance/real_tiers.hpp"

namespace weft::test {
namespace {

const auto prefix =
    kernel("prefix(x)", [](Array<float> x) { loop(1, x.length(), [&](Index i) { x[i] = x[i] + x[i - 1]; }); });
const auto add_one = kernel("add_one(x)", [](Array<float> x) { loop(x.length(), [&](Index i) { x[i] = x[i] + 1; }); });

TEST(Devices, KER_DEV_01_every_tier_is_accounted_for) {
  unsetenv("WEFT_TIERS");
  const Device d;
  const DeviceInfo info = d.info();
  ASSERT_EQ(info.tiers.size(), 3u);
  bool taken = false;
  for (const TierInfo& t : info.tiers) {
    EXPECT_EQ(t.reason.empty(), t.tier == info.tier) << name(t.tier);
    taken |= t.tier == info.tier;
  }
  EXPECT_TRUE(taken);
  EXPECT_TRUE(!info.software || info.tier == Tier::cpu || !info.tiers.back().available)
      << "software comes after the cpu";
}

TEST(Devices, KER_DEV_02_devices_are_independent) {
  Device a({.tiers = {Tier::cpu}}), b({.tiers = {Tier::cpu}});
  auto x = a.resident<float>(4), y = b.resident<float>(4);
  add_one(x), add_one(y), add_one(y);
  EXPECT_EQ(x.read().get()[0], 1.f);
  EXPECT_EQ(y.read().get()[0], 2.f);
  EXPECT_NE(a.name(), b.name());
}

struct OnTier : RealTier {};
WEFT_REAL_TIERS(OnTier);

TEST_P(OnTier, KER_DEV_02_wait_returns_when_the_work_is_done) {
  auto x = device->resident<float>(100000);
  std::vector<Future<void>> calls;
  for (int i = 0; i < 10; ++i) calls.push_back(add_one(x));
  device->wait();
  for (const auto& c : calls) EXPECT_TRUE(c.ready());
}

TEST_P(OnTier, KER_DEV_04_a_device_may_go_with_work_queued) {
  auto x = device->resident<float>(100000);
  std::vector<Future<void>> calls;
  for (int i = 0; i < 10; ++i) calls.push_back(add_one(x));
  device.reset();
  for (auto& c : calls) c.get();
  EXPECT_THROW(x.read(), StateError);
}

TEST_P(OnTier, KER_DEV_04_closed_is_a_StateError) {
  auto x = device->resident<float>(4);
  add_one(x);
  device->close();
  EXPECT_THROW(add_one(x), StateError);
}

TEST(Devices, KER_TIER_03_a_loop_that_is_not_proved_runs_in_order_on_the_cpu) {
  Device d({.tiers = {Tier::cpu}});
  auto x = d.resident(std::vector<float>{1, 1, 1, 1, 1});
  auto done = prefix(x);
  done.get();
  EXPECT_EQ(x.read().get(), (std::vector<float>{1, 2, 3, 4, 5}));
  EXPECT_NE(done.call()->reason, "");
}

TEST(Devices, KER_TIER_04_a_call_goes_on_to_the_next_tier_with_its_reason) {
  std::optional<Device> d;
  try {
    d.emplace(DeviceOptions{.tiers = {Tier::webgpu, Tier::cpu}});
  } catch (const LoadError& e) { GTEST_SKIP() << e.what(); }
  if (d->info().tier != Tier::webgpu) GTEST_SKIP() << "no webgpu here";
  auto x = d->resident(std::vector<float>{1, 1, 1, 1, 1});
  auto first = add_one(x);
  auto second = prefix(x);
  auto third = add_one(x);
  EXPECT_EQ(x.read().get(), (std::vector<float>{3, 5, 7, 9, 11}));
  EXPECT_EQ(first.call()->tier, Tier::webgpu);
  EXPECT_EQ(second.call()->tier, Tier::cpu);
  EXPECT_NE(second.call()->reason, "");
  EXPECT_EQ(third.call()->tier, Tier::webgpu);
}

TEST(Devices, KER_DEV_05_calls_without_residents_use_the_default_device) {
  std::vector<float> host(100, 1.f);
  add_one(host).get();
  EXPECT_EQ(host, std::vector<float>(100, 2.f));
  EXPECT_EQ(weft::resident<float>(3).owner(), default_device().name());
}

}  // namespace
}  // namespace weft::test
