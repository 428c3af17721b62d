// From traced coordinates to the place of an element: the boxes of the mapping read backwards. Most tensors hold all elements
// and are one formula, a sum of digits; others choose among boxes by conditions.
#include <algorithm>
#include <optional>

#include <weft/detail/tensor_trace.hpp>
#include <weft/error.hpp>
#include <weft/mapping.hpp>

#include "tensor/element_text.hpp"
#include "tensor/layout.hpp"
#include "tensor/trace_nodes.hpp"

namespace weft::detail {

using ir::Node;
using ir::Op;

class ElementFormula {
 public:
  explicit ElementFormula(const Mapping& m) : mapping(m), axes(axes_of(m)) {
    auto layout = layout_of(m, axes);
    if (!layout || layout->live.size() > max_pieces) return;
    for (const Box& box : layout->live)
      if (!add(box)) {
        pieces.clear();
        return;
      }
    bool known = true;
    const auto duplicate = duplicate_in(*layout, static_cast<int>(axes.size()), known);
    is_digits = true;
    is_injective = known && !duplicate;
    if (is_injective || pieces.size() == 1) is_whole = holds_all() && one_formula();
  }

  static constexpr std::size_t max_pieces = 16;
  struct Radix {
    std::uint64_t extent, stride, position;
  };
  struct Piece {
    std::uint64_t position = 0;
    std::vector<std::uint64_t> base;          // of each axis
    std::vector<std::vector<Radix>> radices;  // of each axis, from large strides to small
  };

  Mapping mapping;
  TensorAxes axes;
  std::vector<Piece> pieces;  // from low positions to high
  bool is_digits = false, is_injective = false;
  bool is_whole = false;  // the first piece says all: every element is where its digits say, whatever their extents

 private:
  bool add(const Box& box) {
    Piece p{box.position, {}, {}};
    for (std::size_t a = 0; a < axes.size(); ++a) {
      p.base.push_back(box.base_at(static_cast<int>(a)));
      std::vector<Radix>& all = p.radices.emplace_back();
      for (const Digit& d : box.digits)
        if (d.target == static_cast<int>(a)) all.push_back({d.extent, d.stride, d.position});
      std::sort(all.begin(), all.end(), [](const Radix& x, const Radix& y) { return x.stride > y.stride; });
      std::uint64_t below = 0;
      for (std::size_t i = all.size(); i-- > 0; below += (all[i].extent - 1) * all[i].stride)
        if (all[i].stride <= below) return false;
    }
    pieces.push_back(std::move(p));
    return true;
  }

  static std::uint64_t elements(const Piece& p) {
    std::uint64_t n = 1;
    for (const auto& axis : p.radices)
      for (const Radix& r : axis) n *= r.extent;
    return n;
  }
  bool holds_all() const {
    std::uint64_t here = 0;
    unsigned __int128 all = 1;
    for (const Piece& p : pieces) here += elements(p);
    for (const Axis& a : axes)
      if ((all *= a.size) > max_mapping_size) return false;
    return here == all;
  }

