// Which accesses need a guard, and the guard itself (KER-ACC-01): reading outside an array gives zero, writing outside is
// dropped.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "kernel/core.hpp"

namespace weft::trace {

/// What tracing proved about the accesses of one loop.
class GuardFacts {
 public:
  GuardFacts(const KernelCore&, std::size_t loop);
  /// Whether the access with this number is inside its array whenever it runs.
  bool proved(std::int64_t number) const;

 private:
  bool in_header(const Access&) const;

  const LoopFacts& facts_;
  std::unordered_map<std::int64_t, const Access*> by_number_;
  std::vector<std::uint32_t> stops_at_;  // arrays whose length bounds the counter, which starts at 0 or above
};

/// `0 <= index && index < length`, without the half that the index's bounds prove. `length` is a weak PARAM.
ir::Node guard(ir::Graph&, ir::Node index, ir::Node length);

}  // namespace weft::trace
