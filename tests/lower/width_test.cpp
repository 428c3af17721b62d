// The width of indices (KER-ACC-03, KER-ACC-05): the narrow class up to the largest arrays that 32 bits serve, the wide one
// beyond; and what in a program depends on the class alone.
#include "lower/lowering.hpp"

namespace weft::test {
namespace {

std::shared_ptr<const trace::KernelCore> reads_at(const std::function<Value<WeakInt>(Index)>& index) {
  return kernel("f(a, b)",
                [&](Array<const float> a, Array<float> b) { loop(b.length(), [&](Index i) { b[i] = a[index(i)]; }); })
      .core();
}

std::size_t wide_nodes(Node root) {
  std::size_t n = 0;
  for (Node m : ir::topological(root)) n += m->dtype == Scalar::int64 || m->dtype == Scalar::uint64;
  return n;
}

constexpr std::uint64_t below_two_to(unsigned b) { return (std::uint64_t{1} << b) - 1; }

TEST(Width, narrow_holds_the_largest_arrays_that_int32_serves_KER_ACC_05) {
  EXPECT_EQ(lowered(reads_at([](Index i) { return i; }))->limit, below_two_to(31));
  EXPECT_EQ(lowered(reads_at([](Index i) { return i + 1; }))->limit, below_two_to(31));
  EXPECT_EQ(lowered(reads_at([](Index i) { return i * 2; }))->limit, below_two_to(30));
  EXPECT_EQ(lowered(reads_at([](Index i) { return i * 3 + 2; }))->limit, below_two_to(29));
  EXPECT_EQ(lowered(reads_at([](Index i) { return i * 1000; }))->limit, below_two_to(21));
  for (int step : {1, 2, 3, 1000}) {
    const auto l = lowered(reads_at([&](Index i) { return i * step; }));
    EXPECT_FALSE(l->needs_int64) << step;
    EXPECT_EQ(wide_nodes(l->root), 0u) << step;
  }
}

TEST(Width, wide_serves_every_array_KER_ACC_05) {
  const auto l = lowered(reads_at([](Index i) { return i * 3 + 2; }), {.wide = true});
  EXPECT_EQ(l->limit, 0xFFFFFFFFu);
  EXPECT_TRUE(l->needs_int64);
  for (Node n : nodes(l->root, Op::INDEX))
    EXPECT_EQ((*n)[1]->dtype, DType(Scalar::int64)) << (*n)[0]->arg.storage->name;
}

TEST(Width, a_run_time_step_stays_narrow_KER_ACC_05) {
  const auto k = kernel("f(a, s)", [](Array<float> a, weft::Scalar<std::int32_t> s) {
    loop(0, a.length(), s, [&](Index i) { a[i] = a[i] + 1.0f; });
  });
  const auto l = lowered(k.core());
  EXPECT_FALSE(l->needs_int64);
  EXPECT_EQ(l->limit, below_two_to(31));
  EXPECT_EQ(run(k.core(), std::vector<float>(5), 2).array<float>(0), (std::vector{1.0f, 0.0f, 1.0f, 0.0f, 1.0f}));
  EXPECT_EQ(run(k.core(), std::vector<float>(5), 7).array<float>(0), (std::vector{1.0f, 0.0f, 0.0f, 0.0f, 0.0f}));
}

TEST(Width, a_run_time_step_leaves_room_for_arithmetic_KER_ACC_05) {
  const auto k = kernel("f(a, b, s)", [](Array<const float> a, Array<float> b, weft::Scalar<std::int32_t> s) {
    loop(0, b.length(), s, [&](Index i) { b[i] = a[i + 1]; });
  });
  EXPECT_FALSE(lowered(k.core())->needs_int64) << "the counter is known to stay below the arrays' length";
  EXPECT_EQ(lowered(k.core())->limit, below_two_to(30));
  EXPECT_EQ(run(k.core(), std::vector{1.0f, 2.0f, 3.0f, 4.0f}, std::vector<float>(4), 2).array<float>(1),
            (std::vector{2.0f, 0.0f, 4.0f, 0.0f}));
}

TEST(Width, an_index_does_not_wrap_KER_ACC_03) {
  // 2^20 * 4096 is 0 in 32 bits and would read a[0].
  const auto core = reads_at([](Index i) { return i * 1048576; });
  EXPECT_TRUE(lowered(core)->needs_int64);
  const auto b = run(core, std::vector{7.0f}, std::vector<float>(4098)).array<float>(1);
  EXPECT_EQ(b[0], 7.0f);
  for (std::size_t i = 1; i < b.size(); ++i) EXPECT_EQ(b[i], 0.0f) << i;
}

// W-12: the index needs 64 bits where the guard is false. The guard keeps its width, only what it guards may narrow.
TEST(Width, only_a_guarded_index_narrows_KER_ACC_05) {
  const auto k = kernel("f(out)", [](Array<std::int32_t> out) {
    loop(2, [&](Index i) {
      For(10, [&](Index j) {
        const auto at = i * std::int64_t{4294967296} + j;
        If(at < 10, [&] { out[at] = cast<std::int32_t>(i + 1); });
      });
    });
  });
  const auto l = lowered(k.core());
  EXPECT_TRUE(l->needs_int64);
  const Node store = nodes(l->root, Op::STORE).at(0);
  EXPECT_EQ((*(*store)[0])[1]->dtype, DType(Scalar::int32)) << "the index of an array of less than 2^31 elements";
  ASSERT_EQ(store->count, 3u);
  bool compares_64 = false;
  for (Node n : ir::topological((*store)[2])) compares_64 |= n->is(Op::CMPLT) && bit_size((*n)[0]->dtype.scalar) == 64;
  EXPECT_TRUE(compares_64);
  EXPECT_EQ(run(k.core(), std::vector<std::int32_t>(10)).array<std::int32_t>(0), std::vector<std::int32_t>(10, 1));
}

TEST(Width, the_authors_own_64_bits_do_not_make_a_loop_small_KER_ACC_05) {
  KernelBuilder k("f");
  const auto a = k.array("a", Scalar::int32);
  k.loop(k.length(a), [&](Node i) {
    const Node wide = k.graph().cast(k.load(a, i), Scalar::int64);
    k.store(a, i, k.graph().cast(k.make(Op::SHR, {k.make(Op::MUL, {wide, wide}), k.lit(20)}), Scalar::int32));
  });
  const auto l = lowered(k.finish());
  EXPECT_TRUE(l->needs_int64);
  EXPECT_EQ(l->limit, below_two_to(31));
}

TEST(Width, the_trip_count_is_one_word_in_both_classes_KER_LOOP_06) {
  const auto core = reads_at([](Index i) { return i; });
  for (bool wide : {false, true}) {
    const auto p = program(core, {.wide = wide});
    EXPECT_EQ(p->uniforms[1].source, ir::Source::trip);
    EXPECT_EQ(p->uniforms[1].offset, 4u);
    EXPECT_EQ(p->uniforms[1].dtype.bytes(), 4u);
  }
}

}  // namespace
}  // namespace weft::test
