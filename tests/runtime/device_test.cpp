// Which tiers a device takes, in which order, and what it says of the others (KER-DEV).
#include <cstdlib>

#include "runtime/null_device.hpp"

namespace weft::test {
namespace {

using ::testing::Test;

/// A variable of the environment, for one scope.
struct Env {
  Env(const char* n, const char* value) : name(n) { setenv(n, value, 1); }
  ~Env() { unsetenv(name); }
  const char* name;
};

struct DeviceTest : Test {
  DeviceTest() {
    unsetenv("WEFT_TIERS");
    unsetenv("WEFT_ADAPTER");
  }
  NullTiers tiers;
  std::vector<Tier> order(const Device& d) {
    std::vector<Tier> all;
    for (const TierInfo& t : d.info().tiers) all.push_back(t.tier);
    return all;
  }
  template <class E> std::string error(DeviceOptions o) {
    try {
      tiers.device(std::move(o));
    } catch (const E& e) { return e.what(); }
    return "(no error)";
  }
};

TEST_F(DeviceTest, KER_DEV_01_a_gpu_comes_first) {
  tiers.add(Tier::webgpu).add(Tier::cpu);
  const Device d = tiers.device();
  const DeviceInfo info = d.info();
  EXPECT_EQ(info.tier, Tier::webgpu);
  EXPECT_EQ(info.adapter, "null webgpu");
  EXPECT_EQ(order(d), (std::vector{Tier::webgpu, Tier::gles, Tier::cpu}));
  EXPECT_EQ(info.tiers[0].reason, "");
  EXPECT_EQ(info.tiers[1].reason, "weft-gles: there is no such module; install it");
  EXPECT_FALSE(info.tiers[1].available);
  EXPECT_EQ(info.tiers[2].reason, "webgpu comes before it");
  EXPECT_TRUE(info.tiers[2].available);
}

TEST_F(DeviceTest, KER_DEV_01_a_software_adapter_comes_after_the_cpu) {
  tiers.add(Tier::webgpu, true).add(Tier::cpu);
  const Device d = tiers.device();
  EXPECT_EQ(d.info().tier, Tier::cpu);
  EXPECT_EQ(order(d), (std::vector{Tier::gles, Tier::cpu, Tier::webgpu}));
  EXPECT_EQ(d.info().tiers[2].reason, "it is a software adapter (null webgpu), which comes after the cpu tier");
  EXPECT_EQ(tiers.driver(Tier::webgpu).last(), nullptr) << "it is not opened before a call needs it";
}

TEST_F(DeviceTest, KER_DEV_01_a_software_adapter_named_in_tiers_is_used) {
  tiers.add(Tier::webgpu, true).add(Tier::cpu);
  const Device d = tiers.device({.tiers = {Tier::webgpu, Tier::cpu}});
  EXPECT_EQ(d.info().tier, Tier::webgpu);
  EXPECT_TRUE(d.info().software);
  EXPECT_EQ(d.info().tiers[2].reason, "it is not among the tiers asked for (webgpu, cpu)");
}

TEST_F(DeviceTest, KER_DEV_01_wrong_lists_are_TypeErrors) {
  tiers.add(Tier::cpu);
  EXPECT_EQ(error<TypeError>({.tiers = {}}),
            "Device: its list of tiers is empty; name webgpu, gles or cpu, or leave it out");
  EXPECT_EQ(error<TypeError>({.tiers = {Tier::cpu, Tier::cpu}}), "Device: its list of tiers names cpu twice");
}

TEST_F(DeviceTest, KER_DEV_01_no_tier_is_a_LoadError_that_says_for_each_why) {
  tiers.add(Tier::webgpu);
  tiers.driver(Tier::webgpu).missing("there is no Vulkan driver; apt-get install mesa-vulkan-drivers");
  EXPECT_EQ(error<LoadError>({.tiers = {Tier::webgpu, Tier::cpu}}),
            "Device: none of its tiers is available:\n"
            "  webgpu: there is no Vulkan driver; apt-get install mesa-vulkan-drivers\n"
            "  cpu: weft-cpu: there is no such module; install it");
}

TEST_F(DeviceTest, KER_DEV_01_WEFT_TIERS_overrides_the_default_order_only) {
  tiers.add(Tier::webgpu).add(Tier::cpu);
  {
    Env env("WEFT_TIERS", "cpu");
    EXPECT_EQ(tiers.device().info().tier, Tier::cpu);
    EXPECT_EQ(tiers.device({.tiers = {Tier::webgpu}}).info().tier, Tier::webgpu);
  }
  Env env("WEFT_TIERS", "cpu,vulkan");
  EXPECT_EQ(error<TypeError>({}), "WEFT_TIERS: \"vulkan\" is no tier; the tiers are webgpu, gles and cpu");
}

TEST_F(DeviceTest, KER_DEV_06_an_adapter_is_chosen_by_part_of_its_name) {
  tiers.add(Tier::webgpu, true).add(Tier::cpu);
  EXPECT_EQ(tiers.device({.adapter = "NULL web"}).info().tier, Tier::webgpu) << "asked for, it keeps its place";
  EXPECT_EQ(error<LoadError>({.adapter = "GeForce"}),
            "Device: no tier has the adapter \"GeForce\":\n"
            "  webgpu: no adapter's name contains \"GeForce\"; there is null webgpu\n"
            "  gles: weft-gles: there is no such module; install it");
  Env env("WEFT_ADAPTER", "null webgpu");
  EXPECT_EQ(tiers.device().info().tier, Tier::webgpu);
  EXPECT_EQ(tiers.device({.tiers = {Tier::cpu}}).info().tier, Tier::cpu)
      << "the cpu tier has no adapters to choose from";
}

TEST_F(DeviceTest, KER_DEV_06_limits_are_lowered) {
  tiers.add(Tier::webgpu);
  const Device d = tiers.device({.tiers = {Tier::webgpu}, .limits = {{"maxStorageBuffersPerShaderStage", 3}}});
  for (const auto& [name, value] : d.info().limits)
    EXPECT_TRUE(name != "maxStorageBuffersPerShaderStage" || value == 3) << value;
}

TEST_F(DeviceTest, MODEL_17_owners_have_names_of_their_own) {
  tiers.add(Tier::cpu);
  const Device a = tiers.device({.tiers = {Tier::cpu}}), b = tiers.device({.tiers = {Tier::cpu}});
  EXPECT_TRUE(a.name().starts_with("cpu#"));
  EXPECT_NE(a.name(), b.name());
  EXPECT_EQ(a.info().name, a.name());
}

TEST_F(DeviceTest, a_moved_device_is_a_StateError) {
  tiers.add(Tier::cpu);
  Device a = tiers.device({.tiers = {Tier::cpu}});
  const Device b = std::move(a);
  EXPECT_THROW(a.wait(), StateError);
  EXPECT_THROW(a.info(), StateError);
  EXPECT_THROW(a.resident<float>(3), StateError);
  EXPECT_EQ(b.info().tier, Tier::cpu);
}

TEST_F(DeviceTest, KER_DEV_05_the_default_device_is_made_at_its_first_use) {
  tiers.add(Tier::cpu);
  runtime::set_driver_source(tiers.source());
  Env env("WEFT_TIERS", "cpu");
  // In a process of its own: the default device lives for the process.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto use = [] {
    const std::vector<float> ones(3, 1.f);
    auto r = weft::resident(ones);
    const bool good = r.owner() == default_device().name() && r.read().get() == ones && sum()(ones).get() == 3.f &&
                      &default_device() == &default_device();
    std::exit(good ? 0 : 1);
  };
  EXPECT_EXIT(use(), ::testing::ExitedWithCode(0), "");
  runtime::set_driver_source({});
}

}  // namespace
}  // namespace weft::test
