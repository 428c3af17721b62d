#include "runtime/pool.hpp"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace weft::runtime {
namespace {

// Continuations that wait for one another would block a pool of a fixed size; this many that wait at once will do.
constexpr std::size_t most_threads = 256;
constexpr std::chrono::seconds idle_time{2};

class Pool {
 public:
  void run(std::function<void()> job) {
    std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
    if (jobs_.size() > idle_ && threads_ < most_threads) {
      ++threads_;
      std::thread([this] { work(); }).detach();
    }
    changed_.notify_one();
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      ++idle_;
      const bool found = changed_.wait_for(lock, idle_time, [&] { return !jobs_.empty(); });
      --idle_;
      if (!found) break;
      auto job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      try {
        job();
      } catch (...) {  // a continuation answers for its own errors: Future::then and coroutines keep them
      }
      job = nullptr;
      lock.lock();
    }
    --threads_;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
  std::size_t idle_ = 0, threads_ = 0;
};

}  // namespace

void run_on_pool(std::function<void()> job) {
  // Never destroyed: its threads are detached, and may still be here when static objects go.
  static Pool* pool = new Pool;
  pool->run(std::move(job));
}

}  // namespace weft::runtime