  /// Puts the largest piece first; whether every other one is where its digits, without their limits, would put it.
  bool one_formula() {
    const auto largest = std::max_element(pieces.begin(), pieces.end(),
                                          [](const Piece& a, const Piece& b) { return elements(a) < elements(b); });
    if (largest == pieces.end()) return false;
    for (std::size_t a = 0; a < axes.size(); ++a) {
      if (largest->base[a]) return false;
      std::vector<Radix>& all = largest->radices[a];
      if (all.empty() && axes[a].size > 1) return false;
      if (!all.empty() && all.back().stride != 1) return false;
      for (std::size_t i = 1; i < all.size(); ++i)
        if (all[i - 1].stride % all[i].stride != 0) return false;
    }
    for (const Piece& p : pieces)
      if (&p != &*largest && !follows(*largest, p)) return false;
    std::iter_swap(pieces.begin(), largest);
    return true;
  }
  bool follows(const Piece& formula, const Piece& p) const {
    std::uint64_t position = formula.position;
    for (std::size_t a = 0; a < axes.size(); ++a) {
      const std::vector<Radix>& all = formula.radices[a];
      std::vector<std::uint64_t> reach(all.size());  // of each radix
      std::uint64_t rest = p.base[a];
      for (std::size_t i = 0; i < all.size(); ++i) {
        reach[i] = rest / all[i].stride;
        position += reach[i] * all[i].position;
        rest %= all[i].stride;
      }
      for (const Radix& r : p.radices[a]) {
        std::size_t i = 0;
        while (i < all.size() && all[i].stride > r.stride) ++i;
        if (i == all.size() || r.stride % all[i].stride != 0) return false;
        const std::uint64_t step = r.stride / all[i].stride;
        if (r.position != step * all[i].position) return false;
        reach[i] += (r.extent - 1) * step;
      }
      for (std::size_t i = 1; i < all.size(); ++i)
        if (reach[i] >= all[i - 1].stride / all[i].stride) return false;
    }
    return position == p.position;
  }
};

Shared<const ElementFormula> make_element_formula(const Mapping& m) { return share<ElementFormula>(m); }

bool has_formula(const ElementFormula& f) { return f.is_digits; }

namespace {

class Placer {
 public:
  Placer(TraceNodes& nodes, const ElementFormula& f) : n_(nodes), f_(f) {}

  /// `known`: the coordinates are those of elements wherever `valid` holds.
  Node run(std::vector<Node> coordinates, Node valid, bool known) {
    for (std::size_t a = 0; a < f_.axes.size() && !known; ++a) {
      valid = n_.both(valid, n_.within(coordinates[a], f_.axes[a].size));
      coordinates[a] = n_.clamped(coordinates[a], f_.axes[a].size);
    }
    const Node outside = n_.number(f_.mapping.size());
    if (f_.is_whole) return n_.chosen(valid, sum(f_.pieces[0], coordinates, nullptr), outside);
    Node place = outside;
    for (std::size_t k = f_.pieces.size(); k-- > 0;) {
      Node here = valid;
      const Node at = sum(f_.pieces[k], coordinates, &here);
      place = n_.chosen(here, at, place);
    }
    return place;
  }

 private:
  /// The position that a piece gives; `here` (may be null) is narrowed to the coordinates that it holds.
  Node sum(const ElementFormula::Piece& p, const std::vector<Node>& coordinates, Node* here) {
    Node position = n_.number(p.position);
    for (std::size_t a = 0; a < coordinates.size(); ++a) {
      Node rest = coordinates[a];
      if (p.base[a]) {
        const Node from = n_.simple(n_.g.make(Op::SUB, {rest, n_.number(p.base[a])}));
        if (here) *here = n_.both(*here, n_.not_negative(from));
        rest = n_.clamped(from, f_.axes[a].size - p.base[a]);
      }
      for (const ElementFormula::Radix& r : p.radices[a]) {
        const Node digit = n_.simple(n_.make(Op::CDIV, rest, r.stride));
        if (here) *here = n_.both(*here, n_.below(digit, r.extent));
        position = n_.g.make(Op::ADD, {position, n_.make(Op::MUL, digit, r.position)});
        rest = n_.simple(n_.make(Op::CMOD, rest, r.stride));
      }
      if (here) *here = n_.both(*here, n_.below(rest, 1));
    }
    return n_.simple(position);
  }

