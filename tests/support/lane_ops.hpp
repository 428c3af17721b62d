// What each typed operation of a lowered program gives for one lane, on raw bits: integers wrap, floats round once.
#pragma once

#include <cstdint>

#include "ir/graph.hpp"

namespace weft::test {

/// `type` is the node's, `from` its first operand's (for conversions, comparisons and shifts). Values are raw bits, zero
/// extended; a bool is 0 or 1. Throws ContractBroken where the operation is not one that a renderer may meet.
std::uint64_t lane_op(ir::Op, Scalar type, Scalar from, std::uint64_t a, std::uint64_t b, std::uint64_t c);

/// One step of a fold (KER-RED-02) and its identity (KER-RED-03), on raw bits.
std::uint64_t fold_lane(ir::Op, Scalar, std::uint64_t a, std::uint64_t b);
std::uint64_t fold_identity_bits(ir::Op, Scalar);

}  // namespace weft::test
