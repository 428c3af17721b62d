// Recording: what a body records, refuses and leaves behind (FUSE-REC, REF, NEST, SCR handles, QUE).
#include <chrono>
#include <cmath>
#include <thread>

#include "fuse/kernels.hpp"
#include "fuse/rig.hpp"

namespace weft::test {
namespace {

using Scopes = FuseRig;

// FUSE-REC-02, FUSE-REC-07, FUSE-REC-08, FUSE-QUE-04
TEST_F(Scopes, REC07_NothingRunsWhileTheBodyRuns) {
  auto x = ramp(8), y = zeros(8);
  int times = 0;
  Future<void> done;
  auto report = device->fuse([&] {
    ++times;
    done = scale()(x, y, 2.0f);
    EXPECT_FALSE(done.ready());
    EXPECT_EQ(on_gpu().counts().passes, 0u);
    EXPECT_EQ(on_gpu().counts().creates, 0u);
    EXPECT_EQ(loads, 0);
  });
  EXPECT_EQ(times, 1);
  EXPECT_EQ(groups(report.get()), "{scale}");
  EXPECT_EQ(loads, 1);
  done.get();
  EXPECT_EQ(y.read().get()[3], 6.0f);
}

// FUSE-REC-03
TEST_F(Scopes, REC03_ABodyRecordsWithoutTheModule) {
  refuse_load = "it is not there";
  auto x = ramp(8), y = zeros(8);
  bool ran = false;
  auto report = device->fuse([&] { scale()(x, y, 2.0f), ran = true; });
  EXPECT_TRUE(ran);
  EXPECT_THROW(report.get(), LoadError);
}

// FUSE-REC-04, FUSE-REC-01: every array it writes is a resident of the scope's owner, scratch too.
TEST_F(Scopes, REC04_AllWrittenArraysAreResidents) {
  std::vector<float> host{1, 2, 3, 4};
  auto y = zeros(4);
  const FuseReport report = fuse([&](Scope& s) {
    auto t = s.scratch(4);
    add()(host, t, 4, 1.0f), add()(t, y, 4, 1.0f);
  });
  EXPECT_EQ(groups(report), "{add add}");
  EXPECT_EQ(y.read().get(), (std::vector<float>{3, 4, 5, 6}));
}

// FUSE-REC-05: a call that writes no array is recorded, whatever it reads.
TEST_F(Scopes, REC05_AReductionOverHostMemoryIsRecorded) {
  std::vector<float> host{1, 2, 3};
  Future<float> total;
  fuse([&] {
    total = sum()(host, 3);
    EXPECT_FALSE(total.ready());
  });
  EXPECT_EQ(total.get(), 6.0f);
}

// KER-DEV-04, FUSE-NEST-03: a device that is closed while a body runs rejects the scopes that joined it too.
TEST_F(Scopes, NEST03_TheReportOfAnInnerScopeRejectsWithItsDeviceClosed) {
  auto x = ramp(8), y = zeros(8);
  Future<FuseReport> inner;
  EXPECT_THROW(device->fuse([&] {
    inner = device->fuse([&] { scale()(x, y, 2.0f); });
    std::thread([&] { device->close(); }).join();
  }),
               StateError);
  ASSERT_TRUE(inner.ready());
  EXPECT_THROW(inner.get(), StateError);
}

// FUSE-REC-09, FUSE-REC-15
TEST_F(Scopes, REC09_AResidentOfAnotherOwner) {
  Device other = make({Tier::cpu});
  auto x = other.resident<float>(8), y = other.resident<float>(8);
  device
      ->fuse([&] {
        const std::string m = message_of<TypeError>([&] { scale()(x, y, 2.0f); });
        expect_has(m, "scale:"), expect_has(m, device->name()), expect_has(m, other.name());
      })
      .get();
}

// FUSE-REC-12: a scalar is taken when the call is recorded.
TEST_F(Scopes, REC12_ScalarsAreCaptured) {
  auto x = ramp(4), y = zeros(4);
  fuse([&] {
    float k = 2;
    scale()(x, y, k);
    k = 100;
  });
  EXPECT_EQ(y.read().get()[3], 6.0f);
}

// FUSE-REC-13
TEST_F(Scopes, REC13_HandlesMayGoBeforeThePlanRuns) {
  auto y = zeros(4);
  auto report = device->fuse([&](Scope& s) {
    auto x = ramp(4);
    auto t = s.scratch(4);
    add()(x, t, 4, 1.0f);
    add()(t, y, 4, 1.0f);
  });
  report.get();
  EXPECT_EQ(y.read().get()[2], 4.0f);
}

// FUSE-REC-14
TEST_F(Scopes, REC14_AScopeBelongsToItsThread) {
  auto x = ramp(4), y = zeros(4);
  const FuseReport report = fuse([&](Scope& s) {
    std::thread([&] {
      scale()(x, y, 3.0f).get();  // takes its own place, and so can be waited for
      expect_has(message_of<TypeError>([&] { s.scratch(4); }), "scratch:");
    }).join();
    scale()(x, y, 2.0f);
  });
  EXPECT_EQ(groups(report), "{scale}");
  EXPECT_EQ(y.read().get()[3], 6.0f);
}

// FUSE-REC-16, FUSE-REC-17
TEST_F(Scopes, REC16_WhatUsesNoQueueIsFree) {
  auto x = ramp(4);
  const FuseReport report = fuse([&](Scope& s) {
    auto fresh = device->resident<float>(x.length());
    EXPECT_EQ(s.scratch(7).length(), 7u);
    add()(x, fresh, 4, 1.0f);
    return 17;
  });
  EXPECT_EQ(report.groups.size(), 1u);
}

// FUSE-REF-02
TEST_F(Scopes, REF02_AWrittenParameterOnHostMemory) {
  auto x = ramp(4);
  std::vector<float> host(4);
  fuse([&] {
    const std::string m = message_of<TypeError>([&] { scale()(x, host, 2.0f); });
    expect_has(m, "scale:"), expect_has(m, "`q`");
  });
  EXPECT_EQ(host, std::vector<float>(4));
}

// FUSE-REF-05, FUSE-REF-06, FUSE-REF-07, FUSE-REF-08, FUSE-REF-11: a refused use throws and records nothing; the rest of the body counts.
TEST_F(Scopes, REF05_UsesOfTheQueueAreRefused) {
  auto x = ramp(4), y = zeros(4);
  x.label("pixels");
  const FuseReport report = fuse([&] {
    scale()(x, y, 2.0f);
    expect_has(message_of<TypeError>([&] { (void)x.read(); }), "read");
    expect_has(message_of<TypeError>([&] { (void)x.write({1, 2, 3, 4}); }), "write");
    expect_has(message_of<TypeError>([&] { (void)x.destroy(); }), "destroy");
    expect_has(message_of<TypeError>([&] { device->wait(); }), "wait");
    scale()(x, x, 3.0f);
  });
  EXPECT_EQ(groups(report), "{scale} {scale}");
  EXPECT_EQ(y.read().get()[3], 6.0f);
  EXPECT_EQ(x.read().get()[3], 9.0f);
}

// FUSE-REF-09
TEST_F(Scopes, REF09_WaitingForACallOfTheOpenScope) {
  auto x = ramp(4), y = zeros(4);
  Future<void> earlier = scale()(x, y, 1.0f), mine;
  fuse([&] {
    earlier.get();
    mine = scale()(x, y, 2.0f);
    expect_has(message_of<TypeError>([&] { mine.wait(); }), "scale:");
    expect_has(message_of<TypeError>([&] { mine.get(); }), "scale:");
    Future<FuseReport> inner = device->fuse([&] {});
    expect_has(message_of<TypeError>([&] { inner.wait(); }), "fuse:");
  });
  mine.get();
}

struct Awaited {
  bool await_ready();
};
static_assert(detail::Asynchronous<Future<void>> && detail::Asynchronous<Future<float>&> &&
                  detail::Asynchronous<Awaited>,
              "FUSE-REF-10");
static_assert(!detail::Asynchronous<int> && !detail::Asynchronous<void> && !detail::Asynchronous<std::string>,
              "FUSE-REC-17");

// FUSE-REF-12, FUSE-REF-13, FUSE-SCR-17
TEST_F(Scopes, REF12_ABodyThatThrows) {
  auto x = ramp(4), y = zeros(4);
  Future<void> call;
  struct Mine {
    int v;
  };
  try {
    (void)device->fuse([&](Scope& s) {
      auto t = s.scratch(4);
      call = add()(x, t, 4, 2.0f);
      throw Mine{7};
    });
    FAIL();
  } catch (const Mine& m) { EXPECT_EQ(m.v, 7); }
  EXPECT_TRUE(call.ready());
  EXPECT_THROW(call.get(), Mine);
  scale()(x, y, 2.0f).get();  // runs at once
  EXPECT_EQ(y.read().get()[3], 6.0f);
  EXPECT_EQ(loads, 0);
}

// FUSE-NEST-01, FUSE-NEST-02, FUSE-NEST-03, FUSE-NEST-04
TEST_F(Scopes, NEST01_AnInnerFuseJoins) {
  auto x = ramp(4), y = zeros(4), z = zeros(4);
  Device other = make({Tier::cpu});
  Future<FuseReport> inner, of_other;
  const FuseReport report = fuse([&](Scope& s) {
    auto t = s.scratch(4);
    add()(x, t, 4, 1.0f);
    inner = weft::fuse([&](Scope& same) {
      EXPECT_EQ(&s, &same);
      add()(t, y, 4, 1.0f);
      of_other = other.fuse([&] { add()(y, z, 4, 1.0f); });
    });
  });
  EXPECT_EQ(groups(report), "{add add add}");
  EXPECT_EQ(inner.get(), report);
  EXPECT_EQ(of_other.get(), report);
  EXPECT_EQ(z.read().get()[1], 4.0f);
}

// FUSE-NEST-05
TEST_F(Scopes, NEST05_AnInnerBodyThatThrows) {
  auto x = ramp(4), y = zeros(4), z = zeros(4);
  Future<void> lost;
  const FuseReport report = fuse([&] {
    add()(x, y, 4, 1.0f);
    try {
      (void)device->fuse([&] {
        lost = add()(y, z, 4, 1.0f);
        throw 5;
      });
      ADD_FAILURE();
    } catch (int) {}
    EXPECT_THROW(lost.get(), int);
    add()(x, z, 4, 7.0f);
  });
  EXPECT_EQ(groups(report), "{add add}");
  EXPECT_EQ(z.read().get()[0], 7.0f);
}

// FUSE-NEST-07, FUSE-QUE-09
TEST_F(Scopes, NEST07_NoScopeIsOpenAfterTheBody) {
  auto x = ramp(4), y = zeros(4);
  const FuseReport a = fuse([&] { scale()(x, y, 2.0f); }), b = fuse([&] { scale()(y, x, 2.0f); });
  EXPECT_EQ(a.groups.size() + b.groups.size(), 2u);
  EXPECT_EQ(x.read().get()[1], 4.0f);
}

// FUSE-QUE-01, FUSE-QUE-02, FUSE-QUE-10, FUSE-QUE-11: the place comes before the load, and nothing passes it.
TEST_F(Scopes, QUE02_NothingPassesThePlace) {
  using namespace std::chrono_literals;
  auto x = ramp(4), y = zeros(4);
  runtime::set_executor_source([&]() -> runtime::FuseExecutor* {
    std::this_thread::sleep_for(1s);
    return &executor;
  });
  const auto begin = std::chrono::steady_clock::now();
  (void)device->fuse([&] { scale()(x, y, 2.0f); });
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 500ms) << "FUSE-QUE-11";
  auto after = scale()(y, y, 10.0f);
  EXPECT_FALSE(after.ready());
  EXPECT_EQ(y.read().get()[3], 60.0f);
}

// FUSE-QUE-05, FUSE-QUE-06, FUSE-SCR-17
TEST_F(Scopes, QUE05_AFailedLoad) {
  refuse_load = "no such file";
  auto x = ramp(4), y = zeros(4);
  Future<void> call;
  auto report = device->fuse([&](Scope& s) {
    auto t = s.scratch(4);
    add()(x, t, 4, 1.0f);
    call = scale()(x, y, 2.0f);
  });
  expect_has(message_of<LoadError>([&] { report.get(); }), "weft-fuse");
  expect_has(message_of<LoadError>([&] { call.get(); }), "no such file");
  EXPECT_THROW(y.read().get(), LoadError) << "it stays on what would have been written";
  EXPECT_EQ(x.read().get()[1], 1.0f);
  refuse_load.reset();
  fuse([&] { scale()(x, y, 2.0f); });  // a failed load is not remembered
  EXPECT_EQ(y.read().get()[3], 6.0f) << "FUSE-CHK-08";
}

// FUSE-QUE-07, FUSE-REP-13
TEST_F(Scopes, QUE07_APlanWithoutACall) {
  refuse_load = "it is not needed";
  EXPECT_EQ(fuse([](Scope& s) { (void)s.scratch(4); }), FuseReport{});
  EXPECT_EQ(loads, 0);
}

// FUSE-LIM-08
TEST_F(Scopes, LIM08_AClosedDevice) {
  auto x = ramp(4), y = zeros(4);
  device->close();
  Future<void> call;
  EXPECT_THROW((void)device->fuse([&] { call = scale()(x, y, 2.0f); }), StateError);
  if (call.valid()) { EXPECT_THROW(call.get(), StateError); }
}

// FUSE-SCR-04, FUSE-SCR-05, FUSE-SCR-06
TEST_F(Scopes, SCR04_LengthsAndElements) {
  Scope* kept = nullptr;
  fuse([&](Scope& s) {
    kept = &s;
    EXPECT_EQ(s.scratch(0).length(), 0u);
    EXPECT_EQ(s.scratch(4294967295u).length(), 4294967295u);
    EXPECT_EQ(s.scratch(3.0).length(), 3u);
    const auto refused = [&](auto length, const char* shown) {
      const std::string m = message_of<TypeError>([&] { s.scratch(length); });
      expect_has(m, "scratch: length"), expect_has(m, shown);
    };
    refused(-1, "-1"), refused(4294967296, "4294967296"), refused(1.5, "1.5"), refused(-0.5, "-0.5");
    refused(std::nan(""), "nan"), refused(HUGE_VAL, "inf"), refused(1e30, "1e+30");
    const std::string m = message_of<TypeError>([&] { s.scratch(4, "f64"); });
    expect_has(m, "f64"), expect_has(m, "vec4f"), expect_has(m, "u32");
    EXPECT_EQ(s.scratch(4, "vec4f").length(), 4u);
    EXPECT_EQ(s.scratch<vec4f>(4).as<float>().length(), 16u);
  });
  expect_has(message_of<TypeError>([&] { kept->scratch(4); }), "returned");
}

// FUSE-SCR-21, FUSE-SCR-22
TEST_F(Scopes, SCR21_TheHostNeitherReadsNorWritesScratch) {
  auto x = ramp(4);
  std::optional<Resident<float>> kept;
  const auto refused = [&] {
    expect_has(message_of<TypeError>([&] { kept->read().get(); }), "scratch");
    expect_has(message_of<TypeError>([&] { (void)kept->write({1}); }), "scratch");
    (void)kept->destroy();
    (void)kept->destroy();
  };
  fuse([&](Scope& s) {
    kept = s.scratch(4);
    refused();
    add()(x, *kept, 4, 1.0f);
  });
  refused();
}

// FUSE-SCR-23
TEST_F(Scopes, SCR23_ScratchOutsideItsScope) {
  auto x = ramp(4);
  std::optional<Resident<float>> kept;
  fuse([&](Scope& s) {
    kept = s.scratch(4);
    std::thread([&] { expect_has(message_of<TypeError>([&] { add()(x, *kept, 4, 1.0f); }), "scratch"); }).join();
  });
  expect_has(message_of<TypeError>([&] { add()(x, *kept, 4, 1.0f); }), "add:");
  fuse([&] { expect_has(message_of<TypeError>([&] { add()(x, *kept, 4, 1.0f); }), "scratch"); });
}

// FUSE-REP-12, FUSE-REP-13, FUSE-REP-14, FUSE-REP-16
TEST(Reports, REP14_Merging) {
  EXPECT_EQ(merge_reports({}), FuseReport{});
  FuseReport a, b;
  a.tier = Tier::gles, a.dispatches = 3, a.submissions = 1;
  a.groups.resize(1), a.groups[0].calls = {"f"}, a.groups[0].why = "because";
  b.tier = Tier::webgpu, b.dispatches = ~std::uint64_t{0}, b.submissions = 2, b.groups.resize(2);
  const FuseReport m = merge_reports(std::vector{a, b});
  EXPECT_EQ(m.tier, Tier::webgpu);
  EXPECT_EQ(m.dispatches, ~std::uint64_t{0}) << "saturates";
  EXPECT_EQ(m.submissions, 3u);
  ASSERT_EQ(m.groups.size(), 3u);
  EXPECT_EQ(m.groups[0], a.groups[0]);
  EXPECT_EQ(m.groups[1].why, std::nullopt);
  EXPECT_EQ(merge_reports(std::vector{a}), a);
}

}  // namespace
}  // namespace weft::test
