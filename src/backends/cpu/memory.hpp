// Memory of the cpu tier: plain host memory. It is zero-filled and starts on a cache line; large pieces come straight from
// the kernel as pages that are zero without being touched. Memory of the caller is used in place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <shared_mutex>
#include <span>
#include <unordered_map>

#include "runtime/backend.hpp"

namespace weft::cpu {

class Memory {
 public:
  static backend::Expected<std::shared_ptr<Memory>> allocate(const backend::MemoryDesc&);
  static std::shared_ptr<Memory> in_place(std::span<std::byte>);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  std::byte* data() const { return data_; }
  std::uint64_t size() const { return size_; }

 private:
  enum class Origin : std::uint8_t { caller, heap, pages };
  Memory(std::byte* data, std::uint64_t size, Origin origin) : data_(data), size_(size), origin_(origin) {}
  std::byte* data_;
  std::uint64_t size_;
  Origin origin_;
};

/// Memory by its id. Whoever runs a batch holds what it uses, so a piece that is destroyed meanwhile lives to its end.
class MemoryTable {
 public:
  backend::MemoryId add(std::shared_ptr<Memory>);
  void remove(backend::MemoryId);
  std::shared_ptr<Memory> find(backend::MemoryId) const;  // null: none of that id

 private:
  mutable std::shared_mutex mutex_;
  std::unordered_map<backend::MemoryId, std::shared_ptr<Memory>> by_id_;
  backend::MemoryId last_ = 0;
};

}  // namespace weft::cpu
