// The type of a node from its op, sources and argument (WEAK-NODE-02), and everything that makes a node impossible
// (WEAK-NODE-06). Derived again at every rebuild: committing one node may change the types above it.
#pragma once

#include "ir/graph.hpp"

namespace weft::ir {

/// `stated` is the argument of CAST and BITCAST and the type of LOCAL. Throws ConstructError.
DType derive_type(Op, std::span<const Node> src, const Arg&, DType stated, Scalar default_float);

/// The least upper type of the sources' scalars (WEAK-TYPE-02); void when there are none, or where void promotes.
Scalar least_upper(std::span<const Node> src);

/// "int32", "float32x4".
std::string to_string(DType);
std::optional<DType> parse_dtype(std::string_view);

}  // namespace weft::ir
