// The FIFO queue of a device (KER-DEV-02): items run one at a time, in the order they were made, on the queue's thread.
// An item never blocks: it advances as far as it can and says whether it is done; the queue pumps the backends between.
//
// Work on a GPU overlaps with what the host does next, so an item has two parts: `advance` ends when its work is
// submitted, `settle` when the work is done. Items settle in their order too, so nobody can tell.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace weft::runtime {

struct DeviceState;

class QueueItem {
 public:
  virtual ~QueueItem() = default;
  /// Goes on. True when the item is done; false: it waits for a backend, advance again after a pump.
  virtual bool advance(DeviceState&) = 0;
  /// The item will not run (device closed or lost): reject what hangs on it.
  virtual void abandon(std::exception_ptr) = 0;
  /// Whether it may begin before the items in front have settled. One that may not touches residents, or makes its
  /// outcome known, in `advance`.
  virtual bool overlaps() const { return false; }
  /// After `advance` gave true, and everything in front has settled: makes the outcome known. False: not yet.
  virtual bool settle(DeviceState&) { return true; }
};

/// The items of one device and the thread that runs them, which begins with the first item.
class Queue {
 public:
  explicit Queue(DeviceState& device) : device_(device) {}
  ~Queue() { stop(); }

  /// Throws StateError once the device is closed.
  void push(std::unique_ptr<QueueItem>);
  /// Refuses new items, rejects those that have not begun, waits for those that have (KER-DEV-04).
  void close();
  /// Refuses new items, runs those there are, ends the thread.
  void stop();
  /// There is garbage to collect.
  void wake();

 private:
  void run();
  bool step();
  std::unique_ptr<QueueItem> take();
  void abandon_waiting();
  std::exception_ptr closed_error() const;

  DeviceState& device_;
  std::mutex mutex_;
  std::condition_variable changed_, idle_;
  std::deque<std::unique_ptr<QueueItem>> items_;
  std::thread thread_;
  bool closed_ = false, stopping_ = false, wake_ = false;
  bool busy_ = false;  // an item has begun and not settled

  // queue thread only
  std::unique_ptr<QueueItem> head_;
  bool begun_ = false;
  std::deque<std::unique_ptr<QueueItem>> settling_;
};

/// Takes the next place in the device's queue. Throws StateError after close().
void push(DeviceState&, std::unique_ptr<QueueItem>);

}  // namespace weft::runtime
