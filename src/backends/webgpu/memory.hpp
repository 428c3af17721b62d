// The buffers that callers hold by id. An id that was destroyed is known to be so, since a submission with a destroyed
// buffer aborts the process.
#pragma once

#include <string>
#include <unordered_map>

#include "gpu.hpp"

namespace weft::webgpu {

struct Memory {
  Handle<WGPUBuffer> buffer;
  std::uint64_t bytes = 0;      // as asked for
  std::uint64_t allocated = 0;  // at least 16, the smallest binding of a vector array
  std::string label;
};

class Memories {
 public:
  explicit Memories(Gpu& gpu) : gpu_(gpu) {}

  /// Zero-filled. The device's lock is held, here as in `destroy`.
  backend::Expected<backend::MemoryId> create(const backend::MemoryDesc&);
  /// The library keeps the buffer until the work that was submitted with it is done.
  void destroy(backend::MemoryId id) { table_.erase(id); }
  /// Null for an id that is unknown or destroyed.
  const Memory* find(backend::MemoryId) const;
  std::size_t count() const { return table_.size(); }

 private:
  Gpu& gpu_;
  std::unordered_map<backend::MemoryId, Memory> table_;
  backend::MemoryId next_ = 1;
};

}  // namespace weft::webgpu
