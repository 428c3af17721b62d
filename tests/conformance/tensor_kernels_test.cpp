// Tensors on every tier: kernels over them, device tensors, relayout there and back (MAP-TEN-02, -08, -09).
#include <cstring>
#include <sstream>

#include <weft/device_tile.hpp>

#include "conformance/fuse_tiers.hpp"

namespace weft::test {
namespace {

struct TensorTier : EachTier {};
WEFT_ON_EACH_TIER(TensorTier);

WEFT_AXES(A = 8, B = 512, H = 37, W = 45, N = 5, C = 3)
constexpr Mapping bits = WEFT_M(B / 64, B % 32, B / 32 % 2);

float numbered(std::uint64_t a, std::uint64_t b) { return static_cast<float>(a * 1000 + b); }

/// The part of explain() that is WGSL, without its comments.
std::string wgsl_of(const std::string& explained) {
  const auto at = explained.find("@compute");
  EXPECT_NE(at, std::string::npos) << explained;
  std::string code, line;
  std::istringstream lines(explained.substr(at == std::string::npos ? 0 : at));
  while (std::getline(lines, line)) code += line.substr(0, line.find("//")) + "\n";
  return code;
}

/// That a call ran on the tier under test.
void expect_on(Tier tier, Future<void> f) {
  f.wait();
  EXPECT_EQ(f.call()->tier, tier) << f.call()->reason;
  f.get();
}

TEST_P(TensorTier, MAP_TEN_08_a_rearrangement_of_bits_divides_nothing) {
  const auto k = kernel("spread(from, to)", [](Tensor<const float, WEFT_M(B)> from, Tensor<float, bits> to) {
    loop(0, to.size(), [&](Index p) { to[p] = from(bits.index(p)[B]); });
  });
  const auto from = DeviceTensor<float, WEFT_M(1), WEFT_M(B)>::from(*device, [](auto b) { return numbered(0, b); });
  DeviceTensor<float, WEFT_M(1), bits> to(*device);
  k(from, to).get();
  const auto host = to.read().get();
  for (std::uint64_t p = 0; p < 512; ++p) ASSERT_EQ(host.data()[p], numbered(0, bits.map(p).index()[B])) << p;

  if (GetParam() != Tier::webgpu) return;
  const std::string code = wgsl_of(k.explain());
  EXPECT_EQ(code.find('/'), std::string::npos) << code;
  EXPECT_EQ(code.find('%'), std::string::npos) << code;
  EXPECT_NE(code.find(">>"), std::string::npos) << code;
}

TEST_P(TensorTier, MAP_TEN_08_coordinates_in_axis_order) {
  const auto k = kernel("add(a, b)", [](Tensor<const float, WEFT_M(W, H #40)> a, Tensor<float, WEFT_M(H, W)> b) {
    loop(0, H.size, [&](Index h) { For(0, W.size, [&](Index w) { b(h, w) += a(w, h); }); });
  });
  const auto a = DeviceTensor<float, WEFT_M(1), WEFT_M(W, H #40)>::from(*device, numbered);
  auto b = DeviceTensor<float, WEFT_M(1), WEFT_M(H, W)>::from(*device, [](auto...) { return 1.f; });
  expect_on(GetParam(), k(a, b));
  const auto host = b.read().get();
  for (std::uint64_t h = 0; h < H.size; ++h)
    for (std::uint64_t w = 0; w < W.size; ++w) ASSERT_EQ(host.at(h, w), numbered(w, h) + 1) << h << ' ' << w;
}

// Beyond the axes there is nothing: no element of the next row.
TEST_P(TensorTier, MAP_TEN_08_outside_reads_zero_and_drops_writes) {
  const auto k = kernel(
      "shift(a, b, c)", [](Tensor<const float, WEFT_M(H, W)> a, Tensor<float, WEFT_M(H, W)> b, Array<std::int32_t> by) {
        loop(0, H.size, [&](Index h) { For(0, W.size, [&](Index w) { b(h, w) = a(h, w - by[0]) + a(h + 1, w); }); });
      });
  const auto a = DeviceTensor<float, WEFT_M(1), WEFT_M(H, W)>::from(*device, numbered);
  DeviceTensor<float, WEFT_M(1), WEFT_M(H, W)> b(*device);
  k(a, b, device->resident(std::vector<std::int32_t>{2})).get();
  const auto host = b.read().get();
  for (std::uint64_t h = 0; h < H.size; ++h)
    for (std::uint64_t w = 0; w < W.size; ++w)
      ASSERT_EQ(host.at(h, w), (w < 2 ? 0 : numbered(h, w - 2)) + (h + 1 < H.size ? numbered(h + 1, w) : 0));

  const auto drop = kernel("drop(b)", [](Tensor<float, WEFT_M(H, W)> t) {
    loop(0, H.size, [&](Index h) { For(0, W.size + 3, [&](Index w) { t(h, w) = 7; }); });
  });
  drop(b).get();
  const auto dropped = b.read().get();
  for (const float x : dropped.span()) ASSERT_EQ(x, 7);
}

TEST_P(TensorTier, MAP_TEN_07_bottom_padding_is_not_touched) {
  static constexpr Mapping E = WEFT_M(H, W #{ ! } 48);
  HostTensor<float, E> host = HostTensor<float, E>::from(numbered);
  for (std::uint64_t h = 0; h < H.size; ++h) host.data()[h * 48 + 46] = -5;
  DeviceTensor<float, WEFT_M(1), E> t(*device, host);
  const auto k =
      kernel("twice(t, sum)",
             [](Tensor<float, E> x,
                Tensor<float, WEFT_M(H, W #{ ! } 48)> y) { loop(0, E.size(), [&](Index p) { y[p] = x[p] + x[p]; }); });
  DeviceTensor<float, WEFT_M(1), E> u(*device, host);
  k(t, u).get();
  const auto got = u.read().get();
  for (std::uint64_t h = 0; h < H.size; ++h) {
    ASSERT_EQ(got.data()[h * 48 + 46], -5);
    ASSERT_EQ(got.at(h, 3), 2 * numbered(h, 3));
  }
}

template <Mapping From, Mapping To> void there_and_back(Device& device) {
  const Tier tier = device.info().tier;
  HostTensor<float, From> host;
  float next = 1;
  host.for_each([&](const TensorIndex&, float& x) { x = next++; });
  const DeviceTensor<float, WEFT_M(1), From> from(device, host);
  HostTensor<float, To> before;
  for (float& x : before.span()) x = -3;
  DeviceTensor<float, WEFT_M(1), To> to(device, before);
  DeviceTensor<float, WEFT_M(1), From> back(device, host);
  expect_on(tier, relayout(from, to));
  expect_on(tier, relayout(to, back));

  HostTensor<float, To> expected = before;
  relayout(host, expected);
  const auto got = to.read().get();
  To.for_each([&](std::uint64_t p, const Cell& c) {
    if (c.is_padding(PaddingKind::Top)) return;
    ASSERT_EQ(std::memcmp(&got.data()[p], &expected.data()[p], 4), 0) << to_string(To) << " at " << p;
  });
  const auto returned = back.read().get();
  From.for_each([&](std::uint64_t p, const Cell& c) {
    if (!c.is_live()) return;
    ASSERT_EQ(std::memcmp(&returned.data()[p], &host.data()[p], 4), 0) << to_string(From) << " at " << p;
  });
}

TEST_P(TensorTier, MAP_TEN_09_relayout_there_and_back) {
  there_and_back<WEFT_M(H, W), WEFT_M(W, H)>(*device);
  there_and_back<WEFT_M(H, W), WEFT_M(H, W #{0} 48)>(*device);
  there_and_back<WEFT_M(H, W #{ ! } 48), WEFT_M(W #64, H #{0} 40)>(*device);
  there_and_back<WEFT_M(H, W), WEFT_M([H #40] / 8, [W #48] / 8, [H #40] % 8, [W #48] % 8)>(*device);
  there_and_back<WEFT_M(H, W), WEFT_M([H #{ ! } 40] / 8, [W #{0} 48] / 16, [H #{ ! } 40] % 8, [W #{0} 48] % 16)>(
      *device);
  there_and_back<WEFT_M(A, B), WEFT_M(B / 64, A, B % 32, B / 32 % 2)>(*device);
  there_and_back<WEFT_M(N, H, W, C), WEFT_M(C, N, W, H)>(*device);
  there_and_back<WEFT_M(H, W), WEFT_M([ H, W ] #2048 % 128, [ H, W ] #2048 / 128)>(*device);
  there_and_back<WEFT_M(H, W), WEFT_M([ H, W ] = 1665)>(*device);
}

TEST_P(TensorTier, MAP_TEN_09_relayout_of_vectors_and_integers) {
  DeviceTensor<vec4f, WEFT_M(1), WEFT_M(H, W)> from(*device);
  HostTensor<vec4f, WEFT_M(H, W)> host;
  float next = 0;
  for (vec4f& v : host.span()) v = vec4f{next, next + 1, next + 2, next + 3}, next += 4;
  from.write(host).get();
  DeviceTensor<vec4f, WEFT_M(1), WEFT_M(W, H)> to(*device);
  relayout(from, to).get();
  const auto got = to.read().get();
  for (std::uint64_t h = 0; h < H.size; ++h)
    for (std::uint64_t w = 0; w < W.size; ++w) ASSERT_EQ(std::memcmp(&got.at(w, h), &host.at(h, w), sizeof(vec4f)), 0);
}

// Splits that do not divide one another: a list of positions, on every tier.
TEST_P(TensorTier, MAP_TEN_09_relayout_by_a_list) {
  constexpr Mapping odd = WEFT_M([[ H, W ] = 1660] / 10, [[ H, W ] = 1660] % 10 #{0} 12);
  DeviceTensor<float, WEFT_M(1), odd> from = DeviceTensor<float, WEFT_M(1), odd>::from(*device, numbered);
  DeviceTensor<float, WEFT_M(1), WEFT_M([ H, W ] = 1660)> to(*device);
  relayout(from, to).get();
  const auto got = to.read().get();
  for (std::uint64_t p = 0; p < 1660; ++p) ASSERT_EQ(got.data()[p], numbered(p / W.size, p % W.size));
}

TEST_P(TensorTier, MAP_TEN_09_relayout_refuses_before_anything_is_written) {
  const auto kind_of = [](auto f) -> std::string {
    try {
      f();
    } catch (const MappingError& e) { return std::string(e.kind); }
    return "nothing thrown";
  };
  DeviceTensor<float, WEFT_M(1), WEFT_M(H)> h(*device);
  DeviceTensor<float, WEFT_M(1), WEFT_M(H = 36)> part(*device);
  DeviceTensor<float, WEFT_M(1), WEFT_M(H, 2)> two(*device);
  EXPECT_EQ(kind_of([&] { relayout(part, h); }), "index-not-located");
  EXPECT_EQ(kind_of([&] { relayout(h, two); }), "not-injective");
}

// A tile of a kernel: coordinates of its own, nothing past its ends.
TEST_P(TensorTier, MAP_TEN_03_tiles_in_kernels) {
  const auto k = kernel("windows(t, out)", [](Tensor<const float, WEFT_M(A, B)> t, Array<float> out) {
    loop(0, 20, [&](Index i) {
      const auto two = t.tile<WEFT_M(B / 32), WEFT_M(A, B / 32 = 2 #16, B % 32), 2>(i - 2);
      Var<float> sum = 0;
      For(0, 70, [&](Index b) { sum += two(3, b); });
      out[i] = sum;
    });
  });
  const auto t = DeviceTensor<float, WEFT_M(1), WEFT_M(A, B)>::from(*device, numbered);
  auto out = device->resident<float>(20);
  k(t, out).get();
  const std::vector<float> got = out.read().get();
  for (int i = -2; i < 18; ++i) {
    float want = 0;
    for (std::uint64_t b = 0; b < 64 && i >= 0 && i <= 14; ++b)
      want += numbered(3, static_cast<std::uint64_t>(i) * 32 + b);
    ASSERT_EQ(got[static_cast<std::size_t>(i + 2)], want) << i;
  }
  EXPECT_NE(k.explain().find("reads t(3, j)"), std::string::npos) << k.explain();

  // Written tiles, and a tile of a tile: starts add.
  const auto fill = kernel("fill(t)", [](Tensor<float, WEFT_M(A, B)> u) {
    loop(0, 4, [&](Index i) {
      const auto outer = u.tile<WEFT_M(B / 64), WEFT_M(A, B / 64 = 2 #{ ! } 8, B % 64), 2>(2 * i);
      const auto inner = outer.tile<WEFT_M(A), WEFT_M(A = 1 #{ ! } 8, B / 64 = 2 #{ ! } 8, B % 64), 1>(5);
      For(0, 128, [&](Index b) { inner(0, b) = 1; });
    });
  });
  DeviceTensor<float, WEFT_M(1), WEFT_M(A, B)> u(*device);
  expect_on(GetParam(), fill(u));
  const auto filled = u.read().get();
  for (std::uint64_t a = 0; a < 8; ++a)
    for (std::uint64_t b = 0; b < 512; ++b) ASSERT_EQ(filled.at(a, b), a == 5 ? 1 : 0) << a << ' ' << b;
}

TEST_P(TensorTier, MAP_TEN_02_tiles_of_device_tensors) {
  auto t = DeviceTensor<float, WEFT_M(1), WEFT_M(A, B)>::from(*device, numbered);
  DeviceTensor<float, WEFT_M(1), WEFT_M(B = 2, A)> small(*device);
  relayout(std::as_const(t).tile<WEFT_M(B), 2, WEFT_M(A, B = 2 #512)>(6), small).get();
  const auto got = small.read().get();
  for (std::uint64_t b = 0; b < 2; ++b)
    for (std::uint64_t a = 0; a < 8; ++a) ASSERT_EQ(got.at(b, a), numbered(a, b + 6));

  {
    auto to = t.tile<WEFT_M(B), 2, WEFT_M(A, B = 2 #{ ! } 512)>(100);
    expect_on(GetParam(), relayout(small, to));
    EXPECT_THROW((t.tile<WEFT_M(B), 2, WEFT_M(A, B = 2 #{ ! } 512)>(101)), StateError);
    EXPECT_NO_THROW((t.tile<WEFT_M(B), 2, WEFT_M(A, B = 2 #{ ! } 512)>(102)));
  }
  EXPECT_NO_THROW((t.tile<WEFT_M(B), 2, WEFT_M(A, B = 2 #{ ! } 512)>(101)));
  EXPECT_THROW((t.tile<WEFT_M(B), 2, WEFT_M(A, B = 2 #{ ! } 512)>(511)), RangeError);
  const auto all = t.read().get();
  for (std::uint64_t a = 0; a < 8; ++a)
    for (std::uint64_t b = 0; b < 512; ++b)
      ASSERT_EQ(all.at(a, b), numbered(a, b == 100 ? 6 : b == 101 ? 7 : b)) << a << ' ' << b;
}

// The tiles of the document that the notation comes from: two columns, and blocks that overlap.
TEST_P(TensorTier, MAP_TEN_05_tiles_of_the_source_document) {
  const auto t = DeviceTensor<float, WEFT_M(1), WEFT_M(A, B)>::from(*device, numbered);
  const auto columns = [&](std::uint64_t start) {
    DeviceTensor<float, WEFT_M(1), WEFT_M(A, B = 2)> out(*device);
    relayout(t.tile<WEFT_M(B), 2, WEFT_M(A, B = 2 #512)>(start), out).get();
    return out.read().get();
  };
  const auto tile01 = columns(0), tile23 = columns(2);
  for (std::uint64_t a = 0; a < 8; ++a)
    for (std::uint64_t b = 0; b < 2; ++b) {
      ASSERT_EQ(tile01.at(a, b), numbered(a, b));
      ASSERT_EQ(tile23.at(a, b), numbered(a, b + 2));
    }
  DeviceTensor<float, WEFT_M(1), WEFT_M(A, B / 32 = 2, B % 32)> blocks(*device);
  for (std::uint64_t i = 0; i < 15; ++i) {
    relayout(t.tile<WEFT_M(B / 32), 2, WEFT_M(A, B / 32 = 2 #16, B % 32)>(i), blocks).get();
    const auto got = blocks.read().get();
    for (std::uint64_t a = 0; a < 8; ++a)
      for (std::uint64_t b = 0; b < 64; ++b) ASSERT_EQ(got.at(a, b), numbered(a, 32 * i + b)) << i;
  }
  EXPECT_THROW((t.tile<WEFT_M(B / 32), 2, WEFT_M(A, B / 32 = 2 #16, B % 32)>(15)), RangeError);
}

// By position a kernel reads what is stored, zero padding too: zero from whoever makes a tensor, else what was put there.
TEST_P(TensorTier, MAP_TEN_07_zero_padding_by_position) {
  using E = DeviceTensor<float, WEFT_M(1), WEFT_M(N, C #{0} 4)>;
  const auto k = kernel("copy(t, out)", [](Tensor<const float, WEFT_M(N, C #{0} 4)> x, Array<float> y) {
    loop(0, x.size(), [&](Index p) { y[p] = x[p]; });
  });
  const auto made = E::from(*device, numbered);
  auto out = device->resident<float>(20);
  k(made, out).get();
  EXPECT_EQ(out.read().get()[3], 0);
  made.array().write({7}, 3).get();
  k(made, out).get();
  EXPECT_EQ(out.read().get()[3], 7);
}

// A write that its index guards does not answer for one that it does not, and keeps its guard.
TEST_P(TensorTier, MAP_TEN_08_guards_of_coordinates_stay) {
  static constexpr Mapping E = WEFT_M(B #600);
  const auto twice = kernel("twice(t)", [](Tensor<float, WEFT_M(B #600)> x) {
    loop(0, x.size(), [&](Index p) {
      x[p] = 1;
      x.at(x.index(p)) = 2;
    });
  });
  DeviceTensor<float, WEFT_M(1), E> t(*device);
  twice(t).get();
  const std::vector<float> got = t.array().read().get();
  for (std::size_t p = 0; p < 600; ++p) ASSERT_EQ(got[p], p < 512 ? 2 : 1) << p;

  const auto change = kernel(
      "change(t)", [](Tensor<float, WEFT_M(H, W #{ ! } 48)> x) { loop(0, x.size(), [&](Index p) { x[p] *= 2; }); });
  const auto host = HostTensor<float, WEFT_M(H, W #{ ! } 48)>::from(numbered);
  DeviceTensor<float, WEFT_M(1), WEFT_M(H, W #{ ! } 48)> u(*device, host);
  expect_on(GetParam(), change(u));
  EXPECT_EQ(u.read().get().at(3, 4), 2 * numbered(3, 4));
}

// A scratch array written under a condition is zero elsewhere, fused as apart.
TEST_P(TensorTier, MAP_TEN_08_fused_as_apart_where_coordinates_guard_a_write) {
  const auto put = kernel("put(to)", fusible, [](Tensor<float, WEFT_M(B #600)> to) {
    loop(0, to.size(), [&](Index p) { to.at(to.index(p)) = 1; });
  });
  const auto take = kernel("take(in, out)", fusible, [](Array<const float> in, Array<float> out) {
    loop(0, 600, [&](Index i) { out[i] = in[i]; });
  });
  auto out = device->resident<float>(600);
  device
      ->fuse([&](Scope& scope) {
        auto s = scope.scratch(600);
        put(s);
        take(s, out);
      })
      .get();
  const std::vector<float> got = out.read().get();
  for (std::size_t p = 0; p < 600; ++p) ASSERT_EQ(got[p], p < 512 ? 1 : 0) << p;
}

// A position below 0 is none of a tile's, though an element of its tensor lies there.
TEST_P(TensorTier, MAP_TEN_07_positions_before_a_tile_read_zero) {
  const auto t = DeviceTensor<float, WEFT_M(1), WEFT_M(B)>::from(*device, [](auto b) { return numbered(0, b + 1); });
  auto out = device->resident<float>(8);
  const auto k = kernel("before(t, out)", [](Tensor<const float, WEFT_M(B)> x, Array<float> y) {
    loop(0, 8, [&](Index i) { y[i] = x.tile<WEFT_M(B), WEFT_M(B = 4 #512), 4>(100)[i - 4]; });
  });
  k(t, out).get();
  EXPECT_EQ(out.read().get(), (std::vector<float>{0, 0, 0, 0, 101, 102, 103, 104}));
}

// What is known to be outside when the kernel is traced is dropped as any other.
TEST_P(TensorTier, MAP_TEN_08_writes_known_to_be_outside_are_dropped) {
  constexpr Mapping E = WEFT_M(N, C #{ ! } 4);
  DeviceTensor<float, WEFT_M(1), E> t(*device);
  const auto k = kernel("outside(t)", [](Tensor<float, WEFT_M(
                                                           N, C #{ ! } 4)>
                                             x) {
    loop(0, N.size, [&](Index i) {
      x(i, 3) = 1;
      x(i + 5, 0) = 1;
      x[i * 4 + 3] = 1;
      x(i, 1) = 2;
    });
  });
  expect_on(GetParam(), k(t));
  const auto got = t.read().get();
  for (std::uint64_t i = 0; i < N.size; ++i)
    for (std::uint64_t c = 0; c < 4; ++c) ASSERT_EQ(got.data()[i * 4 + c], c == 1 ? 2 : 0) << i << ' ' << c;
}

TEST_P(TensorTier, MAP_TEN_08_unsigned_coordinates_need_no_64_bits) {
  const auto t = DeviceTensor<float, WEFT_M(1), WEFT_M(A, B)>::from(*device, numbered);
  const auto at = device->resident(std::vector<std::uint32_t>{0, 7, 8, 0x80000003u, 0xFFFFFFFFu});
  auto out = device->resident<float>(5);
  const auto k =
      kernel("ask(t, at, out)", [](Tensor<const float, WEFT_M(A, B)> x, Array<const std::uint32_t> a, Array<float> y) {
        loop(a.length(), [&](Index i) { y[i] = x(a[i], 3) + x.index(a[i])[B]; });
      });
  expect_on(GetParam(), k(t, at, out));
  const std::vector<float> got = out.read().get();
  EXPECT_EQ((std::vector<float>(got.begin(), got.begin() + 3)), (std::vector<float>{3, 7003 + 7, 8}));
}

// One array for two parameters that are read and one that is written, all at i: bound once (KER-ACC-04).
TEST_P(TensorTier, KER_ACC_04_one_array_three_times) {
  const auto k = kernel("k(a, b, o)", [](Array<const float> a, Array<const float> b, Array<float> o) {
    loop(o.length(), [&](Index p) { o[p] = a[p] + b[p]; });
  });
  auto x = device->resident(std::vector<float>{1, 2, 3});
  k(x, x, x).get();
  EXPECT_EQ(x.read().get(), (std::vector<float>{2, 4, 6}));
}

TEST_P(TensorTier, MAP_TEN_09_relayout_by_a_list_into_nothing) {
  constexpr Mapping odd = WEFT_M([[ H, W ] = 1660] / 10, [[ H, W ] = 1660] % 10 #{0} 12);
  const DeviceTensor<float, WEFT_M(1), odd> from(*device);
  DeviceTensor<float, WEFT_M(1), WEFT_M([ H, W ] = 0)> to(*device);
  EXPECT_NO_THROW(relayout(from, to).get());
}

// A relayout is a kernel as any: a map after it joins it in one dispatch.
TEST_P(TensorTier, MAP_TEN_09_relayout_in_a_fuse_scope) {
  const auto twice = kernel("twice(t, out)", fusible, [](Tensor<const float, WEFT_M(W, H)> t, Array<float> out) {
    loop(0, t.size(), [&](Index p) { out[p] = t[p] * 2; });
  });
  const auto from = DeviceTensor<float, WEFT_M(1), WEFT_M(H, W)>::from(*device, numbered);
  DeviceTensor<float, WEFT_M(1), WEFT_M(W, H)> to(*device), doubled(*device);
  const auto report = device
                          ->fuse([&] {
                            relayout(from, to);
                            twice(to, doubled.array());
                          })
                          .get();
  const auto got = doubled.read().get();
  for (std::uint64_t h = 0; h < H.size; ++h)
    for (std::uint64_t w = 0; w < W.size; ++w) ASSERT_EQ(got.at(w, h), 2 * numbered(h, w));
  if (GetParam() == Tier::webgpu) { EXPECT_EQ(report.dispatches, 1u); }
}

WEFT_AXES(G = 524288, V = 1000, Q = 4294967296)

// Padding bounds a coordinate; a mapping too large to be walked is not asked to be.
TEST(TensorKernel, MAP_TEN_08_large_padded_mappings) {
  EXPECT_TRUE((detail::relayout_kernel<float, WEFT_M(G, V), WEFT_M(G, V #1024)>().core()));
  EXPECT_NO_THROW(kernel("f(x)", [](Array<std::int32_t> x) {
    loop(x.length(), [&](Index i) {
      x[i] = WEFT_M(G, V #1024, Q).index(i)[V] + WEFT_M([ G, V #1024 ] % 4096, [ G, V #1024 ] / 4096).index(i)[V];
    });
  }));
  EXPECT_THROW(kernel("f(x)",
                      [](Array<std::int32_t> x) {
                        loop(x.length(), [&](Index i) { x[i] = WEFT_M(Q / 2, Q % 4).index(i)[Q]; });
                      }),
               MappingError);
}

TEST(TensorKernel, MAP_TEN_02_moved_from_tensors) {
  Device device(DeviceOptions{.tiers = {Tier::cpu}});
  DeviceTensor<float, WEFT_M(1), WEFT_M(N)> a(device);
  const auto b = std::move(a);
  EXPECT_THROW(a.read(), TypeError);
  EXPECT_THROW((a.tile<WEFT_M(N), 2, WEFT_M(N = 2 #{ ! } 5)>(1)), TypeError);
  HostTensor<float, WEFT_M(N)> c;
  const auto d = std::move(c);
  const auto k = kernel("k(t)", [](Tensor<float, WEFT_M(N)> t) { loop(0, 5, [&](Index i) { t(i) = 1; }); });
  EXPECT_THROW(k(c).get(), TypeError);
}

TEST(TensorKernel, MAP_TEN_08_messages) {
  const auto message = [](auto f) -> std::string {
    try {
      f();
    } catch (const std::exception& e) { return e.what(); }
    return "nothing thrown";
  };
  Device device(DeviceOptions{.tiers = {Tier::cpu}});
  const auto k = kernel("sum(t, out)", [](Tensor<const float, WEFT_M(H, W)> t, Array<float> out) {
    loop(out.length(), [&](Index i) { out[i] = t(i, 0); });
  });
  EXPECT_EQ(message([&] { k(device.resident<float>(7), device.resident<float>(1)).get(); }),
            "sum: its parameter `t` is a tensor of 1665 elements, and was given an array of 7");
  EXPECT_NE(k.explain().find("Tensor<const float, 1665 positions> t"), std::string::npos) << k.explain();
  EXPECT_NE(k.explain().find("reads t(i, 0) (line "), std::string::npos) << k.explain();

  EXPECT_EQ(
      message([] { kernel("f(t)", [](Tensor<float, WEFT_M(H, 2)> t) { loop(0, 3, [&](Index i) { t(i) = 1; }); }); }),
      "f: its tensor `t` of `H, 2` is written by coordinates, and may hold an element at several positions; write it "
      "by position, or take it as Tensor<const D, E> to read it.");
  EXPECT_NE(message([] {
              kernel("f(t)",
                     [](Tensor<float, WEFT_M(H)> t) { loop(0, 3, [&](Index i) { t.at(WEFT_M(H, W).index(i)) = 1; }); });
            }).find("has no axis W, which the index it is asked at has"),
            std::string::npos);
  EXPECT_EQ(message([] { WEFT_M(H, W).index(Index(3)); }).find("nothing thrown"), std::string::npos);
}

}  // namespace
}  // namespace weft::test
