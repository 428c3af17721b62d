// KER-CALL on the real tiers: calls, arguments, futures. What needs failures on demand is in tests/runtime.
#include <cmath>
#include <numeric>
#include <span>
#include <thread>

#include "conformance/real_tiers.hpp"

namespace weft::test {
namespace {

using Floats = std::vector<float>;

Floats count(std::size_t n) {
  Floats v(n);
  std::iota(v.begin(), v.end(), 0.f);
  return v;
}

const auto scale = kernel("scale(a, b, k)", [](Array<const float> a, Array<float> b, weft::Scalar<float> k) {
  loop(b.length(), [&](Index i) { b[i] = a[i] * k; });
});
const auto product = kernel("product(a, b, c)", [](Array<const float> a, Array<float> b, Array<float> c) {
  loop(a.length(), [&](Index i) {
    b[i] = a[i] * 2;
    c[i] = a[i];
  });
});
const auto sum = kernel("sum(x)", [](Array<const float> x) {
  Var<float> s = 0;
  loop(x.length(), [&](Index i) { s += x[i]; });
  return s;
});
const auto add_one = kernel("add_one(x)", [](Array<float> x) { loop(x.length(), [&](Index i) { x[i] = x[i] + 1; }); });

struct Calls : RealTier {};
WEFT_REAL_TIERS(Calls);

TEST_P(Calls, KER_CALL_01_calls_are_queued_on_the_owner_in_order) {
  auto x = device->resident(count(1000));
  for (int i = 0; i < 20; ++i) add_one(x);
  auto total = sum(x);
  EXPECT_EQ(x.read().get()[999], 1019.f);
  EXPECT_EQ(total.get(), 1000.f * 999 / 2 + 20000);
  EXPECT_EQ(total.call()->tier, GetParam());
}

TEST_P(Calls, KER_CALL_02_host_memory_with_a_resident) {
  const Floats from = count(70000);
  auto y = device->resident<float>(70000);
  Floats to(70000);
  scale(from, y, 2.f);
  scale(y, to, 0.5f).get();
  EXPECT_EQ(to, from);
}

// Not waited for one by one: a GPU reads a call's memory back when the call is done, and takes an upload at once.
TEST_P(Calls, KER_DEV_02_host_memory_that_one_call_writes_is_read_by_the_next) {
  const Floats from = count(70000);
  const auto x = device->resident(from);
  auto y = device->resident<float>(70000), z = device->resident<float>(70000);
  for (int i = 0; i < 5; ++i) {
    Floats a(70000), b(70000, -1.f);
    auto first = product(x, a, y);
    auto second = product(a, b, z);
    auto last = x.read(std::span(a));
    last.get(), second.get(), first.get();
    ASSERT_EQ(a, from) << "the read came last";
    ASSERT_EQ(b[69999], 69999.f * 4);
  }
}

TEST_P(Calls, KER_ERR_02_an_empty_span_may_be_null) {
  auto y = device->resident<float>(0);
  scale(std::span<const float>(), y, 1.f).get();
  auto call = product(std::span<const float>(), std::span<float>(), y);
  call.get();
  EXPECT_EQ(call.call()->tier, GetParam());
}

// -0 shows what a driver does with a zero that it sees.
TEST_P(Calls, KER_BIT_01_literal_zeros_keep_the_sign_of_the_result) {
  const auto zeros = kernel("zeros(x, a, b, c, d)",
                            [](Array<const float> x, Array<float> a, Array<float> b, Array<float> c, Array<float> d) {
                              loop(x.length(), [&](Index i) {
                                a[i] = x[i] * 0.0f;
                                b[i] = x[i] + 0.0f;
                                c[i] = 0.0f - x[i];
                                Var<float> s = 0;
                                s += x[i];
                                d[i] = s;
                              });
                            });
  const Floats from{0.f, -0.f, 1.f, -1.f};
  auto x = device->resident(from), a = device->resident<float>(4), b = device->resident<float>(4),
       c = device->resident<float>(4), d = device->resident<float>(4);
  zeros(x, a, b, c, d).get();
  const Floats products = a.read().get(), sums = b.read().get(), differences = c.read().get(), through = d.read().get();
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(std::signbit(products[i]), std::signbit(from[i])) << i;
    EXPECT_EQ(std::signbit(sums[i]), from[i] < 0) << i;
    EXPECT_EQ(std::signbit(differences[i]), from[i] > 0) << i;
    EXPECT_EQ(std::signbit(through[i]), from[i] < 0) << i;
  }
}

TEST_P(Calls, KER_CALL_03_two_owners) {
  Device other({.tiers = {GetParam()}});
  auto a = device->resident(count(4)), b = other.resident<float>(4);
  try {
    scale(a, b, 1.f);
    FAIL();
  } catch (const TypeError& e) {
    EXPECT_NE(std::string(e.what()).find(device->name()), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find(other.name()), std::string::npos) << e.what();
  }
}

TEST_P(Calls, KER_CALL_04_a_failed_call_leaves_its_error_and_nothing_else) {
  const auto past = kernel(
      "past(x, y)", [](Array<const float> x, Array<float> y) { loop(x.length(), [&](Index i) { y[i + 1] = x[i]; }); });
  auto x = device->resident(count(4)), y = device->resident<float>(4), z = device->resident(count(2));
  EXPECT_THROW(past(x, y).get(), TypeError);
  EXPECT_THROW(y.read().get(), TypeError);
  EXPECT_EQ(x.read().get(), count(4));
  add_one(z).get();
  EXPECT_EQ(z.read().get(), (Floats{1, 2}));
  scale(x, y, 1.f).get();
  EXPECT_EQ(y.read().get(), count(4));
}

TEST_P(Calls, KER_CALL_05_checks_come_before_anything_runs) {
  const auto back = kernel(
      "back(y, n)", [](Array<float> y, weft::Scalar<std::int32_t> n) { loop(n, [&](Index i) { y[i * 2] = 1; }); });
  auto y = device->resident<float>(4);
  const auto submissions = device->stats().submissions;
  EXPECT_THROW(back(y, 3).get(), TypeError);
  EXPECT_EQ(device->stats().submissions, submissions);
}

struct Detached {
  struct promise_type {
    Detached get_return_object() { return {}; }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};
Detached chain(Resident<float> x, detail::Shared<detail::FutureState<float>> out) {
  try {
    co_await add_one(x);
    const float s = co_await sum(x);
    add_one(x).wait();  // a continuation may wait in turn
    out->resolve(s + sum(x).get());
  } catch (...) { out->reject(std::current_exception()); }
}
TEST_P(Calls, KER_CALL_06_co_await_and_wait_within) {
  auto x = device->resident(count(10));
  auto out = detail::share<detail::FutureState<float>>();
  chain(x, out);
  EXPECT_EQ(Future<float>(out).get(), 55.f + 65.f);
}

}  // namespace
}  // namespace weft::test
