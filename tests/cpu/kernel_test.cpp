// Compiling: what is cached, refused and shown.
#include <thread>

#include "backends/cpu/compile.hpp"
#include "cpu/rig.hpp"
#include "kernel/run_kernel.hpp"

using namespace weft;
using cpu::test::Rig;

namespace {

std::shared_ptr<const trace::Program> program(float factor) {
  const auto k = kernel("scale(x, y)", [&](Array<const float> x, Array<float> y) {
    loop(y.length(), [&](Index i) { y[i] = x[i + 1] * factor; });
  });
  return trace::lone_program(trace::lower_loop(k.core(), 0, {})).program;
}

}  // namespace

TEST(CpuKernel, one_key_is_compiled_once_by_all_devices_and_threads) {
  Rig a, b;
  const auto p = program(0.8125f), other = program(0.8126f);
  std::vector<backend::CompiledId> ids(4);
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < ids.size(); ++k)
    threads.emplace_back([&, k] { ids[k] = *(k % 2 ? a : b).compile(k < 2 ? p : program(0.8125f)); });
  for (std::thread& t : threads) t.join();
  for (backend::CompiledId id : ids) EXPECT_EQ(id, ids[0]);
  EXPECT_NE(*a.compile(other), ids[0]);
}

TEST(CpuKernel, KER_AUTH_09_the_emitted_code_names_the_author_s_arrays_and_is_the_same_each_time) {
  Rig rig;
  const auto a = rig.backend().emitted(*program(2)), b = rig.backend().emitted(*program(2));
  ASSERT_TRUE(a && b);
  EXPECT_EQ(*a, *b);
  EXPECT_NE((*a).find("ptr noalias nocapture readonly %x"), std::string::npos) << *a;
  EXPECT_NE((*a).find("ptr noalias nocapture %y"), std::string::npos) << *a;
}

TEST(CpuKernel, KER_BIT_01_no_operation_carries_a_fast_math_flag) {
  Rig rig;
  const auto text = rig.backend().emitted(*program(3));
  ASSERT_TRUE(text);
  for (const char* flag : {" fast ", " reassoc ", " contract ", " nnan ", " nsz "})
    EXPECT_EQ((*text).find(flag), std::string::npos) << flag;
}

TEST(CpuKernel, KER_NUM_10_a_type_that_is_not_rendered_is_refused_with_its_name) {
  trace::Program p;
  p.label = "halve";
  const auto end = p.graph.cast(p.graph.constant(4), ScalarType::int32);
  const auto range = p.graph.range(end, 1);
  const auto half = p.graph.cast(range, ScalarType::float16);
  const auto store = p.graph.make(ir::Op::STORE, {p.graph.local(ScalarType::float16, 2), half}, ir::Graph::number(3));
  p.root = p.graph.make(ir::Op::GRID, {range, p.graph.make(ir::Op::BLOCK, {store}, ir::Graph::number(4))},
                        ir::Graph::number(5));
  Rig rig;
  EXPECT_EQ(rig.backend().refuses(p), "it computes with float16, which the cpu tier does not have");
}

TEST(CpuKernel, KER_DEV_01_info) {
  Rig rig, one(1);
  const backend::Info& info = rig.backend().info();
  EXPECT_EQ(info.tier, Tier::cpu);
  EXPECT_EQ(info.adapter, cpu::host().cpu);
  EXPECT_TRUE(info.driver.starts_with("LLVM 19.")) << info.driver;
  EXPECT_TRUE(info.int64 && info.runs_serial);
  EXPECT_FALSE(info.software || info.fuses || info.timestamps);
  EXPECT_GE(info.limit("threads", 0), 1u);
  EXPECT_EQ(one.backend().info().limit("threads", 0), 1u);
}
