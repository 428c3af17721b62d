// Loops on every Vulkan device: accesses, numbers, control flow, large grids.
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "draft.hpp"
#include "rig.hpp"

namespace weft::webgpu::test {
namespace {

constexpr DType f32{Scalar::float32}, i32{Scalar::int32}, u32{Scalar::uint32};

#if defined(__SANITIZE_ADDRESS__)
constexpr bool under_address_sanitizer = true;
#elif defined(__has_feature)
constexpr bool under_address_sanitizer = __has_feature(address_sanitizer);
#else
constexpr bool under_address_sanitizer = false;
#endif

std::vector<float> ramp(std::size_t n) {
  std::vector<float> v(n);
  std::iota(v.begin(), v.end(), 0.f);
  return v;
}

// KER-TIER-01: a proved loop; the scalars are uniforms.
TEST(WebgpuLoop, MapsWithScalars) {
  on_each_device([](Rig& rig) {
    Draft d("scale");
    auto a = d.array(f32, false), b = d.array(f32, true);
    auto k = d.scalar(f32), offset = d.scalar(i32);
    auto x = d.load(a, d.i);
    d.store(b, d.i, d.add(d.mul(x, k), d.g.cast(offset, f32)));
    auto p = d.finish();
    const auto x_in = ramp(1000);
    const auto from = rig.array(x_in), to = rig.zeros(4000);
    rig.run(rig.call(p, {{from, 0, 4000}, {to, 0, 4000}}, 1000,
                     {std::bit_cast<std::uint32_t>(2.5f), static_cast<std::uint32_t>(-7)}));
    const auto y = rig.read<float>(to, 1000);
    for (int i = 0; i < 1000; ++i) ASSERT_EQ(y[i], x_in[i] * 2.5f + -7.f) << i;
  });
}

// KER-LOOP-06, MODEL-12: the invocations past the trip count do nothing.
TEST(WebgpuLoop, StopsAtTheTripCount) {
  on_each_device([](Rig& rig) {
    Draft d("count");
    auto y = d.array(i32, true);
    d.store(y, d.i, d.add(d.i, d.n(1)));
    auto p = d.finish();
    const auto to = rig.zeros(400);
    rig.run(rig.call(p, {{to, 0, 400}}, 65));
    const auto got = rig.read<std::int32_t>(to, 100);
    for (int i = 0; i < 100; ++i) ASSERT_EQ(got[i], i < 65 ? i + 1 : 0) << i;
  });
}

// F-10, KER-LOOP-06: more than 65,535 workgroups spread over y; one dispatch.
TEST(WebgpuLoop, SpreadsLargeGrids) {
  on_each_device([](Rig& rig) {
    struct Case {
      std::uint32_t workgroup, n;
    };
    for (const Case c : {Case{1, 5'000'000}, Case{64, 4'194'241}}) {
      // 5,000,000 workgroups take SwiftShader a minute, and lavapipe under the address sanitizer 20 GB.
      if (c.workgroup == 1 && (rig.is_swiftshader() || under_address_sanitizer)) continue;
      Draft d("iota");
      auto y = d.array(i32, true);
      d.store(y, d.i, d.i);
      auto p = d.finish(c.workgroup);
      const std::size_t length = c.n + 100;
      const auto to = rig.zeros(length * 4);
      const auto outcome = rig.run(rig.call(p, {{to, 0, length * 4}}, c.n));
      EXPECT_EQ(outcome.passes.at(0).dispatches, 1u);
      const auto got = rig.read<std::int32_t>(to, length);
      for (std::uint32_t i = 0; i < length; ++i) ASSERT_EQ(got[i], i < c.n ? static_cast<int>(i) : 0) << i;
      rig.backend().destroy(to);
    }
  });
}

// KER-ACC-01: a gate that is false reads zero and writes nothing, and nothing is accessed out of bounds.
TEST(WebgpuLoop, GatesAccesses) {
  on_each_device([](Rig& rig) {
    Draft d("shift");
    auto a = d.array(f32, false), b = d.array(f32, true);
    auto at = d.add(d.i, d.n(-1));
    auto inside = d.less(d.n(-1), at);
    auto x = d.load(a, at, inside);
    auto even = d.op(Op::CMPEQ, {d.op(Op::AND, {d.i, d.n(1)}), d.n(0)});
    d.store(b, d.i, x, even);
    auto p = d.finish();
    const auto x_in = std::vector<float>{5, 6, 7, 8};
    const auto from = rig.array(x_in), to = rig.array(std::vector<float>(4, -1.f));
    rig.run(rig.call(p, {{from, 0, 16}, {to, 0, 16}}, 4));
    EXPECT_EQ(rig.read<float>(to, 4), (std::vector<float>{0, -1, 6, -1}));
  });
}

// KER-AUTH-02: vectors are packed, vec3 too.
TEST(WebgpuLoop, PacksVectors) {
  on_each_device([](Rig& rig) {
    for (std::uint8_t lanes = 2; lanes <= 4; ++lanes) {
      SCOPED_TRACE(int(lanes));
      Draft d("reverse");
      const DType v{Scalar::float32, lanes};
      auto a = d.array(v, false), b = d.array(v, true);
      auto x = d.load(a, d.i);
      std::vector<Node> reversed;
      for (int l = lanes; l-- > 0;) reversed.push_back(d.extract(x, l));
      auto y = d.g.make(Op::VECTOR, std::span<const Node>(reversed));
      d.store(b, d.i, d.fence(d.add(y, y)));
      auto p = d.finish();
      const std::size_t n = 5, count = n * lanes;
      const auto x_in = ramp(count);
      const auto from = rig.array(x_in), to = rig.zeros(count * 4);
      rig.run(rig.call(p, {{from, 0, count * 4}, {to, 0, count * 4}}, n));
      const auto got = rig.read<float>(to, count);
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t l = 0; l < lanes; ++l)
          ASSERT_EQ(got[i * lanes + l], 2 * x_in[i * lanes + (lanes - 1 - l)]) << i << "." << l;
    }
  });
}

// KER-NUM-08, W-17: constants of every value keep their bits.
TEST(WebgpuLoop, KeepsTheBitsOfConstants) {
  const std::vector<std::uint32_t> floats{0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f7fffff, 0xff7fffff,
                                          0x7f800000, 0xff800000, 0x7fc00000, 0x00000001, 0x807fffff, 0x00800000,
                                          0x3dcccccd, 0x3eaaaaab, 0x7149f2ca, 0x0da24260, 0x4b7fffff, 0x4b800000};
  const std::vector<std::int64_t> ints{INT32_MIN, INT32_MIN + 1, -1, 0, 1, INT32_MAX};
  on_each_device([&](Rig& rig) {
    Draft d("constants");
    auto y = d.array(u32, true);
    int k = 0;
    for (std::uint32_t b : floats) d.store(y, d.n(k++), d.g.bitcast(d.bits(b), u32));
    for (std::int64_t v : ints) d.store(y, d.n(k++), d.g.bitcast(d.n(v), u32));
    d.store(y, d.n(k++), d.u(0xffffffff));
    d.store(y, d.n(k++), d.g.bitcast(d.g.cast(d.g.constant(1e40), f32), u32));
    auto p = d.finish();
    const auto to = rig.zeros(k * 4);
    rig.run(rig.call(p, {{to, 0, std::uint64_t(k) * 4}}, 1));
    const auto got = rig.read<std::uint32_t>(to, k);
    k = 0;
    for (std::uint32_t b : floats) EXPECT_EQ(got[k++], b);
    for (std::int64_t v : ints) EXPECT_EQ(got[k++], static_cast<std::uint32_t>(v));
    EXPECT_EQ(got[k++], 0xffffffffu);
    EXPECT_EQ(got[k++], 0x7f800000u);
  });
}

// Constant operands whose compile-time evaluation WGSL refuses: overflow, a division by zero that a guard hides, shifts.
TEST(WebgpuLoop, ComputesConstantsAtRunTime) {
  on_each_device([](Rig& rig) {
    Draft d("constant operands");
    auto y = d.array(i32, true);
    d.store(y, d.n(0), d.add(d.n(INT32_MAX), d.n(1)));
    d.store(y, d.n(1), d.op(Op::CDIV, {d.n(7), d.n(0)}));
    d.store(y, d.n(2), d.g.bitcast(d.mul(d.f(3e38), d.f(10)), i32));
    d.store(y, d.n(3), d.op(Op::SHL, {d.n(1), d.n(4)}));
    d.store(y, d.n(4), d.g.bitcast(d.op(Op::SHR, {d.u(0xffffffff), d.u(28)}), i32));
    d.store(y, d.n(5), d.op(Op::SHR, {d.n(-8), d.n(1)}));
    d.store(y, d.n(6), d.op(Op::NEG, {d.n(-5)}));
    d.store(y, d.n(7), d.op(Op::CDIV, {d.n(INT32_MIN), d.n(-1)}));
    auto p = d.finish();
    const auto to = rig.zeros(32);
    rig.run(rig.call(p, {{to, 0, 32}}, 1));
    EXPECT_EQ(rig.read<std::int32_t>(to, 8),
              (std::vector<std::int32_t>{INT32_MIN, 7, 0x7f800000, 16, 15, -4, 5, INT32_MIN}));
  });
}

// KER-AUTH-06: inner loops, their continue and break, If and Else, a variable of the iteration.
TEST(WebgpuLoop, RunsStructuredCode) {
  on_each_device([](Rig& rig) {
    Draft d("structured");
    auto y = d.array(i32, true);
    auto s = d.local(i32);
    d.set(s, d.n(0));
    d.continue_if(d.op(Op::CMPEQ, {d.i, d.n(3)}));  // of the loop itself: y[3] stays
    d.for_(d.i, [&](Node j) {
      d.continue_if(d.op(Op::CMPEQ, {j, d.n(1)}));
      d.if_(d.less(j, d.n(4)), [&] { d.set(s, d.add(d.load(s), j)); }, [&] { d.set(s, d.add(d.load(s), d.n(100))); });
      d.break_if(d.op(Op::CMPEQ, {j, d.n(6)}));
    });
    auto w = d.local(i32);
    d.set(w, d.n(0));
    d.while_([&] {
      auto now = d.load(w);
      d.break_if(d.less(d.n(9), now));
      d.set(w, d.add(now, d.n(3)));
    });
    d.store(y, d.i, d.add(d.mul(d.load(s), d.n(1000)), d.load(w)));
    auto p = d.finish();
    const auto to = rig.array(std::vector<std::int32_t>(10, -1));
    rig.run(rig.call(p, {{to, 0, 40}}, 10));
    const auto got = rig.read<std::int32_t>(to, 10);
    for (int i = 0; i < 10; ++i) {
      int sum = 0;
      for (int j = 0; j < i; ++j) {
        if (j == 1) continue;
        sum += j < 4 ? j : 100;
        if (j == 6) break;
      }
      EXPECT_EQ(got[i], i == 3 ? -1 : sum * 1000 + 12) << i;
    }
  });
}

// KER-BIT-02: what passes a fence is rounded there. F-05: x*x - (1 + 2^-11) with x = 1 + 2^-12 is +0 when x*x is rounded.
TEST(WebgpuLoop, FencesRound) {
  on_each_device([](Rig& rig) {
    Draft d("fenced");
    auto x = d.array(f32, false), y = d.array(f32, true);
    auto v = d.load(x, d.i);
    d.store(y, d.i, d.add(d.fence(d.mul(v, v)), d.f(-(1 + 0x1p-11))));
    // (v + big) - big: reassociated, it would be v.
    auto p = d.finish();
    Draft e("reassociated");
    auto a = e.array(f32, false), b = e.array(f32, true);
    auto w = e.load(a, e.i);
    e.store(b, e.i, e.op(Op::SUB, {e.fence(e.add(w, e.f(1e8))), e.f(1e8)}));
    auto q = e.finish();
    const auto from = rig.array(std::vector<float>(4, 1 + 0x1p-12f)), to = rig.zeros(16), too = rig.zeros(16);
    rig.run(rig.call(p, {{from, 0, 16}, {to, 0, 16}}, 4));
    rig.run(rig.call(q, {{from, 0, 16}, {too, 0, 16}}, 4));
    for (auto bits : rig.read<std::uint32_t>(to, 4)) EXPECT_EQ(bits, 0u);
    for (float f : rig.read<float>(too, 4)) EXPECT_EQ(f, 0.f);
  });
}

// KER-NUM-03: float min and max in the graph itself.
TEST(WebgpuLoop, OrdersFloatsByTheirBits) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> a{1, nan, 2, nan, 0.f, -0.f, -3}, b{2, 1, nan, nan, -0.f, 0.f, -4};
  on_each_device([&](Rig& rig) {
    Draft d("order");
    auto x = d.array(f32, false), y = d.array(f32, false), lo = d.array(f32, true), hi = d.array(f32, true);
    auto p = d.load(x, d.i), q = d.load(y, d.i);
    d.store(lo, d.i, d.op(Op::MIN, {p, q}));
    d.store(hi, d.i, d.op(Op::MAX, {p, q}));
    auto program = d.finish();
    const auto xa = rig.array(a), xb = rig.array(b), l = rig.zeros(28), h = rig.zeros(28);
    rig.run(rig.call(program, {{xa, 0, 28}, {xb, 0, 28}, {l, 0, 28}, {h, 0, 28}}, 7));
    const auto low = rig.read<float>(l, 7), high = rig.read<float>(h, 7);
    const std::vector<float> want_low{1, 1, 2, nan, -0.f, -0.f, -4}, want_high{2, 1, 2, nan, 0.f, 0.f, -3};
    for (int i = 0; i < 7; ++i) {
      EXPECT_TRUE(std::isnan(want_low[i]) ? std::isnan(low[i])
                                          : std::bit_cast<int>(low[i]) == std::bit_cast<int>(want_low[i]))
          << i;
      EXPECT_TRUE(std::isnan(want_high[i]) ? std::isnan(high[i])
                                           : std::bit_cast<int>(high[i]) == std::bit_cast<int>(want_high[i]))
          << i;
    }
  });
}

