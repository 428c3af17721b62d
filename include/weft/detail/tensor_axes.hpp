// The axes of a mapping in axis order: as they appear in it, from major to minor (MAP-TEN-01). Coordinates are given and
// files are laid out in this order.
#pragma once

#include <weft/detail/mapping_cell.hpp>

namespace weft::detail {

struct TensorAxes {
  Axis axes[max_mapping_nodes]{};
  std::size_t count = 0;

  constexpr std::size_t size() const { return count; }
  constexpr const Axis& operator[](std::size_t i) const { return axes[i]; }
  constexpr const Axis* begin() const { return axes; }
  constexpr const Axis* end() const { return axes + count; }
  /// The number of an axis, or size().
  constexpr std::size_t find(const Name& n) const {
    std::size_t i = 0;
    while (i < count && !(axes[i].name == n)) ++i;
    return i;
  }
};

constexpr TensorAxes axes_of(const Mapping& m) {
  TensorAxes result;
  for (std::size_t n = 1; n <= m.count; ++n) {
    const MappingNode& node = m.node(n);
    if (node.op != MappingOp::axis) continue;
    const std::size_t i = result.find(node.name);
    if (i == result.count) result.axes[result.count++] = Axis(node.name, node.number);
    else if (result.axes[i].size != node.number)
      mapping_error(MappingErrorKind::syntax,
                    (Sentence("axis ") << node.name << " has both size " << result.axes[i].size << " and size "
                                       << node.number << " in it; give one of them another name")
                        .view());
  }
  return result;
}

}  // namespace weft::detail
