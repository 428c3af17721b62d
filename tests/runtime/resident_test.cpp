// Residents: contents, parts, views, lifetimes, and that data moves only when needed (KER-RES, MODEL-15, MODEL-16).
#include <limits>
#include <numeric>
#include <thread>

#include "runtime/null_device.hpp"

namespace weft::test {
namespace {

using Floats = std::vector<float>;

Floats count(std::size_t n) {
  Floats v(n);
  std::iota(v.begin(), v.end(), 0.f);
  return v;
}
template <class E, class F> std::string error(F f) {
  try {
    f();
  } catch (const E& e) { return e.what(); }
  return "(no error)";
}

using Residents = OneTier;

TEST_F(Residents, KER_RES_01_zeros_and_copies) {
  auto zeros = device->resident<std::int32_t>(5);
  EXPECT_EQ(zeros.length(), 5u);
  EXPECT_EQ(zeros.owner(), device->name());
  EXPECT_EQ(zeros.read().get(), std::vector<std::int32_t>(5, 0));
  Floats from{1, 2, 3};
  auto copy = device->resident(from);
  from[0] = 9;
  EXPECT_EQ(copy.read().get(), (Floats{1, 2, 3})) << "copied when it was made";
  EXPECT_EQ(null().counts().submits, 0u) << "nothing needed the tier";
}

TEST_F(Residents, KER_RES_01_parts) {
  auto r = device->resident(count(10));
  EXPECT_EQ(r.read({3, 4}).get(), (Floats{3, 4, 5, 6}));
  EXPECT_EQ(r.read({10, 0}).get(), Floats{});
  Floats into(4);
  r.read(into).get();
  EXPECT_EQ(into, (Floats{0, 1, 2, 3}));
  r.write({20, 21}, 8);
  EXPECT_EQ(r.read({7, 3}).get(), (Floats{7, 20, 21}));
  r.label("r");
  EXPECT_EQ(error<RangeError>([&] { r.read({8, 3}); }),
            "`r`.read(): elements 8 to 11 are asked for, and the array has 10");
  EXPECT_EQ(error<RangeError>([&] { r.write(count(11)); }),
            "`r`.write(): elements 0 to 11 are asked for, and the array has 10");
  EXPECT_THROW(r.read({std::numeric_limits<std::uint64_t>::max(), 2}), RangeError) << "no sum wraps";
}

TEST_F(Residents, KER_RES_01_writes_take_their_place_and_a_copy) {
  auto r = device->resident(count(4));
  auto before = r.read();
  Floats data{5, 6, 7, 8};
  auto written = r.write(data);
  data[0] = 99;
  EXPECT_EQ(before.get(), count(4));
  EXPECT_EQ(r.read().get(), (Floats{5, 6, 7, 8}));
  written.get();
}

TEST_F(Residents, KER_RES_01_writes_on_the_tier) {
  auto r = device->resident(count(4));
  add_one()(r);
  r.write({50}, 1);  // a part, where the newest copy is
  EXPECT_EQ(r.read().get(), (Floats{1, 50, 3, 4}));
  r.write(Floats{1, 1, 1, 1});  // the whole, on the host
  add_one()(r);
  EXPECT_EQ(r.read().get(), (Floats{2, 2, 2, 2}));
  auto z = device->resident<float>(3);  // a part of what was never written
  z.write({4}, 2);
  EXPECT_EQ(z.read().get(), (Floats{0, 0, 4}));
}

TEST_F(Residents, KER_RES_01_use_after_destroy_names_the_label) {
  auto r = device->resident(count(4)).label("pixels");
  EXPECT_EQ(r.label(), "pixels");
  auto copy = r;
  add_one()(r);
  auto before = r.read();
  r.destroy();
  EXPECT_EQ(before.get(), (Floats{1, 2, 3, 4})) << "made before";
  EXPECT_EQ(error<TypeError>([&] { copy.read(); }), "`pixels`.read(): the array was destroyed");
  EXPECT_EQ(error<TypeError>([&] { r.write(count(4)); }), "`pixels`.write(): the array was destroyed");
  EXPECT_EQ(error<TypeError>([&] { r.destroy(); }), "`pixels`.destroy(): the array was destroyed already");
  EXPECT_EQ(error<TypeError>([&] { add_one()(r).get(); }),
            "add_one: its parameter `x` was given `pixels`, which was destroyed");
  device->wait();
  EXPECT_EQ(null().live(), 0u) << "its memory is given back";
}

TEST_F(Residents, KER_RES_01_an_unlabelled_array_is_described) {
  auto r = device->resident(count(4));
  r.destroy();
  EXPECT_EQ(error<TypeError>([&] { r.read(); }), "a resident of 4 f32.read(): the array was destroyed");
}

TEST_F(Residents, memory_is_given_back_with_the_last_handle) {
  {
    auto r = device->resident(count(4));
    auto view = r.as<vec2f>();
    add_one()(r).get();
    r = {};
    EXPECT_EQ(null().live(), 1u);
    EXPECT_EQ(view.read().get()[1], (vec2f{3, 4}));
  }
  for (int i = 0; i < 1000 && null().live() > 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(null().live(), 0u);
}

TEST_F(Residents, a_handle_dropped_in_mid_queue_changes_nothing) {
  null().delay(true), null().hold(true);
  Future<std::vector<float>> read;
  {
    auto r = device->resident(count(3));
    add_one()(r);
    read = r.read();
  }
  null().hold(false);
  EXPECT_EQ(read.get(), (Floats{1, 2, 3}));
}

TEST_F(Residents, KER_RES_02_a_chain_moves_nothing) {
  auto a = device->resident(count(100)), b = device->resident<float>(100), c = device->resident<float>(100);
  scale()(a, b, 2.f);
  scale()(b, c, 3.f);
  add_one()(c).get();
  DeviceStats s = device->stats();
  EXPECT_EQ(s.uploads, 1u);
  EXPECT_EQ(s.downloads, 0u);
  EXPECT_EQ(s.dispatches, 3u);
  EXPECT_EQ(s.submissions, 3u);
  EXPECT_EQ(s.calls, 3u);
  EXPECT_EQ(c.read().get()[7], 43.f);
  s = device->stats();
  EXPECT_EQ(s.downloads, 1u);
  scale()(a, b, 2.f);
  device->wait();
  EXPECT_EQ(device->stats().uploads, 1u) << "what is there stays there";
}

TEST_F(Residents, KER_RES_02_memory_that_host_and_tier_share_is_not_copied) {
  null().host_addressable(true);
  Floats host = count(8), out(8);
  auto a = device->resident(host);
  add_one()(a);
  scale()(a, out, 2.f).get();
  EXPECT_EQ(out[3], 8.f);
  EXPECT_EQ(a.read().get()[3], 4.f);
  EXPECT_EQ(device->stats().uploads, 0u);
  EXPECT_EQ(device->stats().downloads, 0u);
  EXPECT_EQ(device->stats().buffers, 0u) << "host memory is used in place";
  EXPECT_EQ(null().counts().uploads, 0u);
  scale()(host, a, 1.f).get();
  EXPECT_EQ(device->stats().uploads, 0u);
  EXPECT_EQ(a.read().get()[3], 3.f);
  a.write({100}, 0);
  a.write(count(8));
  add_one()(a);
  EXPECT_EQ(a.read().get(), (Floats{1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST_F(Residents, KER_RES_03_views_are_the_same_memory) {
  auto r = device->resident(count(8));
  auto v = r.as<vec4f>();
  EXPECT_EQ(v.length(), 2u);
  EXPECT_EQ(v.read().get()[1], (vec4f{4, 5, 6, 7}));
  v.write({vec4f{9, 9, 9, 9}}, 1);
  EXPECT_EQ(r.read({3, 2}).get(), (Floats{3, 9}));
  EXPECT_EQ(v.as<float>().length(), 8u);
  EXPECT_EQ(error<RangeError>([&] { r.label("r").as<vec3f>(); }),
            "`r`: its 8 f32 cannot be viewed as vec3f: 3 does not divide them");
  r.destroy();
  EXPECT_THROW(v.read(), TypeError);
}

TEST_F(Residents, KER_ERR_02_empty_arrays_and_null_spans) {
  auto none = device->resident<float>(0);
  EXPECT_EQ(none.read().get(), Floats{});
  none.write(std::span<const float>{}).get();
  add_one()(none).get();
  auto null_span = device->resident(std::span<const float>{});
  EXPECT_EQ(null_span.length(), 0u);
  EXPECT_EQ(null_span.read().get(), Floats{});
  std::span<float> bad(static_cast<float*>(nullptr), 4);
  auto r = device->resident<float>(4);
  EXPECT_THROW(r.read(bad), TypeError);
  EXPECT_THROW(r.write(bad), TypeError);
  EXPECT_THROW(scale()(bad, r, 1.f).get(), TypeError);
  EXPECT_THROW(Resident<float>().read(), TypeError);
  EXPECT_THROW(Resident<float>().length(), TypeError);
  EXPECT_THROW(device->resident<float>(std::uint64_t{1} << 32), RangeError);
  EXPECT_THROW(device->resident<float>(std::numeric_limits<std::uint64_t>::max()), RangeError);
}

TEST_F(Residents, KER_DEV_04_residents_that_outlive_their_device_throw) {
  auto r = device->resident(count(4)).label("left");
  add_one()(r);
  const std::string name = device->name();
  device.reset();
  EXPECT_EQ(error<StateError>([&] { r.read(); }), "`left`.read(): the device " + name + " that made it is no more");
  EXPECT_EQ(error<StateError>([&] { add_one()(r).get(); }),
            "add_one: its parameter `x` was given `left` of " + name + ", a device that is no more");
  EXPECT_EQ(r.length(), 4u);
}

TEST(TwoTiers, KER_RES_02_data_follows_the_calls_between_tiers) {
  NullTiers tiers;
  tiers.add(Tier::webgpu).add(Tier::cpu);
  Device d = tiers.device();
  auto r = d.resident(count(4));
  add_one()(r);        // webgpu: 1 upload
  prefix()(r);         // cpu: 1 download
  prefix()(r);         // and none again
  add_one()(r).get();  // webgpu: 1 upload
  EXPECT_EQ(r.read().get(), (Floats{2, 5, 11, 21}));
  EXPECT_EQ(tiers.opened(Tier::cpu).misuse(), std::vector<std::string>{});
  EXPECT_EQ(tiers.opened(Tier::webgpu).misuse(), std::vector<std::string>{});
}

TEST(TwoTiers, MODEL_15_a_host_tier_leaves_the_other_copy_as_it_is_where_it_only_reads) {
  NullTiers tiers;
  tiers.add(Tier::webgpu).add(Tier::cpu);
  Device d = tiers.device();
  auto r = d.resident(count(4)), s = d.resident(count(4));
  add_one()(r);
  static const auto carry = kernel("carry(from, to)", [](Array<const float> from, Array<float> to) {
    loop(1, to.length(), [&](Index i) { to[i] = from[i] + to[i - 1]; });
  });
  carry(r, s).get();
  tiers.opened(Tier::cpu).host_addressable(true);
  const auto downloads = d.stats().downloads, uploads = d.stats().uploads;
  carry(r, s).get();
  add_one()(r).get();
  EXPECT_EQ(d.stats().downloads, downloads) << "a second host call reads nothing";
  EXPECT_EQ(d.stats().uploads, uploads) << "what was only read is still current on the GPU";
}

}  // namespace
}  // namespace weft::test
