// Expressions as the author wrote them (KER-AUTH-08): parameters by name, counters as i, j, k, ..., a variable that is stored
// once as its expression, minimal parentheses, spaces around binary operators, nothing folded.
#pragma once

#include <string>

#include "ir/graph.hpp"

namespace weft::trace {

class Tracer;

/// Long expressions are cut with "...".
std::string print(const Tracer&, ir::Node);

/// i, j, k, ..., z, then i1, j1, ...
std::string counter_name(std::uint32_t depth);

/// "float", "vec4f", "int32_t": a type as the author writes it.
std::string cpp_name(DType);

}  // namespace weft::trace
