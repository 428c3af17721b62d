// Guards of accesses (KER-ACC-01, -02, -04): reading outside an array gives zero, writing outside is dropped, and a guard
// stands only where nothing proves it unneeded.
#include "lower/lowering.hpp"
#include "support/program_interpreter.hpp"

namespace weft::test {
namespace {

Gates loads(const std::shared_ptr<const trace::KernelCore>& core, const char* name) {
  return gates(lowered(core)->root, Op::LOAD, name);
}
Gates stores(const std::shared_ptr<const trace::KernelCore>& core, const char* name) {
  return gates(lowered(core)->root, Op::STORE, name);
}

TEST(Guard, none_where_the_header_proves_it_KER_ACC_01) {
  const auto k = kernel("scale(a, b)", [](Array<const float> a, Array<float> b) {
    loop(a.length(), [&](Index i) { b[i] = a[i] * 0.5f; });
  });
  EXPECT_EQ(loads(k.core(), "a").gated, 0u);
  EXPECT_EQ(stores(k.core(), "b").gated, 0u) << "an unconditional write at i is checked at the call";
  EXPECT_EQ(loads(k.core(), "b").all, 0u) << "writing b[i] reads nothing";
}

TEST(Guard, none_under_the_minimum_of_lengths_KER_ACC_01) {
  const auto k = kernel("add(a, b, c)", [](Array<const float> a, Array<const float> b, Array<float> c) {
    loop(min(a.length(), b.length()), [&](Index i) { c[i] = a[i] + b[i]; });
  });
  EXPECT_EQ(loads(k.core(), "a").gated, 0u);
  EXPECT_EQ(loads(k.core(), "b").gated, 0u);
}

TEST(Guard, another_array_is_guarded_KER_ACC_01) {
  const auto k = kernel(
      "f(a, b)", [](Array<const float> a, Array<float> b) { loop(b.length(), [&](Index i) { b[i] = a[i] + 1.0f; }); });
  EXPECT_EQ(loads(k.core(), "a").gated, 1u);
  EXPECT_EQ(run(k.core(), std::vector{1.0f, 2.0f}, std::vector<float>(4)).array<float>(1),
            (std::vector{2.0f, 3.0f, 1.0f, 1.0f}));
}

TEST(Guard, none_at_the_place_of_an_unconditional_write_KER_ACC_01) {
  const auto k = kernel("f(a, n)", [](Array<float> a, weft::Scalar<std::int32_t> n) {
    loop(n, [&](Index i) { a[2 * i + 1] = a[2 * i + 1] * 2.0f; });
  });
  EXPECT_EQ(loads(k.core(), "a").gated, 0u);
  EXPECT_EQ(stores(k.core(), "a").gated, 0u);
}

TEST(Guard, a_conditional_write_is_guarded_KER_ACC_01) {
  const auto k = kernel("f(a, b)", [](Array<const float> a, Array<float> b) {
    loop(a.length(), [&](Index i) { If(a[i] > 0.0f, [&] { b[i] = a[i]; }); });
  });
  EXPECT_EQ(stores(k.core(), "b").gated, 1u);
  EXPECT_EQ(run(k.core(), std::vector{1.0f, -1.0f, 3.0f}, std::vector{9.0f, 9.0f}).array<float>(1),
            (std::vector{1.0f, 9.0f}));
}

TEST(Guard, a_write_after_continue_if_is_guarded_KER_ACC_01) {
  const auto k = kernel("f(a, b)", [](Array<const float> a, Array<float> b) {
    loop(a.length(), [&](Index i) {
      continue_if(a[i] > 0.0f);
      b[i] = a[i];
    });
  });
  EXPECT_EQ(stores(k.core(), "b").gated, 1u);
}

TEST(Guard, a_shifted_read_is_one_unsigned_comparison_KER_ACC_01) {
  const auto k = kernel(
      "f(a, b)", [](Array<const float> a, Array<float> b) { loop(a.length(), [&](Index i) { b[i] = a[i - 1]; }); });
  const Node load = nodes(lowered(k.core())->root, Op::LOAD).at(0);
  ASSERT_EQ(load->count, 2u);
  EXPECT_TRUE((*load)[1]->is(Op::CMPLT));
  EXPECT_EQ((*(*load)[1])[0]->dtype, DType(Scalar::uint32));
  EXPECT_EQ(run(k.core(), std::vector{1.0f, 2.0f, 3.0f}, std::vector<float>(3)).array<float>(1),
            (std::vector{0.0f, 1.0f, 2.0f}));
}

TEST(Guard, the_lower_half_is_dropped_where_bounds_prove_it_KER_ACC_01) {
  const auto k = kernel(
      "f(a, b)", [](Array<const float> a, Array<float> b) { loop(a.length(), [&](Index i) { b[i] = a[i + 1]; }); });
  const Node load = nodes(lowered(k.core())->root, Op::LOAD).at(0);
  ASSERT_EQ(load->count, 2u);
  EXPECT_EQ((*(*load)[1])[0]->dtype, DType(Scalar::int32)) << "i + 1 < length alone";
  EXPECT_EQ(run(k.core(), std::vector{1.0f, 2.0f, 3.0f}, std::vector<float>(3)).array<float>(1),
            (std::vector{2.0f, 3.0f, 0.0f}));
}

TEST(Guard, only_0_or_more_joins_an_unsigned_comparison_KER_ACC_01) {
  const auto k = kernel("f(a)", [](Array<float> a) {
    loop(a.length(), [&](Index i) { If(i > 2 && i < a.length() - 1, [&] { a[i] = a[i] + 1.0f; }); });
  });
  EXPECT_EQ(run(k.core(), std::vector<float>(6)).array<float>(0), (std::vector{0.0f, 0.0f, 0.0f, 1.0f, 1.0f, 0.0f}));
  const auto l = kernel("f(a)", [](Array<float> a) {
    loop(a.length(), [&](Index i) { If(i - 3 > 1 && i - 3 < a.length(), [&] { a[i] = a[i] + 1.0f; }); });
  });
  EXPECT_EQ(run(l.core(), std::vector<float>(7)).array<float>(0),
            (std::vector{0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 1.0f, 1.0f}));
}

TEST(Guard, data_dependent_indices_KER_ACC_01) {
  const auto k =
      kernel("f(a, p, q, b)", [](Array<const float> a, Array<const std::int32_t> p, Array<const std::uint32_t> q,
                                 Array<float> b) { loop(b.length(), [&](Index i) { b[i] = a[p[i]] + a[q[i]]; }); });
  const std::vector<std::int32_t> p{-1, 0, 2, 3, INT32_MIN, INT32_MAX};
  const std::vector<std::uint32_t> q{0, 1, 2, 3, 0x80000000u, 0xFFFFFFFFu};
  EXPECT_EQ(run(k.core(), std::vector{1.0f, 2.0f, 4.0f}, p, q, std::vector<float>(6)).array<float>(3),
            (std::vector{1.0f, 3.0f, 8.0f, 0.0f, 0.0f, 0.0f}));
}

TEST(Guard, the_gate_stands_before_the_access_KER_ACC_01) {
  // The interpreter refuses an access outside the array: with the gate taken away it must.
  const auto k =
      kernel("f(a, b)", [](Array<const float> a, Array<float> b) { loop(b.length(), [&](Index i) { b[i] = a[i]; }); });
  const auto l = lowered(k.core());
  trace::Draft bare{.graph = ir::Graph(),
                    .root = nullptr,
                    .slots = {{Scalar::float32, true, false, "a"}, {Scalar::float32, false, true, "b"}},
                    .workgroup = 64,
                    .config = {},
                    .needs_int64 = false,
                    .serial = false,
                    .label = "bare",
                    .folds = {}};
  bare.root = ir::copy(bare.graph, l->root, [](ir::Graph& g, Node n, std::span<const Node> src) {
    return n->is(Op::LOAD) ? g.make(Op::LOAD, src.first(1), n->arg, n->dtype) : nullptr;
  });
  const ProgramInterpreter interpreter(trace::finish(std::move(bare)));
  std::vector<float> a(1), b(2);
  const std::vector<std::span<std::byte>> bound{std::as_writable_bytes(std::span(a)),
                                                std::as_writable_bytes(std::span(b))};
  const auto uniforms = pack_uniforms(interpreter.program(), 2, [](const trace::Uniform&) { return 0u; });
  EXPECT_THROW(interpreter.run(bound, uniforms, 2), ContractBroken);
}

TEST(Guard, length_is_of_the_array_bound_KER_ACC_02) {
  const auto k = kernel("f(a, b)", [](Array<const float> a, Array<std::int32_t> b) {
    loop(b.length(), [&](Index i) { b[i] = cast<std::int32_t>(a.length() * 2 + b.length()); });
  });
  EXPECT_EQ(run(k.core(), std::vector<float>(5), std::vector<std::int32_t>(2)).array<std::int32_t>(1),
            (std::vector<std::int32_t>{12, 12}));
}

TEST(Guard, two_parameters_of_one_array_are_bound_once_KER_ACC_04) {
  const auto k = kernel("inc(src, dst)", [](Array<const float> src, Array<float> dst) {
    loop(dst.length(), [&](Index i) { dst[i] = src[i] + 1.0f; });
  });
  const std::uint16_t same[] = {0, 0};
  const auto lone = trace::lone_program(lowered(k.core()), same);
  ASSERT_EQ(lone.params, (std::vector<std::uint16_t>{0}));
  ASSERT_EQ(lone.program->slots.size(), 1u);
  EXPECT_TRUE(lone.program->slots[0].read && lone.program->slots[0].written);
  EXPECT_EQ(trace::lone_program(lowered(k.core())).program->slots.size(), 2u);

  std::vector<float> x{1, 2, 3, 4};
  const std::vector<std::span<std::byte>> bound{std::as_writable_bytes(std::span(x))};
  ProgramInterpreter(lone.program)
      .run(bound, pack_uniforms(*lone.program, 4, [](const trace::Uniform&) { return 4u; }), 4);
  EXPECT_EQ(x, (std::vector{2.0f, 3.0f, 4.0f, 5.0f}));
}

}  // namespace
}  // namespace weft::test