  TraceNodes& n_;
  const ElementFormula& f_;
};

Node placed(TraceNodes& nodes, const ElementFormula& f, Expr array, std::vector<Node> coordinates, Node valid,
            bool known, bool writes) {
  const std::string who =
      nodes.t.name() + ": its tensor `" + nodes.t.check(array)->arg.storage->name + "` of " + quoted(f.mapping);
  if (!f.is_digits)
    throw UnsupportedError(who +
                           " is asked for elements by coordinates, and its splits do not divide one another; "
                           "read it by position, or relayout it to a mapping of axes and their splits.");
  if (writes && !f.is_injective)
    throw MappingError(who +
                           " is written by coordinates, and may hold an element at several positions; write it by "
                           "position, or take it as Tensor<const D, E> to read it.",
                       name(MappingErrorKind::not_injective));
  const std::vector<Node> spelled = coordinates;
  const Node at = Placer(nodes, f).run(std::move(coordinates), valid, known);
  nodes.t.coordinates.try_emplace(nodes.g.make(Op::INDEX, {nodes.t.check(array), at}), spelled);
  return at;
}

}  // namespace

TracedWindow window_at(const TracedWindow& outer, const Mapping& run, std::uint64_t length, std::uint64_t stride,
                       std::uint64_t size, Expr start) {
  TraceNodes nodes(trace::current("A tile of a tensor"));
  const Node from = nodes.index(start, size);
  const Node live = nodes.t.check(trace_cell(run, nodes.t.expr(from)).live);
  Node valid = nodes.both(live, nodes.within(from, run.size() - length + 1));
  Node offset = nodes.make(Op::MUL, nodes.clamped(from, run.size() - length + 1), stride);
  if (outer.offset.node) {
    valid = nodes.both(nodes.t.check(outer.valid), valid);
    offset = nodes.clamped(nodes.g.make(Op::ADD, {nodes.t.check(outer.offset), offset}), size);
  }
  return {nodes.t.expr(nodes.simple(offset)), nodes.t.expr(valid)};
}

Expr place_in(const TracedWindow& window, Expr array, Expr place, std::uint64_t size) {
  if (!window.offset.node) return place;
  TraceNodes nodes(trace::current("An element of a tile"));
  Node at = nodes.t.check(place), valid = nodes.t.check(window.valid);
  if (at->is(Op::WHERE) && (*at)[2] == nodes.number(size)) valid = nodes.both(valid, (*at)[0]), at = (*at)[1];
  valid = nodes.both(valid, nodes.within(at, size));
  at = nodes.simple(nodes.g.make(Op::ADD, {at, nodes.t.check(window.offset)}));
  valid = nodes.both(valid, nodes.within(at, size));
  const Node moved = nodes.chosen(valid, at, nodes.number(size));  // not clamped: proofs look at sums
  // In texts it is what the author wrote, in the tile's coordinates.
  const Node tensor = nodes.t.check(array);
  if (const auto c = nodes.t.coordinates.find(nodes.g.make(Op::INDEX, {tensor, nodes.t.check(place)}));
      c != nodes.t.coordinates.end())
    nodes.t.coordinates.try_emplace(nodes.g.make(Op::INDEX, {tensor, moved}), c->second);
  return nodes.t.expr(moved);
}

Expr place_of(const ElementFormula& f, Expr array, std::span<const Expr> coordinates, bool writes) {
  TraceNodes nodes(trace::current("An element of a tensor"));
  std::vector<Node> list;
  for (const Expr& e : coordinates) list.push_back(nodes.index(e, f.mapping.size()));
  return nodes.t.expr(placed(nodes, f, array, std::move(list), nodes.truth(true), false, writes));
}

Expr place_of(const ElementFormula& f, Expr array, const TracedCell& cell, bool writes) {
  TraceNodes nodes(trace::current("An element of a tensor"));
  std::vector<Node> list;
  for (const Axis& axis : f.axes) list.push_back(nodes.t.check(coordinate_of(cell, axis)));
  for (const TracedCell::Coordinate& c : cell.coordinates)
    if (f.axes.find(c.axis.name) == f.axes.size() && c.axis.size > 1)
      throw TypeError(nodes.t.name() + ": its tensor `" + nodes.t.check(array)->arg.storage->name + "` of " +
                      quoted(f.mapping) + " has no axis " + to_string(c.axis.name) +
                      ", which the index it is asked at has.");
  return nodes.t.expr(placed(nodes, f, array, std::move(list), nodes.t.check(cell.live), true, writes));
}

}  // namespace weft::detail
