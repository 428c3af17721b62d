// The mapping as a value, and how one is put together: each step checks its sizes and reports a fault, so that the parser,
// the native spelling and the normal form are built by the same code. What a mapping means is told in <weft/mapping.hpp>.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include <weft/detail/mapping_fault.hpp>
#include <weft/detail/mapping_node.hpp>

namespace weft {

struct Mapping;
class Cell;
class Axes;
class MappingNames;
class CellRange;
template <detail::Name N> struct NamedAxis;
struct Axis;

namespace detail {
template <class V> struct traced_index;  // <weft/tensor_kernel.hpp>

/// What C++ code writes where the notation has a number: an integer, or an axis for its size.
struct Count {
  std::uint64_t value;
  template <std::integral T> constexpr Count(T n) : value(static_cast<std::uint64_t>(n)) {
    if (n < T{0}) mapping_error(MappingErrorKind::size_overflow, "a size or coordinate is negative");
  }
  template <Name N> constexpr Count(const NamedAxis<N>& a) : value(a.size) {}
};
}  // namespace detail

/// A mapping: for each position of a linear buffer, the element of a tensor that is there, or padding. (The members are
/// public since a template argument must have no private ones; `==` compares the trees.)
struct Mapping {
  detail::MappingNode nodes[max_mapping_nodes]{};
  std::uint16_t count = 0;

  /// The identity, `1`.
  constexpr Mapping() { append_leaf(detail::MappingOp::broadcast, 1, {}); }
  /// `n`: a broadcast of that size.
  template <std::integral T> constexpr Mapping(T n) {
    const std::uint64_t value = detail::Count(n).value;
    if (value > max_mapping_size) detail::mapping_error(detail::too_large(value), "");
    append_leaf(detail::MappingOp::broadcast, value, {});
  }
  constexpr Mapping(const Axis&);
  template <detail::Name N> constexpr Mapping(const NamedAxis<N>& a) {
    append_leaf(detail::MappingOp::axis, a.size, N);
  }

  constexpr bool operator==(const Mapping& other) const {
    if (count != other.count) return false;
    for (std::size_t i = 0; i < count; ++i)
      if (!(nodes[i] == other.nodes[i])) return false;
    return true;
  }

  /// The number of positions (MAP-POS-01).
  constexpr std::uint64_t size() const { return size_of(count); }
  /// What is at a position (MAP-POS-02 to -06). To visit many positions, for_each is faster.
  constexpr Cell map(std::uint64_t position) const;
  /// Calls f(position, const Cell&) for each position in order, in amortised constant time a position.
  template <class F> constexpr void for_each(F&& f) const;
  /// The same as a range of const Cell&.
  constexpr CellRange cells() const;

  /// In a kernel, the coordinates at a traced position, as index arithmetic simplified by bounds (MAP-TEN-08): see
  /// <weft/tensor_kernel.hpp>, which has to be included.
  template <class V> typename detail::traced_index<V>::type index(const V& position) const;

  /// The parser of WEFT_M at run time (MAP-SYN-07); throws MappingError.
  static Mapping parse(std::string_view text, const Axes&);
  static Mapping parse(std::string_view text, const Axes&, const MappingNames&);

  // --- nodes, by 1-based number; 0 is no node ---
  constexpr const detail::MappingNode& node(std::size_t n) const { return nodes[n - 1]; }
  constexpr std::uint64_t size_of(std::size_t n) const {
    std::uint64_t divisor = 1;
    for (; node(n).op == detail::MappingOp::stride; n = node(n).left) divisor *= node(n).number;
    return node(n).number / divisor;
  }
  /// The number of the first node of a subtree: in post-order it is all that stands from there to n.
  constexpr std::size_t first_of(std::size_t n) const {
    while (node(n).left) n = node(n).left;
    return n;
  }

