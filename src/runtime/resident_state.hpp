// What a Resident handle points to: one array with homes on the host and on backends, and the versions that say which of
// them is newest. Everything below `mutable part` is touched by the owner's queue thread only (homes.hpp moves it).
#pragma once

#include <weft/dtype.hpp>

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "kernel/shared.hpp"
#include "runtime/backend.hpp"

namespace weft::runtime {

struct DeviceState;
struct ScopeState;  // the fuse scope that made a scratch array (scope.hpp)
class HostBuffer;   // homes.hpp

struct Home {
  backend::Backend* where = nullptr;  // null: plain host memory (`host` below)
  backend::MemoryId memory = 0;
  std::uint64_t version = 0;     // equal to ResidentState::version where this home is current
  std::byte* address = nullptr;  // where the host can reach it: always on plain host memory, on the cpu tier
};

struct ResidentState : std::enable_shared_from_this<ResidentState> {
  std::weak_ptr<DeviceState> owner;
  std::string owner_name;               // for messages
  DType element;                        // as made; views give another lanes count
  std::uint64_t length = 0;             // elements of `element`
  std::shared_ptr<ScopeState> scratch;  // null: an ordinary resident
  std::atomic<bool> destroyed{false};   // set at the call of destroy(): later uses are refused at once
  std::string label;                    // under label_mutex: set by any thread

  // mutable part
  std::uint64_t version = 0;  // 0: never written, all zeros; no memory need exist
  std::vector<Home> homes;
  std::shared_ptr<HostBuffer> host;  // plain host memory, where there is some; a backend may use it in place
  std::exception_ptr error;          // of the last failed call that would have written it (KER-CALL-04)
  bool gone = false;                 // destroy() has had its turn

  mutable std::mutex label_mutex;

  std::uint64_t bytes() const { return length * element.bytes(); }
  ~ResidentState();  // gives its memory back through the owner, where that still lives
};

/// "`pixels`", or "a resident of 512 f32" where it has no label.
std::string shown(const ResidentState&);

/// Gives back every memory of the array; its contents are lost. Queue thread only.
void release_memory(ResidentState&);

}  // namespace weft::runtime
