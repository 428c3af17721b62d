// The values of the reference evaluator: plain C++ arithmetic on them, lane by lane. Integers without a width are exact,
// committed integers wrap, floats round after each operation. Nothing here is shared with lowering, bounds, passes,
// renderers or the program interpreter.
#pragma once

#include <weft/detail/call.hpp>

#include <array>

#include "ir/op.hpp"

namespace weft::test {

__extension__ using Int128 = __int128;
__extension__ using UInt128 = unsigned __int128;

/// An integer in `n`, or a float's bits. A weak float holds the bits of a double.
struct RefValue {
  DType type;
  std::array<Int128, 4> n{};
};

RefValue ref_integer(DType, Int128);
RefValue ref_weakfloat(double);
RefValue ref_from_bits(DType, const std::uint64_t* lanes);  // of a committed type
std::uint64_t ref_bits(const RefValue&, std::size_t lane = 0);
bool ref_true(const RefValue&);

/// The value at another type, as CAST (float to integer: toward zero, saturated, NaN 0).
RefValue ref_cast(const RefValue&, ScalarType);
RefValue ref_bitcast(const RefValue&, DType);
/// Unary, binary and comparison operations; the type of the result follows the operands' (KER-NUM, weak.md).
RefValue ref_unary(ir::Op, const RefValue&);
RefValue ref_binary(ir::Op, const RefValue&, const RefValue&);
RefValue ref_where(const RefValue& condition, const RefValue& a, const RefValue& b);
RefValue ref_fma(const RefValue&, const RefValue&, const RefValue&);

RefValue ref_identity(ir::Op, DType);  // KER-RED-03

}  // namespace weft::test
