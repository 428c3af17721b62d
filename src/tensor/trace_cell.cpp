// The cell at a traced position: what MappingDecoder computes from a number, as a graph. Each padding and end on the way is a
// condition; the first that holds decides the cell.
#include <weft/detail/mapping_decode.hpp>
#include <weft/detail/mapping_tile.hpp>
#include <weft/detail/tensor_axes.hpp>
#include <weft/detail/tensor_trace.hpp>
#include <weft/error.hpp>
#include <weft/mapping.hpp>

#include "tensor/element_text.hpp"
#include "tensor/trace_nodes.hpp"

namespace weft::detail {
namespace {

using ir::Node;
using ir::Op;

class CellTrace {
 public:
  CellTrace(TraceNodes& nodes, const Mapping& m)
      : n_(nodes), keyed_(m), m_(keyed_.is_keyed() ? keyed_.tree() : m), d_(keyed_.decoder()), axes_(axes_of(m)) {
    for (std::size_t a = 0; a < axes_.size(); ++a) coordinates_.push_back(n_.number(0));
  }

  TracedCell run(Node position) {
    position = n_.simple(position);
    walk(position);
    TracedCell cell;
    for (std::size_t a = 0; a < axes_.size(); ++a) {
      const Node c = n_.simple(coordinates_[a]);
      cell.coordinates.push_back({axes_[a], n_.t.expr(c)});
      if (!TraceNodes::is(n_.below(c, axes_[a].size), true)) may_overshoot_ = true;
    }
    if (may_overshoot_) check_overshoot();
    cell.live = n_.t.expr(first_end(live));
    const bool one_kind =
        std::all_of(ends_.begin(), ends_.end(), [&](const End& e) { return e.kind == ends_[0].kind; });
    if (!one_kind) {
      ends_.clear();
      masks_ = true;
      walk(position);
    }
    cell.top = n_.t.expr(first_end(static_cast<int>(PaddingKind::Top)));
    cell.zero = n_.t.expr(first_end(static_cast<int>(PaddingKind::Zero)));
    cell.bottom = n_.t.expr(first_end(static_cast<int>(PaddingKind::Bottom)));
    return cell;
  }

 private:
  static constexpr int live = -1, out_of_bounds = -2;  // or a PaddingKind
  struct End {
    Node passed;
    int kind;
  };
  struct Todo {
    std::size_t node;
    Node position;      // 0 <= position
    std::uint64_t end;  // position < end
  };
  struct Event {
    std::size_t composite;  // 0: `passed` and `kind`
    Node passed;
    int kind;
  };

  void walk(Node position) {
    ends(n_.within(position, d_.size()), out_of_bounds);
    if (d_.size()) level(m_.count, n_.clamped(position, d_.size()));
  }
  /// What ends at a digit adds nothing to a split. That decides no more than which of several ends comes first, so it is
  /// computed for nothing else.
  Node inward(Node passed, Node position) { return masks_ ? n_.chosen(passed, position, n_.number(0)) : position; }

  void ends(Node passed, int kind) {
    if (!TraceNodes::is(passed, true)) ends_.push_back({passed, kind});
  }

  void level(std::size_t root, Node position) {
    std::vector<Event> events;
    std::vector<std::pair<std::size_t, Node>> offsets;  // of the composites of this level
    std::vector<Todo> todo{{root, position, d_.size_of(root)}};
    while (!todo.empty()) {
      Todo t = todo.back();
      todo.pop_back();
      const MappingNode& node = m_.node(t.node);
      const std::uint64_t size = d_.size_of(t.node);
      if (size < t.end) {
        const Node passed = n_.below(t.position, size);
        events.push_back({0, passed, out_of_bounds});
        t.position = inward(passed, t.position);
      }
      switch (node.op) {
        case MappingOp::axis: add(t.node, t.position); break;
        case MappingOp::pair: {
          const std::uint64_t minor = d_.size_of(node.right);
          if (!minor || !d_.size_of(node.left)) break;
          todo.push_back({node.right, n_.simple(n_.make(Op::CMOD, t.position, minor)), minor});
          todo.push_back({node.left, n_.simple(n_.make(Op::CDIV, t.position, minor)), (t.end - 1) / minor + 1});
          break;
        }
        case MappingOp::resize: todo.push_back({node.left, t.position, std::min(t.end, size)}); break;
        case MappingOp::pad: {
          const std::uint64_t inner = d_.size_of(node.left);
          const std::uint64_t end = std::min(t.end, size);
          if (inner < end) {
            const Node passed = n_.below(t.position, inner);
            events.push_back({0, passed, static_cast<int>(node.kind)});
            t.position = inward(passed, t.position);
          }
          todo.push_back({node.left, t.position, std::min(end, inner)});
          break;
        }
        case MappingOp::stride:
        case MappingOp::modulo: split(t, events, offsets); break;
        default: break;  // a broadcast has no term
      }
    }
    for (const Event& e : events) {
      if (!e.composite) {
        ends(e.passed, e.kind);
        continue;
      }
      const auto at =
          std::find_if(offsets.begin(), offsets.end(), [&](const auto& o) { return o.first == e.composite; });
      const Node offset = n_.simple(at->second);
      const std::uint64_t size = d_.size_of(e.composite);
      if (!TraceNodes::is(n_.below(offset, size), true)) may_overshoot_ = true;
      if (size) level(e.composite, n_.clamped(offset, size));
    }
  }

