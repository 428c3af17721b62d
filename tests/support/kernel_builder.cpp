#include "support/kernel_builder.hpp"

namespace weft::test {

using ir::Node;
using ir::Op;
using ir::Source;

KernelBuilder::KernelBuilder(std::string name) { core_->facts.name = std::move(name); }

std::uint16_t KernelBuilder::array(std::string name, DType element, bool writable) {
  core_->facts.params.push_back({std::move(name), trace::ParamKind::array, element, writable});
  return static_cast<std::uint16_t>(core_->facts.params.size() - 1);
}

std::uint16_t KernelBuilder::scalar(std::string name, DType type) {
  core_->facts.params.push_back({std::move(name), trace::ParamKind::scalar, type, false});
  return static_cast<std::uint16_t>(core_->facts.params.size() - 1);
}

Node KernelBuilder::scalar_param(Source source, std::uint32_t index, DType type, std::string name) {
  ir::Storage s;
  s.slot = index;
  s.dtype = type;
  s.space = ir::Space::alu;
  s.source = source;
  s.index = index;
  s.name = std::move(name);
  if (source == Source::length || source == Source::trip) s.vmin = 0;
  return graph().storage(Op::PARAM, std::move(s));
}

Node KernelBuilder::length(std::uint16_t a) {
  return scalar_param(Source::length, a, Scalar::weakint, core_->facts.params[a].name + ".length");
}
Node KernelBuilder::value(std::uint16_t s) {
  return scalar_param(Source::scalar, s, core_->facts.params[s].dtype, core_->facts.params[s].name);
}

void KernelBuilder::loop(Node stop, const std::function<void(Node)>& body) { loop(lit(0), stop, lit(1), body); }

void KernelBuilder::loop(Node start, Node stop, Node step, const std::function<void(Node)>& body) {
  core_->steps.push_back(core_->loops.size());
  core_->loops.emplace_back();
  core_->facts.loops.emplace_back();
  trace::LoopIR l;
  l.start = start, l.stop = stop, l.step = step;
  l.range = graph().range(scalar_param(Source::trip, 0, Scalar::weakint, "trip"), graph().next_number());
  l.counter = l.range;
  if (ir::int_value(step) != 1)
    l.counter = make(Op::MUL,
                     {l.counter, ir::is_literal(step) ? step : scalar_param(Source::step, 0, Scalar::weakint, "step")});
  if (ir::int_value(start) != 0)
    l.counter = make(
        Op::ADD, {ir::is_literal(start) ? start : scalar_param(Source::start, 0, Scalar::weakint, "start"), l.counter});
  counter_ = l.counter;
  conditional_ = 0;
  core_->loops.back() = l;
  const Node filled = block([&] { body(counter_); });
  core_->loops.back().body = filled;
}

Node KernelBuilder::block(const std::function<void()>& fill) {
  blocks_.emplace_back();
  fill();
  const std::vector<Node> effects = std::move(blocks_.back());
  blocks_.pop_back();
  return graph().make(Op::BLOCK, effects, ir::Graph::number(graph().next_number()));
}

Node KernelBuilder::statement(Op op, std::initializer_list<Node> src) {
  const Node n = graph().make(op, src, ir::Graph::number(graph().next_number()));
  add(n);
  return n;
}

// i, i + c, i - c, c + i, a * i, a * i + c with constants.
trace::Affine KernelBuilder::affine(Node index) const {
  trace::Affine at{.form = trace::Affine::Form::constant, .a = 0, .c = 0, .coefficient = nullptr};
  if ((index->is(Op::ADD) || index->is(Op::SUB)) && index != counter_) {
    const bool left = ir::int_value((*index)[1]).has_value();
    if (!left && (index->is(Op::SUB) || !ir::int_value((*index)[0]))) return {};
    at.c = *ir::int_value((*index)[left ? 1 : 0]) * (index->is(Op::SUB) ? -1 : 1);
    index = (*index)[left ? 0 : 1];
  }
  at.a = 1;
  if (index == counter_) return at;
  if (const auto c = ir::int_value(index); c && at.c == 0) {
    at.a = 0, at.c = *c;
    return at;
  }
  if (index->is(Op::MUL) && (*index)[0] == counter_ && ir::int_value((*index)[1])) {
    at.a = *ir::int_value((*index)[1]);
    return at;
  }
  return {};
}

void KernelBuilder::note(std::uint16_t a, Node index, bool write, std::int64_t number) {
  trace::Access access;
  access.param = a;
  access.write = write;
  access.conditional = conditional_ > 0;
  access.at = affine(index);
  access.text = core_->facts.params[a].name + "[...]";
  access.number = number;
  facts().accesses.push_back(access);
}

namespace {
ir::Storage array_storage(const trace::Facts& facts, std::uint16_t a) {
  ir::Storage s;
  s.slot = a;
  s.dtype = facts.params[a].dtype;
  s.source = Source::array;
  s.index = a;
  s.name = facts.params[a].name;
  return s;
}
}  // namespace

Node KernelBuilder::load(std::uint16_t a, Node index) {
  const Node n =
      statement(Op::LOAD, {make(Op::INDEX, {graph().storage(Op::PARAM, array_storage(core_->facts, a)), index})});
  note(a, index, false, n->arg.number);
  return n;
}

void KernelBuilder::store(std::uint16_t a, Node index, Node v) {
  const Node n =
      statement(Op::STORE, {make(Op::INDEX, {graph().storage(Op::PARAM, array_storage(core_->facts, a)), index}), v});
  note(a, index, true, n->arg.number);
}

void KernelBuilder::if_(Node condition, const std::function<void()>& then, const std::function<void()>& otherwise) {
  ++conditional_;
  const Node yes = block(then);
  if (otherwise) {
    const Node no = block(otherwise);
    statement(Op::IF, {condition, yes, no});
  } else {
    statement(Op::IF, {condition, yes});
  }
  --conditional_;
}

void KernelBuilder::for_(Node count, const std::function<void(Node)>& body) {
  const Node j = graph().range(count, graph().next_number());
  ++conditional_;
  const int before = conditional_;
  const Node filled = block([&] { body(j); });
  conditional_ = before - 1;
  statement(Op::LOOP, {j, filled});
}

void KernelBuilder::while_(const std::function<void()>& body) {
  ++conditional_;
  const Node filled = block(body);
  --conditional_;
  statement(Op::WHILE, {filled});
}

void KernelBuilder::break_if(Node c) { statement(Op::BREAK_IF, {c}); }
void KernelBuilder::continue_if(Node c) {
  statement(Op::CONTINUE_IF, {c});
  ++conditional_;
}

Node KernelBuilder::variable(Node initial, DType type) {
  const Node v = graph().local(type, graph().next_number());
  assign(v, initial);
  return v;
}
Node KernelBuilder::read(Node v) { return statement(Op::LOAD, {v}); }
void KernelBuilder::assign(Node v, Node value) { statement(Op::STORE, {v, value}); }

Node KernelBuilder::reduction(DType type, Node initial) {
  const Node v = graph().local(type, graph().next_number());
  core_->steps.push_back(trace::HostStore{v, graph().ccast(initial, type.scalar)});
  return v;
}

void KernelBuilder::fold(Op op, Node target, Node value) {
  trace::LoopIR& l = core_->loops.back();
  trace::FoldIR* fold = nullptr;
  for (trace::FoldIR& f : l.folds)
    if (f.target == target) fold = &f;
  if (!fold) {
    l.folds.push_back({op, graph().local(target->dtype, graph().next_number()), target});
    facts().folds.push_back({op, target->dtype});
    fold = &l.folds.back();
  }
  const Node local = fold->local;
  assign(local, make(op, {read(local), value}));
}

void KernelBuilder::result(Node reduction) {
  core_->results.push_back(graph().make(Op::LOAD, {reduction}, ir::Graph::number(graph().next_number())));
}

std::shared_ptr<trace::KernelCore> KernelBuilder::finish() { return core_; }

}  // namespace weft::test
