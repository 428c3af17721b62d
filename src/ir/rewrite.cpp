#include "ir/rewrite.hpp"

#include <algorithm>

#include "ir/derive.hpp"

namespace weft::ir {

Rules::Rules(std::string_view pass, std::vector<Rule> rules) : pass_(pass), rules_(std::move(rules)) {
  for (std::size_t op = 0; op < op_count; ++op)
    for (std::size_t r = 0; r < rules_.size(); ++r)
      if (const Pattern& p = rules_[r].pattern; p.ops().contains(static_cast<Op>(op)))
        if (!p.needs_sources() || operands(static_cast<Op>(op)) != 0)
          by_op_[op].push_back(static_cast<std::uint16_t>(r));
}

Rules operator+(const Rules& a, const Rules& b) {
  std::vector<Rule> all = a.rules_;
  all.insert(all.end(), b.rules_.begin(), b.rules_.end());
  return Rules(a.pass_, std::move(all));
}

namespace {

class Driver {
 public:
  Driver(Graph& graph, const Rules& rules, const Trace& trace)
      : graph_(graph), rules_(rules), trace_(trace), budget_(1000 + 64 * static_cast<std::uint64_t>(graph.size())) {}

  // Sources have smaller ids: in the order of ids, no node of the input has to wait for another. Only what rules make is
  // worked on through the list.
  Node run(Node root) {
    states_.reserve(4 * graph_.size());  // most of it is never touched, and the states need not move as nodes are made
    extend_states();
    states_[root->id].status = reached;
    for (std::uint32_t id = root->id + 1; id-- > 0;)
      if (states_[id].status == reached)
        for (Node s : graph_.at(id)->src()) states_[s->id].status = reached;
    for (std::uint32_t id = 0; id <= root->id; ++id) {
      if (states_[id].status != reached || stays(graph_.at(id))) continue;
      work_.push_back(graph_.at(id));
      while (!work_.empty()) step(work_.back());
    }
    return graph_.at(states_[root->id].node);
  }

 private:
  // Entered nodes that have no result yet are in progress, below on the work list: to need one again is a cycle.
  enum Status : std::uint8_t { unseen, reached, entered, becomes, done };
  struct State {                // small: a pass over a large graph waits for memory more than for anything else
    std::uint32_t node = 0;     // the id of what it becomes, and once that is done of its result
    std::uint16_t rule = none;  // that made it become something
    Status status = unseen;
  };
  static constexpr std::uint16_t none = 0xFFFF;

  State& state(Node n) { return states_[n->id]; }

  // After whatever may have made nodes: all have a state.
  void extend_states() {
    if (graph_.size() > states_.size()) states_.resize(graph_.size() + graph_.size() / 8);
  }

  // What no pattern matches, over sources that stay, is its own result at once. Most of what rules make is so, or stands
  // one or two nodes above what is so: looking a little deeper spares most of the ways through the work list.
  bool stays(Node n, int depth = 3) {
    const State& s = state(n);
    return s.status == done ? s.node == n->id : s.status <= reached && depth > 0 && proves_to_stay(n, depth);
  }
  bool proves_to_stay(Node n, int depth) {
    for (Node source : n->src())
      if (!stays(source, depth - 1)) return false;
    for (std::uint16_t r : rules_.for_op(n->op))
      if (Match m; rules_[r].pattern.matches(n, m)) return false;
    state(n) = {n->id, none, done};
    return true;
  }

  void step(Node n) {
    State& s = state(n);
    if (s.status == done) {
      work_.pop_back();
      return;
    }
    if (s.status == becomes) {
      const Node next = graph_.at(s.node);
      if (const State& of = state(next); of.status == done) finish(n, of.node);
      else need(next, n);
      return;
    }
    s.status = entered;
    const std::size_t before = work_.size();
    bool changed = false;
    for (std::size_t i = n->count; i-- > 0;) {
      const Node source = (*n)[i];
      if (stays(source)) continue;
      if (const State& of = state(source); of.status == done) changed = true;
      else need(source, n);
    }
    if (work_.size() != before) return;

    if (changed) {
      sources_.clear();
      for (Node source : n->src()) sources_.push_back(graph_.at(state(source).node));
      if (trace_) return become(n, rebuilt(n), none);
      try_rules_on_rebuilt(n);
    } else if (auto [made, rule] = apply(n); made) {
      spend(n, rule);
      become(n, made, rule);
    } else {
      finish(n, n->id);
    }
  }

