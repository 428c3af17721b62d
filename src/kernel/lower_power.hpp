// Integer power with an exponent that is not known, or large: a loop of squarings. Written out as an expression it is a chain
// in which each value is used twice, and drivers take time exponential in its length to look at one.
#pragma once

#include "ir/graph.hpp"

namespace weft::trace {

/// Copies a committed program, with each such POW a variable computed by a LOOP before the statement that needs it. Other
/// POWs stay. `root` itself where there is none. Throws ConstructError.
ir::Node loop_powers(ir::Graph& from, ir::Node root, ir::Graph& to);

}  // namespace weft::trace
