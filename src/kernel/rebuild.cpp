#include "kernel/rebuild.hpp"

namespace weft::trace {

using ir::Graph;
using ir::Node;
using ir::Op;
using ir::Source;
using ir::Space;

namespace {

// Variables are folded at a type that arrays can hold.
Scalar fold_type(Scalar s) { return s == Scalar::boolean ? Scalar::uint32 : s; }

class BodyCopy {
 public:
  BodyCopy(Tracer& t, const RawLoop& raw, const BodyView& view, KernelCore& core, HostValues& host)
      : t_(t), raw_(raw), view_(view), core_(core), g_(core.graph), host_(host) {}

  CopiedBody run() {
    LoopIR& l = out_.loop;
    l.start = host_.copy(raw_.start), l.stop = host_.copy(raw_.stop), l.step = host_.copy(raw_.step);
    out_.needs_folded = host_.reads_folded(l.start) || host_.reads_folded(l.stop) || host_.reads_folded(l.step);
    for (const BodyView::Update& u : view_.updates())
      if (!u.reduction || u.read) l.whole = true;  // in order, so the reductions too
    const Node trip = plain((*raw_.range)[0]);
    l.range = g_.range(trip, g_.next_number());
    const Node inner = l.whole ? g_.range(captured(count()), g_.next_number()) : l.range;
    made_[raw_.range] = inner;
    for (const BodyView::Update& u : view_.updates()) begin(u);
    walk(raw_.body);
    out_.author_block = made_.at(raw_.body);
    l.counter = made_.contains(raw_.counter) ? made_.at(raw_.counter) : value(raw_.counter);
    l.body = l.whole ? in_order(inner) : out_.author_block;
    for (std::size_t k = 0; k < view_.updates().size(); ++k) end(view_.updates()[k], l.folds[k]);
    return std::move(out_);
  }

 private:
  // How a variable of the kernel stands in this body.
  struct Kept {
    Node local, initial;
    bool carried;
  };

  void begin(const BodyView::Update& u) {
    const Scalar s = fold_type(u.local->dtype.scalar);
    const Node initial = g_.cast(host_.variable(u.local), s);
    FoldIR f;
    f.op = u.reduction && !out_.loop.whole ? u.op : s == Scalar::uint32 ? Op::OR : Op::ADD;
    f.replaces = out_.loop.whole;
    f.target = g_.local(s, g_.next_number());
    f.local = g_.local(s, g_.next_number());
    core_.steps.push_back(HostStore{f.target, initial});
    kept_[u.local->arg.number] = {out_.loop.whole ? g_.local(u.local->dtype, g_.next_number()) : f.local, initial,
                                  out_.loop.whole};
    out_.loop.folds.push_back(f);
  }

  void end(const BodyView::Update& u, const FoldIR& f) {
    const Node after = g_.make(Op::LOAD, {f.target}, Graph::number(g_.next_number()));
    host_.folded(after);
    host_.set(u.local, u.local->dtype.is_bool() ? g_.make(Op::CMPNE, {after, g_.constant(0)}) : after);
  }

  // max(0, ceil((stop - start) / step)), for a step of either sign.
  Node count() {
    const LoopIR& l = out_.loop;
    const auto up = [&](Node low, Node high, Node by) {
      const Node span = g_.make(Op::MAX, {g_.make(Op::SUB, {high, low}), g_.constant(0)});
      return g_.make(Op::CDIV, {g_.make(Op::SUB, {g_.make(Op::ADD, {span, by}), g_.constant(1)}), by});
    };
    if (const auto s = ir::int_value(l.step))
      return *s > 0 ? up(l.start, l.stop, l.step) : up(l.stop, l.start, g_.constant(-*s));
    return g_.make(Op::WHERE, {g_.make(Op::CMPLT, {g_.constant(0), l.step}), up(l.start, l.stop, l.step),
                               up(l.stop, l.start, g_.make(Op::NEG, {l.step}))});
  }

