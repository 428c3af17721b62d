// Future<T>: the result of work queued on a device (KER-CALL-06). Move-only; dropping one cancels nothing.
#pragma once

#include <weft/error.hpp>
#include <weft/types.hpp>

#include <condition_variable>
#include <coroutine>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace weft::detail {

/// The shared state, without its value. Thread-safe.
class FutureBase {
 public:
  virtual ~FutureBase() = default;
  bool ready() const;
  void wait();                           // may drive the queue where there is no thread to do it
  void reject(std::exception_ptr);
  std::exception_ptr error() const;
  void set_call(Call);                   // before it becomes ready
  std::optional<Call> call() const;
  /// Runs `f` once ready, on a thread of the library that is never a queue's; at once when it is ready already.
  void then(std::move_only_function_placeholder f);

 protected:
  void make_ready();

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool ready_ = false;
  std::exception_ptr error_;
  std::optional<Call> call_;
};

template <class T> class FutureState final : public FutureBase {
 public:
  void resolve(T v) { value_.emplace(std::move(v)); make_ready(); }
  T take() { return std::move(*value_); }
 private:
  std::optional<T> value_;
};
template <> class FutureState<void> final : public FutureBase {
 public:
  void resolve() { make_ready(); }
  void take() {}
};

}  // namespace weft::detail

namespace weft {

template <class T> class Future {
 public:
  Future() = default;                    // empty
  explicit Future(std::shared_ptr<detail::FutureState<T>> s) : state_(std::move(s)) {}

  bool ready() const;                    // StateError on an empty future, as all below
  void wait();                           // never throws for a failed call
  T get();                               // the value, or throws the failure; a second get() is a StateError
  std::optional<Call> call() const;      // once ready

 private:
  std::shared_ptr<detail::FutureState<T>> state_;
};

}  // namespace weft
