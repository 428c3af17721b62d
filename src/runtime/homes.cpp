#include "runtime/homes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "runtime/device_state.hpp"
#include "runtime/element_name.hpp"

namespace weft::runtime {
namespace {

// Wide vector accesses do not cross cache lines.
constexpr std::align_val_t alignment{64};

using Memories = std::vector<std::pair<backend::Backend*, backend::MemoryId>>;

void discard(ResidentState& r, Memories memory) {
  if (memory.empty()) return;
  if (auto device = r.owner.lock()) device->discard(std::move(memory));  // a device that is gone took it along
}

}  // namespace

HostBuffer::HostBuffer(std::size_t bytes, const void* from)
    : data_(static_cast<std::byte*>(::operator new(std::max<std::size_t>(bytes, 1), alignment))), size_(bytes) {
  if (from && bytes) std::memcpy(data_, from, bytes);
}

std::shared_ptr<HostBuffer> HostBuffer::of(void* memory, std::size_t bytes) {
  return std::shared_ptr<HostBuffer>(new HostBuffer(static_cast<std::byte*>(memory), bytes));
}

HostBuffer::~HostBuffer() {
  if (own_) ::operator delete(data_, alignment);
}

Home* home_on(ResidentState& r, const backend::Backend* where) {
  for (Home& h : r.homes)
    if (h.where == where) return &h;
  return nullptr;
}

Home* newest(ResidentState& r) {
  Home* best = nullptr;
  for (Home& h : r.homes)
    if (h.version == r.version && (!best || (h.address && !best->address))) best = &h;
  return best;
}

void drop_home(ResidentState& r, Home* home) {
  Memories memory;
  if (home->where) memory.emplace_back(home->where, home->memory);
  r.homes.erase(r.homes.begin() + (home - r.homes.data()));
  discard(r, std::move(memory));
}

void replace_host(ResidentState& r, std::shared_ptr<HostBuffer> memory) {
  for (std::size_t i = r.homes.size(); i-- > 0;)
    if (r.homes[i].address) drop_home(r, &r.homes[i]);
  r.host = std::move(memory);
  r.homes.push_back({nullptr, 0, ++r.version, r.host->data()});
}

void wrote(ResidentState& r, Home& home) { home.version = ++r.version; }

std::byte* own_host(ResidentState& r) {
  const std::size_t bytes = r.bytes();
  Home* home = home_on(r, nullptr);
  const bool current = home && home->version == r.version;
  if (current && r.host.use_count() == 1) return home->address;
  auto own = std::make_shared<HostBuffer>(bytes, current ? home->address : nullptr);
  if (!current && bytes) std::memset(own->data(), 0, bytes);
  if (!home) home = &r.homes.emplace_back();
  home->address = own->data();
  home->version = r.version;
  r.host = std::move(own);
  return home->address;
}

void release_memory(ResidentState& r) {
  Memories memory;
  for (const Home& h : r.homes)
    if (h.where) memory.emplace_back(h.where, h.memory);
  r.homes.clear();
  r.host = nullptr;
  discard(r, std::move(memory));
}

ResidentState::~ResidentState() { release_memory(*this); }

std::string shown(const ResidentState& r) {
  std::lock_guard lock(r.label_mutex);
  return r.label.empty() ? fmt::format("a resident of {} {}", r.length, element_name(r.element))
                         : fmt::format("`{}`", r.label);
}

}  // namespace weft::runtime
