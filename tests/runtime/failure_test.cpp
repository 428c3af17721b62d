// What fails, at every step of a call, and what is left behind (KER-CALL-04, KER-DEV-03, KER-ERR, MODEL-19).
#include <thread>

#include "runtime/execute.hpp"
#include "runtime/null_device.hpp"

namespace weft::test {
namespace {

using Floats = std::vector<float>;
using Failures = OneTier;

TEST_F(Failures, KER_CALL_04_a_compiler_that_refuses) {
  auto a = device->resident(Floats{1, 2}), b = device->resident<float>(2), other = device->resident(Floats{5});
  null().fail(failing(&NullFailures::compile, "unknown token"));
  auto failed = scale()(a, b, 2.f);
  EXPECT_THROW(failed.get(), CompileError);
  EXPECT_EQ(failed.call()->tier, Tier::webgpu);
  EXPECT_THROW(b.read().get(), CompileError) << "left on what it would have written";
  EXPECT_EQ(a.read().get(), (Floats{1, 2})) << "what it only reads is untouched";
  EXPECT_EQ(other.read().get(), Floats{5});
  null().fail({});
  add_one()(b).get();  // MODEL-19: a later success clears it
  EXPECT_EQ(b.read().get(), (Floats{1, 1}));
}

TEST_F(Failures, KER_CALL_04_no_memory) {
  auto a = device->resident(Floats{1, 2}), b = device->resident<float>(2);
  for (std::uint64_t k = 1; k <= 2; ++k) {
    null().fail(failing(&NullFailures::create, null().counts().creates + 1));
    EXPECT_THROW(scale()(a, b, 2.f).get(), OutOfMemory) << k;
    EXPECT_THROW(b.read().get(), OutOfMemory);
  }
  null().fail({});
  scale()(a, b, 2.f).get();
  EXPECT_EQ(b.read().get(), (Floats{2, 4})) << "what was not uploaded then is uploaded now";
}

TEST_F(Failures, KER_CALL_04_a_batch_that_fails) {
  auto a = device->resident(Floats{1, 2}), b = device->resident<float>(2);
  null().fail(failing(&NullFailures::submit_error, null().counts().submits + 1));
  EXPECT_THROW(scale()(a, b, 2.f).get(), DeviceError);
  EXPECT_THROW(b.read().get(), DeviceError);
  EXPECT_EQ(b.length(), 2u);
  null().fail({});
  EXPECT_EQ(a.read().get(), (Floats{1, 2}));
  scale()(a, b, 3.f).get();
  EXPECT_EQ(b.read().get(), (Floats{3, 6}));
}

TEST_F(Failures, MODEL_19_errors_come_and_go_in_the_order_of_the_calls) {
  // All of it is queued before the first batch is done.
  auto a = device->resident(Floats{1, 2}), b = device->resident<float>(2), c = device->resident<float>(2);
  add_one()(a).get();
  null().delay(true), null().hold(true);
  null().fail(failing(&NullFailures::submit_error, null().counts().submits + 2));
  auto good = scale()(a, b, 2.f);
  auto bad = scale()(a, b, 3.f);  // submit 2 fails
  auto read_bad = b.read();
  auto reads_only = scale()(b, c, 1.f);  // reads what has an error, and still runs
  auto read_c = c.read();
  auto again = scale()(a, b, 4.f);
  auto read_good = b.read();
  null().hold(false);
  EXPECT_NO_THROW(good.get());
  EXPECT_THROW(bad.get(), DeviceError);
  EXPECT_THROW(read_bad.get(), DeviceError);
  EXPECT_NO_THROW(reads_only.get());
  EXPECT_NO_THROW(read_c.get());
  EXPECT_NO_THROW(again.get());
  EXPECT_EQ(read_good.get(), (Floats{8, 12}));
}

TEST_F(Failures, KER_CALL_04_no_call_counts_on_an_upload_that_failed) {
  auto a = device->resident(Floats{1, 2}), b = device->resident<float>(2), c = device->resident<float>(2);
  null().delay(true), null().hold(true);
  null().fail(failing(&NullFailures::submit_error, null().counts().submits + 1));
  auto first = scale()(a, b, 2.f);   // uploads `a`, and fails
  auto second = scale()(a, c, 3.f);  // is submitted before that is known
  null().hold(false);
  EXPECT_THROW(first.get(), DeviceError);
  EXPECT_THROW(second.get(), DeviceError) << "not a wrong result";
  scale()(a, c, 4.f).get();
  EXPECT_EQ(c.read().get(), (Floats{4, 8}));
}

TEST_F(Failures, MODEL_19_a_write_clears_the_error) {
  auto b = device->resident<float>(2);
  null().fail(failing(&NullFailures::compile, "no"));
  EXPECT_THROW(add_one()(b).get(), CompileError);
  b.write({7}, 0);
  EXPECT_EQ(b.read().get(), (Floats{7, 0}));
}

TEST_F(Failures, a_refused_call_fails_in_its_turn) {
  // A call that fails its checks while an earlier one is still under way: the later error is the one that stays.
  static const auto past = kernel("past(b)", [](Array<float> b) { loop(b.length(), [&](Index i) { b[i + 1] = 1; }); });
  auto b = device->resident<float>(2);
  null().delay(true), null().hold(true);
  auto first = add_one()(b);
  auto second = past(b);
  auto read = b.read();
  EXPECT_FALSE(second.ready());
  null().hold(false);
  first.get();
  EXPECT_THROW(second.get(), TypeError);
  EXPECT_THROW(read.get(), TypeError);
}

TEST_F(Failures, KER_DEV_03_a_lost_device_rejects_pending_work) {
  auto on_host = device->resident(Floats{1, 2});
  auto both = device->resident(Floats{3, 4}), written = device->resident<float>(2),
       untouched = device->resident<float>(2);
  scale()(both, written, 2.f).get();
  null().delay(true), null().hold(true);
  auto pending = add_one()(written);
  auto later = add_one()(untouched);
  auto read = both.read();
  device->stats();
  null().lose();
  null().hold(false);
  EXPECT_THROW(pending.get(), DeviceLost);
  EXPECT_THROW(later.get(), DeviceLost);
  EXPECT_NO_THROW(on_host.read().get());
  EXPECT_THROW(written.read().get(), DeviceLost);
  read.wait();
  EXPECT_THROW(add_one()(on_host).get(), DeviceLost);
  null().delay(false);
  device->wait();

  Device fresh = tiers.device({.tiers = {Tier::webgpu}});
  auto r = fresh.resident(Floats{1});
  add_one()(r).get();
  EXPECT_EQ(r.read().get(), Floats{2});
}

TEST_F(Failures, KER_DEV_03_the_host_copy_stays_readable) {
  auto shared = device->resident(Floats{3, 4});
  auto out = device->resident<float>(2);
  scale()(shared, out, 2.f).get();  // uploads `shared`, whose host copy stays current
  null().lose();
  EXPECT_EQ(shared.read().get(), (Floats{3, 4}));
  EXPECT_THROW(out.read().get(), DeviceLost);
  out.write(Floats{1, 1}).get();  // a new beginning
  EXPECT_EQ(out.read().get(), (Floats{1, 1}));
}

TEST_F(Failures, KER_DEV_03_lost_within_a_submit) {
  auto r = device->resident<float>(2);
  null().fail(failing(&NullFailures::lose_at_submit, 1));
  EXPECT_THROW(add_one()(r).get(), DeviceLost);
  EXPECT_THROW(add_one()(r).get(), DeviceLost);
  const auto submits = null().counts().submits;
  EXPECT_THROW(r.read().get(), DeviceLost);
  device->wait();
  EXPECT_EQ(null().counts().submits, submits) << "no call on a device known to be lost";
}

TEST_F(Failures, KER_TIER_04_an_error_at_run_time_goes_to_no_other_tier) {
  NullTiers two;
  two.add(Tier::webgpu).add(Tier::cpu);
  Device d = two.device();
  auto r = d.resident<float>(2);
  two.opened(Tier::webgpu).fail(failing(&NullFailures::compile, "no"));
  EXPECT_THROW(add_one()(r).get(), CompileError);
  EXPECT_EQ(two.driver(Tier::cpu).last(), nullptr);
  two.opened(Tier::webgpu).lose();
  EXPECT_THROW(add_one()(r).get(), DeviceLost);
  EXPECT_EQ(two.driver(Tier::cpu).last(), nullptr);
}

TEST_F(Failures, KER_DEV_04_a_closed_device) {
  null().delay(true), null().hold(true);
  auto r = device->resident<float>(2).label("r");
  auto runs = add_one()(r);
  for (int i = 0; i < 1000 && null().counts().submits == 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::jthread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    null().hold(false);
  });
  device->close();
  EXPECT_NO_THROW(runs.get());
  EXPECT_THROW(r.read(), StateError);
  EXPECT_THROW(add_one()(r), StateError);
  EXPECT_THROW(device->wait(), StateError);
  EXPECT_EQ(device->info().tier, Tier::webgpu);
}

TEST_F(Failures, a_device_may_go_while_calls_fail) {
  auto r = device->resident<float>(2);
  null().fail(failing(&NullFailures::compile, "no"));
  auto failed = add_one()(r);
  device.reset();
  EXPECT_THROW(failed.get(), CompileError);
}

TEST(Errors, KER_ERR_01_every_kind_becomes_its_class) {
  const auto thrown_as = [](backend::ErrorKind kind) -> std::string {
    const auto e = runtime::to_exception({kind, "it: failed", "the text"});
    try {
      std::rethrow_exception(e);
    } catch (const TypeError&) { return "TypeError"; } catch (const RangeError&) {
      return "RangeError";
    } catch (const StateError&) { return "StateError"; } catch (const UnsupportedError&) {
      return "UnsupportedError";
    } catch (const CompileError& c) {
      return c.source == "the text" ? "CompileError" : "CompileError without its source";
    } catch (const LoadError&) { return "LoadError"; } catch (const IoError&) {
      return "IoError";
    } catch (const DeviceLost&) { return "DeviceLost"; } catch (const DeviceError&) {
      return "DeviceError";
    } catch (const OutOfMemory&) { return "OutOfMemory"; }
  };
  using enum backend::ErrorKind;
  EXPECT_EQ(thrown_as(type), "TypeError");
  EXPECT_EQ(thrown_as(range), "RangeError");
  EXPECT_EQ(thrown_as(state), "StateError");
  EXPECT_EQ(thrown_as(unsupported), "UnsupportedError");
  EXPECT_EQ(thrown_as(backend::ErrorKind::compile), "CompileError");
  EXPECT_EQ(thrown_as(load), "LoadError");
  EXPECT_EQ(thrown_as(io), "IoError");
  EXPECT_EQ(thrown_as(backend::ErrorKind::device), "DeviceError");
  EXPECT_EQ(thrown_as(lost), "DeviceLost");
  EXPECT_EQ(thrown_as(memory), "OutOfMemory");
  static_assert(std::is_base_of_v<std::runtime_error, Error> && std::is_base_of_v<DeviceError, DeviceLost>);
}

}  // namespace
}  // namespace weft::test