  // A rebuilt node has stable sources: the rules meet it at once, and it takes a place in the graph only where none fires.
  void try_rules_on_rebuilt(Node n) {
    UOp candidate = *n;
    try {
      candidate = graph_.candidate(n, sources_);
    } catch (const ConstructError&) {
      rebuilt(n);  // throws the same, with its place
    }
    if (auto [made, rule] = apply(&candidate); made) {
      spend(made, rule);
      return become(n, made, rule);
    }
    const Node made = graph_.place(candidate);
    extend_states();
    if (State& s = state(made); s.status != done) s.node = made->id, s.status = done;
    finish(n, state(made).node);
  }

  void spend(Node n, std::uint16_t rule) {
    if (budget_-- == 0) fail_endless(n, rule);
  }

  Node rebuilt(Node n) {
    try {
      return graph_.rebuild(n, sources_);
    } catch (const ConstructError& e) {
      throw RuleError(e.what() + (" (Rebuilt by " + std::string(rules_.pass()) + ".)"), n);
    }
  }

  void become(Node n, Node made, std::uint16_t rule) {
    extend_states();
    if (made == n) return finish(n, n->id);
    if (stays(made)) return finish(n, made->id);
    if (const State& next = state(made); next.status == done) return finish(n, next.node);
    State& s = state(n);
    s.node = made->id;
    s.status = becomes;
    s.rule = rule;
    need(made, n);
  }

  void finish(Node n, std::uint32_t result) {
    State& s = state(n);
    s.node = result;
    s.status = done;
    work_.pop_back();
  }

  void need(Node n, Node user) {
    const State& s = state(n);
    if (s.status == entered || s.status == becomes) fail_endless(n, s.rule != none ? s.rule : state(user).rule);
    work_.push_back(n);
  }

  std::pair<Node, std::uint16_t> apply(Node n) {
    for (std::uint16_t r : rules_.for_op(n->op)) {
      const Rule& rule = rules_[r];
      Match m;
      if (!rule.pattern.matches(n, m)) continue;
      Node made;
      try {
        made = rule.make(graph_, n, m);
      } catch (const ConstructError& e) {
        throw RuleError(e.what() + (" (Rule " + std::string(rule.name) + " of " + std::string(rules_.pass()) + ".)"),
                        placed(n));
      } catch (const RuleError& e) { throw RuleError(e.what(), placed(n)); }
      if (!made || made == n || (n->id == UOp::no_id && same(made, n))) continue;
      if (trace_) trace_(rules_.pass(), rule.name, n, made);
      return {made, r};
    }
    return {nullptr, none};
  }

  Node placed(Node n) { return n->id == UOp::no_id ? graph_.place(*n) : n; }
  static bool same(Node a, Node b) {
    return a->op == b->op && a->dtype == b->dtype &&
           std::equal(a->src().begin(), a->src().end(), b->src().begin(), b->src().end()) && a->arg.tag == b->arg.tag &&
           a->arg.number == b->arg.number;
  }

  [[noreturn]] void fail_endless(Node n, std::uint16_t rule) const {
    throw RuleError(std::string(rules_.pass()) + " does not come to an end: rule " +
                        (rule == none ? std::string("(none)") : std::string(rules_[rule].name)) + " keeps changing " +
                        std::string(name(n->op)) + " (" + to_string(n->dtype) + ", node " + std::to_string(n->id) +
                        ").",
                    n);
  }

  Graph& graph_;
  const Rules& rules_;
  const Trace& trace_;
  std::uint64_t budget_;  // of rules that fire: legitimate passes fire a few times per node
  std::vector<State> states_;
  std::vector<Node> work_, sources_;
};

}  // namespace

Node rewrite(Graph& graph, Node root, const Rules& rules, const Trace& trace) {
  return Driver(graph, rules, trace).run(root);
}

}  // namespace weft::ir
