// The planner: which consecutive calls of a plan run as one dispatch, which scratch arrays are locals there, and why two
// groups stand apart (FUSE-GRP, F1..F7, SCR-09). A pure function of facts, headers, bindings, tiers and limits: it touches
// no device, so its tests are tables.
#pragma once

#include <weft/types.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fuse/why.hpp"
#include "kernel/core.hpp"

namespace weft::fusion {

/// What a parameter of a call is bound to.
struct Binding {
  static constexpr std::uint32_t none = ~0u;
  std::uint32_t array = none;  // the array's number in the plan, equal for equal arrays; none: a scalar
  bool scratch = false;
  bool as_made = true;       // taken with the element type it was made with (FUSE-SCR-08)
  std::uint64_t length = 0;  // elements of the parameter's type
};

struct PlannedCall {
  const trace::Facts* facts = nullptr;
  Tier tier = Tier::webgpu;
  trace::LoopHeader header;                  // of its first loop
  std::vector<Binding> bindings;             // by parameter
  bool alone = false;                        // no entry can hold it with others and keep its bits
  std::optional<std::string> face_reason;    // why the kernel itself runs on no GPU (MODEL-26)
  std::optional<std::string> device_reason;  // why the device's better tiers refused this call
};

struct Limits {
  std::uint64_t storage_buffers = 8;  // maxStorageBuffersPerShaderStage (FUSE-F5-01)
};

/// Consecutive calls: two or more run as one dispatch.
struct Group {
  std::size_t first = 0, count = 0;
  std::vector<std::uint32_t> locals;  // scratch arrays that the entry holds as locals, by Binding::array
  std::uint32_t workgroup = 64;       // of a fused group
  std::optional<Reason> why;          // why it stands apart from the group before (FUSE-WHY-01)
  bool fused() const { return count > 1; }
};

/// Joins greedily and in order; linear in calls (FUSE-LIM-04).
std::vector<Group> plan(std::span<const PlannedCall>, const Limits&);

}  // namespace weft::fusion
