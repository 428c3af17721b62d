// Moving elements between two mappings: the plan, made once for both, and its run. Where both are boxes of digits the plan
// is a list of strided copies; else it says of each position where its element comes from.
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include <weft/detail/tensor_memory.hpp>
#include <weft/detail/tensor_trace.hpp>
#include <weft/device_tile.hpp>
#include <weft/error.hpp>
#include <weft/mapping.hpp>

#include "copy/strided_copy.hpp"
#include "tensor/element_table.hpp"
#include "tensor/element_text.hpp"
#include "tensor/layout.hpp"

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
constexpr std::uint64_t untouched = ~std::uint64_t{0}, filled = untouched - 1;

/// Two mappings, and what is said of them.
struct Pair {
  Mapping from, to;
  TensorAxes from_axes, to_axes;

  [[noreturn]] void twice(std::uint64_t first, std::uint64_t second) const {
    throw MappingError("relayout to " + quoted(to) + ": positions " + std::to_string(first) + " and " +
                           std::to_string(second) + " hold the same element; a destination holds each once.",
                       name(MappingErrorKind::not_injective));
  }
  /// `coordinates` in the source's order.
  [[noreturn]] void missing(const std::uint64_t* coordinates, std::uint64_t position) const {
    throw MappingError("relayout from " + quoted(from) + " to " + quoted(to) +
                           ": the source does not hold the element " + element_text(from_axes, coordinates) +
                           " that the destination has at position " + std::to_string(position) + ".",
                       not_located);
  }
};

std::vector<std::uint64_t> gather_positions(const Pair& pair) {
  std::vector<std::uint64_t> list(pair.to.size(), untouched);
  if (const auto duplicate = ElementTable(pair.to, pair.to_axes).duplicate())
    pair.twice(duplicate->first, duplicate->second);
  const ElementTable elements(pair.from, pair.from_axes);
  std::vector<std::uint64_t> coordinates(pair.from_axes.size() + 1);
  pair.to.for_each([&](std::uint64_t position, const Cell& cell) {
    if (cell.is_padding(PaddingKind::Zero)) list[position] = filled;
    if (!cell.is_live()) return;
    cell.index().finalize();
    for (std::size_t a = 0; a < pair.from_axes.size(); ++a) coordinates[a] = cell.index()[pair.from_axes[a]];
    list[position] = elements.find(coordinates.data());
    if (list[position] == ElementTable::none) pair.missing(coordinates.data(), position);
  });
  return list;
}

struct Copies {
  std::vector<CopyBox> moves, zeros;
};

/// None where one of the mappings has no boxes, or too many.
std::optional<Copies> copies_of(const Pair& pair) {
  // Both count along the destination's axes, then along those of the source alone, which are of size 1.
  TensorAxes axes = pair.to_axes;
  for (const Axis& a : pair.from_axes)
    if (axes.find(a.name) == axes.size()) axes.axes[axes.count++] = a;
  const int count = static_cast<int>(axes.size());
  auto from = layout_of(pair.from, axes), to = layout_of(pair.to, axes);
  if (!from || !to) return {};
  bool known = true;
  if (const auto duplicate = duplicate_in(*to, count, known)) pair.twice(duplicate->first, duplicate->second);
  if (!known) return {};

  Copies copies;
  std::vector<Box> todo = std::move(to->live);
  for (const Box& source : from->live) {
    std::vector<Box> held, rest;
    for (const Box& box : todo)
      if (!match(box, source, count, held, rest)) return {};
    for (const Box& box : held) {
      CopyBox copy{box.position, box.source, {}};
      for (const Digit& d : box.digits) copy.dims.push_back({d.extent, d.position, d.source});
      copies.moves.push_back(std::move(copy));
    }
    if (rest.size() + copies.moves.size() > 1024) return {};
    todo = std::move(rest);
  }
  if (!todo.empty()) {
    std::vector<std::uint64_t> coordinates;
    for (const Axis& a : pair.from_axes) coordinates.push_back(todo[0].base_at(static_cast<int>(axes.find(a.name))));
    pair.missing(coordinates.data(), todo[0].position);
  }
  for (const Box& box : to->zero) {
    CopyBox fill{box.position, 0, {}};
    for (const Digit& d : box.digits) fill.dims.push_back({d.extent, d.position, 0});
    copies.zeros.push_back(std::move(fill));
  }
  for (CopyBox& box : copies.moves) arrange(box);
  for (CopyBox& box : copies.zeros) arrange(box);
  return copies;
}

