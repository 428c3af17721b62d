// FUSE-BIT-01, FUSE-BIT-06: chains drawn at random give the same bits in one scope as call by call, on every tier of this machine;
// without the fences between calls they do not. WEFT_CHAINS=2000 draws more than the usual 300; RC_PARAMS=seed=... draws
// the same again.
#include "fuse/chain.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <string>

#include "fuse/executor.hpp"
#include "runtime/scope.hpp"

namespace weft::test {
namespace {

// RapidCheck reads its settings when it is first used.
const bool configured = [] {
  const char* chains = std::getenv("WEFT_CHAINS");
  if (std::getenv("RC_PARAMS") == nullptr)
    ::setenv("RC_PARAMS", (std::string("max_success=") + (chains ? chains : "300")).c_str(), 1);
  return true;
}();

/// The device of one tier, or the reason why there is none.
std::optional<Device> device_of(Tier tier, Bits bits, std::string& why) {
  try {
    DeviceOptions options;
    options.tiers = {tier};
    options.bits = bits;
    return Device(options);
  } catch (const LoadError& e) {
    why = e.what();
    return std::nullopt;
  }
}

class Chains : public testing::TestWithParam<std::pair<Tier, Bits>> {};

TEST_P(Chains, BIT01_FusedAndApartHaveTheSameBits) {
  std::string why;
  auto device = device_of(GetParam().first, GetParam().second, why);
  if (!device) GTEST_SKIP() << why;
  std::size_t fused = 0, beyond = 0, chains = 0;
  EXPECT_TRUE(rc::check("fused == apart", [&](const Chain& c) {
    FuseReport report;
    const auto apart = run(*device, c, false);
    const auto together = run(*device, c, true, &report);
    for (const FuseGroup& g : report.groups) fused += g.fused;
    ++chains;
    if (!finite(apart)) {
      ++beyond;  // a class of its own: info().bits says what a device does with it
      return;
    }
    RC_ASSERT(same_bits(apart, together));
  }));
  std::cout << chains << " chains, " << fused << " fused groups, " << beyond << " with infinite values\n";
  if (GetParam().first == Tier::webgpu) { EXPECT_GT(fused, chains / 4) << "the property is about fused groups"; }
}

INSTANTIATE_TEST_SUITE_P(Tiers, Chains,
                         testing::Values(std::pair(Tier::cpu, Bits::exact), std::pair(Tier::webgpu, Bits::exact),
                                         std::pair(Tier::webgpu, Bits::fast)),
                         [](const auto& p) {
                           return std::string(name(p.param.first)) +
                                  (p.param.second == Bits::exact ? "_exact" : "_fast");
                         });

// A call that takes one array twice, where the driver may rearrange: called alone it binds the array twice and cannot know.
TEST(ChainsControl, BIT01_OneArrayTwiceUnderFastBits) {
  std::string why;
  auto device = device_of(Tier::webgpu, Bits::fast, why);
  if (!device) GTEST_SKIP() << why;
  const Chain c{
      .stages = {{.op = 9, .p = 2, .q = 2}, {.op = 0}}, .picks = {1, 1, 1, 13, 41, 61, 0, 21, 81}, .sum = true};
  EXPECT_TRUE(same_bits(run(*device, c, false), run(*device, c, true)));
}

// The positive control: a driver rearranges what no fence protects, and the comparison sees it.
TEST(ChainsControl, BIT06_WithoutFencesTheBitsDiffer) {
  std::string why;
  auto device = device_of(Tier::webgpu, Bits::fast, why);
  if (!device) GTEST_SKIP() << why;
  if (device->info().adapter.find("llvmpipe") == std::string::npos) GTEST_SKIP() << "known of lavapipe only";
  fusion::Executor unfenced({.fences = false});
  runtime::set_executor_source([&] { return &unfenced; });
  rc::Random random(7);
  std::size_t differ = 0;
  int draws = 0;
  for (; draws < 300 && differ < 3; ++draws) {
    const Chain c = rc::gen::arbitrary<Chain>()(random.split(), 100).value();
    const auto apart = run(*device, c, false);
    if (finite(apart)) differ += !same_bits(apart, run(*device, c, true));
  }
  device.reset();
  runtime::set_executor_source(nullptr);
  std::cout << differ << " of " << draws << " chains differ without fences\n";
  EXPECT_GT(differ, 0u);
}

}  // namespace
}  // namespace weft::test
