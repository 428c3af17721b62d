// Compiling on every Vulkan device: the cache, and what a shader that the driver refuses comes to.
#include "draft.hpp"
#include "rig.hpp"

namespace weft::webgpu::test {
namespace {

constexpr DType f32{Scalar::float32}, i32{Scalar::int32};

// Equal keys are one program and one pipeline.
TEST(WebgpuCompile, CachesByKey) {
  on_each_device([](Rig& rig) {
    const auto make = [] {
      Draft d("cached");
      auto y = d.array(i32, true);
      d.store(y, d.i, d.i);
      auto p = d.finish();
      p->key = "one key";
      return p;
    };
    EXPECT_EQ(rig.compile(make()), rig.compile(make()));
    auto other = make();
    other->key = "another key";
    EXPECT_NE(rig.compile(make()), rig.compile(other));
  });
}

// KER-ERR-01: a shader that is refused is a compile error with the driver's message and the whole text, under the author's
// name; the device goes on, and what was there before is untouched.
TEST(WebgpuCompile, FailureHasMessageAndSource) {
  on_each_device([](Rig& rig) {
    const auto a = rig.array(std::vector<std::int32_t>{1, 2});
    Draft d("broken");
    auto y = d.array(f32, true);
    d.store(y, d.i, d.i);  // an integer into an array of floats: no lowering makes this
    auto result = rig.try_compile(d.finish());
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, backend::ErrorKind::compile);
    EXPECT_EQ(result.error().message.rfind("The shader of broken does not compile: ", 0), 0u) << result.error().message;
    EXPECT_NE(result.error().message.find("i32"), std::string::npos) << result.error().message;
    EXPECT_NE(result.error().source.find("@compute"), std::string::npos);
    Draft e("whole");
    auto z = e.array(i32, true);
    e.store(z, e.i, e.i);
    auto p = e.finish();
    rig.run(rig.call(p, {{a, 0, 8}}, 2));
    EXPECT_EQ(rig.read<std::int32_t>(a, 2), (std::vector<std::int32_t>{0, 1}));
  });
}

// A refused program is an error of its own kind where a caller compiles it all the same.
TEST(WebgpuCompile, RefusedProgramsAreUnsupported) {
  on_each_device([](Rig& rig) {
    Draft d("serial");
    auto y = d.array(i32, true);
    d.store(y, d.i, d.i);
    auto p = d.finish();
    p->serial = true;
    auto result = rig.try_compile(p);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, backend::ErrorKind::unsupported);
    EXPECT_EQ(result.error().message, "serial does not run on the webgpu tier: it may not run in any order.");
    EXPECT_EQ(rig.backend().emitted(*p).error().kind, backend::ErrorKind::unsupported);
  });
}

}  // namespace
}  // namespace weft::webgpu::test
