// From a position to its cell (MAP-POS-03 to -05). A level is what is walked from a root without going into the mappings
// that are split: pairs hand their digits down, and each leaf is a contribution, from major to minor. The digits of one
// split composite add up to an offset, and once the level is walked it is decoded by that mapping, a level of its own, at
// the place of its first digit. The first contribution that is not live decides the cell.
#pragma once

#include <weft/detail/mapping_cell.hpp>
#include <weft/detail/mapping_normal.hpp>
#include <weft/detail/mapping_print.hpp>

namespace weft::detail {

class MappingDecoder {
 public:
  constexpr explicit MappingDecoder(const Mapping& m);

  constexpr std::uint64_t size() const { return size_[m_.count]; }
  constexpr void decode(std::uint64_t position, Cell& cell) const;
  constexpr std::uint64_t size_of(std::size_t node) const { return size_[node]; }
  /// Of a split of an axis, or of an axis: the axis's node and the stride; 0 of others.
  constexpr std::size_t axis_of(std::size_t node, std::uint64_t& stride) const {
    if (m_.node(node).op == MappingOp::axis) return stride = 1, node;
    if (!m_.node(node).is_split() || m_.node(base_[node]).op != MappingOp::axis || !size_[base_[node]]) return 0;
    return stride = stride_[node], base_[node];
  }
  /// Of a split: what is split, at what stride, and where that is a composite, the one among equal ones that decodes it.
  struct Split {
    std::size_t base, group;
    std::uint64_t stride;
  };
  constexpr Split split_of(std::size_t node) const { return {base_[node], group_[node], stride_[node]}; }
  /// Whether digits of one composite stand apart at some level.
  constexpr bool has_shared_digits() const {
    for (std::size_t n = 1; n <= m_.count; ++n)
      if (group_[n] && group_[n] != base_[n]) return true;
    return false;
  }

 private:
  struct Todo {
    std::uint16_t node;
    std::uint64_t position;
  };

 public:
  /// What the walk of the levels keeps; each level's entries stand above those of the one that opened it. With `slots`, the
  /// index of the cell has a term for each axis node, and they say which.
  struct Walk {
    Cell& cell;
    const std::uint16_t* slots = nullptr;
    std::uint16_t event_count = 0;
    std::uint16_t events[max_mapping_nodes + 1];  // the composite that is to be decoded, or a dead end
    std::uint64_t offset[max_mapping_nodes + 1];  // of a composite
    bool open[max_mapping_nodes + 1];             // its offset has begun
    Todo todo[max_mapping_nodes + 1];
    constexpr explicit Walk(Cell& c) : cell(c), open() {}
  };
  /// Adds what a subtree of the root's level says of a position; false where that is dead.
  constexpr bool add(Walk& w, std::size_t node, std::uint64_t position) const {
    return walk(w, static_cast<std::uint16_t>(node), position);
  }

 private:
  static constexpr std::uint16_t dead_end = 0x8000, out_of_bounds = dead_end | 3;

  constexpr bool walk(Walk&, std::uint16_t root, std::uint64_t position) const;
  constexpr bool decode_events(Walk&, std::uint16_t first) const;
  constexpr void term(Walk& w, std::uint16_t axis, std::uint64_t value) const {
    if (w.slots) w.cell.index_in_place().term(w.slots[axis]).value += value;
    else w.cell.index_in_place().add(Axis(m_.node(axis).name, m_.node(axis).number), value);
  }
  constexpr bool overshoot(Walk&, std::uint16_t composite) const;
  constexpr bool die(Walk& w, std::uint16_t event) const {
    if (event == out_of_bounds) w.cell.set(CellKind::OutOfBounds, {});
    else w.cell.set(CellKind::Padding, static_cast<PaddingKind>(event & 3));
    return false;
  }