  // The whole loop as one iteration: variables in, the loop in order, variables out.
  Node in_order(Node inner) {
    std::vector<Node> block;
    const auto emit = [&](Op op, std::initializer_list<Node> src) {
      block.push_back(g_.make(op, src, Graph::number(g_.next_number())));
      return block.back();
    };
    for (const BodyView::Update& u : view_.updates()) {
      const Kept& k = kept_.at(u.local->arg.number);
      const Node initial = imported(k.initial, true);
      emit(Op::STORE, {k.local, u.local->dtype.is_bool() ? g_.make(Op::CMPNE, {initial, g_.constant(0)}) : initial});
    }
    emit(Op::LOOP, {inner, out_.author_block});
    for (std::size_t i = 0; i < view_.updates().size(); ++i) {
      const Node last = emit(Op::LOAD, {kept_.at(view_.updates()[i].local->arg.number).local});
      emit(Op::STORE, {out_.loop.folds[i].local, g_.cast(last, out_.loop.folds[i].local->dtype)});
    }
    return g_.make(Op::BLOCK, block, Graph::number(g_.next_number()));
  }

  // --- values from before the loop ---

  Node captured(Node host) {
    auto& list = out_.loop.captured;
    std::size_t k = 0;
    while (k < list.size() && list[k] != host) ++k;
    if (k == list.size()) list.push_back(host);
    ir::Storage s;
    s.slot = captured_slots + static_cast<std::uint32_t>(core_.loops.size() * captured_slots + k);
    s.dtype = host->dtype;
    s.space = Space::alu;
    s.source = Source::captured;
    s.index = static_cast<std::uint32_t>(k);
    s.name = "captured" + std::to_string(k);
    return g_.storage(Op::PARAM, std::move(s));
  }

  // Lengths, scalars and integer arithmetic stand in the body as they are; what was folded before cannot, and floats that
  // straight code computed are computed once, on the host. `raw_before`: made in straight code.
  Node imported(Node host, bool before) {
    if (const auto f = imports_.find(host); f != imports_.end()) return f->second;
    const bool folded = host_.reads_folded(host);
    if (folded) out_.needs_folded = true;
    Node made = host;
    const DType d = host->dtype;
    const bool scalar = d.lanes == 1 && !d.is_weak();
    if (folded && scalar) {
      made =
          d.is_bool() ? g_.make(Op::CMPNE, {captured(g_.cast(host, Scalar::uint32)), g_.constant(0)}) : captured(host);
    } else if (folded) {
      std::vector<Node> src;
      for (Node s : host->src()) src.push_back(imported(s, before));
      made = g_.make(host->op, src, host->arg, host->dtype);
    } else if (before && scalar && d.is_float() && computes(host)) {
      made = captured(host);
    }
    return imports_[host] = made;
  }

  static bool computes(Node n) {
    if (n->is(Op::PARAM) || ir::is_literal(n)) return false;
    return !(n->is(Op::CAST) && (*n)[0]->is(Op::PARAM));
  }

  // --- the copy ---

  Node plain(Node raw) { return g_.make(raw->op, {}, raw->arg, raw->dtype); }  // a node without operands

  Node value(Node raw) {
    walk(raw);
    return made_.at(raw);
  }

  std::vector<Node> children(Node n) {
    if (n->is(Op::BLOCK)) {
      std::vector<Node> v;
      for (Node s : view_.statements(n))
        if (!dropped(s)) v.push_back(s);
      return v;
    }
    if (n->is(Op::LOAD) && (*n)[0]->is(Op::LOCAL)) {
      const Node only = view_.only_value((*n)[0]);
      return only ? std::vector<Node>{only} : std::vector<Node>{};
    }
    if (n->is(Op::STORE) && (*n)[0]->is(Op::LOCAL)) return {(*n)[1]};
    return {n->src().begin(), n->src().end()};
  }

  // A variable that is stored once is its value.
  bool dropped(Node s) {
    return (s->is(Op::LOAD) || s->is(Op::STORE)) && (*s)[0]->is(Op::LOCAL) && view_.only_value((*s)[0]);
  }

  void walk(Node root) {
    struct Frame {
      Node n;
      std::vector<Node> next;
      std::size_t k;
    };
    std::vector<Frame> stack;
    const auto enter = [&](Node n) {
      if (made_.contains(n)) return;
      if (host_.is_host(n)) {
        made_[n] = imported(host_.copy(n), n->id < raw_.first);
        return;
      }
      stack.push_back({n, children(n), 0});
    };
    enter(root);
    while (!stack.empty()) {
      Frame& f = stack.back();
      if (f.k < f.next.size()) {
        enter(f.next[f.k++]);
        continue;
      }
      const Node n = f.n;
      std::vector<Node> next = std::move(f.next);
      stack.pop_back();
      if (!made_.contains(n)) made_[n] = make(n, next);
    }
  }

