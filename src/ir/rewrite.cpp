#include "ir/rewrite.hpp"

#include "ir/derive.hpp"

namespace weft::ir {

Rules::Rules(std::string_view pass, std::vector<Rule> rules) : pass_(pass), rules_(std::move(rules)) {
  for (std::size_t op = 0; op < op_count; ++op)
    for (std::size_t r = 0; r < rules_.size(); ++r)
      if (rules_[r].pattern.ops().contains(static_cast<Op>(op))) by_op_[op].push_back(static_cast<std::uint16_t>(r));
}

Rules operator+(const Rules& a, const Rules& b) {
  std::vector<Rule> all = a.rules_;
  all.insert(all.end(), b.rules_.begin(), b.rules_.end());
  return Rules(a.pass_, std::move(all));
}

namespace {

class Driver {
 public:
  Driver(Graph& graph, const Rules& rules, const Trace& trace, Node root)
      : graph_(graph), rules_(rules), trace_(trace), budget_(1000 + 64 * static_cast<std::uint64_t>(graph.size())) {
    states_.reserve(graph.size() + graph.size() / 2);
    states_.resize(root->id + 1);
  }

  Node run(Node root) {
    work_.push_back(root);
    while (!work_.empty()) step(work_.back());
    return state(root).result;
  }

 private:
  // Entered nodes that have no result yet are in progress, below on the work list: to need one again is a cycle.
  struct State { Node result = nullptr, becomes = nullptr; bool entered = false; std::uint16_t rule = none; };
  static constexpr std::uint16_t none = 0xFFFF;

  State& state(Node n) {
    if (n->id >= states_.size()) states_.resize(std::max<std::size_t>(n->id + 1, graph_.size()));
    return states_[n->id];
  }

  void step(Node n) {
    State& s = state(n);
    if (s.result) {
      work_.pop_back();
      return;
    }
    if (const Node next = s.becomes) {
      if (const Node result = state(next).result) finish(n, result);
      else need(next, n);
      return;
    }
    s.entered = true;
    const std::size_t before = work_.size();
    bool changed = false;
    for (std::size_t i = n->count; i-- > 0;) {
      const Node source = (*n)[i];
      if (const State& of = state(source); of.result) changed |= of.result != source;
      else need(source, n);
    }
    if (work_.size() != before) return;

    if (changed) {
      sources_.clear();
      for (Node source : n->src()) sources_.push_back(state(source).result);
      become(n, rebuilt(n), none);
    } else if (auto [made, rule] = apply(n); made && made != n) {
      if (budget_-- == 0) fail_endless(n, rule);
      become(n, made, rule);
    } else {
      finish(n, n);
    }
  }

  Node rebuilt(Node n) {
    try {
      return graph_.rebuild(n, sources_);
    } catch (const ConstructError& e) {
      throw RuleError(e.what() + (" (Rebuilt by " + std::string(rules_.pass()) + ".)"), n);
    }
  }

  void become(Node n, Node made, std::uint16_t rule) {
    if (made == n) return finish(n, n);
    State& s = state(n);
    s.becomes = made;
    s.rule = rule;
    need(made, n);
  }

  void finish(Node n, Node result) {
    state(n).result = result;
    work_.pop_back();
  }

  void need(Node n, Node user) {
    const State& s = state(n);
    if (s.result) return;
    if (s.entered) fail_endless(n, s.rule != none ? s.rule : state(user).rule);
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
        throw RuleError(e.what() + (" (Rule " + std::string(rule.name) + " of " + std::string(rules_.pass()) + ".)"), n);
      } catch (const RuleError& e) {
        throw RuleError(e.what(), n);
      }
      if (!made || made == n) continue;
      if (trace_) trace_(rules_.pass(), rule.name, n, made);
      return {made, r};
    }
    return {nullptr, none};
  }

  [[noreturn]] void fail_endless(Node n, std::uint16_t rule) const {
    throw RuleError(std::string(rules_.pass()) + " does not come to an end: rule " +
                        (rule == none ? std::string("(none)") : std::string(rules_[rule].name)) + " keeps changing " +
                        std::string(name(n->op)) + " (" + to_string(n->dtype) + ", node " + std::to_string(n->id) + ").",
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
  return Driver(graph, rules, trace, root).run(root);
}

}  // namespace weft::ir
