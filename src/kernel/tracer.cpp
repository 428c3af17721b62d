#include "kernel/tracer.hpp"

#include <atomic>

#include "kernel/text.hpp"

namespace weft::trace {

using ir::Graph;
using ir::Node;
using ir::Op;

namespace {
thread_local Tracer* tracing = nullptr;
std::atomic<std::uint32_t> next_trace{1};
}  // namespace

Tracer& current(const char* what) {
  if (!tracing)
    throw StateError(std::string(what) + " is for a kernel's lambda, and no kernel is being traced on this thread.");
  return *tracing;
}

TracerScope::TracerScope(Tracer& t) : before_(tracing) { tracing = &t; }
TracerScope::~TracerScope() { tracing = before_; }

std::string on_line(std::uint32_t line) { return line ? " (line " + std::to_string(line) + ")" : ""; }

Tracer::Tracer() : id(next_trace.fetch_add(1, std::memory_order_relaxed)) {}

Node Tracer::check(detail::Expr e) const {
  if (!e.node || e.trace != id)
    throw StateError(
        name() +
        ": a value that was made outside this kernel's lambda is used in it; pass it as a Scalar or an Array.");
  return e.node;
}

Node Tracer::node(const detail::Operand& o) {
  using Kind = detail::Operand::Kind;
  switch (o.kind) {
    case Kind::traced: return check(o.expr);
    case Kind::boolean: return graph.constant(o.boolean);
    case Kind::integer: return graph.constant(o.integer);
    case Kind::natural: return graph.constant(ir::Integer(o.natural));
    default: return graph.constant(o.real);
  }
}

Node Tracer::emit(Op op, std::initializer_list<Node> src, std::uint32_t line) {
  const std::int64_t number = graph.next_number();
  const Node n = graph.make(op, src, Graph::number(number));
  if (line) lines[number] = line;
  if (in_loop()) open().push_back(n);
  else steps.push_back(n);
  return n;
}

Node Tracer::block(detail::Body body, Node counter) {
  struct Rollback {
    Tracer& t;
    std::size_t depth;
    ~Rollback() { t.blocks_.resize(depth); }
  } rollback{*this, blocks_.size()};
  blocks_.emplace_back();
  body.call(body.self, expr(counter));
  return graph.make(Op::BLOCK, open(), Graph::number(graph.next_number()));
}

Node Tracer::alu_param(ir::Source source, std::uint32_t index, DType dtype, std::string name, const ir::Integer& vmin,
                       const ir::Integer& vmax) {
  if (next_slot_ == 0) next_slot_ = static_cast<std::uint32_t>(facts.params.size());
  ir::Storage s;
  s.slot = next_slot_++;
  s.dtype = dtype;
  s.space = ir::Space::alu;
  s.source = source;
  s.index = index;
  if (dtype.is_weak()) s.vmin = vmin, s.vmax = vmax;
  s.name = std::move(name);
  return graph.storage(Op::PARAM, std::move(s));
}

Node Tracer::length(std::uint32_t param) {
  if (const auto stated = facts.params[param].length) return graph.constant(ir::Integer(*stated));
  lengths_.resize(facts.params.size());
  if (!lengths_[param])
    lengths_[param] = alu_param(ir::Source::length, param, ScalarType::weakint, facts.params[param].name + ".length()",
                                0, greatest_extent);
  return lengths_[param];
}

namespace {

ir::Integer least(Scalar s) {
  return is_unsigned(s) ? ir::Integer(0) : -ir::Integer::power_of_two(static_cast<unsigned>(bit_size(s)) - 1);
}
ir::Integer greatest(Scalar s) {
  return ir::Integer::power_of_two(static_cast<unsigned>(bit_size(s)) - (is_unsigned(s) ? 0 : 1)) - 1;
}

}  // namespace

void check_literal(Tracer& t, const detail::Operand& o, Scalar s, Node beside) {
  if (!is_integer(s) || is_weak(s)) return;
  ir::Integer v;
  if (o.kind == detail::Operand::Kind::integer) v = o.integer;
  else if (o.kind == detail::Operand::Kind::natural) v = o.natural;
  else return;
  if (v >= least(s) && v <= greatest(s)) return;
  throw RangeError(t.name() + ": the literal " + v.to_string() + " meets " +
                   (beside ? "`" + print(t, beside) + "` of type " : "the type ") + std::string(weft::name(s)) +
                   ", which cannot represent it; write it at the type you mean, as cast<int64_t>(...) of a value.");
}

Node committed(Tracer& t, const detail::Operand& o, Scalar s, Node beside) {
  check_literal(t, o, s, beside);
  const Node n = t.node(o);
  if (n->dtype.scalar == s) return n;
  if (n->is(Op::CONST) && !is_weak(s))
    return is_integer(s) && n->arg.tag == ir::Arg::Tag::integer ? t.graph.cast(n, s) : t.graph.ccast(n, s);
  const Node c = t.graph.cast(n, DType(s, n->dtype.lanes));
  t.implicit.insert(c);
  return c;
}

Node broadcast(Graph& g, Node scalar, unsigned lanes) {
  if (lanes == scalar->dtype.lanes) return scalar;
  const std::vector<Node> same(lanes, scalar);
  return g.make(Op::VECTOR, same);
}

Node lane(Graph& g, Node n, unsigned k) {
  if (n->dtype.lanes == 1) return n;
  if (n->is(Op::VECTOR)) return (*n)[k];
  if (ir::is_arithmetic(n->op) || n->is(Op::CAST)) {  // depth of what one statement of the author holds
    std::vector<Node> src;
    for (Node s : n->src()) src.push_back(lane(g, s, k));
    return g.make(n->op, src, n->arg, n->dtype.scalar);
  }
  return g.make(Op::EXTRACT, {n}, Graph::number(k));
}

}  // namespace weft::trace
