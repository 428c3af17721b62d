// What the webgpu tier does not take, as clauses after "it runs elsewhere because" (KER-TIER-04): golden texts, no device.
#include <gtest/gtest.h>

#include "backends/webgpu/compiled.hpp"
#include "draft.hpp"

namespace weft::webgpu::test {
namespace {

constexpr DType f32{Scalar::float32};

WGPULimits limits() {
  WGPULimits l{};
  l.maxStorageBuffersPerShaderStage = 8;
  l.maxComputeInvocationsPerWorkgroup = l.maxComputeWorkgroupSizeX = 256;
  l.maxComputeWorkgroupStorageSize = 16384;
  l.maxUniformBufferBindingSize = 65536;
  return l;
}

/// A program that stores to the first of `arrays` arrays and folds `folds` sums.
std::shared_ptr<trace::Program> program(int arrays, int folds, std::uint32_t workgroup = 64, DType type = f32) {
  Draft d("p");
  Node first = nullptr;
  for (int a = 0; a < arrays; ++a) {
    Node made = d.array(type, true);
    if (!first) first = made;
  }
  if (first) d.store(first, d.i, d.load(first, d.i));
  for (int f = 0; f < folds; ++f) d.fold(Op::ADD, f32);
  return d.finish(workgroup);
}

TEST(WebgpuRefusal, TakesWhatFits) {
  EXPECT_EQ(refusal(*program(8, 0), limits()), std::nullopt);
  EXPECT_EQ(refusal(*program(5, 3), limits()), std::nullopt);
  EXPECT_EQ(refusal(*program(1, 0, 256), limits()), std::nullopt);
}

// FUSE-F5, F-12 (c): arrays are counted with one array of partials for each fold (FUSE-RED-02).
TEST(WebgpuRefusal, TooManyArrays) {
  EXPECT_EQ(refusal(*program(9, 0), limits()), "it binds 9 arrays and the device allows 8");
  EXPECT_EQ(refusal(*program(6, 3), limits()), "it binds 9 arrays and the device allows 8");
}

// KER-AUTH-07
TEST(WebgpuRefusal, WorkgroupAboveTheDevice) {
  EXPECT_EQ(refusal(*program(1, 0, 512), limits()), "its workgroups have 512 invocations and the device allows 256");
}

TEST(WebgpuRefusal, WorkgroupMemory) {
  auto few = limits();
  few.maxComputeWorkgroupStorageSize = 2048;
  EXPECT_EQ(refusal(*program(1, 3), few),
            "its reductions take 3072 bytes of workgroup memory and the device allows 2048");
}

// KER-LOOP-04, KER-ACC-05, KER-NUM-06, KER-NUM-10
TEST(WebgpuRefusal, OtherKindsOfPrograms) {
  auto serial = program(1, 0);
  serial->serial = true;
  EXPECT_EQ(refusal(*serial, limits()), "it may not run in any order");
  auto wide = program(1, 0);
  wide->needs_int64 = true;
  EXPECT_EQ(refusal(*wide, limits()), "its indices need 64 bits");
  EXPECT_EQ(refusal(*program(1, 0, 64, Scalar::float64), limits()), "it computes in doubles");
  EXPECT_EQ(refusal(*program(1, 0, 64, Scalar::float16), limits()),
            "it computes in float16, which the webgpu tier does not have");
  EXPECT_EQ(refusal(*program(1, 0, 64, Scalar::int8), limits()),
            "it computes in int8, which the webgpu tier does not have");
}

}  // namespace
}  // namespace weft::webgpu::test
