#include "runtime/device_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace weft::runtime {
namespace {

std::string next_name(Tier tier) {
  static std::atomic<std::uint64_t> made{0};
  return fmt::format("{}#{}", name(tier), ++made);
}

}  // namespace

DeviceState::DeviceState(DeviceOptions o, DriverSource source)
    : options(std::move(o)), tiers(options, std::move(source)), queue(*this) {
  name = next_name(tiers.first_info().tier);
}

DeviceState::~DeviceState() { queue.stop(); }

bool DeviceState::busy(const backend::Backend& backend) const {
  return std::any_of(flights.begin(), flights.end(), [&](const auto& f) { return f->backend == &backend; });
}

void DeviceState::pump(std::chrono::nanoseconds may_block) {
  // Few backends have work at one time: mostly one. It may block; the others are only looked at.
  std::vector<backend::Backend*> waiting;
  for (const auto& f : flights)
    if (std::find(waiting.begin(), waiting.end(), f->backend) == waiting.end()) waiting.push_back(f->backend);
  for (backend::Backend* b : waiting) {
    const bool pending = b->pump(b == waiting.front() ? may_block : std::chrono::nanoseconds(0));
    if (pending) continue;
    // Nothing is pending there, so what has no result by now would be waited for in vain.
    for (const auto& f : flights)
      if (f->backend == b && !f->result)
        f->result = backend::ErrorRecord{backend::ErrorKind::device,
                                         b->info().adapter + ": the driver lost track of a batch", ""};
  }
  std::erase_if(flights, [](const auto& f) { return f->result.has_value(); });
}

void DeviceState::drain(backend::Backend& backend) {
  while (busy(backend)) pump(std::chrono::milliseconds(1));
}

void DeviceState::drain_others(backend::Backend& backend) {
  while (std::any_of(flights.begin(), flights.end(), [&](const auto& f) { return f->backend != &backend; }))
    pump(std::chrono::milliseconds(1));
}

void DeviceState::drain_host(std::span<const HostUse> next) {
  const auto clash = [](const HostUse& a, const HostUse& b) {
    if (!(a.written || b.written) || (a.in_turn && b.in_turn)) return false;
    return a.begin < b.begin + b.bytes && b.begin < a.begin + a.bytes;
  };
  const auto behind = [&](const auto& f) {
    return std::any_of(f->host.begin(), f->host.end(), [&](const HostUse& a) {
      return std::any_of(next.begin(), next.end(), [&](const HostUse& b) { return clash(a, b); });
    });
  };
  while (std::any_of(flights.begin(), flights.end(), behind)) pump(std::chrono::milliseconds(1));
}

void DeviceState::discard(std::vector<std::pair<backend::Backend*, backend::MemoryId>> memory) {
  if (memory.empty()) return;
  {
    std::lock_guard lock(garbage_mutex_);
    garbage_.insert(garbage_.end(), memory.begin(), memory.end());
  }
  queue.wake();
}

void DeviceState::collect_garbage() {
  std::vector<std::pair<backend::Backend*, backend::MemoryId>> garbage;
  {
    std::lock_guard lock(garbage_mutex_);
    garbage.swap(garbage_);
  }
  for (const auto& [where, memory] : garbage) {
    // Its own batches still find it, but one of another tier may be uploading from it.
    const bool others =
        std::any_of(flights.begin(), flights.end(), [w = where](const auto& f) { return f->backend != w; });
    if (others) {
      std::lock_guard lock(garbage_mutex_);
      garbage_.emplace_back(where, memory);
    } else if (!where->lost()) {
      where->destroy(memory);
    }
  }
}

std::string DeviceState::lost_message(const backend::Backend& backend) const {
  return fmt::format("{}: the device was lost ({}); what was only there is gone, make a new Device", name,
                     backend.info().adapter);
}

}  // namespace weft::runtime
