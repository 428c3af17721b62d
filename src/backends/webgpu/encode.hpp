// From a Batch to one command buffer. Everything that could abort the process or fail half-way is checked first; what is
// written to buffers from the host is written after the commands have been recorded without an error.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "compiled.hpp"
#include "flight.hpp"
#include "grid.hpp"
#include "memory.hpp"

namespace weft::webgpu {

/// What a batch is encoded against.
struct Workshop {
  Gpu& gpu;
  Pools& pools;
  const Memories& memories;
  const std::vector<const Compiled*>& programs;  // CompiledId - 1
};

struct Encoded {
  Handle<WGPUCommandBuffer> commands;  // null: the batch records none (uploads only, or nothing)
  std::unique_ptr<Flight> flight;
  std::uint64_t written = 0;  // bytes put on the queue that wait for a submission
};

/// The device's lock is held and the device not lost. On an error nothing has been written or recorded.
backend::Expected<Encoded> encode(const Workshop&, const backend::Batch&);

}  // namespace weft::webgpu