// FUSE-LIM-05: a body of 256 calls' worth of operations compiles, and in time.
TEST(WebgpuLoop, CompilesLongBodies) {
  on_each_device([](Rig& rig) {
    Draft d("long");
    auto y = d.array(f32, true);
    auto b = d.scalar(f32);
    Node v = d.load(y, d.i);
    for (int k = 0; k < 256 * 4; ++k) v = d.fence(d.add(d.fence(d.mul(v, b)), d.f(0.5)));
    d.store(y, d.i, v);
    auto p = d.finish();
    const auto to = rig.array(std::vector<float>(64, 1.f));
    const auto begin = std::chrono::steady_clock::now();
    rig.run(rig.call(p, {{to, 0, 256}}, 64, {std::bit_cast<std::uint32_t>(0.5f)}));
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
    EXPECT_EQ(rig.read<float>(to, 64)[63], 1.f);
  });
}

// FUSE-LIM-02: names of the author do not reach the shader text, and labels of any bytes are taken.
TEST(WebgpuLoop, TakesAnyName) {
  on_each_device([](Rig& rig) {
    for (const std::string& name : {std::string("x; }"), std::string("let"), std::string("_start"),
                                    std::string(10000, 'n'), std::string("\xff\0\xe2\x82", 4), std::string("größe")}) {
      Draft d(name);
      auto y = d.array(i32, true, name);
      d.store(y, d.i, d.i);
      auto p = d.finish();
      auto text = rig.backend().emitted(*p);
      ASSERT_TRUE(text);
      EXPECT_EQ(name == "let" ? std::string::npos : text->find(name), std::string::npos);
      const auto to = rig.zeros(40, name);
      rig.run(rig.call(p, {{to, 0, 40}}, 10));
      EXPECT_EQ(rig.read<std::int32_t>(to, 10)[9], 9);
    }
  });
}

}  // namespace
}  // namespace weft::webgpu::test
