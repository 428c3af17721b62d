// What finish makes around the code: slots, uniforms, keys, and what a kernel keeps of its lowering.
#include <thread>

#include "lower/lowering.hpp"

namespace weft::test {
namespace {

std::shared_ptr<const trace::KernelCore> saxpy(const char* signature = "saxpy(a, x, y, b)") {
  return kernel(signature,
                [](weft::Scalar<float> a, Array<const float> x, Array<float> y, weft::Scalar<std::int32_t> b) {
                  loop(y.length(), [&](Index i) { y[i] = a * x[i] + y[i] + cast<float>(b); });
                })
      .core();
}

TEST(Program, slots_are_the_arrays_it_touches) {
  const auto lone = trace::lone_program(lowered(saxpy()));
  EXPECT_EQ(lone.params, (std::vector<std::uint16_t>{1, 2}));
  ASSERT_EQ(lone.program->slots.size(), 2u);
  EXPECT_EQ(lone.program->slots[0].name, "x");
  EXPECT_TRUE(lone.program->slots[0].read && !lone.program->slots[0].written);
  EXPECT_TRUE(lone.program->slots[1].read && lone.program->slots[1].written);
  EXPECT_EQ(lone.program->label, "saxpy");
  EXPECT_EQ(lone.program->workgroup, 64u);
}

TEST(Program, uniforms_are_the_scalars_it_uses) {
  const auto p = program(saxpy());
  std::vector<std::tuple<ir::Source, std::uint32_t, std::uint32_t>> seen;
  for (const trace::Uniform& u : p->uniforms) seen.emplace_back(u.source, u.index, u.offset);
  using S = ir::Source;
  EXPECT_EQ(seen, (decltype(seen){
                      {S::zero, 0, 0}, {S::trip, 0, 4}, {S::length, 1, 8}, {S::scalar, 0, 12}, {S::scalar, 3, 16}}));
  EXPECT_EQ(p->uniform_bytes, 32u);
  for (Node n : nodes(p->root, Op::PARAM))
    if (n->arg.storage->space == ir::Space::alu) {
      const trace::Uniform& u = p->uniforms.at(n->arg.storage->slot);
      EXPECT_TRUE(u.source == n->arg.storage->source && u.index == n->arg.storage->index && u.dtype == n->dtype);
    }
}

TEST(Program, wide_words_come_first_and_aligned) {
  const auto p = program(saxpy(), {.wide = true});
  for (std::size_t k = 2; k < p->uniforms.size(); ++k) {
    EXPECT_EQ(p->uniforms[k].offset % p->uniforms[k].dtype.bytes(), 0u);
  }
  EXPECT_EQ(p->uniforms[2].dtype, DType(Scalar::int64));
}

TEST(Program, equal_code_has_one_key) {
  EXPECT_EQ(program(saxpy())->key, program(saxpy())->key) << "whoever traced it";
  EXPECT_EQ(program(saxpy())->key.size(), 32u);
  EXPECT_NE(program(saxpy())->key, program(saxpy(), {.bits = Bits::fast})->key);
  EXPECT_NE(program(saxpy())->key, program(saxpy(), {.wide = true})->key);
  EXPECT_NE(program(saxpy())->key, program(saxpy(), {.fences = false})->key);
  const auto other = [](int c) {
    return kernel("f(x)", [&](Array<std::int32_t> x) { loop(x.length(), [&](Index i) { x[i] = x[i] + c; }); }).core();
  };
  EXPECT_NE(program(other(1))->key, program(other(2))->key);
  const auto sized = [](std::uint32_t n) {
    return kernel("f(x)", workgroup_size(n), [](Array<float> x) { loop(x.length(), [&](Index i) { x[i] = 1.0f; }); })
        .core();
  };
  EXPECT_NE(program(sized(64))->key, program(sized(128))->key);
  EXPECT_EQ(program(sized(128))->workgroup, 128u);
}

TEST(Program, folds_are_listed_with_their_operators_KER_RED_01) {
  const auto k = kernel("f(x)", [](Array<const float> x) {
    Var<float> sum = 0, most = 0;
    loop(x.length(), [&](Index i) {
      sum += x[i];
      most = max(most, x[i]);
    });
    return std::tuple(sum, most);
  });
  const auto p = program(k.core());
  ASSERT_EQ(p->folds.size(), 2u);
  EXPECT_EQ(p->folds[0].op, Op::ADD);
  EXPECT_EQ(p->folds[1].op, Op::MAX);
  EXPECT_EQ(p->root->count, 4u);
  EXPECT_EQ(count(p->root, Op::MAX), 0u);
}

TEST(Program, a_fold_step_is_in_legal_form_KER_NUM_03) {
  ir::Graph g;
  const Node a = g.local(Scalar::float32, 1), b = g.local(Scalar::float32, 2);
  EXPECT_TRUE(trace::legal_fold_step(g, Op::ADD, a, b)->is(Op::ADD));
  EXPECT_TRUE(trace::legal_fold_step(g, Op::MAX, a, b)->is(Op::WHERE));
  EXPECT_TRUE(trace::legal_fold_step(g, Op::MAX, g.local(Scalar::int32, 3), g.local(Scalar::int32, 4))->is(Op::MAX));
}

TEST(Program, a_loop_that_is_not_proved_is_serial_KER_LOOP_04) {
  const auto k =
      kernel("scan(x)", [](Array<float> x) { loop(1, x.length(), [&](Index i) { x[i] = x[i] + x[i - 1]; }); });
  EXPECT_TRUE(program(k.core())->serial);
  EXPECT_FALSE(program(saxpy())->serial);
  EXPECT_EQ(run(k.core(), std::vector{1.0f, 2.0f, 3.0f}).array<float>(0), (std::vector{1.0f, 3.0f, 6.0f}));
}

TEST(Program, a_carried_variable_runs_in_order_KER_LOOP_02) {
  const auto k = kernel("scan(x, y)", [](Array<const float> x, Array<float> y) {
    Var<float> running = 10;
    loop(x.length(), [&](Index i) {
      running = running * 0.5f + x[i];
      y[i] = running;
    });
    return running;
  });
  const auto ran = run(k.core(), std::vector{1.0f, 2.0f, 4.0f}, std::vector<float>(3));
  EXPECT_EQ(ran.array<float>(1), (std::vector{6.0f, 5.0f, 6.5f}));
  EXPECT_EQ(ran.results[0].bits, scalar(6.5f).bits);
}

TEST(Program, lowering_is_kept_with_the_kernel) {
  const auto core = saxpy();
  const auto first = lowered(core);
  EXPECT_EQ(first.get(), lowered(core).get());
  EXPECT_EQ(trace::lone_program(first).program, trace::lone_program(first).program);
  EXPECT_EQ(trace::lone_program(first).program, trace::lone_program(lowered(core)).program);
}

TEST(Program, a_kernel_does_not_keep_itself_alive) {
  std::weak_ptr<const trace::KernelCore> watch;
  std::shared_ptr<const trace::Lowered> held;
  {
    const auto core = saxpy();
    watch = core;
    held = lowered(core);
    EXPECT_EQ(trace::lone_program(held).program->label, "saxpy");
  }
  EXPECT_FALSE(watch.expired()) << "what was lowered keeps its kernel";
  EXPECT_EQ(held->kernel->facts.name, "saxpy");
  held.reset();
  EXPECT_TRUE(watch.expired());
}

TEST(Program, many_threads_lower_one_kernel) {
  const auto core = saxpy();
  std::vector<std::shared_ptr<const trace::Program>> made(8);
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < made.size(); ++k)
    threads.emplace_back([&, k] { made[k] = program(core, {.wide = k % 2 == 1}); });
  for (auto& t : threads) t.join();
  for (std::size_t k = 2; k < made.size(); ++k) EXPECT_EQ(made[k], made[k % 2]);
}

}  // namespace
}  // namespace weft::test
