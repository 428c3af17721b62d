// Calls: checks before anything runs, tiers and their reasons, results (KER-CALL, KER-TIER-04, KER-ACC-04, KER-LOOP-06).
#include <numeric>
#include <thread>

#include "runtime/null_device.hpp"

namespace weft::test {
namespace {

using Floats = std::vector<float>;

template <class E, class F> std::string error(F f) {
  try {
    f();
  } catch (const E& e) { return e.what(); }
  return "(no error)";
}

using Calls = OneTier;

TEST_F(Calls, KER_CALL_01_a_call_returns_at_once_and_is_queued) {
  null().delay(true), null().hold(true);
  auto r = device->resident(Floats{1, 2});
  auto first = add_one()(r);
  auto second = add_one()(r);
  EXPECT_FALSE(second.ready());
  null().hold(false);
  second.get();
  EXPECT_TRUE(first.ready()) << "in order";
  EXPECT_EQ(r.read().get(), (Floats{3, 4}));
}

TEST_F(Calls, KER_CALL_02_host_memory_is_read_and_written_in_place) {
  Floats from{1, 2, 3}, to(3);
  auto r = device->resident<float>(3);
  scale()(from, r, 2.f).get();  // with a resident, so on this device
  EXPECT_EQ(r.read().get(), (Floats{2, 4, 6}));
  scale()(r, std::span(to), 2.f).get();
  EXPECT_EQ(to, (Floats{4, 8, 12})) << "before the future is ready";
}

TEST_F(Calls, KER_CALL_03_residents_of_two_devices) {
  Device other = tiers.device({.tiers = {Tier::webgpu}});
  auto a = device->resident(Floats{1}).label("mine"), b = other.resident(Floats{1});
  EXPECT_EQ(error<TypeError>([&] { scale()(a, b, 1.f); }), "scale: its parameter `a` was given `mine` of " +
                                                               device->name() + ", and `b` a resident of 1 f32 of " +
                                                               other.name() + "; a call takes residents of one device");
}

TEST_F(Calls, KER_CALL_05_lengths_are_checked_before_anything_runs) {
  static const auto shift = kernel(
      "shift(a, b)", [](Array<const float> a, Array<float> b) { loop(a.length(), [&](Index i) { b[i + 2] = a[i]; }); });
  auto a = device->resident(Floats{1, 2, 3}), b = device->resident<float>(4);
  const std::string what = error<TypeError>([&] { shift(a, b).get(); });
  EXPECT_TRUE(what.starts_with("shift: its parameter `b` has 4 elements, and `b[i + 2]` (line ")) << what;
  EXPECT_TRUE(what.ends_with(") writes indices from 2 to 4")) << what;
  EXPECT_EQ(null().counts().creates, 0u);
  EXPECT_EQ(null().counts().compiles, 0u);

  static const auto down = kernel("down(b, n)", [](Array<float> b, weft::Scalar<std::int32_t> n) {
    loop(n, 0, -1, [&](Index i) { b[i - 3] = 1; });
  });
  const std::string low = error<TypeError>([&] { down(b, 4).get(); });
  EXPECT_TRUE(low.ends_with("writes indices from -2 to 1")) << low;
}

TEST_F(Calls, KER_CALL_05_a_conditional_write_is_no_error) {
  static const auto some =
      kernel("some(b)", [](Array<float> b) { loop(b.length(), [&](Index i) { If(i < 1, [&] { b[i + 1] = 5; }); }); });
  auto b = device->resident<float>(2);
  some(b).get();
  EXPECT_EQ(b.read().get(), (Floats{0, 5}));
}

TEST_F(Calls, KER_ACC_04_one_array_as_two_parameters) {
  static const auto blur = kernel("blur(a, b)", [](Array<const float> a, Array<float> b) {
    loop(b.length(), [&](Index i) { b[i] = a[i - 1] + a[i]; });
  });
  auto r = device->resident(Floats{1, 2, 3});
  EXPECT_EQ(
      error<TypeError>([&] { blur(r, r).get(); }),
      "blur: its parameters `a` and `b` are one array, and it writes `b`; give it two, or a kernel that touches both at "
      "i only and as one type");
  scale()(r, r, 2.f).get();  // at exactly i, of one type: bound once
  EXPECT_EQ(r.read().get(), (Floats{2, 4, 6}));
  EXPECT_EQ(null().programs().back()->slots.size(), 1u);
  static const auto dot2 = kernel("dot2(a, b)", [](Array<const float> a, Array<const float> b) {
    Var<float> s = 0;
    loop(a.length(), [&](Index i) { s += a[i] * b[i + 1]; });
    return s;
  });
  EXPECT_EQ(dot2(r, r).get(), 2.f * 4 + 4 * 6) << "nothing is written";
}

TEST_F(Calls, KER_ACC_04_host_memory_that_overlaps) {
  Floats host{1, 2, 3, 4};
  auto keep = device->resident<float>(1);
  static const auto pair = kernel("pair(a, b, c)", [](Array<const float> a, Array<float> b, Array<float> c) {
    loop(b.length(), [&](Index i) {
      b[i] = a[i] + 1;
      If(i < c.length(), [&] { c[i] = 1; });
    });
  });
  EXPECT_THROW(pair(std::span(host).subspan(0, 3), std::span(host).subspan(1, 3), keep).get(), TypeError);
  EXPECT_EQ(host, (Floats{1, 2, 3, 4}));
  pair(std::span(host), std::span(host), keep).get();
  EXPECT_EQ(host, (Floats{2, 3, 4, 5}));
}

TEST_F(Calls, KER_RES_03_an_array_of_scalars_where_vectors_are_taken) {
  static const auto twice =
      kernel("twice(v)", [](Array<vec4f> v) { loop(v.length(), [&](Index i) { v[i] = v[i] * 2; }); });
  auto r = device->resident(Floats{1, 2, 3, 4, 5, 6, 7, 8});
  twice(r.as<vec4f>()).get();
  EXPECT_EQ(r.read().get()[7], 16.f);
  auto odd = device->resident<float>(6);
  twice(r).get();  // the view is implied
  EXPECT_EQ(r.read().get()[7], 32.f);
  EXPECT_EQ(error<RangeError>([&] { twice(odd).get(); }),
            "twice: its parameter `v` is an array of vec4f, and was given 6 f32, which 4 does not divide");
}

TEST_F(Calls, KER_LOOP_06_no_iteration_runs_nothing) {
  auto none = device->resident<float>(0);
  add_one()(none).get();
  EXPECT_EQ(sum()(none).get(), 0.f);
  EXPECT_EQ(device->stats().dispatches, 0u);
  EXPECT_EQ(device->stats().submissions, 0u);
}

TEST_F(Calls, MODEL_10_results_come_from_the_tail) {
  static const auto mean = kernel("mean(x)", [](Array<const float> x) {
    Var<float> s = 0;
    loop(x.length(), [&](Index i) { s += x[i]; });
    return s / 4;
  });
  static const auto both = kernel("both(x)", [](Array<const float> x) {
    Var<float> lo = 1e9f, hi = -1e9f;
    loop(x.length(), [&](Index i) { lo = min(lo, x[i]); });
    loop(x.length(), [&](Index i) { hi = max(hi, x[i]); });
    return std::tuple(lo, hi);
  });
  auto x = device->resident(Floats{4, 1, 3, 2});
  EXPECT_EQ(mean(x).get(), 2.5f);
  const auto submissions = device->stats().submissions;
  const auto [lo, hi] = both(x).get();
  EXPECT_EQ(lo, 1.f);
  EXPECT_EQ(hi, 4.f);
  EXPECT_EQ(device->stats().submissions, submissions + 1) << "two loops, one batch";
}

TEST(Tiers, KER_LOOP_05_a_later_loop_that_needs_a_folded_value_runs_on_the_cpu) {
  NullTiers tiers;
  tiers.add(Tier::webgpu).add(Tier::cpu);
  Device d = tiers.device();
  static const auto normalise = kernel("normalise(x)", [](Array<float> x) {
    Var<float> s = 0;
    loop(x.length(), [&](Index i) { s += x[i]; });
    loop(x.length(), [&](Index i) { x[i] = x[i] / s; });
    return s;
  });
  auto x = d.resident(Floats{1, 3});
  auto done = normalise(x);
  EXPECT_EQ(done.get(), 4.f);
  EXPECT_EQ(x.read().get(), (Floats{0.25, 0.75}));
  EXPECT_EQ(done.call()->tier, Tier::cpu);
  EXPECT_NE(done.call()->reason, "");
}

TEST(Tiers, KER_TIER_04_the_next_tier_for_a_stated_reason) {
  NullTiers tiers;
  tiers.add(Tier::webgpu).add(Tier::cpu);
  Device d = tiers.device();
  auto x = d.resident(Floats{1, 2});
  auto on_gpu = add_one()(x);
  on_gpu.get();
  EXPECT_EQ(on_gpu.call()->name, "add_one");
  EXPECT_EQ(on_gpu.call()->tier, Tier::webgpu);
  EXPECT_EQ(on_gpu.call()->reason, "");

  auto carried = prefix()(x);
  carried.get();
  EXPECT_EQ(carried.call()->tier, Tier::cpu);
  EXPECT_NE(carried.call()->reason.find("`x[i - 1]`"), std::string::npos) << carried.call()->reason;

  tiers.opened(Tier::webgpu).fail(failing(&NullFailures::refuse, "it is too much"));
  auto refused = scale()(x, d.resident<float>(2), 1.f);
  refused.get();
  EXPECT_EQ(refused.call()->reason, "it is too much");
}

TEST(Tiers, KER_LOOP_04_in_order_is_never_silent) {
  NullTiers tiers;
  tiers.add(Tier::cpu);
  Device d = tiers.device({.tiers = {Tier::cpu}});
  auto done = prefix()(d.resident(Floats{1, 2}));
  done.get();
  EXPECT_NE(done.call()->reason.find("`x[i - 1]`"), std::string::npos) << done.call()->reason;
}

TEST(Tiers, MODEL_14_no_tier_is_an_UnsupportedError_that_lists_them) {
  NullTiers tiers;
  tiers.add(Tier::webgpu);
  Device d = tiers.device({.tiers = {Tier::webgpu}});
  auto x = d.resident(Floats{1, 2});
  const std::string what = error<UnsupportedError>([&] { prefix()(x).get(); });
  EXPECT_TRUE(what.starts_with("prefix: no tier of " + d.name() + " can run it:\n  webgpu: ")) << what;
  EXPECT_THROW(x.read().get(), UnsupportedError) << "left on what it would have written";
}

TEST(Tiers, an_array_past_the_binding_limit_goes_on) {
  NullTiers tiers;
  backend::Info small = null_info(Tier::webgpu);
  small.limits.emplace_back("maxStorageBufferBindingSize", 16);
  tiers.add(small).add(Tier::cpu);
  Device d = tiers.device();
  auto done = add_one()(d.resident<float>(8));
  done.get();
  EXPECT_EQ(done.call()->reason, "its array `x` takes 32 bytes and the device allows 16");
}

TEST(Tiers, a_tier_further_down_is_opened_when_a_call_comes_to_it) {
  NullTiers tiers;
  tiers.add(Tier::webgpu).add(Tier::cpu);
  Device d = tiers.device();
  add_one()(d.resident<float>(8)).get();
  EXPECT_EQ(tiers.driver(Tier::cpu).last(), nullptr);
  prefix()(d.resident<float>(8)).get();
  EXPECT_NE(tiers.driver(Tier::cpu).last(), nullptr);
}

TEST_F(Calls, KER_CALL_06_call_tells_name_and_tier) {
  auto done = sum()(device->resident(Floats{1, 2}));
  EXPECT_EQ(done.get(), 3.f);
  EXPECT_EQ(done.call()->name, "sum");
  EXPECT_EQ(done.call()->tier, Tier::webgpu);
}

TEST_F(Calls, programs_are_made_once) {
  auto x = device->resident(Floats{1, 2});
  for (int i = 0; i < 5; ++i) add_one()(x);
  device->wait();
  EXPECT_EQ(null().counts().compiles, 1u);
  EXPECT_EQ(device->stats().programs, 1u);
}

TEST_F(Calls, folded_values_need_no_new_memory_each_time) {
  auto x = device->resident(Floats{1, 2});
  for (int i = 0; i < 5; ++i) EXPECT_EQ(sum()(x).get(), 3.f);
  EXPECT_EQ(device->stats().buffers, 2u);
}

TEST(Tiers, KER_DEV_06_bits_of_the_device_and_of_the_kernel) {
  NullTiers tiers;
  tiers.add(Tier::webgpu);
  Device d = tiers.device({.tiers = {Tier::webgpu}, .bits = Bits::fast});
  EXPECT_EQ(d.info().bits, Bits::fast);
  add_one()(d.resident<float>(4)).get();
  EXPECT_EQ(tiers.opened(Tier::webgpu).programs().back()->config.bits, Bits::fast);
  static const auto exact =
      kernel("exact(x)", Bits::exact, [](Array<float> x) { loop(x.length(), [&](Index i) { x[i] = x[i] * 2 + 1; }); });
  exact(d.resident<float>(4)).get();
  EXPECT_EQ(tiers.opened(Tier::webgpu).programs().back()->config.bits, Bits::exact);
}

TEST_F(Calls, MODEL_20_scalars_are_taken_at_the_call) {
  null().delay(true), null().hold(true);
  auto a = device->resident(Floats{1, 2}), b = device->resident<float>(2);
  float k = 3;
  scale()(a, b, k);
  k = 100;
  null().hold(false);
  EXPECT_EQ(b.read().get(), (Floats{3, 6}));
}

}  // namespace
}  // namespace weft::test
