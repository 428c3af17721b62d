// Future<T>: the result of work queued on a device (KER-CALL-06). Move-only; dropping one cancels nothing, and a failure
// that nobody looks at is silent.
#pragma once

#include <weft/detail/function.hpp>
#include <weft/error.hpp>
#include <weft/types.hpp>

#include <coroutine>
#include <exception>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace weft::detail {

/// What a future shares with the work behind it, without the value. Thread-safe; the first outcome stays.
class FutureBase {
 public:
  FutureBase();
  virtual ~FutureBase();
  FutureBase(const FutureBase&) = delete;
  FutureBase& operator=(const FutureBase&) = delete;

  bool ready() const;
  /// Blocks until ready. Throws only what a guard throws.
  void wait();
  void reject(std::exception_ptr);
  std::exception_ptr error() const;  // null: none, or not ready
  void set_call(Call);               // before it becomes ready
  std::optional<Call> call() const;  // nothing before it is ready
  /// Runs `f` once ready, on a thread of the library that is never a queue's.
  void then(Function<void()> f);
  /// While set, a wait for a result that is not there yet calls `g` first, which may throw: work that cannot begin before
  /// the waiting thread has gone on (an open fuse scope). Null takes it away.
  void set_guard(Function<void()> g);
  /// What the future is the result of, for messages: "scale".
  void set_name(std::string name);
  std::string name() const;

 protected:
  /// Runs `store` and makes the future ready, unless it is so already.
  void make_ready(const Function<void()>& store);

 private:
  struct Impl;
  Shared<Impl> impl_;
};

template <class T> class FutureState final : public FutureBase {
 public:
  void resolve(T v) {
    make_ready([&] { value_.emplace(std::move(v)); });
  }
  T take() {
    T v = std::move(*value_);
    value_.reset();
    return v;
  }

 private:
  std::optional<T> value_;
};
template <> class FutureState<void> final : public FutureBase {
 public:
  void resolve() { make_ready({}); }
  void take() {}
};

[[noreturn]] void throw_empty_future();
[[noreturn]] void throw_taken_future(const FutureBase&);

}  // namespace weft::detail

namespace weft {

template <class T, class Held> class FutureAwaiter;

/// The result of queued work. Made by calls, reads and writes; a default-constructed one is empty, and using it is a
/// StateError.
template <class T> class Future {
 public:
  using value_type = T;

  Future() = default;
  explicit Future(detail::Shared<detail::FutureState<T>> s) : state_(std::move(s)) {}
  Future(Future&& o) noexcept : state_(std::move(o.state_)), taken_(std::exchange(o.taken_, false)) {}
  Future& operator=(Future&& o) noexcept {
    state_ = std::move(o.state_);
    taken_ = std::exchange(o.taken_, false);
    return *this;
  }

  /// False for an empty future.
  bool valid() const { return state_ != nullptr; }
  /// True once the work has succeeded or failed.
  bool ready() const { return state().ready(); }
  /// Blocks until ready. Never throws for work that failed.
  void wait() const { state().wait(); }
  /// Waits and gives the value, or throws the failure. A second get() is a StateError.
  T get() {
    auto& s = claim();
    s.wait();
    taken_ = true;
    if (auto e = s.error()) std::rethrow_exception(e);
    return s.take();
  }
  /// How the call ran, once it is ready; nothing before, and for work that is no call of a kernel.
  std::optional<Call> call() const { return state().call(); }

  /// Hands the future on: once ready, `f(Future<T>)` runs on a thread of the library. The result is a future of what `f`
  /// returns, and holds what it throws.
  template <class F> auto then(F f) && -> Future<std::invoke_result_t<F&, Future<T>>> {
    using R = std::invoke_result_t<F&, Future<T>>;
    auto& from = claim();
    auto out = detail::share<detail::FutureState<R>>();
    auto work = detail::share<std::pair<F, Future<T>>>(std::move(f), std::move(*this));
    from.then([out, work] {
      try {
        if constexpr (std::is_void_v<R>) work->first(std::move(work->second)), out->resolve();
        else out->resolve(work->first(std::move(work->second)));
      } catch (...) { out->reject(std::current_exception()); }
    });
    return Future<R>(std::move(out));
  }

  /// As get(); the coroutine goes on on a thread of the library that is never a queue's, so it may wait in turn.
  auto operator co_await() && { return FutureAwaiter<T, Future>(std::move(*this)); }
  auto operator co_await() & { return FutureAwaiter<T, Future&>(*this); }

 private:
  template <class, class> friend class FutureAwaiter;
  detail::FutureState<T>& state() const {
    if (!state_) detail::throw_empty_future();
    return *state_;
  }
  detail::FutureState<T>& claim() const {
    auto& s = state();
    if (taken_) detail::throw_taken_future(s);
    return s;
  }
  detail::Shared<detail::FutureState<T>> state_;
  bool taken_ = false;
};

/// The awaiter of a future; `Held` is the future itself or a reference to one that the coroutine names.
template <class T, class Held> class FutureAwaiter {
 public:
  explicit FutureAwaiter(Held&& f) : future_(static_cast<Held&&>(f)) {}
  bool await_ready() const { return future_.claim().ready(); }
  void await_suspend(std::coroutine_handle<> h) {
    future_.claim().then([h] { h.resume(); });
  }
  T await_resume() { return future_.get(); }

 private:
  Held future_;
};

}  // namespace weft
