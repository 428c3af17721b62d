// Mappings as lists of factors, from major to minor, in an arena of their own: what the normal form is worked out on. A
// pair is a concatenation, the identity the empty list, a chain of `/` and `%` one split with a stride and a size.
#pragma once

#include <type_traits>

#include <weft/detail/mapping_value.hpp>

namespace weft::detail {

struct FactorList {
  std::uint16_t begin = 0, count = 0;
};

struct Factor {
  MappingOp op;          // axis, broadcast, pad, resize, or stride: a split
  PaddingKind kind;      // of a pad
  FactorList inner;      // of a pad and a resize; what is split, in normal form
  std::uint64_t size;    // the factor's own
  std::uint64_t stride;  // of a split: position p is `inner` at p * stride
  Name name;             // of an axis
};

class Factors {
 public:
  constexpr Factors() {}  // the arena begins without values

  constexpr bool overflow() const { return overflow_; }
  constexpr const Factor& operator[](std::size_t i) const { return factors_[i]; }
  constexpr std::uint16_t item(FactorList l, std::size_t i) const { return items_[l.begin + i]; }
  constexpr const Factor& at(FactorList l, std::size_t i) const { return factors_[item(l, i)]; }

  constexpr std::uint16_t make(const Factor& f) {
    if (factor_count_ == max_factors) return overflow_ = true, std::uint16_t{0};
    factors_[factor_count_] = f;
    return static_cast<std::uint16_t>(factor_count_++);
  }
  constexpr FactorList list(std::uint16_t factor) {
    FactorList l{static_cast<std::uint16_t>(item_count_), 0};
    push(l, factor);
    return l;
  }
  constexpr FactorList make_list(const Factor& f) { return list(make(f)); }
  constexpr FactorList part(FactorList l, std::size_t first, std::size_t count) const {
    return {static_cast<std::uint16_t>(l.begin + first), static_cast<std::uint16_t>(count)};
  }
  constexpr FactorList concatenate(FactorList a, FactorList b) {
    if (a.begin + a.count == b.begin) return part(a, 0, a.count + std::size_t{b.count});
    FactorList l{static_cast<std::uint16_t>(item_count_), 0};
    for (std::size_t i = 0; i < a.count; ++i) push(l, item(a, i));
    for (std::size_t i = 0; i < b.count; ++i) push(l, item(b, i));
    return l;
  }

  constexpr std::uint64_t size(FactorList l) const {
    std::uint64_t n = 1;
    for (std::size_t i = 0; i < l.count; ++i) n *= at(l, i).size;
    return n;
  }
  /// Whether the first cell is live.
  constexpr bool starts_live(FactorList l) const {
    for (std::size_t i = 0; i < l.count; ++i)
      if (!starts_live(at(l, i))) return false;
    return true;
  }
  constexpr bool starts_live(const Factor& f) const {
    if (f.size == 0) return false;
    return f.op == MappingOp::axis || f.op == MappingOp::broadcast || starts_live(f.inner);
  }
  constexpr bool equal(FactorList a, FactorList b) const {
    if (a.count != b.count) return false;
    for (std::size_t i = 0; i < a.count; ++i)
      if (item(a, i) != item(b, i) && !equal(at(a, i), at(b, i))) return false;
    return true;
  }
  constexpr bool equal(const Factor& a, const Factor& b) const {
    return a.op == b.op && a.kind == b.kind && a.size == b.size && a.stride == b.stride && a.name == b.name &&
           equal(a.inner, b.inner);
  }
  constexpr bool is_axis(FactorList l) const { return l.count == 1 && at(l, 0).op == MappingOp::axis; }
  /// A split whose digits add up before they are decoded.
  constexpr bool is_composite_split(const Factor& f) const { return f.op == MappingOp::stride && !is_axis(f.inner); }

  /// The tree of a list, appended to `m`.
  constexpr SizeFault emit(FactorList l, Mapping& m) const {
    if (l.count == 0) return m.append_leaf(MappingOp::broadcast, 1, {});
    std::uint16_t starts[max_mapping_nodes];
    if (l.count > max_mapping_nodes) return too_many_nodes();
    for (std::size_t i = 0; i < l.count; ++i) {
      if (auto fault = emit(at(l, i), m)) return fault;
      starts[i] = m.count;
    }
    for (std::size_t i = l.count - 1; i-- > 0;)
      if (auto fault = m.append_pair(starts[i])) return fault;
    return {};
  }

 private:
  static constexpr std::size_t max_factors = 1024, max_items = 8192;

  constexpr void push(FactorList& l, std::uint16_t factor) {
    if (item_count_ == max_items) {
      overflow_ = true;
      return;
    }
    items_[item_count_++] = factor;
    ++l.count;
  }
  constexpr SizeFault emit(const Factor& f, Mapping& m) const {
    if (f.op == MappingOp::axis || f.op == MappingOp::broadcast) return m.append_leaf(f.op, f.size, f.name);
    if (auto fault = emit(f.inner, m)) return fault;
    if (f.op != MappingOp::stride) return m.append_unary(f.op, f.size, f.kind);
    const std::uint64_t whole = size(f.inner) / f.stride;
    if (f.stride != 1 || f.size == whole)
      if (auto fault = m.append_unary(MappingOp::stride, f.stride)) return fault;
    return f.size == whole ? SizeFault{} : m.append_unary(MappingOp::modulo, f.size);
  }

  Factor factors_[max_factors];
  std::uint16_t items_[max_items];
  std::size_t factor_count_ = 0, item_count_ = 0;
  bool overflow_ = false;
};

}  // namespace weft::detail
