// The code of a kernel per tier, as explain() ends (KER-AUTH-09).
#include <cstdlib>

#include "runtime/null_device.hpp"

namespace weft::test {
namespace {

TEST(Explain, KER_AUTH_09_every_tier_gives_its_code_or_the_reason_there_is_none) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto use = [] {  // in a process of its own, since the default device lives as long
    setenv("WEFT_TIERS", "webgpu,gles,cpu", 1);
    NullTiers tiers;
    tiers.add(Tier::webgpu).add(Tier::cpu);
    runtime::set_driver_source(tiers.source());
    const std::string parallel = add_one().explain(), serial = prefix().explain();
    std::fprintf(stderr, "%s%s", parallel.c_str(), serial.c_str());
    std::exit(0);
  };
  EXPECT_EXIT(use(), ::testing::ExitedWithCode(0),
              "webgpu, loop 1:\ninterpreted: add_one .*\n"
              "gles, loop 1: weft-gles: there is no such module; install it\n"
              "cpu, loop 1:\ninterpreted: add_one (.|\n)*"
              "webgpu, loop 1: its loop 1 (.|\n)*"
              "cpu, loop 1:\ninterpreted: prefix ");
}

}  // namespace
}  // namespace weft::test
