// Where the elements of a mapping stand, for HostTensor::at.
#include <string>

#include <weft/detail/tensor_memory.hpp>
#include <weft/error.hpp>
#include <weft/mapping.hpp>

#include "tensor/element_table.hpp"
#include "tensor/element_text.hpp"

namespace weft::detail {

class ElementMap {
 public:
  explicit ElementMap(const Mapping& m) : mapping(m), axes(axes_of(m)), table(m, axes) {}
  Mapping mapping;
  TensorAxes axes;
  ElementTable table;
};

Shared<const ElementMap> make_element_map(const Mapping& m) { return share<ElementMap>(m); }

std::uint64_t position_of(const ElementMap& map, const std::uint64_t* coordinates) {
  for (std::size_t a = 0; a < map.axes.size(); ++a) {
    const Axis& axis = map.axes[a];
    if (coordinates[a] < axis.size) continue;
    throw RangeError("HostTensor " + quoted(map.mapping) + ": axis " + to_string(axis.name) + " has size " +
                     std::to_string(axis.size) + ", at() was given " +
                     (coordinates[a] >> 63 ? "a negative number" : std::to_string(coordinates[a])) +
                     "; coordinates are given in axis order.");
  }
  const std::uint64_t position = map.table.find(coordinates);
  if (position == ElementTable::none)
    throw RangeError("HostTensor " + quoted(map.mapping) + ": it does not hold the element " +
                     element_text(map.axes, coordinates) + ".");
  return position;
}

std::uint64_t position_of(const ElementMap& map, const Cell& cell) {
  if (!cell.is_live())
    throw RangeError("HostTensor " + quoted(map.mapping) + ": at() takes a live cell, and was given " +
                     (cell.is_padding() ? "padding" : "a position out of bounds") +
                     "; padding is read through data().");
  std::uint64_t coordinates[max_mapping_nodes]{};
  for (const IndexTerm& t : cell.index().finalize()) {
    const std::size_t a = map.axes.find(t.name);
    if (a < map.axes.size()) coordinates[a] += t.value;
    else if (t.value)
      throw RangeError("HostTensor " + quoted(map.mapping) + ": it has no axis " + to_string(t.name) +
                       ", which at() was given.");
  }
  return position_of(map, coordinates);
}

}  // namespace weft::detail
