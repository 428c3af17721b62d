// Loops that only move elements: which are known as such, and what the cpu tier makes of them (MAP-TEN-09).
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>
#include <vector>

#include <weft/device_tensor.hpp>
#include <weft/weft.hpp>

#include "kernel/core.hpp"
#include "random_mapping.hpp"

namespace weft::test {
namespace {

WEFT_AXES(H = 48, W = 80)

const std::optional<trace::Move>& move_of(const auto& kernel) { return kernel.core()->loops.at(0).move; }

TEST(Move, MAP_TEN_09_relayouts_of_digits_are_moves) {
  const auto transpose = detail::relayout_kernel<float, WEFT_M(H, W), WEFT_M(W, H)>();
  const auto& m = move_of(transpose);
  ASSERT_TRUE(m);
  EXPECT_EQ(m->trip, 48u * 80);
  ASSERT_EQ(m->box.dims.size(), 2u);
  EXPECT_EQ(m->box.dims[0].extent, 80u);
  EXPECT_EQ(m->box.dims[0].to, 48u);
  EXPECT_EQ(m->box.dims[0].from, 1u);
  const auto same = detail::relayout_kernel<float, WEFT_M(H, W), WEFT_M(H / 6, H % 6, W)>();
  ASSERT_TRUE(move_of(same));
  EXPECT_EQ(move_of(same)->box.dims.size(), 1u);
}

TEST(Move, MAP_TEN_09_padding_is_zeros_beside_a_move) {
  const auto pad = detail::relayout_kernel<float, WEFT_M(H, W), WEFT_M(W #{0} 96, H #64)>();
  const auto& m = move_of(pad);
  ASSERT_TRUE(m) << pad.explain();
  EXPECT_EQ(m->trip, 96u * 64);
  EXPECT_EQ(m->box.count(), 48u * 80);
  ASSERT_EQ(m->zeros.size(), 2u);
  EXPECT_EQ(m->zeros[0].count() + m->zeros[1].count(), 96u * 64 - 48 * 80);
  const auto bottom = detail::relayout_kernel<float, WEFT_M(H, W), WEFT_M(W #{ ! } 96, H)>();
  EXPECT_FALSE(move_of(bottom));  // it writes nothing there
}

TEST(Move, MAP_TEN_09_what_else_a_loop_does_is_no_move) {
  const auto none = [](auto lambda) {
    const auto k = kernel("f(a, b)", lambda);
    EXPECT_FALSE(move_of(k)) << k.explain();
  };
  using From = Tensor<const float, WEFT_M(H, W)>;
  using To = Tensor<float, WEFT_M(H, W)>;
  none([](From a, To b) { loop(0, 100, [&](Index i) { b[i] = a[i] + 1; }); });
  none([](From a, To b) {
    loop(0, 100, [&](Index i) {
      b[i] = a[0 * i];
      b[i + 100] = a[i];
    });
  });
  none([](From a, To b) { loop(1, 100, [&](Index i) { b[i] = a[i]; }); });
  none([](From a, To b) { loop(0, 48 * 80 + 1, [&](Index i) { b[i] = a[i]; }); });
  none([](From a, To b) { loop(0, 48 * 80, [&](Index i) { b[i] = a[i + 1]; }); });
  none([](From a, To b) { loop(0, 100, [&](Index i) { b[i % 50] = a[i]; }); });
  none([](From a, To b) { loop(a.array().length() - 1, [&](Index i) { If(a[i] > 0, [&] { b[i] = a[i]; }); }); });
  none([](To a, To b) {
    loop(0, 100, [&](Index i) {
      b[i] = a[i];
      a[i] = 0;
    });
  });
  const auto in_place = kernel("g(a)", [](To a) { loop(0, 100, [&](Index i) { a[i] = a[i]; }); });
  EXPECT_FALSE(move_of(in_place));
  const auto arrays =
      kernel("h(a, b)", [](Array<const float> a, Array<float> b) { loop(0, 100, [&](Index i) { b[i] = a[i]; }); });
  EXPECT_FALSE(move_of(arrays));  // whose lengths are not known
}

// One array for both parameters is no move, and keeps its meaning.
TEST(Move, MAP_TEN_09_one_array_twice) {
  Device device(DeviceOptions{.tiers = {Tier::cpu}});
  const auto k = kernel("f(a, b)", [](Tensor<const float, WEFT_M(H)> a, Tensor<float, WEFT_M(H)> b) {
    loop(0, 48, [&](Index i) { b[i] = a[i]; });
  });
  ASSERT_TRUE(move_of(k));
  std::vector<float> v(48);
  std::iota(v.begin(), v.end(), 1.f);
  auto x = device.resident(v);
  k(x, x).get();
  EXPECT_EQ(x.read().get(), v);
}

// Random permutations of digits, with and without padding, on the cpu tier beside a walk over the mappings.
RC_GTEST_PROP(MoveProperty, MAP_TEN_09_as_a_plain_walk, ()) {
  static Device device(DeviceOptions{.tiers = {Tier::cpu}});
  const std::size_t axes = number(1, 3);
  const Mapping from = permutation(axes), to = permutation(axes);
  const auto formula = detail::make_element_formula(from);
  if (!detail::has_formula(*formula)) return;
  struct Opened : Array<const float> {
    static detail::Expr of(const Array<const float>& a) { return a.*(&Opened::array_); }
  };
  auto body = [&](Array<const float> source, Array<float> target) {
    loop(0, to.size(), [&](Index p) {
      const TracedIndex at = to.index(p);
      If(at.live(),
         [&] { target[p] = source[Index(detail::place_of(*formula, Opened::of(source), at.cell(), false))]; });
    });
  };
  auto plain = [&](Array<const float> source, Array<float> target) {
    loop(0, to.size(), [&](Index p) {
      target[p] = source[Index(detail::place_of(*formula, Opened::of(source), to.index(p).cell(), false))];
    });
  };
  const auto run = [&](auto& f, float elsewhere) {
    const std::array<detail::ParamSpec, 2> specs{detail::ParamSpec{true, false, dtype_of<float>, from.size()},
                                                 detail::ParamSpec{true, true, dtype_of<float>, to.size()}};
    using F = std::remove_reference_t<decltype(f)>;
    const detail::KernelBody traced{&f, [](void* self, std::span<const detail::Expr> p) {
                                      (*static_cast<F*>(self))(Array<const float>(p[0]), Array<float>(p[1]));
                                    }};
    const Kernel<void(Array<const float>, Array<float>)> k(
        detail::trace_kernel("move(source, target)", {}, specs, traced));
    RC_CLASSIFY(move_of(k).has_value(), "move");
    std::vector<float> source(from.size()), got(to.size(), -1);
    std::iota(source.begin(), source.end(), 1.f);
    k(source, got).get();
    std::map<std::map<std::string, std::uint64_t>, std::uint64_t> places;
    for (std::uint64_t i = from.size(); i-- > 0;)
      if (const Cell c = from.map(i); c.is_live()) places[element_of(c)] = i;
    for (std::uint64_t p = 0; p < to.size(); ++p) {
      const Cell c = to.map(p);
      ASSERT_EQ(got[p], c.is_live() ? source[places.at(element_of(c))] : elsewhere)
          << to_string(from) << " to " << to_string(to) << " at " << p;
    }
  };
  run(body, -1);
  run(plain, 0);
}

}  // namespace
}  // namespace weft::test