template <std::size_t Bytes>
void gather(const std::vector<std::uint64_t>& list, const std::byte* from, std::byte* to, std::size_t bytes) {
  const std::size_t n = Bytes ? Bytes : bytes;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i] < filled) std::memcpy(to + i * n, from + list[i] * n, n);
    else if (list[i] == filled) std::memset(to + i * n, 0, n);
  }
}

}  // namespace

class Relayout {
 public:
  std::optional<Copies> copies;
  std::vector<std::uint64_t> list;  // without them
  bool plain = false;               // one copy, and nothing else in either mapping
};

Shared<const Relayout> make_relayout(const Mapping& from, const Mapping& to) {
  const Pair pair{from, to, axes_of(from), axes_of(to)};
  check_axes(from, pair.from_axes, to, pair.to_axes);
  Relayout plan;
  plan.copies = copies_of(pair);
  if (!plan.copies) plan.list = gather_positions(pair);
  else if (plan.copies->moves.size() == 1 && plan.copies->zeros.empty()) {
    std::uint64_t elements = 1;
    for (const CopyDim& d : plan.copies->moves[0].dims) elements *= d.extent;
    plan.plain = elements == from.size() && elements == to.size();
  }
  return share<Relayout>(std::move(plan));
}

std::optional<std::vector<std::int32_t>> gather_list(const Mapping& from, const Mapping& to) {
  const Pair pair{from, to, axes_of(from), axes_of(to)};
  check_axes(from, pair.from_axes, to, pair.to_axes);
  if (has_formula(*make_element_formula(from))) {
    make_relayout(from, to);  // for what it refuses
    return std::nullopt;
  }
  constexpr std::uint64_t most = 0x7FFFFFFF;
  if (from.size() > most || to.size() > most)
    throw UnsupportedError("relayout from " + quoted(from) + " to " + quoted(to) +
                           ": on a device it takes a list of positions, and they pass 2^31 - 1.");
  std::vector<std::int32_t> list;
  for (const std::uint64_t p : gather_positions(pair))
    list.push_back(p == untouched ? no_element : p == filled ? zero_element : static_cast<std::int32_t>(p));
  return list;
}

void check_tile_relayout(const Mapping& from, const Mapping& to) {
  if (!gather_list(from, to)) return;
  throw UnsupportedError("relayout from " + quoted(from) + " to " + quoted(to) +
                         ": between a tile and a tensor the elements are computed, and the splits of the source do not "
                         "divide one another; relayout the whole tensor first.");
}

std::int32_t tile_start(std::uint64_t start) {
  if (start <= 0x7FFFFFFF) return static_cast<std::int32_t>(start);
  throw UnsupportedError("A tile of a DeviceTensor begins at " + std::to_string(start) + ", past 2^31 - 1.");
}

bool is_strided(const Relayout& plan) { return plan.copies.has_value(); }

bool is_plain_copy(const Relayout& plan) {
  if (!plan.plain) return false;
  const CopyBox& box = plan.copies->moves[0];
  return box.to == 0 && box.from == 0 && box.dims.size() <= 1 &&
         (box.dims.empty() || (box.dims[0].to == 1 && box.dims[0].from == 1));
}

void run_relayout(const Relayout& plan, const void* from, void* to, std::size_t bytes) {
  const auto* source = static_cast<const std::byte*>(from);
  auto* target = static_cast<std::byte*>(to);
  if (plan.copies) {
    for (const CopyBox& box : plan.copies->moves) copy_box(box, source, target, bytes);
    for (const CopyBox& box : plan.copies->zeros) zero_box(box, target, bytes);
    return;
  }
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
