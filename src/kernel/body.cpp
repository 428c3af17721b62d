#include "kernel/body.hpp"

#include <algorithm>

#include "kernel/text.hpp"

namespace weft::trace {

using ir::Node;
using ir::Op;

namespace {

bool is_load(Node n) { return n->is(Op::LOAD); }
bool of_local(Node n) { return (n->is(Op::LOAD) || n->is(Op::STORE)) && (*n)[0]->is(Op::LOCAL); }

// The operands that hold values: of a structured statement its condition or range, not its blocks.
std::vector<Node> operands(Node n) {
  std::vector<Node> v;
  for (Node s : n->src())
    if (!s->is(Op::BLOCK)) v.push_back(s);
  return v;
}

}  // namespace

BodyView::BodyView(const Tracer& t, const RawLoop& l) : t_(t), loop_(l) {
  place(l.body, nullptr);
  block_of_range_[l.range] = l.body;
  mark();
  rank();
  order();
  check_scopes();
  classify();
}

// Blocks nest as deep as the author's braces.
void BodyView::place(Node block, Node parent) {
  blocks_.push_back(block);
  parent_[block] = parent;
  for (std::size_t k = 0; k < block->count; ++k) {
    const Node s = (*block)[k];
    place_[s] = {block, k};
    if (of_local(s)) (is_load(s) ? loads_ : stores_)[(*s)[0]->arg.number].push_back(s);
    for (Node inner : s->src())
      if (inner->is(Op::BLOCK)) {
        if (s->is(Op::LOOP)) block_of_range_[(*s)[0]] = inner;
        place(inner, block);
      }
  }
}

bool BodyView::is_of_kernel(Node local) const {
  const auto f = t_.variables.find(local->arg.number);
  return f != t_.variables.end() && f->second.of_kernel;
}

void BodyView::mark() {
  std::vector<Node> todo;
  const auto want = [&](Node n) {
    if (used_.insert(n).second) todo.push_back(n);
  };
  for (Node b : blocks_)
    for (Node s : b->src())
      if (!is_load(s) && !(of_local(s) && !is_of_kernel((*s)[0]))) want(s);
  while (!todo.empty()) {
    const Node n = todo.back();
    todo.pop_back();
    for (Node s : operands(n)) {
      ++uses_[s];
      want(s);
    }
    if (is_load(n) && of_local(n))
      if (const auto f = stores_.find((*n)[0]->arg.number); f != stores_.end())
        for (Node s : f->second) want(s);
  }
}

void BodyView::rank() {
  // Post-order over the statements in their order, loads apart: they are met through their users.
  std::unordered_set<Node> done;
  struct Frame {
    Node n;
    std::vector<Node> next;
    std::size_t k;
  };
  const auto children = [&](Node n) {
    std::vector<Node> v;
    if (!n->is(Op::BLOCK)) v.assign(n->src().begin(), n->src().end());
    else
      for (Node s : n->src())
        if (!is_load(s) && used(s)) v.push_back(s);
    return v;
  };
  std::vector<Frame> stack;
  done.insert(loop_.body);
  stack.push_back({loop_.body, children(loop_.body), 0});
  while (!stack.empty()) {
    Frame& f = stack.back();
    if (f.k < f.next.size()) {
      const Node c = f.next[f.k++];
      if (done.insert(c).second) stack.push_back({c, children(c), 0});
      continue;
    }
    rank_.emplace(f.n, static_cast<std::uint32_t>(rank_.size()));
    stack.pop_back();
  }
}

void BodyView::order() {
  const auto key = [&](Node n) {
    const auto f = t_.lines.find(n->arg.number);
    return std::pair(f == t_.lines.end() ? 0u : f->second, rank_.at(n));
  };
  for (Node b : blocks_) {
    std::vector<Node>& list = lists_[b];
    std::vector<Node> run;
    const auto flush = [&] {
      std::sort(run.begin(), run.end(), [&](Node x, Node y) { return key(x) < key(y); });
      std::unordered_set<Node> waiting(run.begin(), run.end());
      for (Node first : run) {
        // A load comes after those that its index needs.
        std::vector<Node> stack{first};
        std::unordered_set<Node> seen;
        while (!stack.empty()) {
          const Node n = stack.back();
          if (seen.insert(n).second) {
            for (Node s : n->src())
              if (!seen.contains(s) && s->id >= loop_.first && (!is_load(s) || waiting.contains(s))) stack.push_back(s);
            continue;
          }
          stack.pop_back();
          if (waiting.erase(n)) list.push_back(n);
        }
      }
      run.clear();
    };
    for (Node s : b->src()) {
      if (!used(s)) continue;
      if (is_load(s)) {
        run.push_back(s);
        continue;
      }
      flush();
      list.push_back(s);
    }
    flush();
  }
}

bool BodyView::encloses(Node outer, Node inner) const {
  for (; inner; inner = parent_.at(inner))
    if (inner == outer) return true;
  return false;
}

void BodyView::check_scopes() {
  // The innermost block that a value depends on, by its loads and counters.
  std::unordered_map<Node, Node> scope;
  const auto fail = [&](Node n) {
    throw StateError(t_.name() + ": the value `" + print(t_, n) +
                     "` is used outside the If, For or While in which it was made; keep it in a Var declared outside.");
  };
  const auto join = [&](Node a, Node b, Node n) {
    if (encloses(a, b)) return b;
    if (!encloses(b, a)) fail(n);
    return a;
  };
  std::vector<Node> by_rank;
  for (const auto& [n, r] : rank_)
    if (!n->is(Op::BLOCK)) by_rank.push_back(n);
  std::sort(by_rank.begin(), by_rank.end(), [&](Node a, Node b) { return rank_.at(a) < rank_.at(b); });
  for (Node n : by_rank) {
    Node s = loop_.body;
    if (const auto r = block_of_range_.find(n); r != block_of_range_.end()) s = r->second;
    const auto p = place_.find(n);
    if (p != place_.end()) s = p->second.block;
    else if (is_load(n) && n->id >= loop_.first) s = loop_.body;
    for (Node o : operands(n)) {
      if (n->is(Op::RANGE)) continue;
      const Node value = n->is(Op::LOOP) ? (*o)[0] : o;  // how often it turns is known outside
      const Node needs = scope.contains(value) ? scope.at(value) : loop_.body;
      if (p != place_.end()) {
        if (!encloses(needs, s)) fail(o);
      } else {
        s = join(s, needs, n);
      }
    }
    scope[n] = s;
  }
}

Node BodyView::only_value(Node local) const {
  const auto s = stores_.find(local->arg.number);
  if (s == stores_.end() || s->second.size() != 1 || is_of_kernel(local)) return nullptr;
  const Node store = s->second[0];
  if (const auto l = loads_.find(local->arg.number); l != loads_.end())
    for (Node load : l->second)
      if (used(load) && !encloses(place_.at(store).block, place_.at(load).block)) return nullptr;
  return (*store)[1];
}

bool BodyView::stores_between(const Place& from, const Place& to, Node local) const {
  for (std::size_t k = from.at + 1; k < to.at; ++k) {
    const Node s = (*from.block)[k];
    for (Node store : stores_.at(local->arg.number))
      for (Node at = store; at;) {
        if (at == s) return true;
        const Node block = place_.at(at).block;  // the statement that holds this block
        at = nullptr;
        if (const Node outer = parent_.at(block))
          for (Node holder : outer->src())
            for (Node b : holder->src())
              if (b == block) at = holder;
      }
  }
  return false;
}

bool BodyView::accumulates(Node store, Update& u) const {
  const Node local = (*store)[0];
  Node v = (*store)[1];
  if (uses(v) != 1) return false;
  // An integer sum at a wider type, wrapped to the variable's: the sum of the wrapped values is the same.
  const bool wrapped =
      v->is(Op::CAST) && t_.implicit.contains(v) && v->dtype.is_integer() && (*v)[0]->dtype.is_integer();
  if (wrapped) {
    v = (*v)[0];
    if (uses(v) != 1 || v->is(Op::MIN) || v->is(Op::MAX)) return false;
  }
  switch (v->op) {
    case Op::ADD:
    case Op::MUL:
    case Op::AND:
    case Op::OR:
    case Op::XOR:
    case Op::MIN:
    case Op::MAX: break;
    default: return false;
  }
  if (!wrapped && v->dtype != local->dtype) return false;
  const auto own = [&](Node n) { return is_load(n) && (*n)[0] == local; };
  const std::size_t k = own((*v)[0]) ? 0 : 1;
  const Node load = (*v)[k];
  if (!own(load) || uses(load) != 1) return false;
  const Place &from = place_.at(load), &to = place_.at(store);
  if (from.block != to.block || stores_between(from, to, local)) return false;
  if (!u.values.empty() && u.op != v->op) return false;
  u.op = v->op;
  u.values[store] = (*v)[1 - k];
  return true;
}

void BodyView::classify() {
  for (Node b : blocks_)
    for (Node s : b->src()) {
      if (!s->is(Op::STORE) || !of_local(s) || !is_of_kernel((*s)[0])) continue;
      const Node local = (*s)[0];
      if (std::any_of(updates_.begin(), updates_.end(), [&](const Update& u) { return u.local == local; })) continue;
      Update u;
      u.local = local;
      u.reduction = true;
      std::size_t accumulators = 0;
      for (Node store : stores_.at(local->arg.number)) {
        if (accumulates(store, u)) ++accumulators;
        else u.reduction = false;
      }
      std::size_t loads = 0;
      if (const auto l = loads_.find(local->arg.number); l != loads_.end())
        loads = static_cast<std::size_t>(
            std::count_if(l->second.begin(), l->second.end(), [&](Node n) { return used(n); }));
      u.read = u.reduction && loads != accumulators;
      updates_.push_back(std::move(u));
    }
}

}  // namespace weft::trace
