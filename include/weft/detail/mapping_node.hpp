// What a mapping is made of (MAP-SYN, MAP-POS): limits, names, nodes. `Mapping` is a structural value of fixed capacity, so
// it is a template argument and compares by ==. Nodes stand in post-order, children before parents and the left before the
// right one; unused nodes are zero bits, which compilers leave out of mangled names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace weft {

inline constexpr std::size_t max_mapping_nodes = 128;
inline constexpr std::size_t max_mapping_brackets = 256;  // open at once
inline constexpr std::size_t max_axis_name = 31;          // characters
inline constexpr std::uint64_t max_mapping_size = (std::uint64_t{1} << 63) - 1;

/// What is known of a padded position: it holds any value, it holds 0, it must not be touched.
enum class PaddingKind : std::uint8_t { Top, Zero, Bottom };

namespace detail {

/// The name of an axis: its characters, zeros after them. Words, since a compiler evaluates four of them sooner than 32 chars.
struct Name {
  std::uint64_t word[4]{};

  constexpr Name() = default;
  constexpr Name(std::string_view text) {
    for (std::size_t i = 0; i < text.size() && i < max_axis_name; ++i)
      word[i / 8] |= std::uint64_t{static_cast<unsigned char>(text[i])} << i % 8 * 8;
  }
  constexpr bool operator==(const Name&) const = default;
  constexpr char operator[](std::size_t i) const { return static_cast<char>(word[i / 8] >> i % 8 * 8 & 0xff); }
  constexpr std::size_t size() const {
    std::size_t n = 0;
    while (n < max_axis_name && (*this)[n]) ++n;
    return n;
  }
  /// The order of the characters.
  constexpr bool operator<(const Name& other) const {
    for (std::size_t i = 0; i <= max_axis_name; ++i)
      if ((*this)[i] != other[i]) return (*this)[i] < other[i];
    return false;
  }
};

enum class MappingOp : std::uint8_t {
  none,       // an unused node
  axis,       // position i is coordinate i of the axis `name`; number = its size
  broadcast,  // every position below `number` is live and has no coordinate
  pair,       // left is major, right is minor; number = the size
  stride,     // left / number
  modulo,     // left % number
  pad,        // left # number: padding of `kind` from the size of left on
  resize,     // left = number
};

struct MappingNode {
  MappingOp op{};
  PaddingKind kind{};
  std::uint16_t left = 0, right = 0;  // 1-based, 0 is none
  std::uint64_t number = 0;
  Name name{};
  constexpr bool operator==(const MappingNode&) const = default;
  constexpr bool is_split() const { return op == MappingOp::stride || op == MappingOp::modulo; }
};

}  // namespace detail
}  // namespace weft
