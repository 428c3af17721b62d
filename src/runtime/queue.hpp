// The FIFO queue of a device (KER-DEV-02): items run one at a time, in the order they were made, on the queue's thread.
// An item never blocks: it advances as far as it can and says whether it is done; the queue pumps the backends between.
#pragma once

#include <exception>
#include <memory>

namespace weft::runtime {

struct DeviceState;

class QueueItem {
 public:
  virtual ~QueueItem() = default;
  /// Goes on. True when the item is done; false: it waits for a backend, advance again after a pump.
  virtual bool advance(DeviceState&) = 0;
  /// The item will not run (device closed or lost): reject what hangs on it.
  virtual void abandon(std::exception_ptr) = 0;
};

/// Takes the next place in the device's queue. Throws StateError after close().
void push(DeviceState&, std::unique_ptr<QueueItem>);

}  // namespace weft::runtime
