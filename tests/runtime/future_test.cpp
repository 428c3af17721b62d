// Future<T> by itself (KER-CALL-06): the work is played by the test.
#include <weft/future.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>
#include <vector>

namespace {

using weft::Future;
using weft::StateError;
using weft::detail::FutureState;

template <class T> struct Pair {
  weft::detail::Shared<FutureState<T>> state = weft::detail::share<FutureState<T>>();
  Future<T> future{state};
};
std::exception_ptr failure(const char* what) { return std::make_exception_ptr(weft::DeviceError(what)); }

/// A coroutine that nobody waits for; it ends by itself.
struct Detached {
  struct promise_type {
    Detached get_return_object() { return {}; }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};

static_assert(std::is_default_constructible_v<Future<int>> && std::is_nothrow_move_constructible_v<Future<int>>);
static_assert(!std::is_copy_constructible_v<Future<int>> && !std::is_copy_assignable_v<Future<int>>);

TEST(Future, KER_CALL_06_get_gives_the_value_once) {
  Pair<int> p;
  EXPECT_FALSE(p.future.ready());
  p.state->resolve(7);
  EXPECT_TRUE(p.future.ready());
  EXPECT_EQ(p.future.get(), 7);
  try {
    p.future.get();
    FAIL() << "a second get() gave something";
  } catch (const StateError& e) {
    EXPECT_STREQ(e.what(), "a Future: its result was already taken, and get() or co_await gives it only once");
  }
  p.future.wait();  // still no throw
}

TEST(Future, KER_CALL_06_an_empty_future_is_a_StateError) {
  Future<int> empty;
  EXPECT_FALSE(empty.valid());
  EXPECT_THROW(empty.get(), StateError);
  EXPECT_THROW(empty.wait(), StateError);
  EXPECT_THROW(empty.ready(), StateError);
  EXPECT_THROW(empty.call(), StateError);
  Pair<int> p;
  const Future<int> moved = std::move(p.future);
  EXPECT_THROW(p.future.get(), StateError);
  EXPECT_TRUE(moved.valid());
}

TEST(Future, KER_CALL_06_wait_never_throws_for_a_failure_and_get_does) {
  Pair<void> p;
  p.state->reject(failure("boom"));
  p.future.wait();
  EXPECT_TRUE(p.future.ready());
  EXPECT_THROW(p.future.get(), weft::DeviceError);
  EXPECT_THROW(p.future.get(), StateError);
}

TEST(Future, KER_CALL_06_wait_blocks_until_ready) {
  Pair<int> p;
  std::atomic<bool> resolved = false;
  std::jthread worker([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    resolved = true;
    p.state->resolve(1);
  });
  p.future.wait();
  EXPECT_TRUE(resolved);
}

TEST(Future, KER_CALL_06_the_first_outcome_stays) {
  Pair<int> p;
  p.state->resolve(1);
  p.state->reject(failure("late"));
  p.state->resolve(2);
  EXPECT_EQ(p.future.get(), 1);
}

TEST(Future, KER_CALL_06_call_is_there_once_ready) {
  Pair<void> p;
  p.state->set_call({"scale", weft::Tier::cpu, "because"});
  EXPECT_FALSE(p.future.call());
  p.state->resolve();
  ASSERT_TRUE(p.future.call());
  EXPECT_EQ(p.future.call()->name, "scale");
  EXPECT_EQ(p.future.call()->reason, "because");
  p.future.get();
  EXPECT_TRUE(p.future.call()) << "also after get()";
}

TEST(Future, KER_CALL_06_then_runs_on_another_thread_and_passes_failures_on) {
  Pair<int> p;
  const auto here = std::this_thread::get_id();
  std::thread::id there;
  auto doubled = std::move(p.future).then([&](Future<int> f) {
    there = std::this_thread::get_id();
    return 2 * f.get();
  });
  p.state->resolve(21);
  EXPECT_EQ(doubled.get(), 42);
  EXPECT_NE(there, here);

  Pair<int> bad;
  auto after = std::move(bad.future).then([](Future<int> f) { f.get(); });
  bad.state->reject(failure("boom"));
  EXPECT_THROW(after.get(), weft::DeviceError);
}

Detached add(Future<int> a, Future<int>& b, weft::detail::Shared<FutureState<int>> out, std::thread::id& on) {
  try {
    const int x = co_await std::move(a);
    const int y = co_await b;
    on = std::this_thread::get_id();
    out->resolve(x + y);
  } catch (...) { out->reject(std::current_exception()); }
}

TEST(Future, KER_CALL_06_co_await_does_as_get) {
  Pair<int> a, b, out;
  std::thread::id on;
  add(std::move(a.future), b.future, out.state, on);
  a.state->resolve(1);
  b.state->resolve(2);
  EXPECT_EQ(out.future.get(), 3);
  EXPECT_NE(on, std::this_thread::get_id()) << "on a thread of the library";
  EXPECT_THROW(b.future.get(), StateError) << "its result was taken";

  Pair<int> c, d, failed;
  add(std::move(c.future), d.future, failed.state, on);
  c.state->reject(failure("boom"));
  EXPECT_THROW(failed.future.get(), weft::DeviceError);
}

TEST(Future, KER_CALL_06_continuations_that_wait_for_one_another_go_on) {
  // More than any pool of a fixed, small size holds at once.
  constexpr int n = 40;
  std::vector<Pair<int>> first(n);
  std::vector<Future<int>> last;
  std::vector<std::promise<void>> gates(n);
  for (int i = 0; i < n; ++i)
    last.push_back(std::move(first[i].future).then([&, i](Future<int> f) {
      gates[i].get_future().wait();
      if (i > 0) gates[i - 1].set_value();
      return f.get();
    }));
  for (int i = 0; i < n; ++i) first[i].state->resolve(i);
  gates[n - 1].set_value();
  for (int i = 0; i < n; ++i) EXPECT_EQ(last[i].get(), i);
}

TEST(Future, KER_CALL_06_dropped_and_failed_futures_are_silent) {
  auto state = weft::detail::share<FutureState<int>>();
  { Future<int> dropped(state); }
  state->reject(failure("nobody looks"));
  SUCCEED();
}

TEST(Future, a_guard_refuses_to_wait_for_what_cannot_come) {
  Pair<int> p;
  p.state->set_guard([] { throw weft::TypeError("not here"); });
  EXPECT_THROW(p.future.get(), weft::TypeError);
  p.state->resolve(4);
  EXPECT_EQ(p.future.get(), 4) << "what is there needs no wait";
}

TEST(Future, many_threads_wait_for_one) {
  Pair<int> p;
  std::atomic<int> seen = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      p.future.wait();
      ++seen;
    });
  p.state->resolve(1);
  threads.clear();
  EXPECT_EQ(seen, 8);
}

}  // namespace
