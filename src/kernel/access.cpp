// Variables, array accesses and lengths as the lambda makes them. A load is made where the subscript stands; those that
// nobody uses are dropped at the end of tracing.
#include "kernel/text.hpp"
#include "kernel/tracer.hpp"

namespace weft::detail {

using ir::Graph;
using ir::Node;
using ir::Op;
using trace::Tracer;
using trace::Variable;

namespace {

Variable& variable_of(Tracer& t, Expr e) { return t.variables.at(t.check(e)->arg.number); }

void put_scalar(Tracer& t, Node local, Node value) {
  Variable& v = t.variables.at(local->arg.number);
  ++v.stores;
  v.value = value;
  t.emit(Op::STORE, {local, value});
}

// A variable of the kernel is stored lane by lane where it is a vector.
void put(Tracer& t, const Variable& v, Node value) {
  if (v.lanes.empty()) {
    put_scalar(t, v.local, value);
    return;
  }
  std::vector<Node> lanes;
  for (unsigned k = 0; k < v.lanes.size(); ++k) lanes.push_back(trace::lane(t.graph, value, k));
  for (unsigned k = 0; k < v.lanes.size(); ++k) put_scalar(t, v.lanes[k], lanes[k]);
}

// A value for storage of type `to`; a weak one stays weak, and the passes commit it to its destination (WEAK-COM-07).
Node stored(Tracer& t, const Operand& o, DType to, Node beside) {
  trace::check_literal(t, o, to.scalar, beside);
  const Node n = t.node(o);
  if (n->dtype.lanes != to.lanes) return trace::broadcast(t.graph, trace::committed(t, o, to.scalar, beside), to.lanes);
  const bool kept = n->dtype == to || (n->dtype.is_weak() && !(n->dtype.is_float() && !is_float(to.scalar)));
  if (kept) return n;
  const Node c = t.graph.cast(n, to);
  t.implicit.insert(c);
  return c;
}

Node place(Tracer& t, Expr array, Expr index, std::uint32_t line, const char* does) {
  const Node a = t.check(array), i = t.check(index);
  const Node at = t.graph.make(Op::INDEX, {a, i});
  if (!t.in_loop())
    throw UnsupportedError(t.name() + ": it " + does + " `" + print(t, at) + "`" + trace::on_line(line) +
                           " outside its loops; straight code computes from scalars, lengths and folded values only.");
  return at;
}

}  // namespace

Expr declare(DType type, const Operand& initial, std::uint32_t line) {
  Tracer& t = trace::current("weft::Var");
  const Node value = stored(t, initial, type, nullptr);
  Variable v;
  v.line = line;
  v.of_kernel = !t.in_loop();
  v.local = t.graph.local(type, t.graph.next_number());
  if (v.of_kernel && type.lanes > 1)
    for (unsigned k = 0; k < type.lanes; ++k) {
      const Node part = t.graph.local(type.scalar, t.graph.next_number());
      v.lanes.push_back(part);
      Variable& p = t.variables[part->arg.number];
      p.local = part, p.line = line, p.of_kernel = true;
    }
  t.variables[v.local->arg.number] = v;
  put(t, v, value);
  return t.expr(v.local);
}

Expr read(Expr e) {
  Tracer& t = trace::current("weft::Var");
  const Variable& v = variable_of(t, e);
  if (v.lanes.empty()) return t.expr(t.emit(Op::LOAD, {v.local}));
  std::vector<Node> parts;
  for (Node part : v.lanes) parts.push_back(t.emit(Op::LOAD, {part}));
  return t.expr(t.graph.make(Op::VECTOR, parts));
}

void assign(Expr e, const Operand& o) {
  Tracer& t = trace::current("weft::Var");
  const Variable v = variable_of(t, e);
  put(t, v, stored(t, o, v.local->dtype, v.local));
}

void update(Fn fn, Expr e, const Operand& o) {
  const Node local = trace::current("weft::Var").check(e);
  assign(e, combine(fn, read(e), o, local->dtype));
}

Expr load(Expr array, Expr index, std::uint32_t line) {
  Tracer& t = trace::current("An element of an array");
  return t.expr(t.emit(Op::LOAD, {place(t, array, index, line, "reads")}, line));
}

Expr store(Expr array, Expr index, std::uint32_t line, const Operand& o) {
  Tracer& t = trace::current("An element of an array");
  const Node at = place(t, array, index, line, "writes");
  const Node value = stored(t, o, at->dtype, at);
  // What is known to be outside of a tensor is dropped here: it is no write at all.
  const auto length = t.facts.params[(*at)[0]->arg.storage->index].length;
  const auto index_known = ir::int_value((*at)[1]);
  const bool outside =
      length && index_known && (*index_known < 0 || static_cast<std::uint64_t>(*index_known) >= *length);
  if (!outside) t.emit(Op::STORE, {at, value}, line);
  return t.expr(value->dtype == at->dtype ? value : trace::committed(t, t.expr(value), at->dtype.scalar, at));
}

Expr length(Expr array) {
  Tracer& t = trace::current("length()");
  return t.expr(t.length(t.check(array)->arg.storage->index));
}

}  // namespace weft::detail
