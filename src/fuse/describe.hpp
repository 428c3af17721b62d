// A plan's calls as the planner sees them: bindings numbered by identity, headers, tiers, reasons.
#pragma once

#include <vector>

#include "fuse/linker.hpp"
#include "fuse/planner.hpp"
#include "runtime/execute.hpp"

namespace weft::fusion {

struct Description {
  std::vector<PlannedCall> calls;
  std::vector<const runtime::Bound*> arrays;  // by Binding::array: one of the parameters that are bound to it
};

/// The result refers to `calls`.
Description describe(std::span<const runtime::Prepared> calls);

/// Where each parameter of a fused group's calls lives, in the order in which the group's accesses meet the arrays.
struct Placement {
  std::vector<std::vector<Place>> places;  // by call and parameter
  std::vector<std::uint32_t> slots;        // the array of each slot
  std::vector<bool> written;               // by slot
};
Placement place(const Description&, const Group&);

}  // namespace weft::fusion
