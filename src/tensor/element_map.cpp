// Where the elements of a mapping stand, for HostTensor::at.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <weft/detail/tensor_memory.hpp>
#include <weft/error.hpp>
#include <weft/mapping.hpp>

#include "tensor/element_table.hpp"
#include "tensor/element_text.hpp"
#include "tensor/layout.hpp"

namespace weft::detail {

/// By the boxes of the mapping where it has some, else by a table of its elements.
class ElementMap {
 public:
  static constexpr std::uint64_t none = ~std::uint64_t{0};

  explicit ElementMap(const Mapping& m) : mapping(m), axes(axes_of(m)) {
    auto layout = layout_of(m, axes);
    for (std::size_t i = 0; layout && i < layout->live.size(); ++i) add(layout->live[i]);
    if (!layout || overlap_) table_.emplace(m, axes), boxes_.clear();
  }

  std::uint64_t find(const std::uint64_t* coordinates) const {
    if (table_) return table_->find(coordinates);
    std::uint64_t first = none;  // where an element is in two boxes
    for (const Lookup& box : boxes_) first = std::min(first, box.find(coordinates));
    return first;
  }

  Mapping mapping;
  TensorAxes axes;

 private:
  struct Lookup {
    std::uint64_t position;
    std::vector<std::uint64_t> base;
    std::vector<Digit> digits;  // of each axis from large strides to small

    std::uint64_t find(const std::uint64_t* coordinates) const {
      std::uint64_t at = position;
      std::size_t next = 0;
      for (std::size_t a = 0; a < base.size(); ++a) {
        if (coordinates[a] < base[a]) return none;
        std::uint64_t rest = coordinates[a] - base[a];
        for (; next < digits.size() && digits[next].target == static_cast<int>(a); ++next) {
          const std::uint64_t index = rest / digits[next].stride;
          if (index >= digits[next].extent) return none;
          rest -= index * digits[next].stride, at += index * digits[next].position;
        }
        if (rest) return none;
      }
      return at;
    }
  };

  void add(const Box& box) {
    Lookup l{box.position, std::vector<std::uint64_t>(axes.size()), {}};
    for (std::size_t a = 0; a < axes.size(); ++a) {
      const std::size_t first = l.digits.size();
      l.base[a] = box.base_at(static_cast<int>(a));
      for (const Digit& d : box.digits)
        if (d.target == static_cast<int>(a)) l.digits.push_back(d);
      std::sort(l.digits.begin() + static_cast<std::ptrdiff_t>(first), l.digits.end(),
                [](const Digit& x, const Digit& y) { return x.stride > y.stride; });
      // Digits are read off one after the other where the lower ones stay below the stride of each.
      std::uint64_t below = 0;
      for (std::size_t i = l.digits.size(); i-- > first; below += (l.digits[i].extent - 1) * l.digits[i].stride)
        if (l.digits[i].stride <= below) overlap_ = true;
    }
    boxes_.push_back(std::move(l));
  }

  std::vector<Lookup> boxes_;
  bool overlap_ = false;
  std::optional<ElementTable> table_;
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
  const std::uint64_t position = map.find(coordinates);
  if (position == ElementMap::none)
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
