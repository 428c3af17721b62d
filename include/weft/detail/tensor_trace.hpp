// What the tensors of kernels ask of the library: the cell at a traced position, and the place of an element at traced
// coordinates, as weak index arithmetic simplified by bounds (MAP-TEN-08).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <weft/detail/shared.hpp>
#include <weft/detail/trace.hpp>
#include <weft/detail/mapping_value.hpp>

namespace weft::detail {

/// The cell of a traced position. Where it is not live, its coordinates are numbers without meaning.
struct TracedCell {
  struct Coordinate {
    Axis axis;
    Expr value;
  };
  std::vector<Coordinate> coordinates;     // in axis order
  Expr live, top, zero, bottom;            // which it is; none of them: out of bounds
};
/// Throws MappingError(overshoot) where the mapping passes an axis.
TracedCell trace_cell(const Mapping&, Expr position);
/// 0 of an axis that the mapping does not have; TypeError where it has one of that name and another size.
Expr coordinate_of(const TracedCell&, const Axis&);

/// How a position is computed from coordinates; of a mapping made of digits, made once.
class ElementFormula;
Shared<const ElementFormula> make_element_formula(const Mapping&);
/// Whether coordinates have a formula at all.
bool has_formula(const ElementFormula&);
/// Where the element with these coordinates, in axis order, stands; past the tensor where a coordinate is past its axis or
/// the mapping leaves the element out. MappingError(not-injective) where it `writes` and an element has several places.
Expr place_of(const ElementFormula&, Expr array, std::span<const Expr> coordinates, bool writes);
/// The same of a cell, past the tensor where that is not live.
Expr place_of(const ElementFormula&, Expr array, const TracedCell&, bool writes);
/// A position, past the tensor where it is bottom padding or out of bounds.
Expr touchable_place(const Mapping&, Expr position);

}  // namespace weft::detail
