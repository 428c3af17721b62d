// What the probe finds on the drivers that every development machine has, so that a change of theirs is noticed.
#include "backends/webgpu/bit_class.hpp"

#include "rig.hpp"

namespace weft::webgpu::test {
namespace {

// KER-BIT-04, KER-NUM-05: found by running, stated in Info.
TEST(WebgpuBitClass, OfTheSoftwareDrivers) {
  on_each_device([](Rig& rig) {
    const auto& found = rig.backend().info().inexact;
    EXPECT_EQ(found, inexact(rig.backend())) << "the second answer is the first one's";
    if (rig.name().find("llvmpipe") != std::string::npos) {
      EXPECT_EQ(found, (std::vector<std::string>{"a comparison may take NaN for a number", "fma rounds twice"}));
    } else if (rig.is_swiftshader()) {
      EXPECT_EQ(found, (std::vector<std::string>{"subnormal floats are flushed to zero",
                                                 "a comparison may take NaN for a number", "fma rounds twice"}));
    }
  });
}

}  // namespace
}  // namespace weft::webgpu::test