  Node make(Node n, const std::vector<Node>& next) {
    std::vector<Node> src;
    for (Node s : next) src.push_back(made_.at(s));
    switch (n->op) {
      case Op::LOAD:
        if (!view_.stands_here(n)) host_.copy(n);  // of another loop's body: throws
        if ((*n)[0]->is(Op::LOCAL)) return load_local((*n)[0], src);
        return access(n, src);
      case Op::STORE:
        if ((*n)[0]->is(Op::LOCAL)) return numbered(Op::STORE, {stored_local(n), stored_value(n, src[0])});
        return access(n, src);
      case Op::RANGE: return g_.range(src[0], g_.next_number());
      case Op::CONTINUE_IF:
      case Op::BREAK_IF: {
        const Node e = numbered(n->op, {src[0]});
        out_.lines[e->arg.number] = line(n);
        return e;
      }
      default:
        if (ir::is_effect(n->op)) return g_.make(n->op, src, Graph::number(g_.next_number()));
        return g_.make(n->op, src, n->arg, n->dtype);
    }
  }

  Node numbered(Op op, std::initializer_list<Node> src) { return g_.make(op, src, Graph::number(g_.next_number())); }
  std::uint32_t line(Node n) const {
    const auto f = t_.lines.find(n->arg.number);
    return f == t_.lines.end() ? 0 : f->second;
  }

  Node access(Node n, const std::vector<Node>& src) {
    const Node e = g_.make(n->op, src, Graph::number(g_.next_number()));
    out_.accesses[e->arg.number] = {e, (*n)[0], line(n)};
    return e;
  }

  Node load_local(Node local, const std::vector<Node>& only) {
    if (!only.empty()) {
      const Node v = only[0];
      if (v->dtype == local->dtype) return v;
      return v->is(Op::CONST) ? g_.ccast(v, local->dtype.scalar) : g_.cast(v, local->dtype);
    }
    const auto variable = t_.variables.find(local->arg.number);
    if (variable != t_.variables.end() && variable->second.of_kernel) {
      if (const auto k = kept_.find(local->arg.number); k != kept_.end()) return numbered(Op::LOAD, {k->second.local});
      return imported(host_.variable(local), true);
    }
    return numbered(Op::LOAD, {own(local)});
  }

  Node own(Node local) {
    Node& mine = locals_[local->arg.number];
    if (!mine) mine = g_.local(local->dtype, g_.next_number());
    return mine;
  }

  Node stored_local(Node store) {
    const Node local = (*store)[0];
    const auto k = kept_.find(local->arg.number);
    return k == kept_.end() ? own(local) : k->second.local;
  }

  Node stored_value(Node store, Node copied) {
    const Node local = (*store)[0];
    const auto k = kept_.find(local->arg.number);
    if (k == kept_.end() || k->second.carried) return copied;
    // A reduction: op(LOAD[local], value), whichever way round and at whichever integer width it was written.
    for (const BodyView::Update& u : view_.updates()) {
      if (u.local != local) continue;
      Node v = value(u.values.at(store));
      Node load = copied->is(Op::CAST) ? (*copied)[0] : copied;
      load = (*load)[0]->is(Op::LOAD) && (*(*load)[0])[0] == k->second.local ? (*load)[0] : (*load)[1];
      if (!v->dtype.is_weak() && v->dtype.scalar != k->second.local->dtype.scalar)
        v = g_.cast(v, k->second.local->dtype);
      return g_.make(u.op, {load, v});
    }
    return copied;
  }

  static constexpr std::uint32_t captured_slots = 1u << 20;  // past those of parameters, lengths and headers

  Tracer& t_;
  const RawLoop& raw_;
  const BodyView& view_;
  KernelCore& core_;
  Graph& g_;
  HostValues& host_;
  CopiedBody out_;
  std::unordered_map<Node, Node> made_, imports_;
  std::unordered_map<std::int64_t, Kept> kept_;
  std::unordered_map<std::int64_t, Node> locals_;
};

}  // namespace

CopiedBody copy_body(Tracer& t, const RawLoop& raw, const BodyView& view, KernelCore& core, HostValues& host) {
  return BodyCopy(t, raw, view, core, host).run();
}

}  // namespace weft::trace
