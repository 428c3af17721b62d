// Tests of fuse scopes on every tier of this machine: a test that needs a tier which is not here is skipped with the reason.
#pragma once

#include <weft/weft.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weft::test {

class EachTier : public testing::TestWithParam<Tier> {
 protected:
  void SetUp() override {
    try {
      open({});
    } catch (const LoadError& e) { GTEST_SKIP() << e.what(); }
  }
  void open(std::vector<std::pair<std::string, std::uint64_t>> limits) {
    DeviceOptions options;
    options.limits = std::move(limits);
    options.tiers = {GetParam()};
    if (GetParam() != Tier::cpu) options.tiers = {GetParam(), Tier::cpu};  // what a GPU refuses goes on to the cpu
    device.emplace(options);
  }
  bool fuses() const { return GetParam() == Tier::webgpu; }
  Resident<float> ramp(std::uint64_t n) {
    std::vector<float> v(n);
    for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<float>(i);
    return device->resident(v);
  }
  std::optional<Device> device;
};

#define WEFT_ON_EACH_TIER(SUITE)                                                                                       \
  INSTANTIATE_TEST_SUITE_P(Tiers, SUITE, testing::Values(::weft::Tier::cpu, ::weft::Tier::webgpu),                     \
                           [](const auto& p) { return std::string(::weft::name(p.param)); })

inline std::uint32_t bits_of(float f) { return std::bit_cast<std::uint32_t>(f); }

}  // namespace weft::test
