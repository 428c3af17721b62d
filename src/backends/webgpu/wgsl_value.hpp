// How WGSL spells types and constants, so that every value keeps its bits (KER-NUM-08).
#pragma once

#include <weft/dtype.hpp>

#include <bit>
#include <cstdint>
#include <string>

#include "ir/graph.hpp"
#include "ir/scalar_name.hpp"

namespace weft::webgpu {

/// f32, i32, u32, bool and their vectors.
std::string type_name(DType);
/// The 32 bits of a committed literal (CAST over CONST, or CONST of bool): wrapped for integers, rounded once for floats.
std::uint32_t literal_bits(ir::Node);
/// A value of a scalar type by its bits. `zero` is in scope: what a compiler might refuse or change as a constant
/// (infinities, NaN, subnormals, -0.0) is made from its bits at run time.
std::string spell(Scalar, std::uint32_t bits);
/// A literal, splatted over its lanes.
std::string spell(ir::Node literal);
/// The 32 bits `bits` (an expression of type u32) as a value of the type, and back.
std::string from_bits(Scalar, const std::string& bits);
std::string to_bits(Scalar, const std::string& value);

}  // namespace weft::webgpu
