// The last stage of lowering: a committed graph copied into one that a renderer can take as it stands (the contract is
// with Program in lower.hpp).
#pragma once

#include "ir/graph.hpp"

namespace weft::trace {

/// `from` is only asked for bounds. Integer powers have small literal exponents (lower_power.hpp). Throws UnsupportedError for a type that no tier has (KER-NUM-10), without the kernel's
/// name.
ir::Node legalise(ir::Graph& from, ir::Node root, ir::Graph& to);

}  // namespace weft::trace
