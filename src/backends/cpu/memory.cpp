#include "backends/cpu/memory.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "backends/cpu/pages.hpp"

namespace weft::cpu {

namespace {

constexpr std::uint64_t line = 64, huge_page = 2u << 20;

// Linux hands out more pages than the machine has and kills the process that touches them all; no single piece may be
// larger than the machine.
std::uint64_t machine_bytes() {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

backend::ErrorRecord out_of_memory(const backend::MemoryDesc& desc, std::string_view why) {
  return {backend::ErrorKind::memory,
          fmt::format("{} ({} bytes) cannot be allocated on the cpu tier: {}.",
                      desc.label.empty() ? "A buffer" : desc.label, desc.bytes, why),
          {}};
}

}  // namespace

backend::Expected<std::shared_ptr<Memory>> Memory::allocate(const backend::MemoryDesc& desc) {
  const std::uint64_t machine = machine_bytes();
  if (desc.bytes > machine) return out_of_memory(desc, fmt::format("this machine has {} bytes of memory", machine));
  if (desc.bytes < huge_page) {
    const std::uint64_t room = (desc.bytes + line) / line * line;  // never 0, so that the address is a real one
    void* data = std::aligned_alloc(line, room);
    if (!data) return out_of_memory(desc, "the system has no more memory for this process");
    std::memset(data, 0, room);
    return std::shared_ptr<Memory>(new Memory(static_cast<std::byte*>(data), desc.bytes, Origin::heap));
  }
  std::byte* data = page_store().take(desc.bytes);
  if (!data) return out_of_memory(desc, std::strerror(errno));
  return std::shared_ptr<Memory>(new Memory(data, desc.bytes, Origin::pages));
}

std::shared_ptr<Memory> Memory::in_place(std::span<std::byte> bytes) {
  return std::shared_ptr<Memory>(new Memory(bytes.data(), bytes.size(), Origin::caller));
}

Memory::~Memory() {
  if (origin_ == Origin::heap) std::free(data_);
  if (origin_ == Origin::pages) page_store().give(data_, size_);
}

backend::MemoryId MemoryTable::add(std::shared_ptr<Memory> memory) {
  const std::unique_lock lock(mutex_);
  by_id_.emplace(++last_, std::move(memory));
  return last_;
}

void MemoryTable::remove(backend::MemoryId id) {
  std::shared_ptr<Memory> last_use;  // unmapped after the lock is gone
  const std::unique_lock lock(mutex_);
  if (auto it = by_id_.find(id); it != by_id_.end()) {
    last_use = std::move(it->second);
    by_id_.erase(it);
  }
}

std::shared_ptr<Memory> MemoryTable::find(backend::MemoryId id) const {
  const std::shared_lock lock(mutex_);
  const auto it = by_id_.find(id);
  return it == by_id_.end() ? nullptr : it->second;
}

}  // namespace weft::cpu
