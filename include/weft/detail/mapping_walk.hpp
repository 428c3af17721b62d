// Visiting the positions of a mapping in order (MAP-POS-11). They come in blocks: the outer parts of the mapping are decoded
// once a block, and within one only the coordinates of its innermost part change, along an axis or by a table.
#pragma once

#include <weft/detail/mapping_tile.hpp>

namespace weft {
namespace detail {

class CellWalk {
 public:
  constexpr explicit CellWalk(const Mapping& m) : normal_(normalize(m)), keyed_(normal_), size_(m.size()) {
    // The innermost part: down from the root as long as there is one way and the part is not small enough for a table.
    part_ = normal_.count;
    while (!small() && !generic()) {
      const MappingNode& n = normal_.node(part_);
      if (n.op == MappingOp::pair) part_ = n.right;
      else if (n.op == MappingOp::pad || n.op == MappingOp::resize) part_ = n.left;
      else break;
    }
    stride_ = 0;
    if (!generic()) axis_ = decoder().axis_of(part_, stride_);
    if (!axis_ && !generic() && small()) tabulate();
  }
  CellWalk(const CellWalk&) = delete;

  /// Calls f(position, cell) for each position.
  template <class F> constexpr void each(F&& f) {
    while (position_ < size_) {
      load();
      if (dead_) {
        for (; position_ < end_; ++position_) f(position_, static_cast<const Cell&>(cell_));
      } else if (axis_) {
        IndexTerm& term = cell_.index_in_place().term(slot_[0]);
        for (; position_ < end_; ++position_, term.value += stride_) f(position_, static_cast<const Cell&>(cell_));
      } else {
        for (; position_ < end_; ++position_, ++at_) {
          step();
          f(position_, static_cast<const Cell&>(hole_ ? dead_cell_ : cell_));
        }
      }
    }
  }

  // One by one, for the range.
  constexpr bool done() const { return position_ >= size_; }
  constexpr void begin() {
    if (done()) return;
    load();
    if (!dead_ && !axis_) step();
  }
  constexpr void next() {
    ++position_;
    if (position_ == end_) return begin();
    if (dead_) return;
    if (axis_) {
      cell_.index_in_place().term(slot_[0]).value += stride_;
    } else {
      ++at_;
      step();
    }
  }
  constexpr const Cell& cell() const { return hole_ && !dead_ ? dead_cell_ : cell_; }

 private:
  static constexpr std::uint64_t table_size = 256;
  static constexpr std::size_t table_axes = 4;

  constexpr const MappingDecoder& decoder() const { return keyed_.decoder(); }
  constexpr bool generic() const { return keyed_.is_keyed() || decoder().has_shared_digits(); }
  constexpr bool small() const { return decoder().size_of(part_) <= table_size; }

  constexpr void tabulate() {
    axes_in_table_ = 0;
    tabled_ = true;
    Cell c;
    for (std::uint64_t i = 0; i < decoder().size_of(part_); ++i) {
      c.set(CellKind::Index, {});
      c.index_in_place() = Index();
      if (!decoder().add(part_, i, c)) {
        table_kind_[i] = static_cast<std::uint8_t>(1 + (c.is_padding() ? static_cast<int>(c.padding()) : 3));
        for (std::size_t k = 0; k < table_axes; ++k) table_[i][k] = 0;
        continue;
      }
      table_kind_[i] = 0;
      for (std::size_t k = 0; k < table_axes; ++k) table_[i][k] = 0;
      for (const IndexTerm& t : c.index()) {
        std::size_t k = 0;
        while (k < axes_in_table_ && !table_axis_[k].same_axis(t)) ++k;
        if (k == table_axes || t.composite) {
          tabled_ = false;
          return;
        }
        if (k == axes_in_table_) table_axis_[axes_in_table_++] = {t.name, t.size, 0, 0};
        table_[i][k] = t.value;
      }
    }
  }

