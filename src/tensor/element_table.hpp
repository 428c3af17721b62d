// The elements of any mapping by their coordinates, found by visiting every position: what answers where a mapping is not
// made of digits (digits.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <weft/detail/tensor_axes.hpp>

namespace weft::detail {

/// The coordinates of a live index in the order of `axes`, none where it is past an axis.
bool coordinates_of(const TensorIndex&, const TensorAxes& axes, std::uint64_t* coordinates);

class ElementTable {
 public:
  static constexpr std::uint64_t none = ~std::uint64_t{0};

  /// Positions past their axes hold no element.
  ElementTable(const Mapping&, const TensorAxes&);
  /// The first position of an element whose coordinates are within their axes, or none.
  std::uint64_t find(const std::uint64_t* coordinates) const;
  /// Two positions of one element.
  std::optional<std::pair<std::uint64_t, std::uint64_t>> duplicate() const { return duplicate_; }

 private:
  void add(std::uint64_t position);
  void sort();
  std::uint64_t word(const std::uint64_t* coordinates, std::size_t w) const;

  TensorAxes axes_;
  // An element's key: its coordinates as mixed-radix digits of as few words as hold them.
  std::vector<std::size_t> first_axis_;  // of each word
  bool dense_ = false;                   // one word, and not much larger than the mapping
  std::vector<std::uint64_t> position_;  // dense: by key; else by row
  std::vector<std::uint64_t> keys_;      // rows of words, sorted
  std::vector<std::uint64_t> coordinates_;
  std::optional<std::pair<std::uint64_t, std::uint64_t>> duplicate_;
};

}  // namespace weft::detail
