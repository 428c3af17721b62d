// Mapping expressions: for each position of a linear buffer, which element of a tensor is there, or that it is padding.
//
//   WEFT_AXES(A = 8, B = 512)
//   constexpr weft::Mapping E = WEFT_M(B / 64, B % 32, B / 32 % 2);
//   static_assert(E.size() == 512 && E.map(67) == WEFT_I(B: 97));
//
// The notation, sizes and positions are those of docs/reference/mapping.md; docs/mapping.md draws each constructor. A
// mapping is a constexpr value of a structural type, so `HostTensor<float, WEFT_M(A, B # 1024)>` is a type, and errors are
// compile errors. Mapping::parse reads the same notation at run time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <weft/detail/mapping_cell.hpp>
#include <weft/detail/mapping_decode.hpp>
#include <weft/detail/mapping_parse.hpp>
#include <weft/detail/mapping_print.hpp>
#include <weft/detail/mapping_relate.hpp>
#include <weft/detail/mapping_tile.hpp>
#include <weft/detail/mapping_value.hpp>
#include <weft/detail/mapping_walk.hpp>

namespace weft {

/// The axes of run-time parsing.
class Axes {
 public:
  Axes() = default;
  /// Adds an axis; declaring a name twice is a MappingError.
  Axes& add(std::string_view name, std::uint64_t size);
  bool axis(const detail::Name&, std::uint64_t& size) const;
  const std::vector<Axis>& list() const { return axes_; }

 private:
  std::vector<Axis> axes_;
};

/// `axes("A = 8, B = 512")`.
Axes axes(std::string_view text);

/// The named mappings and constants that braces may name at run time.
class MappingNames {
 public:
  MappingNames& add(std::string_view name, const Mapping&);
  MappingNames& add_constant(std::string_view name, std::uint64_t value);
  const Mapping* mapping(const detail::Name&) const;
  bool constant(const detail::Name&, std::uint64_t& value) const;

 private:
  std::vector<std::pair<detail::Name, Mapping>> mappings_;
  std::vector<std::pair<detail::Name, std::uint64_t>> constants_;
};

constexpr Cell Mapping::map(std::uint64_t position) const {
  Cell cell;
  detail::decode_once(*this, position, cell);
  return cell;
}

/// The cell of a list of assignments, as WEFT_I's: `cell({{A, 2}, {B / 64, i}})`. A bare axis is not range-checked until finalize.
struct Assignment {
  Mapping mapping;
  std::uint64_t value;
};
constexpr Cell cell(std::initializer_list<Assignment> assignments) {
  Cell result;
  for (const Assignment& a : assignments) result = combine(result, detail::assigned(a.mapping, a.value));
  return result;
}
/// The same from text, with the whole notation: `cell("A # 12: 9, A, E: 23", axes)`.
Cell cell(std::string_view text, const Axes&);
Cell cell(std::string_view text, const Axes&, const MappingNames&);

/// A cell as MAP-VIS-01 writes it: "A=1,B=2" in the order of the names without zeros, "." live without coordinates, "*"
/// top, "0" zero, "!" bottom, "-" out of bounds, ">" overshoot.
std::string to_string(const Cell&);

template <class F> constexpr void Mapping::for_each(F&& f) const { detail::CellWalk(*this).each(f); }
constexpr CellRange Mapping::cells() const { return CellRange(*this); }

}  // namespace weft

#include <weft/detail/mapping_macro.hpp>
