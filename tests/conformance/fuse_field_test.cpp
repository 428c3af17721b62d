// Cases from the field, F-01 to F-20: small inputs on which libraries of this kind have gone wrong, fused and apart, on
// every tier.
#include <cmath>
#include <limits>

#include "conformance/fuse_tiers.hpp"

namespace weft::test {
namespace {

using Field = EachTier;
WEFT_ON_EACH_TIER(Field);

using Count = weft::Scalar<std::int32_t>;

constexpr float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();

// F-01: a shift by one through a copy.
TEST_P(Field, F01_AShiftThroughACopyIsTwoDispatches) {
  const auto copy = kernel("copy(t, x, n)", fusible, [](Array<float> t, Array<const float> x, Count n) {
    loop(n, [&](Index i) { t[i] = x[i]; });
  });
  constexpr int line = __LINE__ + 2;
  const auto back = kernel("back(x, t, n)", fusible, [](Array<float> x, Array<const float> t, Count n) {
    loop(n, [&](Index i) { x[i] = t[max(i, 1) - 1]; });
  });
  for (int n : {7, 70000}) {
    auto x = ramp(static_cast<std::uint64_t>(n));
    const FuseReport r = device
                             ->fuse([&](Scope& s) {
                               auto t = s.scratch(n);
                               copy(t, x, n);
                               back(x, t, n);
                             })
                             .get();
    const auto got = x.read().get();
    EXPECT_EQ(got[0], 0.0f);
    for (int i = 1; i < n; ++i) ASSERT_EQ(got[static_cast<std::size_t>(i)], static_cast<float>(i - 1));
    ASSERT_EQ(r.groups.size(), 2u);
    if (fuses()) {
      EXPECT_EQ(r.dispatches, 2u);
      EXPECT_EQ(r.groups[1].why, "copy and back run as two dispatches because back reads `t[max(i, 1) - 1]` (line " +
                                     std::to_string(line) + ")");
    }
  }
}

// F-02: one array as input and output of a call.
TEST_P(Field, F02_OneArrayInTwoParameters) {
  const auto next = kernel("next(src, dst)", fusible, [](Array<const float> src, Array<float> dst) {
    loop(dst.length(), [&](Index i) { dst[i] = src[i] + 1; });
  });
  auto x = device->resident(std::vector<float>{1, 2, 3, 4});
  const FuseReport r = device->fuse([&] { next(x, x), next(x, x); }).get();
  EXPECT_EQ(x.read().get(), (std::vector<float>{3, 4, 5, 6}));
  EXPECT_EQ(r.groups.size(), 2u);
  if (fuses()) { EXPECT_EQ(r.dispatches, 2u); }
}

// F-05: a multiply and an add of two calls keep two roundings.
TEST_P(Field, F05_NoContractionAcrossCalls) {
  const auto mul = kernel("mul(t, x, y)", fusible, [](Array<float> t, Array<const float> x, Array<const float> y) {
    loop(x.length(), [&](Index i) { t[i] = x[i] * y[i]; });
  });
  const auto add = kernel("add(z, t, w)", fusible, [](Array<float> z, Array<const float> t, Array<const float> w) {
    loop(w.length(), [&](Index i) { z[i] = t[i] + w[i]; });
  });
  const std::vector<float> near(4, 1 + 0x1p-12f), far(4, -(1 + 0x1p-11f));
  auto x = device->resident(near), y = device->resident(near), w = device->resident(far),
       z = device->resident<float>(4);
  device
      ->fuse([&](Scope& s) {
        auto t = s.scratch(4);
        mul(t, x, y), add(z, t, w);
      })
      .get();
  for (float f : z.read().get()) EXPECT_EQ(bits_of(f), 0u);
  auto t = device->resident<float>(4);
  mul(t, x, y), add(z, t, w);
  for (float f : z.read().get()) EXPECT_EQ(bits_of(f), 0u) << "apart";
}

const auto& sum_from() {
  static const auto k =
      kernel("sum(x, start, n)", fusible, [](Array<const float> x, weft::Scalar<float> start, Count n) {
        Var<float> s = start;
        loop(n, [&](Index i) { s += x[i]; });
        return s;
      });
  return k;
}

// F-06, FUSE-F1-08, KER-RED-04: reductions over nothing.
TEST_P(Field, F06_AReductionOverNothing) {
  const auto count = kernel("count(x, n)", fusible, [](Array<const std::uint32_t> x, Count n) {
    Var<std::uint32_t> s = 7u;
    loop(n, [&](Index i) { s += x[i]; });
    return s;
  });
  const auto least = kernel("least(x, n)", fusible, [](Array<const float> x, Count n) {
    Var<float> s = infinity;
    loop(n, [&](Index i) { s = min(s, x[i]); });
    return s;
  });
  const auto next = kernel("next(x, y, n)", fusible, [](Array<const float> x, Array<float> y, Count n) {
    loop(n, [&](Index i) { y[i] = x[i] + 1; });
  });
  auto x = ramp(8), y = device->resident<float>(8);
  auto u = device->resident<std::uint32_t>(8);
  Future<float> zero, minus, five, low;
  Future<std::uint32_t> seven;
  const FuseReport r = device
                           ->fuse([&] {
                             zero = sum_from()(x, 0.0f, 0), minus = sum_from()(x, -0.0f, 0),
                             five = sum_from()(x, 5.0f, 0);
                             seven = count(u, 0), low = least(x, 0);
                             next(x, y, 8);
                           })
                           .get();
  EXPECT_EQ(bits_of(zero.get()), 0u);
  EXPECT_EQ(bits_of(minus.get()), 0x80000000u);
  EXPECT_EQ(five.get(), 5.0f);
  EXPECT_EQ(seven.get(), 7u);
  EXPECT_EQ(low.get(), infinity);
  EXPECT_EQ(r.groups.size(), 6u);
  EXPECT_EQ(y.read().get()[7], 8.0f);
}

// F-07, KER-RED-03: -0.0 is the neutral element of a float sum.
TEST_P(Field, F07_TheSignOfAZeroSum) {
  const auto copy = kernel("copy(x, t, n)", fusible, [](Array<const float> x, Array<float> t, Count n) {
    loop(n, [&](Index i) { t[i] = x[i]; });
  });
  std::vector<float> zeros(300, -0.0f);
  for (auto [start, one, expected] : {std::tuple{-0.0f, -0.0f, 0x80000000u}, {0.0f, -0.0f, 0u}, {-0.0f, 0.0f, 0u}}) {
    zeros[137] = one;
    auto x = device->resident(zeros);
    Future<float> fused;
    device
        ->fuse([&, start = start](Scope& s) {
          auto t = s.scratch(300);
          copy(x, t, 300);
          fused = sum_from()(t, start, 300);
        })
        .get();
    EXPECT_EQ(bits_of(fused.get()), expected);
    EXPECT_EQ(bits_of(sum_from()(x, start, 300).get()), expected);
  }
}

// F-08, KER-NUM-03: a NaN loses to a number, wherever it stands.
TEST_P(Field, F08_TheMaximumSkipsNaN) {
  const auto most = kernel("most(x, n)", fusible, [](Array<const float> x, Count n) {
    Var<float> s = -infinity;
    loop(n, [&](Index i) { s = max(s, x[i]); });
    return s;
  });
  const auto check = [&](std::vector<float> v, float expected) {
    auto x = device->resident(v);
    const auto n = static_cast<std::int32_t>(v.size());
    Future<float> fused;
    device->fuse([&] { fused = most(x, n); }).get();
    EXPECT_EQ(fused.get(), expected);
    EXPECT_EQ(most(x, n).get(), expected);
  };
  check({1, nan, 2}, 2), check({nan, 1}, 1), check({nan, nan}, -infinity);
  for (std::size_t at : {0u, 299u, 599u}) {
    std::vector<float> ones(600, 1.0f);
    ones[at] = nan;
    check(ones, 1);
  }
}

// F-10, KER-LOOP-06: more workgroups than one dimension holds.
TEST_P(Field, F10_MoreThan65535Workgroups) {
  const auto body = [](Array<std::int32_t> y, Count n) { loop(n, [&](Index i) { y[i] = i; }); };
  const auto small = kernel("small(y, n)", fusible, workgroup_size(1), body),
             usual = kernel("usual(y, n)", fusible, body);
  const auto check = [&](const auto& k, std::int32_t n) {
    auto y = device->resident(std::vector<std::int32_t>(static_cast<std::size_t>(n) + 100, -1));
    const FuseReport r = device->fuse([&] { k(y, n); }).get();
    if (fuses()) { EXPECT_EQ(r.dispatches, 1u); }
    const auto got = y.read().get();
    for (std::int32_t i = 0; i < n; ++i) ASSERT_EQ(got[static_cast<std::size_t>(i)], i);
    for (std::size_t i = static_cast<std::size_t>(n); i < got.size(); ++i) ASSERT_EQ(got[i], -1);
  };
  check(small, 5'000'000);
  check(usual, 4'194'241);

  const auto count = kernel("count(x, n)", fusible, [](Array<const std::uint32_t> x, Count n) {
    Var<std::uint32_t> s = 0u;
    loop(n, [&](Index i) { s += x[i]; });
    return s;
  });
  constexpr std::int32_t n = 16'776'961;
  auto ones = device->resident(std::vector<std::uint32_t>(n, 1));
  Future<std::uint32_t> total;
  const FuseReport r = device->fuse([&] { total = count(ones, n); }).get();
  EXPECT_EQ(total.get(), 16'776'961u);
  if (fuses()) { EXPECT_EQ(r.dispatches, 3u) << "the loop and two levels"; }
}

// F-11, FUSE-RED-07: the lanes past the trip count run no prologue.
TEST_P(Field, F11_TheTailOfAFusedReduction) {
  const auto next = kernel("next(x, y, n)", fusible, [](Array<const float> x, Array<float> y, Count n) {
    loop(n, [&](Index i) { y[i] = x[i] + 1; });
  });
  const auto next_u =
      kernel("next(x, y, n)", fusible, [](Array<const std::uint32_t> x, Array<std::uint32_t> y, Count n) {
        loop(n, [&](Index i) { y[i] = x[i] + 1; });
      });
  const auto count = kernel("count(x, n)", fusible, [](Array<const std::uint32_t> x, Count n) {
    Var<std::uint32_t> s = 0u;
    loop(n, [&](Index i) { s += x[i]; });
    return s;
  });
  auto x = device->resident<float>(300), y = device->resident(std::vector<float>(300, 9));
  auto u = device->resident<std::uint32_t>(300), v = device->resident(std::vector<std::uint32_t>(300, 9));
  Future<float> total;
  Future<std::uint32_t> total_u;
  const FuseReport r = device
                           ->fuse([&] {
                             next(x, y, 257), total = sum_from()(y, 0.0f, 257);
                             next_u(u, v, 257), total_u = count(v, 257);
                           })
                           .get();
  EXPECT_EQ(total.get(), 257.0f);
  EXPECT_EQ(total_u.get(), 257u);
  if (fuses()) { EXPECT_EQ(r.groups.size(), 2u); }
  const auto got = y.read().get();
  const auto got_u = v.read().get();
  for (std::size_t i = 257; i < 300; ++i) {
    EXPECT_EQ(got[i], 9.0f);
    EXPECT_EQ(got_u[i], 9u);
  }
}

// F-12, FUSE-F5: a device that allows 8 storage buffers.
TEST_P(Field, F12_StorageBuffers) {
  const auto plus =
      kernel("plus(x, y, n, k)", fusible, [](Array<const float> x, Array<float> y, Count n, weft::Scalar<float> k) {
        loop(n, [&](Index i) { y[i] = x[i] + k; });
      });
  for (std::uint64_t limit : {8u, 10u}) {
    open({{"maxStorageBuffersPerShaderStage", limit}});
    std::vector<Resident<float>> x, y;
    for (int k = 0; k < 5; ++k) x.push_back(ramp(16)), y.push_back(device->resident<float>(16));
    const FuseReport r = device
                             ->fuse([&] {
                               for (std::size_t k = 0; k < 5; ++k) plus(x[k], y[k], 16, static_cast<float>(k));
                             })
                             .get();
    for (std::size_t k = 0; k < 5; ++k) EXPECT_EQ(y[k].read().get()[3], 3.0f + static_cast<float>(k));
    if (!fuses()) continue;
    EXPECT_EQ(r.dispatches, limit == 8 ? 2u : 1u);
    if (limit == 8) {
      EXPECT_EQ(r.groups[1].why,
                "plus and plus run as two dispatches because they bind 10 arrays and the device allows 8");
    }
  }
  open({{"maxStorageBuffersPerShaderStage", 8}});
  auto x = ramp(16), y = device->resident<float>(16);
  const FuseReport chain = device
                               ->fuse([&](Scope& s) {
                                 auto from = x;
                                 for (int k = 0; k < 8; ++k) {
                                   auto to = k == 7 ? y : s.scratch(16);
                                   plus(from, to, 16, 1.0f);
                                   from = to;
                                 }
                               })
                               .get();
  if (fuses()) { EXPECT_EQ(chain.dispatches, 1u); }
  EXPECT_EQ(y.read().get()[5], 13.0f);

  using In = Array<const float>;
  const auto wide = kernel(
      "wide(a, b, c, d, e, f, g, h, y)", fusible, [](In a, In b, In c, In d, In e, In f, In g, In h, Array<float> out) {
        loop(out.length(), [&](Index i) { out[i] = a[i] + b[i] + c[i] + d[i] + e[i] + f[i] + g[i] + h[i]; });
      });
  std::vector<Resident<float>> in;
  for (int k = 0; k < 8; ++k) in.push_back(ramp(16));
  const FuseReport r = device
                           ->fuse([&] {
                             plus(x, x, 16, 0.0f);
                             wide(in[0], in[1], in[2], in[3], in[4], in[5], in[6], in[7], y);
                           })
                           .get();
  EXPECT_EQ(y.read().get()[5], 40.0f);
  if (fuses()) { EXPECT_EQ(r.groups[1].why, "wide runs on the CPU, it binds 9 arrays and the device allows 8"); }
}

// F-13, FUSE-SCR-03: every scratch array begins as zeros.
TEST_P(Field, F13_ScratchIsZeroEachTime) {
  const auto fill = kernel("fill(s, n)", fusible, [](Array<float> s, Count n) { loop(n, [&](Index i) { s[i] = 7; }); });
  const auto copy = kernel("copy(s, y, n)", fusible, [](Array<const float> s, Array<float> y, Count n) {
    loop(n, [&](Index i) { y[i] = s[i]; });
  });
  auto y = device->resident<float>(1000), z = device->resident<float>(1000);
  for (int k = 0; k < 20; ++k) {
    device
        ->fuse([&](Scope& s) {
          auto a = s.scratch(1000);
          fill(a, 1000), copy(a, z, 1000);
        })
        .get();
    device->fuse([&](Scope& s) { copy(s.scratch(1000), y, 1000); }).get();
    ASSERT_EQ(y.read().get(), std::vector<float>(1000));
    device
        ->fuse([&](Scope& s) {
          auto a = s.scratch(1000), b = s.scratch(1000);
          fill(a, 1000), copy(a, z, 1000), copy(b, y, 1000);
        })
        .get();
    ASSERT_EQ(y.read().get(), std::vector<float>(1000));
    ASSERT_EQ(z.read().get(), std::vector<float>(1000, 7));
  }
}

// F-15, FUSE-LIM-05
TEST_P(Field, F15_AChainOf200Calls) {
  const auto next = kernel("next(x, y, n)", fusible, [](Array<const float> x, Array<float> y, Count n) {
    loop(n, [&](Index i) { y[i] = x[i] + 1; });
  });
  auto x = device->resident<float>(64), y = device->resident<float>(64);
  for (int k = 0; k < 2; ++k) {
    const FuseReport r = device
                             ->fuse([&](Scope& s) {
                               auto from = x;
                               for (int c = 0; c < 200; ++c) {
                                 auto to = c == 199 ? y : s.scratch(64);
                                 next(from, to, 64);
                                 from = to;
                               }
                             })
                             .get();
    EXPECT_EQ(y.read().get(), std::vector<float>(64, 200));
    if (fuses()) { EXPECT_EQ(r.dispatches, 1u); }
  }
}

// F-19, FUSE-QUE-02: plans and reads in a row, none waited for.
TEST_P(Field, F19_PlansAndReadsInARow) {
  const auto next =
      kernel("next(x)", fusible, [](Array<float> x) { loop(x.length(), [&](Index i) { x[i] = x[i] + 1; }); });
  auto x = device->resident<float>(100);
  std::vector<Future<std::vector<float>>> reads;
  for (int k = 0; k < 48; ++k) {
    (void)device->fuse([&] { next(x); });
    reads.push_back(x.read());
  }
  for (std::size_t k = 0; k < 48; ++k) EXPECT_EQ(reads[k].get(), std::vector<float>(100, static_cast<float>(k + 1)));
}

// F-20, KER-NUM-02, FUSE-BIT-07
TEST_P(Field, F20_IntegerDivision) {
  const auto divide = kernel("divide(a, b, q, n)", fusible,
                             [](Array<const std::int32_t> a, Array<const std::int32_t> b, Array<std::int32_t> q,
                                Count n) { loop(n, [&](Index i) { q[i] = a[i] / b[i]; }); });
  const auto rest = kernel("rest(a, b, r, n)", fusible,
                           [](Array<const std::int32_t> a, Array<const std::int32_t> b, Array<std::int32_t> r,
                              Count n) { loop(n, [&](Index i) { r[i] = a[i] % b[i]; }); });
  const auto whole = kernel(
      "whole(a, b, q, r, n)", fusible,
      [](Array<const std::uint32_t> a, Array<const std::uint32_t> b, Array<std::uint32_t> q, Array<std::uint32_t> r,
         Count n) { loop(n, [&](Index i) { q[i] = a[i] / b[i], r[i] = a[i] % b[i]; }); });
  constexpr std::int32_t least = std::numeric_limits<std::int32_t>::min();
  auto a = device->resident(std::vector<std::int32_t>{-1, -7, -7, least, least, 7, least, 7});
  auto b = device->resident(std::vector<std::int32_t>{2, 2, 2, -1, 2, 0, 0, -1});
  auto q = device->resident<std::int32_t>(8), r = device->resident<std::int32_t>(8);
  auto ua = device->resident(std::vector<std::uint32_t>{7}), ub = device->resident<std::uint32_t>(1);
  auto uq = device->resident<std::uint32_t>(1), ur = device->resident<std::uint32_t>(1);
  device->fuse([&] { divide(a, b, q, 8), rest(a, b, r, 8), whole(ua, ub, uq, ur, 1); }).get();
  EXPECT_EQ(q.read().get(), (std::vector<std::int32_t>{0, -3, -3, least, least / 2, 7, least, -7}));
  EXPECT_EQ(r.read().get(), (std::vector<std::int32_t>{-1, -1, -1, 0, 0, 0, 0, 0}));
  EXPECT_EQ(uq.read().get(), std::vector<std::uint32_t>{7});
  EXPECT_EQ(ur.read().get(), std::vector<std::uint32_t>{0});
}

// The sentence of the specification, on the author's line (FUSE-WHY-04).
TEST_P(Field, WHY04_MulAndBlur) {
  const auto mul = kernel("mul(x, t)", fusible, [](Array<const float> x, Array<float> t) {
    loop(t.length(), [&](Index i) { t[i] = x[i] * 2; });
  });
  const auto blur = kernel("blur(t, y)", fusible, [](Array<const float> t, Array<float> y) {
    loop(y.length(), [&](Index i) { y[i] = t[i - 1] + t[i] + t[i + 1]; });
  });
  constexpr int line = __LINE__ - 2;
  auto x = ramp(9), y = device->resident<float>(9);
  const FuseReport r = device
                           ->fuse([&](Scope& s) {
                             auto t = s.scratch(9);
                             mul(x, t), blur(t, y);
                           })
                           .get();
  EXPECT_EQ(y.read().get(), (std::vector<float>{2, 6, 12, 18, 24, 30, 36, 42, 30}));
  if (fuses()) {
    EXPECT_EQ(r.groups.at(1).why,
              "mul and blur run as two dispatches because blur reads `t[i - 1]` (line " + std::to_string(line) + ")");
  }
}

}  // namespace
}  // namespace weft::test
