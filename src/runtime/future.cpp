#include <weft/future.hpp>

#include <condition_variable>
#include <mutex>
#include <vector>

#include "runtime/pool.hpp"

namespace weft::detail {

struct FutureBase::Impl {
  std::mutex mutex;
  std::condition_variable changed;
  bool ready = false;
  std::exception_ptr error;
  std::optional<Call> call;
  std::string name;
  Function<void()> guard;
  std::vector<Function<void()>> continuations;
};

FutureBase::FutureBase() : impl_(share<Impl>()) {}
FutureBase::~FutureBase() = default;

bool FutureBase::ready() const {
  std::lock_guard lock(impl_->mutex);
  return impl_->ready;
}

void FutureBase::wait() {
  std::unique_lock lock(impl_->mutex);
  if (!impl_->ready && impl_->guard) {
    auto guard = impl_->guard;
    lock.unlock();
    guard();
    lock.lock();
  }
  impl_->changed.wait(lock, [&] { return impl_->ready; });
}

void FutureBase::make_ready(const Function<void()>& store) {
  std::vector<Function<void()>> continuations;
  {
    std::lock_guard lock(impl_->mutex);
    if (impl_->ready) return;
    if (store) store();
    impl_->ready = true;
    impl_->guard = nullptr;
    continuations.swap(impl_->continuations);
    // Under the lock: the waiter may destroy this object as soon as it sees `ready`.
    impl_->changed.notify_all();
  }
  for (auto& f : continuations) runtime::run_on_pool(std::move(f));
}

void FutureBase::reject(std::exception_ptr e) {
  make_ready([&] { impl_->error = std::move(e); });
}

std::exception_ptr FutureBase::error() const {
  std::lock_guard lock(impl_->mutex);
  return impl_->error;
}

void FutureBase::set_call(Call c) {
  std::lock_guard lock(impl_->mutex);
  impl_->call = std::move(c);
}

std::optional<Call> FutureBase::call() const {
  std::lock_guard lock(impl_->mutex);
  return impl_->ready ? impl_->call : std::nullopt;
}

void FutureBase::then(Function<void()> f) {
  {
    std::lock_guard lock(impl_->mutex);
    if (!impl_->ready) {
      impl_->continuations.push_back(std::move(f));
      return;
    }
  }
  runtime::run_on_pool(std::move(f));
}

void FutureBase::set_guard(Function<void()> g) {
  std::lock_guard lock(impl_->mutex);
  if (!impl_->ready) impl_->guard = std::move(g);
}

void FutureBase::set_name(std::string name) {
  std::lock_guard lock(impl_->mutex);
  impl_->name = std::move(name);
}

std::string FutureBase::name() const {
  std::lock_guard lock(impl_->mutex);
  return impl_->name;
}

void throw_empty_future() {
  throw StateError("a Future that holds no work was used: it is default-constructed, or was moved from");
}

void throw_taken_future(const FutureBase& f) {
  const std::string name = f.name();
  throw StateError((name.empty() ? std::string("a Future") : name) +
                   ": its result was already taken, and get() or co_await gives it only once");
}

}  // namespace weft::detail
