// Loading wgpu-native, choosing an adapter, limits: what is refused and what it says.
#include "backends/webgpu/native.hpp"

#include <gtest/gtest.h>

#include "backends/webgpu/adapter.hpp"
#include "backends/webgpu/driver.hpp"
#include "rig.hpp"

namespace weft::webgpu::test {
namespace {

// G-03: another release has other numbers for the same names; a patch has not. Both versions are named in the message.
TEST(WebgpuNative, ComparesVersions) {
  EXPECT_TRUE(same_interface(0x1d000101, 0x1d000101));
  EXPECT_TRUE(same_interface(0x1d000101, 0x1d000200));
  EXPECT_FALSE(same_interface(0x1d000101, 0x1d010101));
  EXPECT_FALSE(same_interface(0x1d000101, 0x1b000401));
  EXPECT_FALSE(same_interface(0x1d000101, 0));
  EXPECT_EQ(version_text(0x1d000101), "29.0.1.1");
  EXPECT_EQ(version_text(0x1b000400), "27.0.4");
}

// FUSE-LIM-02: labels are valid UTF-8 without NUL, of bounded length, whatever the author's name is.
TEST(WebgpuNative, CleansLabels) {
  EXPECT_EQ(label("blur"), "blur");
  EXPECT_EQ(label("größe"), "größe");
  EXPECT_EQ(label(std::string_view("a\0b", 3)), "a?b");
  EXPECT_EQ(label("\xff\xc0\xafx"), "???x");
  EXPECT_EQ(label("\xe2\x82"), "??");
  EXPECT_EQ(label("\xed\xa0\x80"), "???") << "a surrogate";
  EXPECT_EQ(label(std::string(10'000, 'n')).size(), 240u);
  EXPECT_EQ(label(std::string(239, 'n') + "ö"), std::string(239, 'n')) << "no character is cut in two";
}

// KER-DEV-06: a limit may be lowered by its name; one that does not exist is an error; alignments are no upper limits.
TEST(WebgpuNative, LowersLimits) {
  WGPULimits limits{};
  limits.maxStorageBuffersPerShaderStage = 32;
  limits.minStorageBufferOffsetAlignment = 256;
  auto less = lowered(limits, {{"maxStorageBuffersPerShaderStage", 8}, {"minStorageBufferOffsetAlignment", 1}});
  ASSERT_TRUE(less);
  EXPECT_EQ(less->maxStorageBuffersPerShaderStage, 8u);
  EXPECT_EQ(less->minStorageBufferOffsetAlignment, 256u);
  EXPECT_EQ(lowered(limits, {{"maxStorageBuffersPerShaderStage", 1000}})->maxStorageBuffersPerShaderStage, 32u);
  auto none = lowered(limits, {{"maxFrobs", 1}});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, backend::ErrorKind::range);
  EXPECT_EQ(none.error().message, "maxFrobs is not a limit of WebGPU.");
}

// KER-DEV-01: adapters say what they are; hardware stands before software.
TEST(WebgpuNative, DescribesAdapters) {
  auto found = driver()->adapters();
  if (!found) GTEST_SKIP() << "no Vulkan device: " << found.error().message;
  bool software = false;
  for (const backend::Info& info : *found) {
    SCOPED_TRACE(info.adapter);
    EXPECT_FALSE(info.adapter.empty());
    EXPECT_FALSE(info.driver.empty());
    EXPECT_TRUE(info.fuses);
    EXPECT_FALSE(info.int64);
    EXPECT_FALSE(info.runs_serial);
    EXPECT_GE(info.limit("maxStorageBuffersPerShaderStage", 0), 8u);
    EXPECT_GE(info.limit("maxBufferSize", 0), 1u << 28);
    EXPECT_TRUE(!software || info.software) << "a GPU after a software adapter";
    software = info.software;
    if (info.adapter.find("llvmpipe") != std::string::npos) { EXPECT_TRUE(info.software); }
  }
}

// KER-DEV-06: an adapter that is not there is a LoadError that lists those that are.
TEST(WebgpuNative, NamesTheAdaptersThereAre) {
  auto found = driver()->adapters();
  if (!found) GTEST_SKIP() << "no Vulkan device: " << found.error().message;
  auto opened = driver()->open({"Voodoo 2", {}});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind, backend::ErrorKind::load);
  EXPECT_NE(opened.error().message.find("Voodoo 2"), std::string::npos);
  EXPECT_NE(opened.error().message.find(found->front().adapter), std::string::npos);
}

// KER-DEV-06, F-12: a lowered limit holds for programs too: 9 arrays where 8 are allowed are refused by number, as are
// partials of folds; what a device cannot do is said before anything is compiled.
TEST(WebgpuNative, OpensWithLoweredLimits) {
  on_each_device([](Rig& whole) {
    backend::OpenOptions options{whole.name(), {{"maxStorageBuffersPerShaderStage", 8}, {"maxBufferSize", 1 << 20}}};
    auto rig = open_rig(options);
    ASSERT_TRUE(rig);
    EXPECT_EQ(rig->backend().info().limit("maxStorageBuffersPerShaderStage", 0), 8u);
    auto made = rig->backend().create({(1 << 20) + 4, "image"});
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().message,
              "image takes 1048580 bytes, and a buffer of this device holds at most 1048576 (maxBufferSize).");
  });
}

}  // namespace
}  // namespace weft::webgpu::test
