// Reductions in the tree order on every Vulkan device, against a plain evaluation of the same tree.
#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "draft.hpp"
#include "rig.hpp"

namespace weft::webgpu::test {
namespace {

constexpr DType f32{Scalar::float32}, i32{Scalar::int32}, u32{Scalar::uint32};

/// KER-RED-02 in C++: blocks of 256, padded with the identity, strides 128 to 1, level by level.
template <class T, class Fold> T tree(std::vector<T> v, T identity, Fold op) {
  do {
    std::vector<T> next;
    for (std::size_t block = 0; block < v.size(); block += 256) {
      T slot[256];
      for (std::size_t k = 0; k < 256; ++k) slot[k] = block + k < v.size() ? v[block + k] : identity;
      for (std::size_t stride = 128; stride > 0; stride /= 2)
        for (std::size_t k = 0; k < stride; ++k) slot[k] = op(slot[k], slot[k + stride]);
      next.push_back(slot[0]);
    }
    v = std::move(next);
  } while (v.size() > 1);
  return v[0];
}

float add(float a, float b) { return a + b; }

template <class T> std::shared_ptr<trace::Program> folding(Op op, DType type) {
  Draft d("fold");
  auto x = d.array(type, false);
  auto s = d.fold(op, type);
  auto now = d.load(s);
  auto value = d.load(x, d.i);
  d.set(s, op == Op::ADD || op == Op::MUL ? d.fence(d.op(op, {now, value})) : d.op(op, {now, value}));
  return d.finish();
}

template <class T>
T fold_on(Rig& rig, const std::shared_ptr<trace::Program>& p, const std::vector<T>& values,
          std::uint32_t dispatches = 0) {
  const auto x = rig.array(values), result = rig.zeros(sizeof(T));
  const auto outcome = rig.run(rig.call(p, {Rig::whole(x, values)}, values.size(), {}, {{result, 0, sizeof(T)}}));
  if (dispatches) { EXPECT_EQ(outcome.passes.at(0).dispatches, dispatches); }
  const T got = rig.read<T>(result, 1)[0];
  rig.backend().destroy(x);
  rig.backend().destroy(result);
  return got;
}

// KER-RED-02, MODEL-7, MODEL-9, FUSE-RED-04: the bits of the tree, and one dispatch more for each power of 256.
TEST(WebgpuReduction, FloatSumIsTheTree) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> any(-1e3f, 1e3f);
  struct Case {
    std::size_t n;
    std::uint32_t dispatches;
  };
  on_each_device([&](Rig& rig) {
    const auto p = folding<float>(Op::ADD, f32);
    for (const Case c : {Case{1, 1}, Case{255, 1}, Case{256, 1}, Case{257, 2}, Case{65'536, 2}, Case{65'537, 3}}) {
      SCOPED_TRACE(c.n);
      std::vector<float> x(c.n);
      for (float& v : x) v = any(random);
      EXPECT_EQ(std::bit_cast<std::uint32_t>(fold_on(rig, p, x, c.dispatches)),
                std::bit_cast<std::uint32_t>(tree(x, -0.f, add)));
    }
  });
}

// F-10 (c): 65,536 workgroups of the first level, which spread over y.
TEST(WebgpuReduction, SumsPastTheDispatchLimit) {
  on_each_device([](Rig& rig) {
    const auto p = folding<std::uint32_t>(Op::ADD, u32);
    EXPECT_EQ(fold_on(rig, p, std::vector<std::uint32_t>(16'776'961, 1u), 3), 16'776'961u);
  });
}

// F-07, KER-RED-03: the identity of a float sum is -0.0, so idle invocations add nothing.
TEST(WebgpuReduction, KeepsNegativeZero) {
  on_each_device([](Rig& rig) {
    const auto p = folding<float>(Op::ADD, f32);
    std::vector<float> x(300, -0.f);
    EXPECT_EQ(std::bit_cast<std::uint32_t>(fold_on(rig, p, x)), 0x80000000u);
    x[150] = 0.f;
    EXPECT_EQ(std::bit_cast<std::uint32_t>(fold_on(rig, p, x)), 0u);
  });
}

// F-08, KER-NUM-03: a NaN loses to a number wherever it stands; of NaNs alone the identity is left.
TEST(WebgpuReduction, NaNLosesToNumbers) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  on_each_device([&](Rig& rig) {
    const auto largest = folding<float>(Op::MAX, f32), least = folding<float>(Op::MIN, f32);
    EXPECT_EQ(fold_on(rig, largest, std::vector<float>{1, nan, 2}), 2.f);
    EXPECT_EQ(fold_on(rig, largest, std::vector<float>{nan, 1}), 1.f);
    EXPECT_EQ(fold_on(rig, largest, std::vector<float>{nan, nan}), -inf);
    EXPECT_EQ(fold_on(rig, least, std::vector<float>{nan, nan}), inf);
    EXPECT_EQ(fold_on(rig, largest, std::vector<float>(300, -inf)), -inf);
    for (int at : {0, 299, 599}) {
      std::vector<float> x(600, 1.f);
      x[at] = nan;
      EXPECT_EQ(fold_on(rig, largest, x), 1.f) << at;
      EXPECT_EQ(fold_on(rig, least, x), 1.f) << at;
    }
    EXPECT_EQ(std::bit_cast<std::uint32_t>(fold_on(rig, least, std::vector<float>{0.f, -0.f, 0.f})), 0x80000000u);
    EXPECT_EQ(std::bit_cast<std::uint32_t>(fold_on(rig, largest, std::vector<float>{-0.f, 0.f, -0.f})), 0u);
  });
}

