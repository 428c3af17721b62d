// The cell at a traced position: what MappingDecoder computes from a number, as a graph. Each padding and end on the way is a
// condition; the first that holds decides the cell.
#include <algorithm>

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
    for (std::size_t a = 0; a < axes_.size(); ++a) coordinates_.push_back(n_.number(0)), greatest_.push_back(0);
  }

  TracedCell run(Node position) {
    position = n_.simple(position);
    walk(position);
    TracedCell cell;
    for (std::size_t a = 0; a < axes_.size(); ++a) {
      const Node c = n_.simple(coordinates_[a]);
      cell.coordinates.push_back({axes_[a], n_.t.expr(c)});
      may_overshoot_ |= greatest_[a] && greatest_[a] >= axes_[a].size;
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
  struct Offset {  // into a composite of this level
    std::size_t composite;
    Node value;
    std::uint64_t greatest;  // where it is live
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
    std::vector<Offset> offsets;
    std::vector<Todo> todo{{root, position, d_.size_of(root)}};
    while (!todo.empty()) {
      Todo t = todo.back();
      todo.pop_back();
      const MappingNode& node = m_.node(t.node);
      const std::uint64_t size = d_.size_of(t.node);
      if (size < t.end) {
        t.end = size;
        const Node passed = n_.below(t.position, size);
        events.push_back({0, passed, out_of_bounds});
        t.position = inward(passed, t.position);
      }
      switch (node.op) {
        case MappingOp::axis: add(t.node, t.position, t.end ? t.end - 1 : 0); break;
        case MappingOp::pair: {
          const std::uint64_t minor = d_.size_of(node.right);
          if (!minor || !d_.size_of(node.left)) break;
          todo.push_back({node.right, n_.simple(n_.make(Op::CMOD, t.position, minor)), std::min(minor, t.end)});
          todo.push_back({node.left, n_.simple(n_.make(Op::CDIV, t.position, minor)), (t.end - 1) / minor + 1});
          break;
        }
        case MappingOp::resize: todo.push_back({node.left, t.position, t.end}); break;
        case MappingOp::pad: {
          const std::uint64_t inner = d_.size_of(node.left);
          if (inner < t.end) {
            const Node passed = n_.below(t.position, inner);
            events.push_back({0, passed, static_cast<int>(node.kind)});
            t.position = inward(passed, t.position);
          }
          todo.push_back({node.left, t.position, std::min(t.end, inner)});
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
          std::find_if(offsets.begin(), offsets.end(), [&](const Offset& o) { return o.composite == e.composite; });
      const Node offset = n_.simple(at->value);
      const std::uint64_t size = d_.size_of(e.composite);
      may_overshoot_ |= at->greatest && at->greatest >= size;
      if (size) level(e.composite, n_.clamped(offset, size));
    }
  }

  void split(const Todo& t, std::vector<Event>& events, std::vector<Offset>& offsets) {
    const MappingDecoder::Split s = d_.split_of(t.node);
    if (d_.size_of(s.base) == 0) {
      events.push_back({0, n_.truth(false), out_of_bounds});
      return;
    }
    const Node at = n_.make(Op::MUL, t.position, s.stride);
    const std::uint64_t most = t.end ? (t.end - 1) * s.stride : 0;  // below the size of what is split
    if (!s.group) {
      if (m_.node(s.base).op == MappingOp::axis) add(s.base, at, most);
      return;
    }
    for (Offset& o : offsets)
      if (o.composite == s.group) {
        o.value = n_.g.make(Op::ADD, {o.value, at});
        o.greatest = sum(o.greatest, most);
        return;
      }
    offsets.push_back({s.group, at, most});
    events.push_back({s.group, nullptr, 0});
  }

  void add(std::size_t axis, Node value, std::uint64_t most) {
    const std::size_t a = axes_.find(m_.node(axis).name);
    coordinates_[a] = n_.g.make(Op::ADD, {coordinates_[a], value});
    greatest_[a] = sum(greatest_[a], most);
  }
  static std::uint64_t sum(std::uint64_t a, std::uint64_t b) { return a > ~b ? ~std::uint64_t{0} : a + b; }

  /// Whether the first end that is not passed is of this kind; of `live`, that all are passed.
  Node first_end(int kind) {
    Node r = n_.truth(kind == live);
    for (std::size_t i = ends_.size(); i-- > 0;)
      r = ends_[i].kind == kind ? n_.either(n_.no(ends_[i].passed), r) : n_.both(ends_[i].passed, r);
    return r;
  }

  // Each digit at its greatest may never come together.
  void check_overshoot() {
    if (keyed_.size() > max_compared_cells)
      throw MappingError("the index of " + quoted(m_) +
                             " in a kernel: its coordinates may pass their axes, and it takes "
                             "more than " +
                             std::to_string(max_compared_cells) + " comparisons to know.",
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
  std::vector<std::uint64_t> greatest_;  // of each coordinate, where it is live
  std::vector<End> ends_;
  bool may_overshoot_ = false, masks_ = false;
};

}  // namespace

TracedCell trace_cell(const Mapping& m, Expr position) {
  TraceNodes nodes(trace::current("The index of a mapping"));
  return CellTrace(nodes, m).run(nodes.index(position, m.size()));
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
  const Node at = nodes.index(position, m.size());
  if (may_touch_all(m)) return nodes.t.expr(at);
  const TracedCell cell = trace_cell(m, nodes.t.expr(at));
  const auto node = [&](Expr e) { return nodes.t.check(e); };
  const Node touchable = nodes.either(node(cell.live), nodes.either(node(cell.top), node(cell.zero)));
  return nodes.t.expr(nodes.chosen(touchable, at, nodes.number(m.size())));
}

}  // namespace weft::detail
