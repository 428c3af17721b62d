// A batch that was submitted and is not done: what it holds until then, and what happens when it lands.
#pragma once

#include <functional>
#include <vector>

#include "pool.hpp"
#include "timing.hpp"

namespace weft::webgpu {

/// The pools of a device.
struct Pools {
  explicit Pools(const Gpu& gpu)
      : uniforms(gpu, WGPUBufferUsage_Uniform | WGPUBufferUsage_CopyDst, "uniforms"),
        partials(gpu, WGPUBufferUsage_Storage | WGPUBufferUsage_CopySrc, "partials"),
        transfer(gpu, WGPUBufferUsage_CopySrc | WGPUBufferUsage_CopyDst, "transfer"),
        staging(gpu, WGPUBufferUsage_MapRead | WGPUBufferUsage_CopyDst, "staging"),
        times(gpu, WGPUBufferUsage_QueryResolve | WGPUBufferUsage_CopySrc, "times"),
        queries(gpu) {}
  BufferPool uniforms, partials, transfer, staging, times;
  QueryPool queries;
};

struct ReadBack {
  std::uint64_t at;  // in the staging buffer
  std::span<std::byte> into;
};

struct Flight {
  enum class State : std::uint8_t { pending, done, failed };

  // Written by the library's callback. They stand first, and so outlive the buffers below, whose release may call back.
  State state = State::pending;
  std::string failure;

  backend::Then<backend::Outcome> then;
  backend::Outcome outcome;
  std::string label;
  BufferPool::Lease uniforms, staging;
  std::vector<BufferPool::Lease> partials, transfers;
  std::vector<ReadBack> reads;
  std::uint64_t staged_bytes = 0;  // of `staging`, with the timestamps
  Timing timing;

  bool reads_back() const { return staged_bytes != 0; }
  /// Asks the library to say when the work is done. Called once, right after the submission.
  void watch(const Gpu&);
  /// The work is done: copies what was read, gives buffers back. The device's lock is held.
  backend::Expected<backend::Outcome> land(const Gpu&, Pools&);
  /// Gives back what a batch holds that was never submitted.
  void give_back(Pools&);
};

}  // namespace weft::webgpu
