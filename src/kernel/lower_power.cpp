#include "kernel/lower_power.hpp"

#include <unordered_map>
#include <vector>

#include "ir/bounds.hpp"
#include "ir/schedule.hpp"
#include "kernel/lower_form.hpp"

namespace weft::trace {

using ir::Graph;
using ir::Node;
using ir::Op;

namespace {

bool needs_loop(Node n) {
  if (!n->is(Op::POW) || !n->dtype.is_integer()) return false;
  const auto e = ir::int_value((*n)[1]);
  return !e || *e > 63;  // up to five squarings are written out
}

class PowerLoops {
 public:
  PowerLoops(Graph& from, Node root, Graph& to)
      : from_(from), root_(root), to_(to), forms_(to), schedule_(ir::schedule(root)) {}

  Node run() {
    // Numbers of the copy must not meet the new ones.
    for (Node n : ir::topological(root_))
      if (n->arg.tag == ir::Arg::Tag::number && !n->is(Op::EXTRACT))
        last_ = std::max(last_, n->is(Op::ATOMIC) ? n->arg.number / 256 : n->arg.number);
    return ir::copy(to_, root_, [this](Graph&, Node old, std::span<const Node> src) -> Node {
      if (needs_loop(old)) return power(old, src);
      return old->is(Op::BLOCK) ? block(old, src) : nullptr;
    });
  }

 private:
  using Statements = std::vector<Node>;

  Node emit(Statements& s, Op op, std::initializer_list<Node> src) {
    s.push_back(to_.make(op, src, Graph::number(++last_)));
    return s.back();
  }
  Node local(DType t) { return to_.local(t, ++last_); }
  Node is_zero(Node n) { return to_.make(Op::CMPEQ, {n, forms_.literal(n->dtype, ir::Integer(0))}); }

  Node power(Node old, std::span<const Node> src) {
    const DType t = old->dtype;
    const ir::Bounds& bounds = ir::bounds(from_, (*old)[1]);
    const Node base = forms_.convert(src[0], t.scalar), exponent = src[1];
    const DType left_type(weft::bit_size(exponent->dtype.scalar) == 64 ? Scalar::uint64 : Scalar::uint32, t.lanes);
    const Node one = forms_.literal(t, ir::Integer(1));
    const Node result = local(t), square = local(t), left = local(left_type);

    Statements turn;
    const Node e = emit(turn, Op::LOAD, {left});
    if (t.lanes == 1) emit(turn, Op::BREAK_IF, {is_zero(e)});
    const Node r = emit(turn, Op::LOAD, {result}), s = emit(turn, Op::LOAD, {square});
    const Node bit = to_.make(Op::AND, {e, forms_.literal(left_type, ir::Integer(1))});
    emit(turn, Op::STORE, {result, to_.make(Op::WHERE, {is_zero(bit), r, to_.make(Op::MUL, {r, s})})});
    emit(turn, Op::STORE, {square, to_.make(Op::MUL, {s, s})});
    const Node by_one = forms_.literal({Scalar::uint32, t.lanes}, ir::Integer(1));
    emit(turn, Op::STORE, {left, to_.make(Op::SHR, {e, by_one})});

    Statements& before = before_[old];
    emit(before, Op::STORE, {result, one});
    emit(before, Op::STORE, {square, base});
    emit(before, Op::STORE, {left, forms_.convert(exponent, left_type.scalar)});
    const Node turns = forms_.literal(Scalar::int32, ir::Integer(weft::bit_size(left_type.scalar)));
    const Node block = to_.make(Op::BLOCK, turn, Graph::number(++last_));
    emit(before, Op::LOOP, {to_.range(turns, ++last_), block});
    const Node value = emit(before, Op::LOAD, {result});
    if (bounds.lo.sign() >= 0) return value;
    const Node negative = to_.make(Op::CMPLT, {exponent, forms_.literal(exponent->dtype, ir::Integer(0))});
    return to_.make(Op::WHERE, {negative, forms_.reciprocal_power(base, exponent), value});
  }

  /// The block's statements, each loop before the first that needs it.
  Node block(Node old, std::span<const Node> src) {
    const auto placed = schedule_.blocks.find(old);
    if (placed == schedule_.blocks.end()) return nullptr;
    std::unordered_map<Node, Node> made;
    for (std::size_t k = 0; k < src.size(); ++k) made[(*old)[k]] = src[k];
    Statements all;
    bool added = false;
    for (Node n : placed->second) {
      if (const auto loop = before_.find(n); loop != before_.end()) {
        all.insert(all.end(), loop->second.begin(), loop->second.end());
        added = true;
      } else if (const auto at = made.find(n); at != made.end()) {
        all.push_back(at->second);
      }
    }
    return added ? to_.make(Op::BLOCK, all, old->arg) : nullptr;
  }

  Graph& from_;
  Node root_;
  Graph& to_;
  LegalForms forms_;
  ir::Schedule schedule_;
  std::int64_t last_ = 0;
  std::unordered_map<Node, Statements> before_;  // by the POW
};

}  // namespace

Node loop_powers(Graph& from, Node root, Graph& to) {
  bool any = false;
  for (Node n : ir::topological(root)) any |= needs_loop(n);
  return any ? PowerLoops(from, root, to).run() : root;
}

}  // namespace weft::trace
