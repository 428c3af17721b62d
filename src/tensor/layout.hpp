// A mapping as boxes of digits: the live ones count along the axes, the others are padding of a kind or out of bounds. Most
// mappings are a few boxes, however large; one that is not (its splits do not divide one another) has no layout.
#pragma once

#include <optional>
#include <vector>

#include <weft/detail/tensor_axes.hpp>

#include "tensor/digits.hpp"

namespace weft::detail {

struct Layout {
  std::vector<Box> live;                  // targets are the axes' numbers
  std::vector<Box> top, zero, forbidden;  // forbidden: bottom padding and positions out of bounds
};

/// Only for mappings without a position past its axis; none where the boxes are not found.
std::optional<Layout> layout_of(const Mapping&, const TensorAxes&);

/// Two positions of one element, where the layout has some; nothing is known where `known` becomes false.
struct Duplicate {
  std::uint64_t first, second;
};
std::optional<Duplicate> duplicate_in(const Layout&, int axes, bool& known);

}  // namespace weft::detail
