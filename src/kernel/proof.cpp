// The parallel proof (KER-LOOP-03): no two iterations meet at an element that one of them writes, and nothing but reductions
// is carried from one to the next. It looks only at forms; what depends on scalars of the call becomes a check.
#include <algorithm>

#include "kernel/loop_facts.hpp"

namespace weft::trace {

using ir::Node;
using ir::Op;
using Kind = NotParallel::Kind;

namespace {

class Proof {
 public:
  Proof(LoopKnowledge& k, LoopIR& loop, ir::Graph& g, Forms& forms) : k_(k), loop_(loop), g_(g), forms_(forms) {}

  std::optional<NotParallel> arrays() {
    std::vector<std::uint16_t> written;
    for (const Access& a : k_.facts.accesses)
      if (a.write && std::find(written.begin(), written.end(), a.param) == written.end()) written.push_back(a.param);
    for (std::uint16_t p : written)
      if (auto why = array(p)) return why;
    return std::nullopt;
  }

 private:
  NotParallel at(Kind kind, std::size_t access) const {
    NotParallel n{kind, access, {}, k_.facts.accesses[access].line};
    return n;
  }

  std::optional<NotParallel> array(std::uint16_t p) {
    std::vector<std::size_t> of_array;
    for (std::size_t k = 0; k < k_.facts.accesses.size(); ++k)
      if (k_.facts.accesses[k].param == p) of_array.push_back(k);

    // The writes share a scale and a rest, and fall within one stride.
    const Form* first = nullptr;
    std::int64_t low = 0, high = 0;
    bool block = false;
    for (std::size_t k : of_array) {
      if (!k_.facts.accesses[k].write) continue;
      const Form& f = k_.forms[k];
      const bool same = !first || (f.a == first->a && f.scale == first->scale && f.rest == first->rest);
      if (!f.usable || f.a == 0 || !same) return at(scatters(k) ? Kind::float_scatter : Kind::writes_shared, k);
      if (!first) low = f.low, high = f.high;
      low = std::min(low, f.low), high = std::max(high, f.high);
      block |= f.block;
      first = &f;
      const bool apart = f.scale.empty() ? within(low, high, f.a)
                         : block         ? f.low == f.high && low == high && !(f.varies && !f.block)
                                         : low == high && !f.varies;
      if (!apart) return at(Kind::writes_shared, k);
      if (block && !f.block) return at(Kind::writes_shared, k);
    }

    // A read is where this iteration writes: the same index, or in the same block.
    for (std::size_t k : of_array) {
      const Form& r = k_.forms[k];
      if (k_.facts.accesses[k].write) continue;
      bool own = false;
      for (std::size_t w : of_array) {
        const Form& f = k_.forms[w];
        if (!k_.facts.accesses[w].write || !r.usable) continue;
        own |= f.whole == r.whole;
        const bool same = f.a == r.a && f.scale == r.scale && f.rest == r.rest;
        if (same && f.varies && f.scale.empty()) own |= within(std::min(low, r.low), std::max(high, r.high), f.a);
        if (same && f.block && r.block) own |= f.low == r.low;
      }
      if (!own) return at(Kind::reads_written, k);
    }

    for (std::size_t k : of_array) check(k);
    return std::nullopt;
  }

  static bool within(std::int64_t low, std::int64_t high, std::int64_t a) {
    const __int128 stride = a < 0 ? -static_cast<__int128>(a) : a;
    return static_cast<__int128>(high) - low < stride;
  }

  // With a scale of 1 or -1 an index that wraps in 32 bits is still another for each iteration.
  void check(std::size_t k) {
    const Form& f = k_.forms[k];
    const bool wraps = f.whole.wraps && !(f.scale.empty() && (f.a == 1 || f.a == -1));
    if (f.scale.empty() && !wraps) return;
    ProofCheck c;
    c.access = k;
    c.scale = forms_.product(g_, f.scale, f.a);
    c.rest = forms_.sum(g_, f.rest);
    c.low = f.low, c.high = f.high;
    c.block = f.block;
    c.wraps = wraps;
    loop_.checks.push_back(c);
  }

  // `a[k] += x` of floats at an index that is not known: the order of the sum would show.
  bool scatters(std::size_t k) const {
    const std::int64_t number = k_.facts.accesses[k].number;
    Node store = nullptr;
    for (Node n : ir::topological(loop_.body))
      if (n->is(Op::STORE) && n->arg.number == number) store = n;
    if (!store || !(*store)[0]->dtype.is_float()) return false;
    const Node v = (*store)[1];
    if (!v->is(Op::ADD) && !v->is(Op::MUL)) return false;
    return std::any_of(v->src().begin(), v->src().end(),
                       [&](Node s) { return s->is(Op::LOAD) && (*s)[0] == (*store)[0]; });
  }

  LoopKnowledge& k_;
  LoopIR& loop_;
  ir::Graph& g_;
  Forms& forms_;
};

}  // namespace

void prove(const Tracer& t, const BodyView& view, LoopKnowledge& k, LoopIR& loop, ir::Graph& g, Forms& forms) {
  for (const BodyView::Update& u : view.updates()) {
    if (u.reduction && !u.read) continue;
    NotParallel n{u.reduction ? Kind::reads_reduction : Kind::carries, std::nullopt, {}, 0};
    n.line = t.variables.at(u.local->arg.number).line;
    k.facts.not_parallel = std::move(n);
    return;
  }
  if (auto why = Proof(k, loop, g, forms).arrays()) {
    k.facts.not_parallel = std::move(why);
    loop.checks.clear();
  }
}

}  // namespace weft::trace
