// The type of a node from its op, sources and argument (WEAK-NODE-02), and everything that makes a node impossible
// (WEAK-NODE-06). Derived again at every rebuild: committing one node may change the types above it.
#pragma once

#include "ir/graph.hpp"

namespace weft::ir {

/// The least upper type of the sources' scalars (WEAK-TYPE-02); void when there are none, or where void promotes.
inline Scalar least_upper(std::span<const Node> src) {
  if (src.size() == 2) return least_upper(src[0]->dtype.scalar, src[1]->dtype.scalar);
  LeastUpper t;
  for (Node s : src) t.add(s->dtype.scalar);
  return t.type();
}

namespace detail {
DType derive_any_type(Op, std::span<const Node> src, const Arg&, DType stated, Scalar default_float);
}

/// `stated` is the argument of CAST and BITCAST and the type of LOCAL. Throws ConstructError.
inline DType derive_type(Op op, std::span<const Node> src, const Arg& arg, DType stated, Scalar default_float) {
  if (src.size() == 2 && meets_at_least_upper(op) && src[0]->dtype.lanes == src[1]->dtype.lanes)
    if (const Scalar t = least_upper(src); t != Scalar::void_)
      return {t, src[0]->dtype.lanes};  // most of what is built
  return detail::derive_any_type(op, src, arg, stated, default_float);
}

/// "int32", "float32x4".
std::string to_string(DType);
std::optional<DType> parse_dtype(std::string_view);

}  // namespace weft::ir