  const Mapping& m_;
  std::uint64_t size_[max_mapping_nodes + 1];
  // Of a split: what is split, at what stride, and, where that is a composite, the one among equal ones that decodes.
  std::uint16_t base_[max_mapping_nodes + 1], group_[max_mapping_nodes + 1];
  std::uint64_t stride_[max_mapping_nodes + 1];
};

constexpr bool same_subtree(const Mapping& m, std::size_t a, std::size_t b) {
  if (a == b) return true;
  const std::size_t first_a = m.first_of(a), first_b = m.first_of(b);
  if (a - first_a != b - first_b) return false;
  for (std::size_t i = 0; i <= a - first_a; ++i) {
    const MappingNode &x = m.node(first_a + i), &y = m.node(first_b + i);
    // In post-order the children are where the ops say.
    if (x.op != y.op || x.kind != y.kind || x.number != y.number || x.name != y.name) return false;
    if (x.left && x.left - first_a != y.left - first_b) return false;
  }
  return true;
}

constexpr MappingDecoder::MappingDecoder(const Mapping& m) : m_(m) {
  // Of the nodes that are walked, the root of their level; 0 of a split that only another one splits.
  std::uint16_t level[max_mapping_nodes + 1];
  for (std::uint16_t n = 0; n <= m.count; ++n) level[n] = 0;
  level[m.count] = m.count;
  for (std::uint16_t n = m.count; n > 0; --n) {
    const MappingNode& node = m.node(n);
    if (!node.left) continue;
    if (!node.is_split()) level[node.left] = level[n];
    else if (!m.node(node.left).is_split()) level[node.left] = node.left;
    if (node.right) level[node.right] = level[n];
  }
  std::uint16_t splits[max_mapping_nodes];
  std::size_t split_count = 0;
  for (std::uint16_t n = 1; n <= m.count; ++n) {
    const MappingNode& node = m.node(n);
    size_[n] = node.op == MappingOp::stride ? size_[node.left] / node.number : node.number;
    group_[n] = 0;
    if (!node.is_split()) continue;
    const bool chained = m.node(node.left).is_split();
    base_[n] = chained ? base_[node.left] : node.left;
    stride_[n] = chained ? stride_[node.left] : 1;
    if (node.op == MappingOp::stride) stride_[n] *= node.number;
    const MappingOp base = m.node(base_[n]).op;
    if (base == MappingOp::axis || base == MappingOp::broadcast || !level[n]) continue;
    group_[n] = base_[n];
    for (std::size_t i = 0; i < split_count && group_[n] == base_[n]; ++i)
      if (level[splits[i]] == level[n] && same_subtree(m, base_[splits[i]], base_[n])) group_[n] = group_[splits[i]];
    splits[split_count++] = n;
  }
}

constexpr void MappingDecoder::decode(std::uint64_t position, Cell& cell) const {
  cell.set(CellKind::Index, {});
  cell.index_in_place() = TensorIndex();
  Walk w(cell);
  if (!walk(w, m_.count, position)) cell.index_in_place() = TensorIndex();
}

// False where the cell is dead.
constexpr bool MappingDecoder::walk(Walk& w, std::uint16_t root, std::uint64_t position) const {
  const std::uint16_t first_event = w.event_count;
  std::size_t todo = 0;
  w.todo[todo++] = {root, position};
  while (todo) {
    const Todo t = w.todo[--todo];
    const MappingNode& node = m_.node(t.node);
    std::uint16_t event = 0;
    if (t.position >= size_[t.node]) {
      event = out_of_bounds;
    } else {
      switch (node.op) {
        case MappingOp::axis: term(w, t.node, t.position); continue;
        case MappingOp::pair: {
          const std::uint64_t minor = size_[node.right];
          w.todo[todo++] = {node.right, t.position % minor};
          w.todo[todo++] = {node.left, t.position / minor};
          continue;
        }
        case MappingOp::resize: w.todo[todo++] = {node.left, t.position}; continue;
        case MappingOp::pad:
          if (t.position < size_[node.left]) {
            w.todo[todo++] = {node.left, t.position};
            continue;
          }
          event = static_cast<std::uint16_t>(dead_end | static_cast<std::uint16_t>(node.kind));
          break;
        case MappingOp::stride:
        case MappingOp::modulo: {
          if (size_[base_[t.node]] == 0) {  // x % n of an x without positions
            event = out_of_bounds;
            break;
          }
          const std::uint64_t at = t.position * stride_[t.node];
          const std::uint16_t group = group_[t.node];
          if (!group) {
            if (m_.node(base_[t.node]).op == MappingOp::axis) term(w, base_[t.node], at);
            continue;
          }
          if (w.open[group]) {
            const std::uint64_t sum = w.offset[group] + at;
            w.offset[group] = sum < at ? ~std::uint64_t{0} : sum;
            continue;
          }
          w.open[group] = true;
          w.offset[group] = at;
          event = group;
          break;
        }
        default: continue;  // a broadcast has no term
      }
    }
    if (event & dead_end && w.event_count == first_event) return die(w, event);
    w.events[w.event_count++] = event;
  }
  if (w.event_count == first_event) return true;
  const std::uint16_t last_event = w.event_count;
  const bool live = decode_events(w, first_event);
  for (std::uint16_t i = first_event; i < last_event; ++i)
    if (!(w.events[i] & dead_end)) w.open[w.events[i]] = false;
  w.event_count = first_event;
  return live;
}

// What was found in one level, in order.
constexpr bool MappingDecoder::decode_events(Walk& w, std::uint16_t first) const {
  const std::uint16_t last = w.event_count;
  for (std::uint16_t i = first; i < last; ++i) {
    const std::uint16_t event = w.events[i];
    if (event & dead_end) return die(w, event);
    if (w.offset[event] >= size_[event] ? !overshoot(w, event) : !walk(w, event, w.offset[event])) return false;
  }
  return true;
}

/// The text of a mapping as a number, and its beginning.
struct HashSink {
  std::uint64_t hash = 14695981039346656037u;
  Sentence text{};
  constexpr HashSink& add(std::string_view s) {
    for (char c : s) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
    text << s;
    return *this;
  }
  constexpr HashSink& operator<<(std::string_view s) { return add(s); }
  constexpr HashSink& operator<<(std::uint64_t n) { return add((Sentence() << n).view()); }
  constexpr HashSink& operator<<(const Name& n) { return add((Sentence() << n).view()); }
};

// The digits of a composite add up past it: a term of its own, named by its normal form (MAP-POS-05, -09). False where that is
// a split of nothing, none of whose positions is in bounds.
constexpr bool MappingDecoder::overshoot(Walk& w, std::uint16_t composite) const {
  Mapping base{Mapping::Empty{}};
  base.append(m_, composite);
  base = normalize(base);
  std::size_t root = base.count;
  std::uint64_t stride = 1;
  for (; base.node(root).is_split(); root = base.node(root).left)
    if (base.node(root).op == MappingOp::stride) stride *= base.node(root).number;
  const MappingNode& node = base.node(root);
  const std::uint64_t sum = w.offset[composite],
                      value = sum > ~std::uint64_t{0} / stride ? ~std::uint64_t{0} : sum * stride;
  if (node.op == MappingOp::broadcast) return node.number != 0 || die(w, out_of_bounds);
  if (node.op == MappingOp::axis) {
    w.cell.index_in_place().add(Axis(node.name, node.number), value);
    return true;
  }
  HashSink sink;
  print_mapping(base, root, sink);
  w.cell.index_in_place().add(
      IndexTerm{Name(sink.text.view().substr(0, max_axis_name)), base.size_of(root), value, sink.hash | 1});
  return true;
}

/// Whether two splits may be of one composite that is written in two ways: then only normal forms tell.
constexpr bool needs_normal_bases(const Mapping& m) {
  std::uint16_t bases[max_mapping_nodes];
  std::size_t count = 0;
  for (std::uint16_t n = 1; n <= m.count; ++n) {
    const MappingNode& node = m.node(n);
    if (!node.is_split() || m.node(node.left).is_split()) continue;
    const MappingOp op = m.node(node.left).op;
    if (op == MappingOp::axis || op == MappingOp::broadcast) continue;
    const std::size_t first = m.first_of(node.left);
    for (std::size_t i = 0; i < count; ++i)
      if (bases[i] < first && !same_subtree(m, bases[i], node.left)) return true;
    bases[count++] = node.left;
  }
  return false;
}

/// The cell of one position, without a decoder that is kept.
constexpr void decode_once(const Mapping& m, std::uint64_t position, Cell& cell) {
  if (needs_normal_bases(m)) MappingDecoder(with_normal_bases(m)).decode(position, cell);
  else MappingDecoder(m).decode(position, cell);
}

/// The cell of one assignment: a bare axis at any value, any other mapping at a position (MAP-POS-08).
constexpr Cell assigned(const Mapping& m, std::uint64_t value) {
  Cell cell;
  if (m.count == 1 && m.node(1).op == MappingOp::axis)
    cell.index_in_place().add(Axis(m.node(1).name, m.node(1).number), value);
  else decode_once(m, value, cell);
  return cell;
}

}  // namespace weft::detail
