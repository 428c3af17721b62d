// KER-RES on the real tiers.
#include <numeric>

#include "conformance/real_tiers.hpp"

namespace weft::test {
namespace {

using Floats = std::vector<float>;

Floats count(std::size_t n) {
  Floats v(n);
  std::iota(v.begin(), v.end(), 0.f);
  return v;
}
const auto add_one = kernel("add_one(x)", [](Array<float> x) { loop(x.length(), [&](Index i) { x[i] = x[i] + 1; }); });
const auto twice = kernel("twice(v)", [](Array<vec4f> v) { loop(v.length(), [&](Index i) { v[i] = v[i] * 2; }); });

struct Residents : RealTier {};
WEFT_REAL_TIERS(Residents);

TEST_P(Residents, KER_RES_01_read_write_parts_and_destroy) {
  auto r = device->resident(count(70001)).label("r");
  add_one(r);
  EXPECT_EQ(r.read({69999, 2}).get(), (Floats{70000, 70001}));
  r.write({-1, -2}, 5);
  Floats into(7);
  r.read(into).get();
  EXPECT_EQ(into, (Floats{1, 2, 3, 4, 5, -1, -2}));
  auto zeros = device->resident<std::uint32_t>(3);
  EXPECT_EQ(zeros.read().get(), std::vector<std::uint32_t>(3, 0));
  r.destroy().get();
  EXPECT_THROW(r.read(), TypeError);
}

TEST_P(Residents, KER_RES_02_a_chain_on_one_tier_downloads_nothing) {
  auto r = device->resident(count(1000));
  for (int i = 0; i < 10; ++i) add_one(r);
  device->wait();
  const DeviceStats s = device->stats();
  EXPECT_EQ(s.downloads, 0u);
  EXPECT_EQ(s.uploads, GetParam() == Tier::cpu ? 0u : 1u);
  EXPECT_EQ(s.calls, 10u);
  EXPECT_EQ(s.dispatches, GetParam() == Tier::cpu ? 0u : 10u);
  EXPECT_EQ(r.read().get()[0], 10.f);
  EXPECT_EQ(device->stats().downloads, GetParam() == Tier::cpu ? 0u : 1u);
}

TEST_P(Residents, KER_RES_03_a_view_is_the_same_memory) {
  auto r = device->resident(count(8));
  auto v = r.as<vec4f>();
  twice(v);
  add_one(r);
  EXPECT_EQ(v.read().get()[1], (vec4f{9, 11, 13, 15}));
  EXPECT_THROW(r.as<vec3f>(), RangeError);
}

TEST_P(Residents, KER_ERR_02_nothing_at_all) {
  auto none = device->resident<float>(0);
  add_one(none).get();
  EXPECT_EQ(none.read().get(), Floats{});
  auto one = device->resident(Floats{1});
  add_one(one).get();
  EXPECT_EQ(one.read().get(), Floats{2});
}

}  // namespace
}  // namespace weft::test
