// What a Resident handle points to: one array with homes on the host and on backends, and the versions that say which of
// them is newest. Everything below `mutable part` is touched by the owner's queue thread only.
#pragma once

#include <weft/dtype.hpp>

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "runtime/backend.hpp"

namespace weft::runtime {

struct DeviceState;
struct ScopeState;   // the fuse scope that made a scratch array (scope.hpp)

struct Home {
  backend::Backend* where = nullptr;  // null: plain host memory (`host` below)
  backend::MemoryId memory = 0;
  std::uint64_t version = 0;          // equal to ResidentState::version where this home is current
};

struct ResidentState : std::enable_shared_from_this<ResidentState> {
  std::weak_ptr<DeviceState> owner;
  std::string owner_name;             // for messages
  DType element;                      // as made; views give another lanes count
  std::uint64_t length = 0;           // elements of `element`
  std::shared_ptr<ScopeState> scratch;  // null: an ordinary resident
  std::atomic<bool> destroyed{false};   // set at the call of destroy(): later uses are refused at once
  std::string label;

  // mutable part
  std::uint64_t version = 0;          // 0: never written, all zeros; no memory need exist
  std::vector<Home> homes;
  std::vector<std::byte> host;        // the plain host copy, where there is one
  std::exception_ptr error;           // of the last failed call that would have written it (KER-CALL-04)

  std::uint64_t bytes() const { return length * element.bytes(); }
  ~ResidentState();                   // gives its memory back through the owner, where that still lives
};

}  // namespace weft::runtime