  // --- building: the operand of a step is the last node ---
  struct Empty {};
  constexpr explicit Mapping(Empty) {}
  constexpr detail::SizeFault append_leaf(detail::MappingOp op, std::uint64_t number, const detail::Name& name) {
    if (number > max_mapping_size) return detail::too_large(number);
    if (count == max_mapping_nodes) return detail::too_many_nodes();
    nodes[count].op = op, nodes[count].number = number, nodes[count].name = name;
    ++count;
    return {};
  }
  constexpr detail::SizeFault append_unary(detail::MappingOp op, std::uint64_t number, PaddingKind kind = {}) {
    if (number > max_mapping_size) return detail::too_large(number);
    if (op == detail::MappingOp::stride || op == detail::MappingOp::modulo) {
      if (auto fault = detail::check_split(op, size(), number)) return fault;
    }
    if (count == max_mapping_nodes) return detail::too_many_nodes();
    nodes[count].op = op, nodes[count].number = number, nodes[count].kind = kind, nodes[count].left = count;
    ++count;
    return {};
  }
  /// The pair of the subtree at `left` and the one after it.
  constexpr detail::SizeFault append_pair(std::size_t left) {
    const std::uint64_t l = size_of(left), r = size();
    if (r && l > max_mapping_size / r) return detail::too_large_pair(l, r);
    if (count == max_mapping_nodes) return detail::too_many_nodes();
    nodes[count].op = detail::MappingOp::pair, nodes[count].number = l * r;
    nodes[count].left = static_cast<std::uint16_t>(left), nodes[count].right = count;
    ++count;
    return {};
  }
  /// A copy of another mapping's subtree, the whole by default.
  constexpr detail::SizeFault append(const Mapping& other) { return append(other, other.count); }
  constexpr detail::SizeFault append(const Mapping& other, std::size_t root) {
    const std::size_t first = other.first_of(root), added = root - first + 1;
    if (count + added > max_mapping_nodes) return detail::too_many_nodes();
    const int shift = static_cast<int>(count) - static_cast<int>(first) + 1;
    for (std::size_t n = first; n <= root; ++n) {
      detail::MappingNode& to = nodes[count++];
      to = other.node(n);
      if (to.left) to.left = static_cast<std::uint16_t>(to.left + shift);
      if (to.right) to.right = static_cast<std::uint16_t>(to.right + shift);
    }
    return {};
  }
  constexpr void truncate(std::size_t n) {
    while (count > n) nodes[--count] = {};
  }
};

/// A declared axis (WEFT_AXES); `N` is its name.
template <detail::Name N> struct NamedAxis {
  std::uint64_t size;
  template <std::integral T> constexpr NamedAxis(T n) : size(detail::Count(n).value) {}
  /// For the macros: the axis as it is declared, `A = 8`.
  constexpr Axis operator=(detail::Count) const;
};

/// An axis at run time.
struct Axis {
  detail::Name name;
  std::uint64_t size = 0;
  constexpr Axis() = default;
  constexpr Axis(const detail::Name& n, std::uint64_t s) : name(n), size(s) {}
  template <detail::Name N> constexpr Axis(const NamedAxis<N>& a) : name(N), size(a.size) {}
  constexpr bool operator==(const Axis&) const = default;
};

template <detail::Name N> constexpr Axis NamedAxis<N>::operator=(detail::Count) const { return {N, size}; }
constexpr Mapping::Mapping(const Axis& a) { append_leaf(detail::MappingOp::axis, a.size, a.name); }

/// `(A, B)` in C++ code is the pair, as in the notation.
template <detail::Name L, detail::Name R> constexpr Mapping operator,(const NamedAxis<L>&, const NamedAxis<R>&);
template <detail::Name R> constexpr Mapping operator,(const Mapping&, const NamedAxis<R>&);
template <detail::Name L> constexpr Mapping operator,(const NamedAxis<L>&, const Mapping&);
constexpr Mapping operator,(const Mapping&, const Mapping&);

/// As WEFT_M and parse read it back to the same tree.
std::string to_string(const Mapping&);
std::string to_string(const detail::Name&);

// --- the native spelling (MAP-SYN-10) ---
namespace detail {
constexpr Mapping unary(const Mapping& m, MappingOp op, Count n, PaddingKind kind = {}) {
  Mapping result = m;
  if (auto fault = result.append_unary(op, n.value, kind)) mapping_error(fault, "");
  return result;
}
}  // namespace detail

constexpr Mapping operator/(const Mapping& m, detail::Count n) {
  return detail::unary(m, detail::MappingOp::stride, n);
}
constexpr Mapping operator%(const Mapping& m, detail::Count n) {
  return detail::unary(m, detail::MappingOp::modulo, n);
}
template <PaddingKind Kind = PaddingKind::Top> constexpr Mapping pad(const Mapping& m, detail::Count n) {
  return detail::unary(m, detail::MappingOp::pad, n, Kind);
}
constexpr Mapping pad(const Mapping& m, detail::Count n, PaddingKind kind) {
  return detail::unary(m, detail::MappingOp::pad, n, kind);
}
constexpr Mapping resize(const Mapping& m, detail::Count n) { return detail::unary(m, detail::MappingOp::resize, n); }
constexpr Mapping broadcast(std::uint64_t n) { return Mapping(n); }
constexpr Mapping pair(const Mapping& left, const Mapping& right) {
  Mapping result = left;
  const std::size_t l = result.count;
  auto fault = result.append(right);
  if (!fault) fault = result.append_pair(l);
  if (fault) detail::mapping_error(fault, "");
  return result;
}
/// pair(A, B, C) is `A, B, C`: pair(A, pair(B, C)).
template <class... More>
constexpr Mapping pair(const Mapping& a, const Mapping& b, const Mapping& c, const More&... more) {
  return pair(a, pair(b, c, more...));
}

// C++ reads `A, B, C` from the left, the notation from the right.
namespace detail {
constexpr Mapping after(const Mapping& left, const Mapping& right) {
  const MappingNode& root = left.node(left.count);
  if (root.op != MappingOp::pair) return pair(left, right);
  Mapping major{Mapping::Empty{}}, minor{Mapping::Empty{}};
  major.append(left, root.left);
  minor.append(left, root.right);
  return pair(major, after(minor, right));
}
}  // namespace detail
template <detail::Name L, detail::Name R> constexpr Mapping operator,(const NamedAxis<L>& l, const NamedAxis<R>& r) {
  return detail::after(l, r);
}
template <detail::Name R> constexpr Mapping operator,(const Mapping& l, const NamedAxis<R>& r) {
  return detail::after(l, r);
}
template <detail::Name L> constexpr Mapping operator,(const NamedAxis<L>& l, const Mapping& r) {
  return detail::after(l, r);
}
constexpr Mapping operator,(const Mapping& l, const Mapping& r) { return detail::after(l, r); }

}  // namespace weft