  void split(const Todo& t, std::vector<Event>& events, std::vector<std::pair<std::size_t, Node>>& offsets) {
    const MappingDecoder::Split s = d_.split_of(t.node);
    if (d_.size_of(s.base) == 0) {
      events.push_back({0, n_.truth(false), out_of_bounds});
      return;
    }
    const Node at = n_.make(Op::MUL, t.position, s.stride);
    if (!s.group) {
      if (m_.node(s.base).op == MappingOp::axis) add(s.base, at);
      return;
    }
    for (auto& [composite, offset] : offsets)
      if (composite == s.group) {
        offset = n_.g.make(Op::ADD, {offset, at});
        return;
      }
    offsets.push_back({s.group, at});
    events.push_back({s.group, nullptr, 0});
  }

  void add(std::size_t axis, Node value) {
    Node& c = coordinates_[axes_.find(m_.node(axis).name)];
    c = n_.g.make(Op::ADD, {c, value});
  }

  /// Whether the first end that is not passed is of this kind; of `live`, that all are passed.
  Node first_end(int kind) {
    Node r = n_.truth(kind == live);
    for (std::size_t i = ends_.size(); i-- > 0;)
      r = ends_[i].kind == kind ? n_.either(n_.no(ends_[i].passed), r) : n_.both(ends_[i].passed, r);
    return r;
  }

  // Bounds are not exact: the digits of an end may not come together.
  void check_overshoot() {
    constexpr std::uint64_t most = std::uint64_t{1} << 28;
    if (keyed_.size() > most)
      throw MappingError("the index of " + quoted(m_) + " in a kernel: its coordinates may pass their axes.",
                         name(MappingErrorKind::overshoot));
    m_.for_each([](std::uint64_t, const Cell& cell) {
      if (cell.is_live()) cell.index().finalize();
    });
  }

  TraceNodes& n_;
  KeyedDecoder keyed_;
  const Mapping& m_;
  const MappingDecoder& d_;
  TensorAxes axes_;
  std::vector<Node> coordinates_;
  std::vector<End> ends_;
  bool may_overshoot_ = false, masks_ = false;
};

}  // namespace

TracedCell trace_cell(const Mapping& m, Expr position) {
  TraceNodes nodes(trace::current("The index of a mapping"));
  return CellTrace(nodes, m).run(nodes.index(position));
}

Expr coordinate_of(const TracedCell& cell, const Axis& axis) {
  TraceNodes nodes(trace::current("A coordinate of a tensor"));
  for (const TracedCell::Coordinate& c : cell.coordinates) {
    if (!(c.axis.name == axis.name)) continue;
    if (c.axis.size != axis.size)
      throw TypeError(nodes.t.name() + ": the axis " + to_string(axis.name) + " of this mapping has size " +
                      std::to_string(c.axis.size) + ", and is asked for as one of size " + std::to_string(axis.size) +
                      ".");
    nodes.t.check(c.value);
    return c.value;
  }
  return nodes.t.expr(nodes.number(0));
}

Expr touchable_place(const Mapping& m, Expr position) {
  TraceNodes nodes(trace::current("An element of a tensor"));
  const Node at = nodes.index(position);
  bool untouchable = false;  // what is out of bounds comes from a `=` that enlarges
  for (std::size_t k = 1; k <= m.count; ++k)
    untouchable |= (m.node(k).op == MappingOp::pad && m.node(k).kind == PaddingKind::Bottom) ||
                   (m.node(k).op == MappingOp::resize && m.node(k).number > m.size_of(m.node(k).left)) ||
                   (m.node(k).is_split() && m.size_of(m.node(k).left) == 0);
  if (!untouchable) return nodes.t.expr(at);
  const TracedCell cell = trace_cell(m, nodes.t.expr(at));
  const auto node = [&](Expr e) { return nodes.t.check(e); };
  const Node touchable = nodes.either(node(cell.live), nodes.either(node(cell.top), node(cell.zero)));
  return nodes.t.expr(nodes.chosen(touchable, at, nodes.number(m.size())));
}

}  // namespace weft::detail
