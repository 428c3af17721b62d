// The tiers of this machine, each as a parameter of a test: what is not here is skipped, with the reason.
#pragma once

#include <weft/weft.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace weft::test {

class RealTier : public ::testing::TestWithParam<Tier> {
 protected:
  void SetUp() override {
    try {
      device.emplace(DeviceOptions{.tiers = {GetParam()}});
    } catch (const LoadError& e) { GTEST_SKIP() << e.what(); }
  }
  std::optional<Device> device;
};

inline std::string tier_name(const ::testing::TestParamInfo<Tier>& info) { return std::string(name(info.param)); }

#define WEFT_REAL_TIERS(Suite)                                                                                         \
  INSTANTIATE_TEST_SUITE_P(Tiers, Suite, ::testing::Values(Tier::cpu, Tier::webgpu), tier_name)

}  // namespace weft::test
