// loop, For, While, If, continue_if, break_if as the lambda makes them.
#include <algorithm>

#include "kernel/affine.hpp"
#include "kernel/text.hpp"
#include "kernel/tracer.hpp"

namespace weft::detail {

using ir::Graph;
using ir::Node;
using ir::Op;
using trace::on_line;
using trace::Tracer;

namespace {

Tracer& in_loop(const char* what, std::uint32_t line) {
  Tracer& t = trace::current(what);
  if (!t.in_loop())
    throw UnsupportedError(t.name() + ": " + what + on_line(line) +
                           " stands outside its loops; straight code only computes: choose values with select.");
  return t;
}

Node weak(Tracer& t, Node n) { return t.graph.cast(n, ScalarType::weakint); }

/// Runs a body whose innermost loop may, or may not, be left by break_if.
Node loop_block(Tracer& t, Body body, Node counter, bool breakable) {
  struct Pop {
    Tracer& t;
    ~Pop() { t.breakable.pop_back(); }
  } pop{t};
  t.breakable.push_back(breakable);
  return t.block(body, counter);
}

// How many turns start, start + step, ... before stop makes; and the counter of a turn, given the range. Widths: where the
// start is a constant, or both ends are committed to one 32-bit type, everything stays within 32 bits (KER-ACC-03).
struct Turns {
  Node count = nullptr;
  Node start = nullptr;                 // null: 0
  ScalarType at = ScalarType::weakint;  // the counter is computed at this type, and is weak again after
};

Node ceil_div(Graph& g, Node n, std::int64_t by) {
  if (by == 1) return n;
  return g.make(Op::CDIV, {g.make(Op::ADD, {n, g.constant(by - 1)}), g.constant(by)});
}

Turns turns(Tracer& t, const Operand& from, const Operand& to, std::optional<std::int64_t> step, Node run_step) {
  Graph& g = t.graph;
  Node start = t.node(from), stop = t.node(to);
  const auto start_at = ir::int_value(start);
  Turns r;
  if (!(start_at && *start_at == 0)) r.start = start;
  if (step && *step == 0) {
    r.count = g.constant(0);
    return r;
  }
  const auto difference = trace::constant_difference(stop, start);
  if (step && difference) {
    const std::int64_t span = *step > 0 ? *difference : -*difference, by = *step > 0 ? *step : -*step;
    r.count = g.constant(span <= 0 ? std::int64_t{0} : (span - 1) / by + 1);
    r.start = r.start ? weak(t, r.start) : nullptr;
    return r;
  }
  const auto up = [&](Node low, Node high) { return g.make(Op::SUB, {g.make(Op::MAX, {high, low}), low}); };
  const bool one_type =
      start->dtype == stop->dtype && (start->dtype == ScalarType::int32 || start->dtype == ScalarType::uint32);
  if (step && one_type) {
    // max(stop, start) - start is exact in 32 unsigned bits, and so is the counter in the type of its ends.
    Node low = *step > 0 ? start : stop, high = *step > 0 ? stop : start;
    const auto bits = [&](Node n) { return g.cast(n, ScalarType::uint32); };
    const Node span = g.make(Op::SUB, {bits(g.make(Op::MAX, {high, low})), bits(low)});
    const std::int64_t by = *step > 0 ? *step : -*step;
    // (span - 1) / by + 1 where span > 0: the sum with by - 1 might wrap.
    r.count = by == 1
                  ? span
                  : g.make(Op::WHERE,
                           {g.make(Op::CMPEQ, {span, g.constant(0)}), span,
                            g.make(Op::ADD, {g.make(Op::CDIV, {g.make(Op::SUB, {span, g.constant(1)}), g.constant(by)}),
                                             g.constant(1)})});
    r.count = weak(t, r.count);
    r.at = start->dtype.scalar;
    return r;
  }
  start = weak(t, start), stop = weak(t, stop);
  r.start = r.start ? start : nullptr;
  if (step) {
    if (*step > 0 && !r.start) r.count = ceil_div(g, g.make(Op::MAX, {stop, g.constant(0)}), *step);
    else r.count = *step > 0 ? ceil_div(g, up(start, stop), *step) : ceil_div(g, up(stop, start), -*step);
    return r;
  }
  // A run-time step: its sign chooses; 0 runs nothing.
  const Node zero = g.constant(0), one = g.constant(1);
  const auto count = [&](Node span, Node by) {
    return g.make(Op::CDIV, {g.make(Op::ADD, {span, g.make(Op::SUB, {by, one})}), by});
  };
  const Node down = g.make(
      Op::WHERE, {g.make(Op::CMPLT, {run_step, zero}), count(up(stop, start), g.make(Op::NEG, {run_step})), zero});
  r.count = g.make(Op::WHERE, {g.make(Op::CMPLT, {zero, run_step}), count(up(start, stop), run_step), down});
  return r;
}

}  // namespace

const ir::UOp* trace_if(const Operand& condition, Body then, std::uint32_t line) {
  Tracer& t = in_loop("If", line);
  const Node c = t.node(condition);
  const Node block = t.block(then);
  return t.emit(Op::IF, {c, block});
}

void trace_else(const ir::UOp* handle, Body otherwise, std::uint32_t line) {
  Tracer& t = in_loop("Else", line);
  const auto is_last = [&] { return !t.open().empty() && t.open().back() == handle; };
  if (!is_last()) throw StateError(t.name() + ": Else" + on_line(line) + " must follow its If at once.");
  const Node block = t.block(otherwise);
  t.open().pop_back();
  t.emit(Op::IF, {(*handle)[0], (*handle)[1], block});
}

void trace_for(const Operand& start, const Operand& stop, const Operand& step, Body body, std::uint32_t line) {
  Tracer& t = in_loop("For", line);
  Graph& g = t.graph;
  const Node by = t.node(step);
  const auto constant = ir::int_value(by);
  const Node run_step = constant ? nullptr : weak(t, by);
  const Turns n = turns(t, start, stop, constant, run_step);
  const Node range = g.range(n.count, g.next_number());
  Node at = range;
  if (run_step) at = g.make(Op::MUL, {range, run_step});
  else if (*constant != 1) at = g.make(Op::MUL, {range, g.constant(*constant)});
  if (n.start && n.at != ScalarType::weakint) at = weak(t, g.make(Op::ADD, {n.start, g.cast(at, n.at)}));
  else if (n.start) at = g.make(Op::ADD, {n.start, at});
  struct Depth {
    std::uint32_t& d;
    explicit Depth(std::uint32_t& depth) : d(++depth) {}
    ~Depth() { --d; }
  } depth(t.for_depth);
  t.counters[at] = trace::counter_name(t.for_depth);
  const Node block = loop_block(t, body, at, true);
  t.emit(Op::LOOP, {range, block});
}

void trace_while(Body body, std::uint32_t line) {
  Tracer& t = in_loop("While", line);
  t.emit(Op::WHILE, {loop_block(t, body, nullptr, true)});
}

void break_if(const Operand& condition, std::uint32_t line) {
  Tracer& t = in_loop("break_if", line);
  if (!t.breakable.back())
    throw UnsupportedError(
        t.name() + ": break_if" + on_line(line) +
        " would leave the kernel's own loop, whose iterations are not bound to an order; only an inner For or While is left.");
  t.emit(Op::BREAK_IF, {t.node(condition)}, line);
}

void continue_if(const Operand& condition, std::uint32_t line) {
  Tracer& t = in_loop("continue_if", line);
  t.emit(Op::CONTINUE_IF, {t.node(condition)}, line);
}

// Known bounds of the counter fold what is computed from it.
static std::int64_t greatest_trip(const trace::RawLoop& l) {
  const auto start = ir::int_value(l.start), stop = ir::int_value(l.stop), step = ir::int_value(l.step);
  if (!start || !stop || !step) return trace::greatest_extent;
  const __int128 span = *step > 0 ? static_cast<__int128>(*stop) - *start : static_cast<__int128>(*start) - *stop;
  const __int128 by = *step > 0 ? *step : -static_cast<__int128>(*step);
  const __int128 trip = span <= 0 ? 0 : (span - 1) / by + 1;
  return static_cast<std::int64_t>(std::clamp<__int128>(trip, 1, trace::greatest_extent));
}

void trace_loop(const Operand& start, const Operand& stop, const Operand& step, Body body, std::uint32_t line) {
  Tracer& t = trace::current("weft::loop");
  Graph& g = t.graph;
  if (t.in_loop())
    throw StateError(t.name() + ": loop" + on_line(line) +
                     " stands inside another loop; inside an iteration write For.");
  trace::RawLoop l;
  l.line = line;
  l.start = weak(t, t.node(start)), l.stop = weak(t, t.node(stop)), l.step = weak(t, t.node(step));
  const auto from = ir::int_value(l.start), by = ir::int_value(l.step);
  if (by && *by == 0)
    throw RangeError(t.name() + ": its loop" + on_line(line) + " has a step of 0; a step goes toward the stop.");
  const ir::Integer limit(trace::greatest_extent);
  l.range =
      g.range(t.alu_param(ir::Source::trip, 0, ScalarType::weakint, "trip", 0, greatest_trip(l)), g.next_number());
  l.counter = l.range;
  const Node stride =
      by ? g.constant(*by) : t.alu_param(ir::Source::step, 0, ScalarType::weakint, "step", -limit, limit);
  if (!by || *by != 1) l.counter = g.make(Op::MUL, {l.range, stride});
  if (!from || *from != 0)
    l.counter = g.make(Op::ADD, {from ? g.constant(*from)
                                      : t.alu_param(ir::Source::start, 0, ScalarType::weakint, "start", -limit, limit),
                                 l.counter});
  t.counters[l.counter] = trace::counter_name(0);
  l.first = static_cast<std::uint32_t>(g.size());
  l.body = loop_block(t, body, l.counter, false);
  t.steps.push_back(l);
}

}  // namespace weft::detail
