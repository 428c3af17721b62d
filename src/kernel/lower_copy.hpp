// The first stage of lowering: a loop's body copied into a graph of its own as GRID[range, body, fold locals...], with the
// limits that decide the width of its indices (KER-ACC-05) and the guards of its accesses (KER-ACC-01). Still weak: the
// guards stand in it before the weak passes, so that these decide their widths too.
#pragma once

#include <cstdint>

#include "kernel/core.hpp"

namespace weft::trace {

/// `limit`: the trip count and lengths are 0..limit; start, step and weak captured integers are -limit..limit.
ir::Node copy_loop(ir::Graph& to, const KernelCore&, std::size_t loop, std::uint64_t limit);

/// The PARAM of an array's length under a limit.
ir::Node length_param(ir::Graph&, const KernelCore&, std::uint32_t param, std::uint64_t limit);

}  // namespace weft::trace
