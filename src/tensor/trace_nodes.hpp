// Conditions and coordinates of tensors as nodes of the kernel being traced. What the bounds decide makes no node.
#pragma once

#include <cstdint>

#include "ir/bounds.hpp"
#include "ir/simplify_index.hpp"
#include "kernel/tracer.hpp"

namespace weft::detail {

class TraceNodes {
 public:
  explicit TraceNodes(trace::Tracer& t) : t(t), g(t.graph) {}

  trace::Tracer& t;
  ir::Graph& g;

  ir::Node number(std::uint64_t v) { return g.constant(ir::Integer(v)); }
  ir::Node make(ir::Op op, ir::Node a, std::uint64_t b) { return g.make(op, {a, number(b)}); }
  ir::Node simple(ir::Node n) { return ir::simplify_index(g, n); }
  /// A value of the author's as a weak integer, to be compared with numbers up to `size`: of uint32, what is past int32 may
  /// be any number that is, so that no tier needs 64 bits for it.
  ir::Node index(Expr e, std::uint64_t size) {
    constexpr std::int64_t greatest = 0x7FFFFFFF;
    ir::Node n = t.check(e);
    if (n->dtype == ScalarType::uint32 && size <= static_cast<std::uint64_t>(greatest))
      n = g.cast(g.make(ir::Op::MIN, {n, g.cast(g.constant(greatest), ScalarType::uint32)}), ScalarType::int32);
    return simple(g.cast(n, ScalarType::weakint));
  }

  ir::Node truth(bool b) { return g.constant(b); }
  static bool is(ir::Node condition, bool value) {
    return condition->is(ir::Op::CONST) && condition->arg.boolean == value;
  }
  ir::Node both(ir::Node a, ir::Node b) {
    if (a == b) return a;
    return is(a, true) || is(b, false) ? b : is(b, true) || is(a, false) ? a : g.make(ir::Op::AND, {a, b});
  }
  ir::Node either(ir::Node a, ir::Node b) {
    return is(a, false) || is(b, true) ? b : is(b, false) || is(a, true) ? a : g.make(ir::Op::OR, {a, b});
  }
  ir::Node no(ir::Node a) {
    return a->is(ir::Op::CONST) ? truth(!a->arg.boolean) : g.make(ir::Op::XOR, {a, truth(true)});
  }
  ir::Node below(ir::Node n, std::uint64_t end) {
    const ir::Bounds& b = ir::bounds(g, n);
    if (b.hi < ir::Integer(end)) return truth(true);
    if (b.lo >= ir::Integer(end)) return truth(false);
    return make(ir::Op::CMPLT, n, end);
  }
  ir::Node not_negative(ir::Node n) {
    const ir::Bounds& b = ir::bounds(g, n);
    if (b.lo.sign() >= 0) return truth(true);
    if (b.hi.sign() < 0) return truth(false);
    return g.make(ir::Op::CMPLT, {g.constant(-1), n});
  }
  ir::Node within(ir::Node n, std::uint64_t end) { return both(not_negative(n), below(n, end)); }
  /// n where it is within 0 .. end - 1, else the nearer end of that.
  ir::Node clamped(ir::Node n, std::uint64_t end) {
    if (ir::bounds(g, n).lo.sign() < 0) n = g.make(ir::Op::MAX, {n, g.constant(0)});
    if (end && !is(below(n, end), true)) n = make(ir::Op::MIN, n, end - 1);
    return n;
  }
  ir::Node chosen(ir::Node condition, ir::Node yes, ir::Node no) {
    if (condition->is(ir::Op::CONST)) return condition->arg.boolean ? yes : no;
    return g.make(ir::Op::WHERE, {condition, yes, no});
  }
};

}  // namespace weft::detail
