// Moving elements between two mappings: the plan, made once for both, and its run.
#include <cstring>
#include <string>
#include <vector>

#include <weft/detail/tensor_memory.hpp>
#include <weft/error.hpp>
#include <weft/mapping.hpp>

#include "tensor/element_table.hpp"
#include "tensor/element_text.hpp"

namespace weft::detail {
namespace {

constexpr std::string_view not_located = name(MappingErrorKind::index_not_located);

/// Both mappings are of the same elements: an axis of one alone would be dropped or made up.
void check_axes(const Mapping& from, const TensorAxes& from_axes, const Mapping& to, const TensorAxes& to_axes) {
  const auto check = [&](const TensorAxes& own, const TensorAxes& other, const char* source, const char* target) {
    for (const Axis& axis : own) {
      const std::size_t i = other.find(axis.name);
      const std::string begin = "relayout from " + quoted(from) + " to " + quoted(to) + ": axis " +
                                to_string(axis.name) + " of the " + source;
      if (i == other.size()) {
        if (axis.size > 1)
          throw MappingError(begin + " (size " + std::to_string(axis.size) + ") is not in the " + target + ".",
                             not_located);
      } else if (other[i].size != axis.size) {
        throw MappingError(begin + " has size " + std::to_string(axis.size) + ", in the " + target + " " +
                               std::to_string(other[i].size) + ".",
                           not_located);
      }
    }
  };
  check(from_axes, to_axes, "source", "destination");
  check(to_axes, from_axes, "destination", "source");
}

// Of each position of the destination: where its element comes from, or one of these.
constexpr std::uint64_t untouched = ~std::uint64_t{0}, zero = untouched - 1;

std::vector<std::uint64_t> gather_list(const Mapping& from, const Mapping& to) {
  const TensorAxes from_axes = axes_of(from), to_axes = axes_of(to);
  check_axes(from, from_axes, to, to_axes);
  std::vector<std::uint64_t> list(to.size(), untouched);
  if (const auto twice = ElementTable(to, to_axes).duplicate())
    throw MappingError("relayout to " + quoted(to) + ": positions " + std::to_string(twice->first) + " and " +
                           std::to_string(twice->second) + " hold the same element; a destination holds each once.",
                       name(MappingErrorKind::not_injective));
  const ElementTable elements(from, from_axes);
  std::vector<std::uint64_t> coordinates(from_axes.size() + 1);
  to.for_each([&](std::uint64_t position, const Cell& cell) {
    if (cell.is_padding(PaddingKind::Zero)) list[position] = zero;
    if (!cell.is_live()) return;
    cell.index().finalize();
    for (std::size_t a = 0; a < from_axes.size(); ++a) coordinates[a] = cell.index()[from_axes[a]];
    list[position] = elements.find(coordinates.data());
    if (list[position] == ElementTable::none)
      throw MappingError("relayout from " + quoted(from) + " to " + quoted(to) +
                             ": the source does not hold the element " + element_text(from_axes, coordinates.data()) +
                             " that the destination has at position " + std::to_string(position) + ".",
                         not_located);
  });
  return list;
}

template <std::size_t Bytes>
void gather(const std::vector<std::uint64_t>& list, const std::byte* from, std::byte* to, std::size_t bytes) {
  const std::size_t n = Bytes ? Bytes : bytes;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i] < zero) std::memcpy(to + i * n, from + list[i] * n, n);
    else if (list[i] == zero) std::memset(to + i * n, 0, n);
  }
}

}  // namespace

class Relayout {
 public:
  std::vector<std::uint64_t> list;
};

Shared<const Relayout> make_relayout(const Mapping& from, const Mapping& to) {
  return share<Relayout>(Relayout{gather_list(from, to)});
}

void run_relayout(const Relayout& plan, const void* from, void* to, std::size_t bytes) {
  const auto* source = static_cast<const std::byte*>(from);
  auto* target = static_cast<std::byte*>(to);
  switch (bytes) {
    case 1: return gather<1>(plan.list, source, target, bytes);
    case 2: return gather<2>(plan.list, source, target, bytes);
    case 4: return gather<4>(plan.list, source, target, bytes);
    case 8: return gather<8>(plan.list, source, target, bytes);
    case 16: return gather<16>(plan.list, source, target, bytes);
    default: return gather<0>(plan.list, source, target, bytes);
  }
}

}  // namespace weft::detail