  // The block that begins at position_: what is outside of the innermost part goes into cell_.
  constexpr void load() {
    cell_.set(CellKind::Index, {});
    cell_.index_in_place() = Index();
    dead_ = hole_ = false;
    at_ = position_;
    std::uint64_t length = size_ - position_;
    std::size_t node = normal_.count;
    while (node != part_) {
      const MappingNode& n = normal_.node(node);
      if (at_ >= decoder().size_of(node)) return die(CellKind::OutOfBounds, {}, length);
      if (n.op == MappingOp::pair) {
        const std::uint64_t minor = decoder().size_of(n.right), left = minor - at_ % minor;
        if (left < length) length = left;
        if (!decoder().add(n.left, at_ / minor, cell_)) return die(cell_.kind(), cell_.padding(), length);
        at_ %= minor;
        node = n.right;
        continue;
      }
      const std::uint64_t inner = decoder().size_of(n.left);
      if (n.op == MappingOp::pad && at_ >= inner) return die(CellKind::Padding, n.kind, length);
      if (at_ < inner && inner - at_ < length) length = inner - at_;
      node = n.left;
    }
    if (at_ >= decoder().size_of(part_)) return die(CellKind::OutOfBounds, {}, length);
    if (decoder().size_of(part_) - at_ < length) length = decoder().size_of(part_) - at_;
    end_ = position_ + length;
    if (axis_) {
      const MappingNode& axis = normal_.node(axis_);
      slot_[0] = slot(IndexTerm{axis.name, axis.number, 0, 0});
      cell_.index_in_place().term(slot_[0]).value += at_ * stride_;
    } else if (tabled_) {
      for (std::size_t k = 0; k < axes_in_table_; ++k) {
        slot_[k] = slot(table_axis_[k]);
        base_[k] = cell_.index_in_place().term(slot_[k]).value;
      }
    } else {
      outer_ = cell_;
    }
  }
  constexpr void die(CellKind kind, PaddingKind padding, std::uint64_t length) {
    cell_.index_in_place() = Index();
    cell_.set(kind, padding);
    dead_ = true;
    end_ = position_ + length;
  }
  constexpr std::size_t slot(const IndexTerm& t) {
    cell_.index_in_place().add(t);
    std::size_t i = 0;
    while (!cell_.index_in_place().term(i).same_axis(t)) ++i;
    return i;
  }
  constexpr void step() {
    if (!tabled_) {
      cell_ = outer_;
      hole_ = !decoder().add(part_, at_, cell_);
      if (hole_) dead_cell_.set(cell_.kind(), cell_.padding());
      return;
    }
    const std::uint8_t kind = table_kind_[at_];
    hole_ = kind != 0;
    if (hole_)
      return dead_cell_.set(kind == 4 ? CellKind::OutOfBounds : CellKind::Padding,
                            static_cast<PaddingKind>(kind == 4 ? 0 : kind - 1));
    for (std::size_t k = 0; k < axes_in_table_; ++k)
      cell_.index_in_place().term(slot_[k]).value = base_[k] + table_[at_][k];
  }

  Mapping normal_;
  KeyedDecoder keyed_;
  std::uint64_t size_, position_ = 0, end_ = 0, at_ = 0, stride_ = 0;
  std::size_t part_ = 0, axis_ = 0, axes_in_table_ = 0;
  bool tabled_ = false, dead_ = false, hole_ = false;
  Cell cell_, dead_cell_, outer_;
  std::size_t slot_[table_axes]{};
  std::uint64_t base_[table_axes]{};
  IndexTerm table_axis_[table_axes];
  std::uint8_t table_kind_[table_size];
  std::uint64_t table_[table_size][table_axes];
};

}  // namespace detail

/// `for (const Cell& c : m.cells())`: the cells of all positions in order, each until the next one.
class CellRange {
 public:
  constexpr explicit CellRange(const Mapping& m) : walk_(m) {}
  struct End {};
  class Iterator {
   public:
    constexpr explicit Iterator(detail::CellWalk& w) : walk_(&w) {}
    constexpr const Cell& operator*() const { return walk_->cell(); }
    constexpr Iterator& operator++() { return walk_->next(), *this; }
    constexpr bool operator!=(End) const { return !walk_->done(); }
    constexpr bool operator==(End) const { return walk_->done(); }

   private:
    detail::CellWalk* walk_;
  };
  /// Once: the range is what is walked.
  constexpr Iterator begin() { return walk_.begin(), Iterator(walk_); }
  constexpr End end() const { return {}; }

 private:
  detail::CellWalk walk_;
};

}  // namespace weft
