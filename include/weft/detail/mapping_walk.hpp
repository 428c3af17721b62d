// Visiting the positions of a mapping in order (MAP-POS-11). They come in blocks: the outer parts of the mapping are decoded
// once a block, and within one only the coordinates of its innermost part change, along an axis or by a table.
#pragma once

#include <weft/detail/mapping_tile.hpp>

namespace weft {
namespace detail {

/// The same cells with padding and resizing outside of what follows them, `A # 9, B` as `[A, B] # (9 * |B|)`, so that as much as
/// can be stands in plain pairs at the minor end. Only where no digits stand apart.
class Regrouped {
 public:
  constexpr explicit Regrouped(const Mapping& m) : m_(m) {
    Items all;
    flatten(m.count, all);
    if (!emit(all, 0)) tree_ = m;
  }
  constexpr const Mapping& tree() const { return tree_; }

 private:
  struct Items {
    std::uint16_t node[max_mapping_nodes];
    std::size_t count = 0;
    constexpr Items() {}
  };

  constexpr void flatten(std::size_t n, Items& to) const {
    for (; m_.node(n).op == MappingOp::pair; n = m_.node(n).right) flatten(m_.node(n).left, to);
    to.node[to.count++] = static_cast<std::uint16_t>(n);
  }
  constexpr bool emit(const Items& items, std::size_t i) {
    const MappingNode& node = m_.node(items.node[i]);
    if (i + 1 == items.count) return !tree_.append(m_, items.node[i]);
    if (node.op == MappingOp::pad || node.op == MappingOp::resize) {
      Items inside;
      flatten(node.left, inside);
      std::uint64_t minor = 1;
      for (std::size_t k = i + 1; k < items.count; ++k) {
        if (inside.count == max_mapping_nodes) return false;
        inside.node[inside.count++] = items.node[k];
        minor *= m_.size_of(items.node[k]);
      }
      return emit(inside, 0) && !tree_.append_unary(node.op, node.number * minor, node.kind);
    }
    if (tree_.append(m_, items.node[i])) return false;
    const std::size_t left = tree_.count;
    return emit(items, i + 1) && !tree_.append_pair(left);
  }

