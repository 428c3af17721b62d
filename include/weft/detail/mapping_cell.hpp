// What a mapping says of one position (MAP-POS-02, -06 to -10): `Cell` is a live `TensorIndex`, padding of a kind, or out of
// bounds; `TensorIndex` is a sum of terms that finalize turns into coordinates or an overshoot. Neither allocates.
#pragma once

#include <initializer_list>
#include <type_traits>

#include <weft/detail/mapping_value.hpp>

namespace weft {

/// One coordinate of a live position. A term whose `composite` is not 0 is a split whose digits add up past the mapping they
/// were cut from (MAP-POS-05): no coordinate, only an overshoot. `name` is then the beginning of that mapping's text.
struct IndexTerm {
  detail::Name name;
  std::uint64_t size, value;
  std::uint64_t composite;
  constexpr bool same_axis(const IndexTerm& o) const {
    return name == o.name && size == o.size && composite == o.composite;
  }
};

/// The coordinates of a live position as a sum of terms, what the source calls `Index`; a kernel has another of that name.
class TensorIndex {
 public:
  static constexpr std::size_t max_terms = max_mapping_nodes / 2;

  /// No terms: a live position without coordinates.
  constexpr TensorIndex() {
    if (std::is_constant_evaluated())
      for (IndexTerm& t : terms_) t = {};
  }
  constexpr TensorIndex(const TensorIndex& o) : TensorIndex() { copy(o); }
  constexpr TensorIndex& operator=(const TensorIndex& o) {
    copy(o);
    return *this;
  }

  /// Adds to the coordinate of an axis; nothing is checked here.
  constexpr void add(const Axis& a, std::uint64_t value) { add(IndexTerm{a.name, a.size, value, 0}); }
  constexpr void add(const IndexTerm& t) {
    for (std::size_t i = 0; i < count_; ++i) {
      if (!terms_[i].same_axis(t)) continue;
      const std::uint64_t sum = terms_[i].value + t.value;
      terms_[i].value = sum < t.value ? ~std::uint64_t{0} : sum;  // past every size in any case
      return;
    }
    if (count_ == max_terms) detail::mapping_error(detail::too_many_nodes(), "");
    terms_[count_++] = t;
  }
  constexpr void add(const TensorIndex& o) {
    for (std::size_t i = 0; i < o.count_; ++i) add(o.terms_[i]);
  }

  constexpr std::size_t size() const { return count_; }
  constexpr const IndexTerm* begin() const { return terms_; }
  constexpr const IndexTerm* end() const { return terms_ + count_; }
  /// The sum of the terms of an axis, 0 when it is absent.
  constexpr std::uint64_t operator[](const Axis& a) const { return (*this)[a.name]; }
  constexpr std::uint64_t operator[](const detail::Name& n) const {
    std::uint64_t sum = 0;
    for (const IndexTerm& t : *this)
      if (!t.composite && t.name == n) sum += t.value;
    return sum;
  }

  /// The first term past its axis, or none.
  constexpr const IndexTerm* overshoot() const {
    for (const IndexTerm& t : *this)
      if (t.value && t.value >= t.size) return &t;
    return nullptr;
  }
  /// This index, all of whose coordinates are in range; MappingError(overshoot) if one is not (MAP-POS-09).
  constexpr const TensorIndex& finalize() const {
    if (const IndexTerm* t = overshoot())
      detail::mapping_error(MappingErrorKind::overshoot, (detail::Sentence(t->composite ? "the split of " : "axis ")
                                                          << t->name << " of size " << t->size << " is at " << t->value)
                                                             .view());
    return *this;
  }

  /// A coordinate 0 equals an absent one (MAP-POS-07).
  constexpr bool operator==(const TensorIndex& o) const { return within(o) && o.within(*this); }

  /// For the visitor of a mapping: terms that stay in their place while their values change.
  constexpr IndexTerm& term(std::size_t i) { return terms_[i]; }
  constexpr void truncate(std::size_t n) { count_ = n; }

 private:
  constexpr void copy(const TensorIndex& o) {
    count_ = o.count_;
    for (std::size_t i = 0; i < count_; ++i) terms_[i] = o.terms_[i];
  }
  constexpr bool within(const TensorIndex& o) const {
    for (const IndexTerm& t : *this) {
      if (t.value == 0) continue;
      bool found = false;
      for (const IndexTerm& u : o)
        if (t.name == u.name && t.composite == u.composite && t.value == u.value && (t.size == u.size || !t.composite))
          found = true;
      if (!found) return false;
    }
    return true;
  }

  std::size_t count_ = 0;
  IndexTerm terms_[max_terms];
};

enum class CellKind : std::uint8_t { Index, Padding, OutOfBounds };

class Cell {
 public:
  constexpr Cell() = default;  // live, without coordinates
  constexpr Cell(const TensorIndex& index) : index_(index) {}
  static constexpr Cell padding(PaddingKind kind) {
    Cell c;
    c.kind_ = CellKind::Padding, c.padding_ = kind;
    return c;
  }
  static constexpr Cell out_of_bounds() {
    Cell c;
    c.kind_ = CellKind::OutOfBounds;
    return c;
  }

  constexpr CellKind kind() const { return kind_; }
  constexpr bool is_live() const { return kind_ == CellKind::Index; }
  constexpr bool is_padding() const { return kind_ == CellKind::Padding; }
  constexpr bool is_padding(PaddingKind k) const { return is_padding() && padding_ == k; }
  constexpr bool is_out_of_bounds() const { return kind_ == CellKind::OutOfBounds; }
  /// The kind of a padded position.
  constexpr PaddingKind padding() const { return padding_; }
  /// The terms of a live one; none of any other.
  constexpr const TensorIndex& index() const { return index_; }

  constexpr bool operator==(const Cell& o) const {
    if (kind_ != o.kind_) return false;
    return is_padding() ? padding_ == o.padding_ : !is_live() || index_ == o.index_;
  }

  /// For the visitor of a mapping.
  constexpr void set(CellKind kind, PaddingKind padding) { kind_ = kind, padding_ = padding; }
  constexpr TensorIndex& index_in_place() { return index_; }

 private:
  CellKind kind_ = CellKind::Index;
  PaddingKind padding_ = PaddingKind::Top;
  TensorIndex index_;
};

/// The cell of a pair (MAP-POS-06): a major that is not live wins, then a minor that is not, else their terms add.
constexpr Cell combine(const Cell& major, const Cell& minor) {
  if (!major.is_live()) return major;
  if (!minor.is_live()) return minor;
  Cell result = major;
  result.index_in_place().add(minor.index());
  return result;
}

/// What an access finds (MAP-POS-10): coordinates in range, or a kind of padding.
class FinalCell {
 public:
  constexpr FinalCell(const TensorIndex& i) : live_(true), index_(i) {}
  constexpr FinalCell(PaddingKind k) : padding_(k) {}
  constexpr bool is_live() const { return live_; }
  constexpr PaddingKind padding() const { return padding_; }
  constexpr const TensorIndex& index() const { return index_; }
  constexpr bool operator==(const FinalCell& o) const {
    return live_ == o.live_ && (live_ ? index_ == o.index_ : padding_ == o.padding_);
  }

 private:
  bool live_ = false;
  PaddingKind padding_ = PaddingKind::Top;
  TensorIndex index_;
};

/// A live cell is finalized, padding keeps its kind, out of bounds becomes `fill`: Top for reads, Bottom for writes.
constexpr FinalCell finalize(const Cell& cell, PaddingKind fill) {
  if (cell.is_live()) return cell.index().finalize();
  return cell.is_padding() ? cell.padding() : fill;
}

}  // namespace weft
