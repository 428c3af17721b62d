// Where the fences of Bits::exact stand (design, Bits; KER-BIT-01).
#pragma once

#include "ir/graph.hpp"
#include "kernel/lower.hpp"

namespace weft::trace {

/// Copies a linked body into `to` with the fences of its configuration. Fences that stand in it already (between the calls
/// of a group) stay, unless the configuration has none at all.
ir::Node place_fences(ir::Graph& to, ir::Node root, const Config&);

}  // namespace weft::trace
