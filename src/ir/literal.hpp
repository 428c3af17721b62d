// Literals at a type (WEAK-TYPE-06): the value that a constant has there, rounded on the type's grid, truncated, or kept
// whole.
#pragma once

#include "ir/graph.hpp"

namespace weft::ir {

/// The nearest value of a float type, ties to even. 8-bit floats saturate, wider ones go to infinity; an infinity at a type
/// without one is NaN; the fnuz types have no -0. weakfloat is the grid of double.
double round_to(Scalar floating, double);
/// The same, rounded once from the exact integer.
double round_to(Scalar floating, const Integer&);
/// The largest finite value, the smallest normal one, and the distance from 1 to the next value, of a float type.
struct Grid {
  double largest, smallest_normal, epsilon;
};
Grid grid(Scalar floating);

/// The constant with its value taken at a type: a bare CONST of the type's kind. `invalid` is unchanged. An integer is
/// never wrapped; a float that is not finite has no integer value: ConstructError.
Node literal_at(Graph&, Node constant, Scalar);

}  // namespace weft::ir
