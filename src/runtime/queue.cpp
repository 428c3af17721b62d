#include "runtime/queue.hpp"

#include <weft/error.hpp>

#include <chrono>

#include "runtime/device_state.hpp"

namespace weft::runtime {
namespace {

using namespace std::chrono_literals;

// Batches under way at one time: enough to keep a GPU busy, few enough to bound what they hold.
constexpr std::size_t most_settling = 64;
// How long a pump may block. It returns when a batch is done, so this only delays an item that comes while the backends are
// busy; shorter ones would keep a core awake that a software adapter could use.
constexpr std::chrono::nanoseconds most_block = 2ms;

}  // namespace

void push(DeviceState& device, std::unique_ptr<QueueItem> item) { device.queue.push(std::move(item)); }

std::exception_ptr Queue::closed_error() const {
  return std::make_exception_ptr(StateError(device_.name + ": the device was closed, and does no more work"));
}

void Queue::push(std::unique_ptr<QueueItem> item) {
  std::lock_guard lock(mutex_);
  if (closed_ || stopping_) std::rethrow_exception(closed_error());
  items_.push_back(std::move(item));
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  changed_.notify_one();
}

void Queue::wake() {
  std::lock_guard lock(mutex_);
  wake_ = true;
  changed_.notify_one();
}

void Queue::close() {
  std::unique_lock lock(mutex_);
  closed_ = true;
  changed_.notify_one();
  idle_.wait(lock, [&] { return items_.empty() && !busy_; });
}

void Queue::stop() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

std::unique_ptr<QueueItem> Queue::take() {
  std::lock_guard lock(mutex_);
  wake_ = false;
  if (items_.empty() || closed_) return nullptr;
  auto item = std::move(items_.front());
  items_.pop_front();
  busy_ = true;
  return item;
}

void Queue::abandon_waiting() {
  std::deque<std::unique_ptr<QueueItem>> left;
  {
    std::lock_guard lock(mutex_);
    if (!closed_ || items_.empty()) return;
    left.swap(items_);
    busy_ = true;
  }
  for (auto& item : left) {
    item->abandon(closed_error());
    item.reset();
  }
}

// One round: begins, goes on with or settles what can be. False: all of it waits for a backend, or there is nothing.
bool Queue::step() {
  bool progress = false;
  if (!head_ && settling_.size() < most_settling) {
    head_ = take();
    begun_ = false;
  }
  if (head_ && (begun_ || head_->overlaps() || settling_.empty())) {
    begun_ = true;
    bool done = true, failed = false;
    try {
      done = head_->advance(device_);
    } catch (...) {  // items keep their own errors; this one did not
      head_->abandon(std::current_exception());
      failed = true;
    }
    if (failed) head_.reset();
    else if (done) settling_.push_back(std::move(head_));
    progress = done;
  }
  while (!settling_.empty()) {
    bool done = true;
    try {
      done = settling_.front()->settle(device_);
    } catch (...) { settling_.front()->abandon(std::current_exception()); }
    if (!done) break;
    settling_.pop_front();
    progress = true;
  }
  return progress;
}

void Queue::run() {
  for (;;) {
    const bool progress = step();
    device_.collect_garbage();
    if (progress) {
      device_.pump(0ns);  // so that what is done settles while more is begun
      continue;
    }
    if (head_ || !settling_.empty()) {
      device_.pump(most_block);
      continue;
    }
    abandon_waiting();
    std::unique_lock lock(mutex_);
    busy_ = false;
    if (items_.empty()) idle_.notify_all();
    changed_.wait(lock, [&] { return !items_.empty() || stopping_ || wake_; });
    if (items_.empty() && stopping_) return;
  }
}

}  // namespace weft::runtime