  const Mapping& m_;
  Mapping tree_{Mapping::Empty{}};
};

class CellWalk {
 public:
  constexpr explicit CellWalk(const Mapping& m)
      : normal_(grouped(normalize(m))), keyed_(normal_), size_(m.size()), walk_(cell_) {
    // Every axis has its term from the start.
    for (std::uint16_t n = 1; n <= tree().count; ++n)
      if (tree().node(n).op == MappingOp::axis) slots_[n] = slot({tree().node(n).name, tree().node(n).number, 0, 0});
    terms_ = cell_.index().size();
    walk_.slots = slots_;
    // The innermost part: down from the root as long as there is one way and the part is not small enough for a table.
    part_ = tree().count;
    while (!small() && !generic()) {
      const MappingNode& n = tree().node(part_);
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
      // Locals, since f might change any member as far as a compiler knows.
      std::uint64_t i = position_;
      const std::uint64_t end = end_;
      const Cell& cell = cell_;
      if (dead_) {
        for (; i < end; ++i) f(i, cell);
      } else if (axis_) {
        IndexTerm& term = cell_.index_in_place().term(slot_[0]);
        const std::uint64_t stride = stride_;
        for (std::uint64_t value = term.value; i < end; ++i, value += stride) {
          term.value = value;
          f(i, cell);
        }
      } else if (tabled_) {
        table_block(i, end, f);
      } else {
        for (; i < end; ++i, ++at_) {
          step();
          f(i, static_cast<const Cell&>(hole_ ? dead_cell_ : cell_));
        }
      }
      position_ = end;
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
  static constexpr std::uint64_t table_size = 512;
  static constexpr std::size_t table_axes = 4;

  static constexpr Mapping grouped(const Mapping& m) {
    return m.size() == 0 || needs_normal_bases(m) || MappingDecoder(m).has_shared_digits() ? m : Regrouped(m).tree();
  }
  template <class F> constexpr void table_block(std::uint64_t i, std::uint64_t end, F& f) {
    std::uint64_t* values[table_axes]{};
    std::uint64_t base[table_axes]{};
    const std::size_t axes = axes_in_table_;
    for (std::size_t k = 0; k < axes; ++k) {
      values[k] = &cell_.index_in_place().term(slot_[k]).value;
      base[k] = base_[k];
    }
    const Cell &live = cell_, &dead = dead_cell_;
    for (std::uint64_t at = at_; i < end; ++i, ++at) {
      if (const std::uint8_t kind = table_kind_[at]) {
        set_dead(kind);
        f(i, dead);
        continue;
      }
      const std::uint64_t* row = table_[at];
      for (std::size_t k = 0; k < axes; ++k) *values[k] = base[k] + row[k];
      f(i, live);
    }
  }
  constexpr void set_dead(std::uint8_t kind) {
    dead_cell_.set(kind == 4 ? CellKind::OutOfBounds : CellKind::Padding,
                   static_cast<PaddingKind>(kind == 4 ? 0 : kind - 1));
  }

  constexpr const MappingDecoder& decoder() const { return keyed_.decoder(); }
  constexpr bool generic() const { return keyed_.is_keyed() || decoder().has_shared_digits(); }
  constexpr bool small() const { return decoder().size_of(part_) <= table_size; }

  constexpr void tabulate() {
    tabled_ = true;
    for (std::uint64_t i = 0; i < decoder().size_of(part_) && tabled_; ++i) {
      clear();
      const bool live = decoder().add(walk_, part_, i);
      table_kind_[i] =
          live ? 0 : static_cast<std::uint8_t>(1 + (cell_.is_padding() ? static_cast<int>(cell_.padding()) : 3));
      if (cell_.index().size() > terms_) tabled_ = false;  // an overshoot
      for (std::size_t k = 0; k < table_axes; ++k) table_[i][k] = 0;
      for (std::size_t t = 0; live && t < terms_; ++t) {
        const std::uint64_t value = cell_.index_in_place().term(t).value;
        if (!value) continue;
        std::size_t k = 0;
        while (k < axes_in_table_ && slot_[k] != t) ++k;
        if (k == table_axes) {
          tabled_ = false;
          break;
        }
        if (k == axes_in_table_) slot_[axes_in_table_++] = t;
        table_[i][k] = value;
      }
    }
  }
  constexpr const Mapping& tree() const { return keyed_.is_keyed() ? keyed_.tree() : normal_; }
  constexpr void clear() {
    cell_.set(CellKind::Index, {});
    cell_.index_in_place().truncate(terms_);
    for (std::size_t t = 0; t < terms_; ++t) cell_.index_in_place().term(t).value = 0;
  }

  // The block that begins at position_: what is outside of the innermost part goes into cell_.
  constexpr void load() {
    clear();
    dead_ = hole_ = false;
    at_ = position_;
    std::uint64_t length = size_ - position_;
    std::size_t node = tree().count;
    while (node != part_) {
      const MappingNode& n = tree().node(node);
      if (at_ >= decoder().size_of(node)) return die(CellKind::OutOfBounds, {}, length);
      if (n.op == MappingOp::pair) {
        const std::uint64_t minor = decoder().size_of(n.right), left = minor - at_ % minor;
        if (left < length) length = left;
        if (!decoder().add(walk_, n.left, at_ / minor)) return die(cell_.kind(), cell_.padding(), length);
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
      slot_[0] = slots_[axis_];
      cell_.index_in_place().term(slot_[0]).value += at_ * stride_;
    } else if (tabled_) {
      for (std::size_t k = 0; k < axes_in_table_; ++k) base_[k] = cell_.index_in_place().term(slot_[k]).value;
    } else {
      outer_terms_ = cell_.index();
    }
  }
  constexpr void die(CellKind kind, PaddingKind padding, std::uint64_t length) {
    cell_.index_in_place().truncate(0);
    cell_.set(kind, padding);
    dead_ = true;
    end_ = position_ + length;
  }
  constexpr std::uint16_t slot(const IndexTerm& t) {
    cell_.index_in_place().add(t);
    std::uint16_t i = 0;
    while (!cell_.index_in_place().term(i).same_axis(t)) ++i;
    return i;
  }
  constexpr void step() {
    if (!tabled_) {
      cell_.index_in_place() = outer_terms_;
      cell_.set(CellKind::Index, {});
      hole_ = !decoder().add(walk_, part_, at_);
      if (hole_) dead_cell_.set(cell_.kind(), cell_.padding());
      return;
    }
    const std::uint8_t kind = table_kind_[at_];
    hole_ = kind != 0;
    if (hole_) return set_dead(kind);
    for (std::size_t k = 0; k < axes_in_table_; ++k)
      cell_.index_in_place().term(slot_[k]).value = base_[k] + table_[at_][k];
  }

  Mapping normal_;
  KeyedDecoder keyed_;
  std::uint64_t size_, position_ = 0, end_ = 0, at_ = 0, stride_ = 0;
  std::size_t part_ = 0, axis_ = 0, axes_in_table_ = 0;
  bool tabled_ = false, dead_ = false, hole_ = false;
  Cell cell_, dead_cell_;
  TensorIndex outer_terms_;
  MappingDecoder::Walk walk_;
  std::uint16_t slots_[max_mapping_nodes + 1]{};
  std::size_t terms_ = 0;
  std::size_t slot_[table_axes]{};
  std::uint64_t base_[table_axes]{};
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
