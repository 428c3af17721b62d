// One WebGPU device with what must be known about it to keep wgpu-native from aborting the process: whether it is lost,
// and the errors of the calls in hand. Every call on the device is made under one lock.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "adapter.hpp"

namespace weft::webgpu {

struct GpuError {
  WGPUErrorType type = WGPUErrorType_NoError;
  std::string message;
};

/// What a WebGPU error is to a caller of Weft.
backend::ErrorKind kind_of(WGPUErrorType);

class Gpu {
 public:
  /// Makes the device on an adapter, with all of the limits given.
  static backend::Expected<std::unique_ptr<Gpu>> open(Handle<WGPUInstance>, Adapter, const WGPULimits&);
  ~Gpu();
  Gpu(const Gpu&) = delete;

  WGPUDevice device() const { return device_.get(); }
  WGPUQueue queue() const { return queue_.get(); }
  const WGPULimits& limits() const { return limits_; }
  bool timestamps() const { return timestamps_; }
  double tick_ns() const { return tick_ns_; }

  /// Guards every call on the device, and so the order of error scopes and the lost flag: a call that aborts on a lost
  /// device is made only under this lock and after `lost()` was false.
  std::mutex lock;
  bool lost() const { return watch_->lost.load(std::memory_order_acquire); }
  std::string lost_message() const;
  /// Ends the device as a driver's reset would, for tests.
  void destroy();

  /// Calls back what is due (work done, buffers mapped), without waiting. The lock is held, the device not lost.
  void poll() const { api().DevicePoll(device(), false, nullptr); }

 private:
  Gpu() = default;

  /// What the library's callbacks write; they may come as late as the release of the device.
  struct Watch {
    std::atomic<bool> lost{false};
    mutable std::mutex mutex;
    std::string message;                 // of the loss
    std::optional<GpuError> uncaptured;  // the first error that no scope caught, since it was last taken
  };
  friend class ErrorScope;
  std::optional<GpuError> take_uncaptured() const;

  std::unique_ptr<Watch> watch_;
  Handle<WGPUInstance> instance_;
  Handle<WGPUAdapter> adapter_;
  Handle<WGPUDevice> device_;
  Handle<WGPUQueue> queue_;
  WGPULimits limits_{};
  bool timestamps_ = false;
  double tick_ns_ = 1;
};

/// The errors of the calls made while it lives (the lock is held): validation and memory by the library's scopes; internal
/// ones, at whose filter wgpu-native panics, by the device's own callback.
class ErrorScope {
 public:
  explicit ErrorScope(const Gpu&);
  ~ErrorScope();
  ErrorScope(const ErrorScope&) = delete;
  /// Ends the scope: the first error, if any.
  std::optional<GpuError> end();

 private:
  const Gpu& gpu_;
  bool open_ = true;
};

}  // namespace weft::webgpu
