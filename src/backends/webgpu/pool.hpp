// Buffers for one batch (uniforms, partials, staging, query results), kept for the next one, so that ten thousand plans
// neither allocate ten thousand times nor grow the memory (FUSE-TIM-12, FUSE-RED-09).
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "gpu.hpp"

namespace weft::webgpu {

class BufferPool {
 public:
  struct Lease {
    Handle<WGPUBuffer> buffer;
    std::uint64_t bytes = 0;
  };

  BufferPool(const Gpu& gpu, WGPUBufferUsage usage, const char* name) : gpu_(gpu), usage_(usage), name_(name) {}

  /// A buffer of at least `bytes`, with any content; none where the device refuses it (an error scope says why). The
  /// device's lock is held.
  Lease take(std::uint64_t bytes);
  void give_back(Lease);
  std::uint64_t kept_bytes() const { return kept_; }

 private:
  const Gpu& gpu_;
  WGPUBufferUsage usage_;
  const char* name_;
  std::multimap<std::uint64_t, Handle<WGPUBuffer>> free_;  // by size
  std::uint64_t kept_ = 0;
};

}  // namespace weft::webgpu
