// The linker: the loops of a group's calls, each lowered, become one loop whose iteration runs theirs in plan order
// (FUSE-GRP-06). Arrays become the group's slots, scratch arrays held as locals become variables of the iteration, and
// what one call makes and a later one uses is rounded by a fence (FUSE-BIT-03, -05).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernel/lower.hpp"

namespace weft::fusion {

/// Where an array parameter lives in the entry.
struct Place {
  enum class Kind : std::uint8_t { unused, slot, local };
  Kind kind = Kind::unused;
  std::uint32_t number = 0;  // slots and locals are numbered apart, in the order in which the group meets them
  bool operator==(const Place&) const = default;
};

struct LinkCall {
  std::shared_ptr<const trace::Lowered> lowered;
  std::vector<Place> places;  // by parameter
};

/// Everything that the code of an entry depends on (FUSE-CAC-01): no length, no trip count, no scalar.
struct LinkRequest {
  std::vector<LinkCall> calls;  // in plan order; only the last may fold
  std::uint32_t workgroup = 64;
  trace::Config config;
};

/// One loop of all the calls, before `trace::finish`. Throws UnsupportedError where an entry cannot be made of them.
trace::Draft link(const LinkRequest&);

}  // namespace weft::fusion
