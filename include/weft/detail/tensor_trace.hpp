// What the tensors of kernels ask of the library: the cell at a traced position, and the place of an element at traced
// coordinates, as weak index arithmetic simplified by bounds (MAP-TEN-08).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <weft/detail/mapping_value.hpp>
#include <weft/detail/shared.hpp>
#include <weft/detail/trace.hpp>

namespace weft::detail {

/// The cell of a traced position. Where it is not live, its coordinates are numbers without meaning.
struct TracedCell {
  struct Coordinate {
    Axis axis;
    Expr value;
  };
  std::vector<Coordinate> coordinates;  // in axis order
  Expr live, top, zero, bottom;         // which it is; none of them: out of bounds
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
/// A tile: positions moved by `offset`, none of them where `valid` is false. Without a node: the whole tensor.
struct TracedWindow {
  Expr offset{}, valid{};
};
/// The window of `length` cells of `run` from `start` on, whose cells are `stride` positions apart, in an outer window.
TracedWindow window_at(const TracedWindow& outer, const Mapping& run, std::uint64_t length, std::uint64_t stride,
                       std::uint64_t size, Expr start);
/// A place of the window's mapping as one of the array, both of `size` positions.
Expr place_in(const TracedWindow&, Expr array, Expr place, std::uint64_t size);
/// A position, past the tensor where it is bottom padding or out of bounds.
Expr touchable_place(const Mapping&, Expr position);

}  // namespace weft::detail
