// Running plans on null tiers: checks, batches, locals, folds, entries, the report (FUSE-CHK, GRP, SCR, RED, REP, WGS, TIM,
// TIER, CAC).
#include <functional>
#include <tuple>

#include "fuse/kernels.hpp"
#include "fuse/rig.hpp"

namespace weft::test {
namespace {

class Plans : public FuseRig {
 protected:
  void TearDown() override { EXPECT_EQ(on_gpu().misuse(), std::vector<std::string>{}); }
  /// How much has been asked of the gpu since the last call of this.
  NullCounts since() {
    const NullCounts now = on_gpu().counts();
    NullCounts d = now;
    d.compiles -= seen_.compiles, d.creates -= seen_.creates, d.submits -= seen_.submits, d.runs -= seen_.runs;
    d.uploads -= seen_.uploads, d.reads -= seen_.reads, d.destroys -= seen_.destroys, d.dispatches -= seen_.dispatches;
    seen_ = now;
    return d;
  }
  template <class F> void fail(F change) {
    NullFailures f;
    change(f);
    on_gpu().fail(f);
  }
  NullCounts seen_;
};

// FUSE-GRP-03, FUSE-GRP-05, FUSE-REP-03, FUSE-REP-06, FUSE-REP-09, FUSE-WGS-02, FUSE-TIER-01
TEST_F(Plans, GRP03_AChainIsOneDispatch) {
  auto x = ramp(100), y = zeros(100);
  const FuseReport r = fuse([&](Scope& s) {
    auto a = s.scratch(100), b = s.scratch(100);
    add()(x, a, 100, 1.0f);
    add()(a, b, 100, 2.0f);
    add()(b, y, 100, 3.0f);
  });
  EXPECT_EQ(groups(r), "{add add add}");
  EXPECT_TRUE(r.groups[0].fused);
  EXPECT_FALSE(r.groups[0].why);
  EXPECT_EQ(r.tier, Tier::webgpu);
  EXPECT_EQ(r.dispatches, 1u);
  EXPECT_EQ(r.submissions, 1u);
  EXPECT_EQ(r.groups[0].workgroup_shapes, (std::vector<std::array<std::uint32_t, 3>>{{64, 1, 1}}));
  EXPECT_EQ(since().creates, 2u) << "x and y: the scratch arrays are locals (FUSE-SCR-09)";
  EXPECT_EQ(y.read().get()[7], 13.0f);
}

// FUSE-GRP-08: one submission for several groups, and each dispatch has its own scalars.
TEST_F(Plans, GRP08_OneSubmissionForAllGroups) {
  auto x = ramp(10), y = zeros(10), z = zeros(10);
  const FuseReport r = fuse([&] {
    shift()(x, y, 10);
    add()(y, z, 9, 10.0f);
    add()(z, y, 9, 100.0f);
  });
  EXPECT_EQ(groups(r), "{shift} {add} {add}");
  EXPECT_EQ(r.dispatches, 3u);
  EXPECT_EQ(r.submissions, 1u);
  EXPECT_EQ(y.read().get()[3], 112.0f);
}

// FUSE-WHY-04: the author's access and line.
TEST_F(Plans, WHY04_AnAccessAndItsLine) {
  auto x = ramp(10), y = zeros(10), z = zeros(10);
  const FuseReport r = fuse([&] {
    add()(x, y, 10, 1.0f);
    shift()(y, z, 10);
  });
  ASSERT_EQ(r.groups.size(), 2u);
  EXPECT_EQ(r.groups[1].why, "add and shift run as two dispatches because shift reads `t[i - 1]` (line " +
                                 std::to_string(shift_line) + ")");
}

// FUSE-F6-03, FUSE-RED-01, FUSE-RED-03, FUSE-RED-04, FUSE-SCR-09: map and sum are one dispatch and its fold levels.
TEST_F(Plans, RED04_AMapAndASum) {
  for (auto [n, dispatches] : {std::pair{1, 1u}, {256, 1u}, {257, 2u}, {1000, 2u}, {65536, 2u}, {65537, 3u}}) {
    auto x = ramp(static_cast<std::uint64_t>(n));
    Future<float> total;
    const FuseReport r = fuse([&](Scope& s) {
      auto t = s.scratch(n);
      add()(x, t, n, 1.0f);
      total = sum()(t, n);
    });
    EXPECT_EQ(groups(r), "{add sum}");
    EXPECT_EQ(r.dispatches, dispatches) << n;
    EXPECT_EQ(r.submissions, 1u);
    EXPECT_EQ(r.groups[0].workgroup_shapes, (std::vector<std::array<std::uint32_t, 3>>{{256, 1, 1}}));
    auto t = zeros(static_cast<std::uint64_t>(n));
    add()(x, t, n, 1.0f);
    EXPECT_EQ(total.get(), sum()(t, n).get()) << "apart";
  }
}

// FUSE-F1-08, RED, FUSE-REP-17: nothing to run is no dispatch and no submission.
TEST_F(Plans, REP17_ASumOverNothing) {
  auto x = zeros(1);
  Future<float> total;
  const FuseReport r = fuse([&] { total = sum()(x, 0); });
  EXPECT_EQ(total.get(), 0.0f);
  EXPECT_EQ(r.dispatches, 0u);
  EXPECT_EQ(r.submissions, 0u);
  EXPECT_EQ(r.groups[0].workgroup_shapes, (std::vector<std::array<std::uint32_t, 3>>{}));
  EXPECT_EQ(r.groups[0].gpu_time, std::nullopt) << "FUSE-TIM-11";
}

// FUSE-WGS-03, FUSE-F1-03
TEST_F(Plans, WGS03_ALoneCallOfTwoLoops) {
  auto x = ramp(10), y = zeros(10);
  const FuseReport r = fuse([&] { twice()(x, y); });
  EXPECT_EQ(r.dispatches, 2u);
  EXPECT_EQ(r.groups[0].workgroup_shapes->size(), 2u);
  EXPECT_EQ(y.read().get()[4], 5.0f);
}

// FUSE-TIM-04, FUSE-TIM-07
TEST_F(Plans, TIM04_TheTimeOfAGroupIsThatOfItsPasses) {
  auto x = ramp(1000), y = zeros(1000), z = zeros(1000);
  Future<float> total;
  const FuseReport r = fuse([&] {
    add()(x, y, 1000, 1.0f);
    total = sum()(y, 1000);
    running()(y, z);
  });
  EXPECT_EQ(groups(r), "{add sum} {running}");
  EXPECT_EQ(r.groups[0].gpu_time, 2000.0) << "two dispatches of the null tier";
  EXPECT_EQ(r.groups[1].gpu_time, std::nullopt);
}

// FUSE-REP-07, FUSE-TIER-04, FUSE-TIER-05, FUSE-WGS-07: the example of FUSE-REP-07.
TEST_F(Plans, REP07_ACallOnTheCpuInTheMiddle) {
  auto x = ramp(5), y = zeros(5), z = zeros(5), w = zeros(5);
  const FuseReport r = fuse([&] {
    add()(x, y, 5, 1.0f);
    running()(y, z);
    add()(z, w, 5, 0.5f);
  });
  EXPECT_EQ(groups(r), "{add} {running} {add}");
  EXPECT_EQ(r.submissions, 3u) << "submit, read y, submit";
  EXPECT_EQ(r.dispatches, 2u);
  EXPECT_EQ(r.tier, Tier::webgpu);
  EXPECT_EQ(r.groups[1].workgroup_shapes, std::nullopt);
  ASSERT_TRUE(r.groups[1].why && r.groups[2].why);
  EXPECT_EQ(r.groups[1].why->rfind("running runs on the CPU, ", 0), 0u) << *r.groups[1].why;
  EXPECT_EQ(r.groups[2].why, "add runs apart from running, which runs on the CPU");
  EXPECT_EQ(w.read().get(), (std::vector<float>{0.5f, 2.5f, 5.5f, 9.5f, 14.5f}));
}

// FUSE-REP-17: a plan that begins on the host submits nothing before it.
TEST_F(Plans, REP07_HoldingNothingItSubmitsNothing) {
  auto x = ramp(5), y = zeros(5);
  const FuseReport r = fuse([&] { running()(x, y); });
  EXPECT_EQ(r.submissions, 0u);
  EXPECT_EQ(r.tier, Tier::cpu);
  EXPECT_EQ(r.groups[0].why, std::nullopt);
}

// FUSE-TIER-03, FUSE-TIER-08
TEST_F(Plans, TIER03_TheCpuNeverFuses) {
  Device host = make({Tier::cpu});
  auto x = host.resident(std::vector<float>{1, 2, 3}), y = host.resident<float>(3);
  const FuseReport r = host.fuse([&](Scope& s) {
                             auto t = s.scratch(3);
                             add()(x, t, 3, 1.0f);
                             add()(t, y, 3, 1.0f);
                           })
                           .get();
  EXPECT_EQ(groups(r), "{add} {add}");
  EXPECT_EQ(r.tier, Tier::cpu);
  EXPECT_EQ(r.dispatches, 0u);
  EXPECT_EQ(r.submissions, 0u);
  EXPECT_EQ(r.groups[1].why, std::nullopt);
  EXPECT_EQ(y.read().get(), (std::vector<float>{3, 4, 5}));
}

// FUSE-TIER-06
TEST_F(Plans, TIER06_WithoutFusibleCallsRunApart) {
  auto x = ramp(5), y = zeros(5), z = zeros(5);
  const FuseReport r = fuse([&] { old()(x, y), old()(y, z); });
  EXPECT_EQ(groups(r), "{old} {old}");
  EXPECT_EQ(r.dispatches, 2u);
  EXPECT_EQ(z.read().get()[4], 6.0f);
}

// FUSE-SCR-03, FUSE-SCR-14: a scratch array that several groups use is one zeroed array.
TEST_F(Plans, SCR14_ScratchAcrossGroupsAndTiers) {
  auto x = ramp(5), y = zeros(5), z = zeros(5);
  const FuseReport r = fuse([&](Scope& s) {
    auto t = s.scratch(5);
    positive()(x, t, 5);
    running()(t, y);
    add()(t, z, 5, 1.0f);
  });
  EXPECT_EQ(groups(r), "{positive} {running} {add}");
  EXPECT_EQ(y.read().get(), (std::vector<float>{0, 1, 3, 6, 10}));
  EXPECT_EQ(z.read().get(), (std::vector<float>{1, 2, 3, 4, 5}));
}

// FUSE-BIT-08, FUSE-SCR-18: the element that no iteration wrote is zero, as a local and as an array.
TEST_F(Plans, BIT08_AConditionalWriteLeavesTheZero) {
  auto x = array<float>({-1, 2, -3, 4}), y = array<float>({9, 9, 9, 9}), z = zeros(4);
  const FuseReport r = fuse([&](Scope& s) {
    auto t = s.scratch(4);
    positive()(x, t, 4);
    add()(t, y, 4, 0.0f);
  });
  EXPECT_EQ(groups(r), "{positive add}");
  EXPECT_EQ(y.read().get(), (std::vector<float>{0, 2, 0, 4}));
  auto old_values = array<float>({7, 7, 7, 7});
  fuse([&] { positive()(x, old_values, 4), add()(old_values, z, 4, 1.0f); });
  EXPECT_EQ(z.read().get(), (std::vector<float>{8, 3, 8, 5})) << "a resident keeps what it held";
}

// FUSE-SCR-20, FUSE-BIT-09: a write past the end is dropped, and reads there are zero.
TEST_F(Plans, BIT09_PastTheEnd) {
  auto x = array<float>({1, 2, 3, 4}), y = zeros(4);
  fuse([&](Scope& s) {
    auto t = s.scratch(2);
    positive()(x, t, 4);
    add()(t, y, 4, 0.5f);
  });
  EXPECT_EQ(y.read().get(), (std::vector<float>{1.5f, 2.5f, 0.5f, 0.5f}));
}

// FUSE-SCR-16, FUSE-SCR-17: scratch is given back, whatever happens; an unused one is never made.
TEST_F(Plans, SCR17_ScratchIsGivenBack) {
  auto x = ramp(5), y = zeros(5);
  fuse([&] { add()(x, y, 5, 1.0f); });
  device->wait();
  const std::size_t live = on_gpu().live();
  for (int k = 0; k < 3; ++k) {
    fuse([&](Scope& s) {
      auto t = s.scratch(5);
      (void)s.scratch(1000);
      add()(x, t, 5, 1.0f);
      shift()(t, y, 5);
    });
    fail([&](auto& f) { f.submit_error = on_gpu().counts().submits + 1; });
    auto failed = device->fuse([&](Scope& s) {
      auto t = s.scratch(5);
      add()(x, t, 5, 1.0f);
      shift()(t, y, 5);
    });
    EXPECT_THROW(failed.get(), DeviceError);
    on_gpu().fail({});
  }
  device->wait();
  EXPECT_EQ(on_gpu().live(), live);
}

// FUSE-SCR-15: an array of no elements binds all the same, and has length 0.
TEST_F(Plans, SCR15_ScratchOfNoElements) {
  auto x = array<float>({1, 2, 3, 4}), y = array<float>({9, 9, 9, 9});
  fuse([&](Scope& s) {
    auto t = s.scratch(0);
    positive()(x, t, 4);
    shift()(t, y, 4);
  });
  EXPECT_EQ(y.read().get(), std::vector<float>(4));
}

// FUSE-SCR-24
TEST_F(Plans, SCR24_AResidentKeepsItsStores) {
  auto x = ramp(5), y = zeros(5), z = zeros(5);
  fuse([&] { add()(x, y, 5, 1.0f), add()(y, z, 5, 1.0f); });
  EXPECT_EQ(y.read().get()[4], 5.0f);
  EXPECT_EQ(z.read().get()[4], 6.0f);
}

// FUSE-SCR-07, FUSE-SCR-08, FUSE-CHK-01
TEST_F(Plans, SCR07_TheElementOfScratchIsChecked) {
  auto x = ramp(8), y = zeros(8);
  Future<void> call;
  auto report = device->fuse([&](Scope& s) { call = add()(s.scratch(2, "vec4f"), y, 8, 1.0f); });
  const std::string m = message_of<TypeError>([&] { report.get(); });
  expect_has(m, "add:"), expect_has(m, "`p`"), expect_has(m, "vec4f");
  auto wrong = device->fuse([&](Scope& s) { add()(s.scratch(8, "i32"), y, 8, 1.0f); });
  expect_has(message_of<TypeError>([&] { wrong.get(); }), "i32");
}

// FUSE-LIM-06
TEST_F(Plans, LIM06_AScratchArrayThatNoBufferHolds) {
  auto x = ramp(4), y = zeros(4);
  const auto creates = on_gpu().counts().creates;
  auto report = device->fuse([&](Scope& s) {
    auto t = s.scratch(4294967295u);
    add()(x, t, 4, 1.0f);
    shift()(t, y, 4);
  });
  const std::string m = message_of<UnsupportedError>([&] { report.get(); });
  expect_has(m, "scratch"), expect_has(m, "17179869180"), expect_has(m, "4294967296");
  EXPECT_EQ(on_gpu().counts().creates, creates) << "no allocation is tried";
}

// FUSE-CHK-02, FUSE-CHK-03, FUSE-CHK-05, FUSE-CHK-06, FUSE-CHK-07, FUSE-CHK-11
TEST_F(Plans, CHK02_OneFailedCheckAndNothingStarts) {
  auto x = ramp(8), y = zeros(8), small = zeros(4), z = zeros(8);
  fuse([&] { add()(x, z, 8, 0.0f); });
  const NullCounts before = on_gpu().counts();
  Future<void> first, second, third;
  auto report = device->fuse([&] {
    first = add()(x, y, 8, 1.0f);
    second = add()(x, small, 8, 1.0f);
    third = add()(x, z, 8, 1.0f);
  });
  const std::string m = message_of<TypeError>([&] { report.get(); });
  expect_has(m, "add: its parameter `q`");
  EXPECT_EQ(on_gpu().counts().passes, before.passes);
  std::vector<std::exception_ptr> seen;
  const auto note = [&](auto get) {
    try {
      get();
    } catch (const TypeError& e) {
      EXPECT_EQ(e.what(), m);
      return;
    }
    ADD_FAILURE();
  };
  note([&] { first.get(); }), note([&] { second.get(); }), note([&] { third.get(); });
  note([&] { y.read().get(); }), note([&] { small.read().get(); }), note([&] { z.read().get(); });
  EXPECT_EQ(x.read().get()[1], 1.0f) << "what is only read keeps none";
  fuse([&] { add()(x, y, 8, 1.0f); });
  EXPECT_EQ(y.read().get()[1], 2.0f) << "FUSE-CHK-08, FUSE-CHK-11";
}

// FUSE-CHK-04, FUSE-CHK-10, FUSE-CHK-12
TEST_F(Plans, CHK10_AnErrorWhileItRuns) {
  auto x = ramp(5), y = zeros(5), z = zeros(5), w = zeros(5);
  fuse([&] { add()(x, y, 5, 1.0f); });
  fail([&](auto& f) { f.submit_error = on_gpu().counts().submits + 1; });
  Future<void> a, b;
  auto report = device->fuse([&] {
    a = add()(x, y, 5, 1.0f);
    b = running()(y, z);
    add()(z, w, 5, 1.0f);
  });
  report.wait();
  EXPECT_TRUE(a.ready() && b.ready());
  EXPECT_THROW(report.get(), DeviceError);
  EXPECT_THROW(a.get(), DeviceError);
  EXPECT_THROW(b.get(), DeviceError);
  EXPECT_THROW(w.read().get(), DeviceError);
}

// FUSE-CHK-10: a lost device rejects and nothing hangs.
TEST_F(Plans, CHK10_ALostDevice) {
  auto x = ramp(5), y = zeros(5);
  fail([&](auto& f) { f.lose_at_submit = 1; });
  auto report = device->fuse([&] { add()(x, y, 5, 1.0f), add()(y, y, 5, 1.0f); });
  EXPECT_THROW(report.get(), DeviceLost);
  auto next = device->fuse([&] { add()(x, y, 5, 1.0f); });
  EXPECT_THROW(next.get(), Error);
}

// FUSE-CAC-01, FUSE-CAC-02, FUSE-CAC-03
TEST_F(Plans, CAC02_OneEntryForAShape) {
  const auto pair = [&](auto& x, auto& y, auto& z, int n, float k) {
    fuse([&] { add()(x, y, n, k), add()(y, z, n, k); });
  };
  auto x = ramp(100), y = zeros(100), z = zeros(100), u = zeros(100);
  pair(x, y, z, 100, 1);
  EXPECT_EQ(executor.entries().built(), 1u);
  EXPECT_EQ(since().compiles, 1u);
  pair(x, y, z, 50, 2), pair(z, u, x, 100, 3);
  EXPECT_EQ(executor.entries().built(), 1u) << "other sizes, scalars and residents";
  EXPECT_EQ(since().compiles, 0u);
  fuse([&](Scope& s) {
    auto t = s.scratch(100);
    add()(x, t, 100, 1.0f), add()(t, z, 100, 1.0f);
  });
  EXPECT_EQ(executor.entries().built(), 2u) << "with the intermediate as a local";
  fuse([&] { add()(x, y, 100, 1.0f), add()(x, z, 100, 1.0f); });
  EXPECT_EQ(executor.entries().built(), 3u) << "with other slots";
  EXPECT_EQ(executor.entries().size(), 3u);
}

// FUSE-CAC-04
TEST_F(Plans, CAC04_AnEntryGoesWithItsFirstKernel) {
  auto x = ramp(10), y = zeros(10), z = zeros(10);
  {
    const auto mine = kernel("mine(p, q)", fusible, [](Array<const float> p, Array<float> q) {
      loop(q.length(), [&](Index i) { q[i] = p[i] * p[i]; });
    });
    fuse([&] { mine(x, y), mine(y, z); });
    EXPECT_EQ(executor.entries().size(), 1u);
  }
  device->wait();
  EXPECT_EQ(executor.entries().size(), 0u);
}

// FUSE-CAC-06, FUSE-CAC-07, FUSE-SCR-19, W26
TEST_F(Plans, CAC06_AnEntryThatCannotBeBuilt) {
  auto x = ramp(10), y = zeros(10);
  add()(x, y, 10, 0.0f).get();  // the kernel itself is compiled
  fail([&](auto& f) { f.compile = "no such instruction"; });
  for (int k = 0; k < 2; ++k) {
    const FuseReport r = fuse([&](Scope& s) {
      auto t = s.scratch(10);
      add()(x, t, 10, 1.0f), add()(t, y, 10, 2.0f);
    });
    EXPECT_EQ(groups(r), "{add} {add}");
    EXPECT_FALSE(r.groups[0].fused || r.groups[1].fused);
    EXPECT_EQ(r.groups[1].why, "add and add run as two dispatches because their fused entry cannot be built");
    EXPECT_EQ(y.read().get()[4], 7.0f);
    on_gpu().fail({});  // and it is not tried again
  }
}

// The reason behind W26 is for who looks for it.
TEST_F(Plans, CAC06_TheCauseGoesToStderrWhereWeftDebugIsSet) {
  auto x = ramp(10), y = zeros(10);
  add()(x, y, 10, 0.0f).get();
  fail([&](auto& f) { f.compile = "no such instruction"; });
  setenv("WEFT_DEBUG", "1", 1);
  testing::internal::CaptureStderr();
  fuse([&](Scope& s) {
    auto t = s.scratch(10);
    add()(x, t, 10, 1.0f), add()(t, y, 10, 2.0f);
  });
  const std::string said = testing::internal::GetCapturedStderr();
  unsetenv("WEFT_DEBUG");
  EXPECT_NE(said.find("add+add"), std::string::npos) << said;
  EXPECT_NE(said.find("no such instruction"), std::string::npos) << said;
}

// FUSE-CAC-05, FUSE-CAC-08: two devices share the text, not the pipeline.
TEST_F(Plans, CAC05_TwoDevices) {
  auto x = ramp(10), y = zeros(10), z = zeros(10);
  fuse([&] { add()(x, y, 10, 1.0f), add()(y, z, 10, 1.0f); });
  NullDriver second{gpu_info()};
  DeviceOptions options;
  options.tiers = {Tier::webgpu};
  Device other = runtime::make_device(options, [&](Tier) { return &second; });
  auto a = other.resident(std::vector<float>(10, 1)), b = other.resident<float>(10), c = other.resident<float>(10);
  other.fuse([&] { add()(a, b, 10, 1.0f), add()(b, c, 10, 1.0f); }).get();
  EXPECT_EQ(executor.entries().built(), 1u);
  EXPECT_EQ(second.last()->counts().compiles, 1u);
  EXPECT_EQ(c.read().get()[9], 3.0f);
}

// FUSE-F5-01: the device's own limit.
TEST_F(Plans, F501_ALowerLimit) {
  DeviceOptions options;
  options.limits = {{"maxStorageBuffersPerShaderStage", 3}};
  Device& tight = device.emplace(make({Tier::webgpu, Tier::cpu}, options));
  auto a = tight.resident<float>(4), b = tight.resident<float>(4), c = tight.resident<float>(4),
       d = tight.resident<float>(4);
  const FuseReport r = tight.fuse([&] { add()(a, b, 4, 1.0f), add()(c, d, 4, 1.0f); }).get();
  ASSERT_EQ(r.groups.size(), 2u);
  EXPECT_EQ(r.groups[1].why, "add and add run as two dispatches because they bind 4 arrays and the device allows 3");
}

// FUSE-QUE-03, FUSE-REP-08: items of the queue go on around the plan, in order.
TEST_F(Plans, QUE03_APlanThatWaitsHoldsItsPlace) {
  on_gpu().delay(true);
  auto x = ramp(4), y = zeros(4), z = zeros(4);
  auto report = device->fuse([&] { add()(x, y, 4, 1.0f), running()(y, z), add()(z, y, 4, 1.0f); });
  auto after = y.read();
  EXPECT_EQ(groups(report.get()), "{add} {running} {add}");
  EXPECT_EQ(after.get(), (std::vector<float>{1, 3, 6, 10}));
}

// FUSE-LIM-04, FUSE-LIM-05, G-07: many calls in one scope, and many scopes.
TEST_F(Plans, LIM05_AChainOf256Calls) {
  auto x = ramp(16), y = zeros(16);
  const FuseReport r = fuse([&](Scope& s) {
    auto from = x;
    for (int k = 0; k < 256; ++k) {
      auto to = k == 255 ? y : s.scratch(16);
      add()(from, to, 16, 1.0f);
      from = to;
    }
  });
  EXPECT_EQ(r.groups.size(), 1u);
  EXPECT_EQ(r.dispatches, 1u);
  EXPECT_EQ(y.read().get()[3], 259.0f);
}

// FUSE-CHK-09, FUSE-F1-01: no allowed tier can run it.
TEST_F(Plans, CHK09_ACallThatNoTierRuns) {
  Device& only = device.emplace(make({Tier::webgpu}));
  auto x = only.resident<float>(4), y = only.resident<float>(4);
  auto report = only.fuse([&] { add()(x, y, 4, 1.0f), running()(x, y); });
  expect_has(message_of<UnsupportedError>([&] { report.get(); }), "running");
  EXPECT_THROW(y.read().get(), UnsupportedError);
}

// FUSE-CHK-13: nobody looks at the failure.
TEST_F(Plans, CHK13_AFutureThatIsNeverRead) {
  auto x = ramp(4), y = zeros(2);
  (void)device->fuse([&] { add()(x, y, 4, 1.0f); });
  device->wait();
}

// FUSE-RED-05, FUSE-RED-08: several variables of one loop share its dispatches, and the tail makes the result.
TEST_F(Plans, RED05_SeveralFoldsAndATail) {
  const auto mean = kernel("mean(p, n)", fusible, [](Array<const float> p, weft::Scalar<std::int32_t> n) {
    Var<float> s = 0, most = -1;
    loop(n, [&](Index i) { s += p[i], most = max(most, p[i]); });
    return std::tuple(s / cast<float>(n), most);
  });
  auto x = ramp(1000);
  Future<std::tuple<float, float>> first, second;
  const FuseReport r = fuse([&](Scope& s) {
    auto t = s.scratch(1000);
    add()(x, t, 1000, 1.0f);
    first = mean(t, 1000);
    second = mean(x, 1000);
  });
  EXPECT_EQ(groups(r), "{add mean} {mean}");
  EXPECT_EQ(r.dispatches, 4u);
  EXPECT_EQ(first.get(), std::tuple(500.5f, 1000.0f));
  EXPECT_EQ(second.get(), std::tuple(499.5f, 999.0f));
}

// FUSE-RED-09: the memory of folds is given back, also on failure.
TEST_F(Plans, RED09_FoldsAreGivenBack) {
  auto x = ramp(1000);
  fuse([&] { (void)sum()(x, 1000); });
  device->wait();
  const std::size_t live = on_gpu().live();
  for (int k = 0; k < 5; ++k) {
    fuse([&] { (void)sum()(x, 1000); });
    fail([&](auto& f) { f.submit_error = on_gpu().counts().submits + 1; });
    EXPECT_THROW(device->fuse([&] { (void)sum()(x, 1000); }).get(), DeviceError);
    on_gpu().fail({});
  }
  device->wait();
  EXPECT_EQ(on_gpu().live(), live);
}

// FUSE-REP-05, FUSE-SCR-14: a scratch array that a host call reads from the device counts as a resident does.
TEST_F(Plans, REP05_ReadsOfTheDeviceAreSubmissions) {
  auto x = ramp(5), y = zeros(5), z = zeros(5);
  const FuseReport r = fuse([&](Scope& s) {
    auto t = s.scratch(5);
    add()(x, t, 5, 1.0f);
    running()(t, y);  // reads t
    running()(t, z);  // t is on the host by now
  });
  EXPECT_EQ(r.submissions, 2u);
  EXPECT_EQ(r.dispatches, 1u) << "FUSE-REP-04: calls on the cpu add none";
  EXPECT_EQ(z.read().get(), (std::vector<float>{0, 2, 5, 9, 14}));
}

// FUSE-REP-02, FUSE-WHY-03: whole sentences stand by themselves.
TEST_F(Plans, WHY03_WholeSentences) {
  auto x = ramp(5), y = zeros(5), z = zeros(5);
  const FuseReport r = fuse([&] { running()(x, y), add()(x, z, 5, 1.0f), running()(z, y); });
  EXPECT_EQ(r.tier, Tier::webgpu);
  EXPECT_EQ(r.groups[1].why, "add runs apart from running, which runs on the CPU");
  EXPECT_EQ(r.groups[2].why->find("because"), std::string::npos);
}

// FUSE-SCR-01, FUSE-SCR-02, FUSE-SCR-13: vectors, integers and floats, by type and by name.
TEST_F(Plans, SCR01_ElementsOfScratch) {
  const auto splat =
      kernel("splat(p, v, n)", fusible, [](Array<const float> p, Array<vec4f> v, weft::Scalar<std::int32_t> n) {
        loop(n, [&](Index i) { v[i] = vector<vec4f>(p[i], p[i] + 1, p[i] + 2, p[i] + 3); });
      });
  const auto total =
      kernel("total(v, q, n)", fusible, [](Array<const vec4f> v, Array<float> q, weft::Scalar<std::int32_t> n) {
        loop(n, [&](Index i) { q[i] = dot(v[i], v[i]); });
      });
  auto x = ramp(5), y = zeros(5);
  for (bool by_name : {false, true}) {
    const FuseReport r = fuse([&](Scope& s) {
      if (by_name) {
        auto t = s.scratch(5, "vec4f");
        splat(x, t, 5), total(t, y, 5);
      } else {
        auto t = s.scratch<vec4f>(5);
        splat(x, t, 5), total(t, y, 5);
      }
    });
    EXPECT_EQ(groups(r), "{splat total}");
    EXPECT_EQ(y.read().get(), (std::vector<float>{14, 30, 54, 86, 126}));
  }
}

// FUSE-SCR-08: floats taken as vectors are an array, not a local.
TEST_F(Plans, SCR08_FloatsTakenAsVectors) {
  const auto halve = kernel("halve(v, n)", fusible, [](Array<vec2f> v, weft::Scalar<std::int32_t> n) {
    loop(n, [&](Index i) { v[i] = v[i] * 0.5f; });
  });
  auto x = ramp(6), y = zeros(6);
  const FuseReport r = fuse([&](Scope& s) {
    auto t = s.scratch(6);
    add()(x, t, 6, 1.0f), halve(t, 3), add()(t, y, 6, 0.0f);
  });
  EXPECT_EQ(groups(r), "{add} {halve} {add}");
  EXPECT_EQ(y.read().get(), (std::vector<float>{0.5f, 1, 1.5f, 2, 2.5f, 3}));
}

// FUSE-WGS-01, FUSE-WGS-04: fold levels are not listed.
TEST_F(Plans, WGS04_FoldLevelsAreNotListed) {
  auto x = ramp(70000);
  const FuseReport r = fuse([&] { (void)sum()(x, 70000); });
  EXPECT_EQ(r.dispatches, 3u);
  EXPECT_EQ(r.groups[0].workgroup_shapes, (std::vector<std::array<std::uint32_t, 3>>{{256, 1, 1}}));
}

// FUSE-TIM-05, FUSE-TIM-07, FUSE-TIM-08: a device without timestamps changes nothing else.
TEST_F(Plans, TIM08_WithoutTimestamps) {
  backend::Info info = gpu_info();
  info.timestamps = false;
  NullDriver plain{info};
  DeviceOptions options;
  options.tiers = {Tier::webgpu};
  Device other = runtime::make_device(options, [&](Tier) { return &plain; });
  auto x = other.resident<float>(10), y = other.resident<float>(10);
  const FuseReport r = other.fuse([&] { add()(x, y, 10, 1.0f), (void)sum()(y, 10); }).get();
  EXPECT_EQ(r.groups.at(0).gpu_time, std::nullopt);
  EXPECT_EQ(r.dispatches, 1u);
  EXPECT_EQ(r.submissions, 1u);
}

// FUSE-LIM-11, FUSE-NEST-04
TEST_F(Plans, LIM11_ADeepNest) {
  auto x = zeros(4);
  const auto next =
      kernel("next(x)", fusible, [](Array<float> x) { loop(x.length(), [&](Index i) { x[i] = x[i] + 1; }); });
  const std::function<void(int)> nest = [&](int depth) {
    next(x);
    if (depth > 1) {
      (void)device->fuse([&] { nest(depth - 1); });
    }
  };
  EXPECT_EQ(fuse([&] { nest(100); }).groups.size(), 100u);
  EXPECT_EQ(x.read().get()[0], 100.0f);
}

// FUSE-BIT-03: what crosses from one call to the next is rounded to its element type.
TEST_F(Plans, BIT03_IntegersWrapBetweenCalls) {
  const auto twice_i = kernel("twice(p, q, n)", fusible,
                              [](Array<const std::int32_t> p, Array<std::int32_t> q, weft::Scalar<std::int32_t> n) {
                                loop(n, [&](Index i) { q[i] = p[i] * 2; });
                              });
  auto x = array<std::int32_t>({0x40000001, -5}), y = array<std::int32_t>({0, 0});
  fuse([&](Scope& s) {
    auto t = s.scratch<std::int32_t>(2);
    twice_i(x, t, 2), twice_i(t, y, 2);
  });
  EXPECT_EQ(y.read().get(), (std::vector<std::int32_t>{4, -20}));
}

}  // namespace
}  // namespace weft::test
