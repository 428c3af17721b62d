// What tensors ask of a mapping. Its axes in axis order: as they appear in it, from major to minor (MAP-TEN-01). Coordinates are given and
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

/// Whether every position may be touched: none is bottom padding or out of bounds.
constexpr bool may_touch_all(const Mapping& m) {
  for (std::size_t k = 1; k <= m.count; ++k) {
    const MappingNode& n = m.node(k);
    if (n.op == MappingOp::pad && n.kind == PaddingKind::Bottom) return false;
    if (n.op == MappingOp::resize && n.number > m.size_of(n.left)) return false;
    if (n.is_split() && m.size_of(n.left) == 0) return false;
  }
  return true;
}

}  // namespace weft::detail
