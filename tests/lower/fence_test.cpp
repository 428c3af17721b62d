// Where fences stand (KER-BIT-01, KER-BIT-02): after every float operation that feeds another, under Bits::exact.
#include "kernel/lower_fence.hpp"
#include "lower/lowering.hpp"

namespace weft::test {
namespace {

std::size_t fences(const std::shared_ptr<const trace::KernelCore>& core, const trace::Config& config = {}) {
  return count(program(core, config)->root, Op::FENCE);
}
template <class F> std::shared_ptr<const trace::KernelCore> map(F f) {
  return kernel("f(x, y, r)", [&](Array<const float> x, Array<const float> y,
                                  Array<float> r) { loop(r.length(), [&](Index i) { r[i] = f(x[i], y[i]); }); })
      .core();
}

TEST(Fence, a_product_that_is_added_KER_BIT_01) {
  const auto core = map([](auto x, auto y) { return x * y + x; });
  const auto p = program(core);
  const auto found = nodes(p->root, Op::FENCE);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE((*found[0])[0]->is(Op::MUL));
  EXPECT_TRUE((*nodes(p->root, Op::ADD).at(0))[0]->is(Op::FENCE)) << "what is used is the fenced value";
}

TEST(Fence, not_what_is_only_stored_KER_BIT_01) {
  EXPECT_EQ(fences(map([](auto x, auto y) { return x * y; })), 0u);
  EXPECT_EQ(fences(map([](auto x, auto y) { return select(x < y, x * y, x + y); })), 0u) << "select only moves";
}

// Drivers take x * 0 for 0 and x + 0 for x, which -0 shows.
TEST(Fence, a_zero_that_is_computed_with_KER_BIT_01) {
  EXPECT_EQ(fences(map([](auto x, auto) { return x * 0.0f; })), 1u);
  EXPECT_EQ(fences(map([](auto x, auto) { return 0 - x; })), 1u);
  EXPECT_EQ(fences(map([](auto x, auto) { return x * 1.0f + -0.0f; })), 1u) << "only the product";
  EXPECT_EQ(fences(map([](auto x, auto y) { return select(x < 0.0f, 0.0f, y); })), 0u);
  EXPECT_EQ(fences(map([](auto x, auto) { return x * 0.0f; }), {.bits = Bits::fast}), 0u);
}

TEST(Fence, through_select_KER_BIT_01) {
  EXPECT_EQ(fences(map([](auto x, auto y) { return select(x < y, x * y, x + y) - x; })), 2u);
}

TEST(Fence, before_a_comparison_KER_BIT_01) {
  EXPECT_EQ(fences(map([](auto x, auto y) { return select(x + y < 1.0f, x, y); })), 1u);
}

TEST(Fence, before_bits_and_conversions_KER_BIT_01) {
  EXPECT_EQ(fences(map([](auto x, auto y) { return bitcast<float>(bitcast<std::int32_t>(x * y) ^ 1); })), 1u);
  EXPECT_EQ(fences(map([](auto x, auto y) { return cast<float>(cast<std::int32_t>(x * y)); })), 1u);
  EXPECT_EQ(fences(map([](auto x, auto y) { return max(x * y, y); })), 1u) << "min and max compare the bits";
}

TEST(Fence, through_a_variable_KER_BIT_01) {
  const auto core = map([](auto x, auto y) {
    Var<float> v = x * y;
    If(x < y, [&] { v = x + y; });
    return v + x;
  });
  EXPECT_EQ(fences(core), 2u);
}

TEST(Fence, through_an_array_that_is_read_back_KER_BIT_01) {
  const auto k = kernel("f(x, r)", [](Array<const float> x, Array<float> r) {
    loop(r.length(), [&](Index i) {
      r[i] = x[i] * x[i];
      r[i] = r[i] + x[i];
    });
  });
  EXPECT_EQ(fences(k.core()), 2u) << "drivers forward stores to loads";
}

TEST(Fence, of_what_is_folded_KER_BIT_01) {
  const auto k = kernel("dot(x, y)", [](Array<const float> x, Array<const float> y) {
    Var<float> s = 0;
    loop(x.length(), [&](Index i) { s += x[i] * y[i]; });
    return s;
  });
  EXPECT_EQ(fences(k.core()), 2u) << "the product, and the sum that goes into the tree";
}

TEST(Fence, integers_need_none_KER_BIT_01) {
  const auto k =
      kernel("f(x)", [](Array<std::int32_t> x) { loop(x.length(), [&](Index i) { x[i] = x[i] * 3 + x[i] - 7; }); });
  EXPECT_EQ(fences(k.core()), 0u);
}

TEST(Fence, one_for_each_operation_that_feeds_another_KER_BIT_01) {
  EXPECT_EQ(fences(map([](auto x, auto y) { return ((x + y) - x) * y / (x + 1.0f); })), 4u);
  EXPECT_EQ(fences(map([](auto x, auto y) { return sqrt(x * x + y * y); })), 3u);
}

TEST(Fence, none_inside_a_fast_call_KER_BIT_02) {
  EXPECT_EQ(fences(map([](auto x, auto y) { return x * y + x; }), {.bits = Bits::fast}), 0u);
}

TEST(Fence, none_with_the_control_KER_BIT_01) {
  EXPECT_EQ(fences(map([](auto x, auto y) { return ((x + y) - x) * y; }), {.fences = false}), 0u);
}

// What a linker puts between two calls.
class Linked : public ::testing::Test {
 protected:
  std::size_t fences(const trace::Config& config) {
    KernelBuilder k("f");
    const auto a = k.array("a", Scalar::float32);
    k.loop(k.length(a), [&](Node i) {
      const Node x = k.load(a, i);
      const Node between = k.make(Op::FENCE, {k.make(Op::MUL, {x, x})});
      k.store(a, i, k.make(Op::ADD, {between, x}));
    });
    return count(program(k.finish(), config)->root, Op::FENCE);
  }
};

// a is read, so what is stored in it is fenced as well.
TEST_F(Linked, a_fence_between_calls_stays_and_is_not_doubled_KER_BIT_01) { EXPECT_EQ(fences({}), 2u); }
TEST_F(Linked, also_under_fast_KER_BIT_02) { EXPECT_EQ(fences({.bits = Bits::fast}), 1u); }
TEST_F(Linked, and_goes_in_the_control_KER_BIT_01) {
  EXPECT_EQ(fences({.fences = false}) + fences({.bits = Bits::fast, .fences = false}), 0u);
}

}  // namespace
}  // namespace weft::test