// KER-RED-03, KER-RED-05: the integer operators; what wraps wraps.
TEST(WebgpuReduction, FoldsIntegers) {
  std::mt19937 random(2);
  std::vector<std::int32_t> x(1000);
  for (auto& v : x) v = static_cast<std::int32_t>(random());
  on_each_device([&](Rig& rig) {
    struct Case {
      Op op;
      std::int32_t identity;
      std::int32_t (*fold)(std::int32_t, std::int32_t);
    };
    using I = std::int32_t;
    const Case cases[] = {
        {Op::ADD, 0,
         [](I a, I b) { return static_cast<I>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b)); }},
        {Op::MUL, 1,
         [](I a, I b) { return static_cast<I>(static_cast<std::uint32_t>(a) * static_cast<std::uint32_t>(b)); }},
        {Op::AND, -1, [](I a, I b) { return a & b; }},
        {Op::OR, 0, [](I a, I b) { return a | b; }},
        {Op::XOR, 0, [](I a, I b) { return a ^ b; }},
        {Op::MIN, INT32_MAX, [](I a, I b) { return std::min(a, b); }},
        {Op::MAX, INT32_MIN, [](I a, I b) { return std::max(a, b); }}};
    for (const Case& c : cases) {
      auto values = x;
      if (c.op == Op::MUL)
        for (auto& v : values) v |= 1;
      EXPECT_EQ(fold_on(rig, folding<I>(c.op, i32), values), tree(values, c.identity, c.fold)) << ir::name(c.op);
    }
    std::vector<std::uint32_t> u(x.begin(), x.end());
    EXPECT_EQ(fold_on(rig, folding<std::uint32_t>(Op::MAX, u32), u), *std::max_element(u.begin(), u.end()));
  });
}

// FUSE-RED-05, -07, F-11: several folds share the dispatches; a continue leaves its iteration's value at the identity and
// still reaches the barriers; invocations past the trip count write nothing.
TEST(WebgpuReduction, FoldsSeveralWithAContinue) {
  on_each_device([](Rig& rig) {
    Draft d("several");
    auto x = d.array(f32, false), y = d.array(f32, true);
    auto sum = d.fold(Op::ADD, f32);
    auto count = d.fold(Op::ADD, u32);
    auto most = d.fold(Op::MAX, DType{Scalar::float32, 2});
    auto v = d.load(x, d.i);
    d.store(y, d.i, d.fence(d.add(v, d.f(1))));
    d.continue_if(d.less(v, d.f(0)));
    d.set(sum, d.fence(d.add(d.load(sum), v)));
    d.set(count, d.add(d.load(count), d.u(1)));
    auto pair = d.op(Op::VECTOR, {v, d.op(Op::NEG, {v})});
    d.set(most, d.op(Op::MAX, {d.load(most), pair}));
    auto p = d.finish();
    const std::size_t n = 70'000;
    std::vector<float> in(n), kept;
    for (std::size_t i = 0; i < n; ++i) in[i] = static_cast<float>(static_cast<int>(i * 7919 % 1000) - 300) * 0.37f;
    std::uint32_t counted = 0;
    for (float f : in) kept.push_back(f < 0 ? -0.f : f), counted += f < 0 ? 0 : 1;
    const auto from = rig.array(in), to = rig.array(std::vector<float>(n + 300, 9.f)), out = rig.zeros(16);
    const auto outcome = rig.run(
        rig.call(p, {Rig::whole(from, in), {to, 0, (n + 300) * 4}}, n, {}, {{out, 0, 4}, {out, 4, 4}, {out, 8, 8}}));
    EXPECT_EQ(outcome.passes.at(0).dispatches, 3u);
    const auto bits = rig.read<std::uint32_t>(out, 4);
    EXPECT_EQ(bits[0], std::bit_cast<std::uint32_t>(tree(kept, -0.f, add)));
    EXPECT_EQ(bits[1], counted);
    EXPECT_EQ(std::bit_cast<float>(bits[2]), 699 * 0.37f);
    EXPECT_EQ(bits[3], 0x80000000u) << "the greatest of the negated is -0";
    const auto y_out = rig.read<float>(to, n + 300);
    for (std::size_t i = 0; i < n + 300; ++i) ASSERT_EQ(y_out[i], i < n ? in[i] + 1 : 9.f) << i;
  });
}

}  // namespace
}  // namespace weft::webgpu::test
