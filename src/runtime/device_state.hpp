// A device behind its handle: its tiers, its queue, what it counts. The queue's thread alone works with the backends; it
// is the thread of everything marked so.
#pragma once

#include <weft/device.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernel/shared.hpp"
#include "runtime/backend.hpp"
#include "runtime/program_cache.hpp"
#include "runtime/queue.hpp"
#include "runtime/tiers.hpp"

namespace weft::runtime {

struct ResidentState;

/// DeviceStats as it is counted.
struct Counters {
  std::atomic<std::uint64_t> calls{0}, dispatches{0}, submissions{0}, passes{0}, uploads{0}, downloads{0}, buffers{0},
      programs{0};
};

/// Host memory that a batch reads or writes until it is done.
struct HostUse {
  const std::byte* begin = nullptr;
  std::uint64_t bytes = 0;
  bool written = false;
  bool in_turn =
      false;  // by a backend that shares memory with the host: not before its turn, so batches of it keep order
};

/// One submitted batch. `kept` holds what must live until the backend is done with it.
struct Flight {
  backend::Backend* backend = nullptr;
  std::vector<std::shared_ptr<const void>> kept;
  std::vector<const ResidentState*> uses;  // what it was brought, alive in `kept`
  std::vector<HostUse> host;
  std::optional<backend::Expected<backend::Outcome>> result;  // set: done
  std::optional<backend::ErrorRecord> failed_before;          // of a batch that was to upload what this one uses
};

struct DeviceState : std::enable_shared_from_this<DeviceState> {
  /// Chooses and opens the first tier; throws as Device does. `source` gives the drivers (driver_source.hpp).
  DeviceState(DeviceOptions, DriverSource source);
  ~DeviceState();

  const DeviceOptions options;
  std::string name;  // "cpu#1"
  Tiers tiers;
  Counters counters;

  // Queue thread.
  ProgramCache programs;
  std::vector<std::shared_ptr<Flight>> flights;
  std::vector<std::pair<backend::Backend*, backend::MemoryId>> fold_arenas;  // that no batch uses now (builder.cpp)
  std::vector<std::shared_ptr<Flight>> unsettled;  // submitted, in order, and not finished: also done ones
  /// Lets the backends with batches under way make progress, for up to `may_block`.
  void pump(std::chrono::nanoseconds may_block);
  /// Waits until no batch is under way on `backend`, or on any other than it.
  void drain(backend::Backend& backend);
  void drain_others(backend::Backend& backend);
  /// Waits until no batch under way uses host memory in a way that `next` must come after.
  void drain_host(std::span<const HostUse> next);
  bool busy(const backend::Backend&) const;

  /// Memory that nobody uses any more; given back by the queue's thread. From any thread.
  void discard(std::vector<std::pair<backend::Backend*, backend::MemoryId>>);
  void collect_garbage();  // queue thread

  /// The message of a lost device.
  std::string lost_message(const backend::Backend&) const;

 private:
  std::mutex garbage_mutex_;
  std::vector<std::pair<backend::Backend*, backend::MemoryId>> garbage_;

 public:
  Queue queue;  // last: its thread ends before the rest goes
};

}  // namespace weft::runtime
