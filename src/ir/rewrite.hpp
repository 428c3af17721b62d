// Rules and the driver that applies them to a graph (WEAK-DRV-01): sources first; a node whose sources changed is rebuilt
// and met again; a node with stable sources meets the rules in order, and a result that differs is met again. Memoised per
// node and iterative: a graph a million nodes deep takes a million steps and no stack.
#pragma once

#include <array>
#include <functional>
#include <string_view>
#include <vector>

#include "ir/passes.hpp"
#include "ir/pattern.hpp"

namespace weft::ir {

/// One rule: its name (in traces and errors), what it matches, and what it makes of that: the new node, or null or the same
/// node where it has nothing to do.
struct Rule {
  std::string_view name;
  Pattern pattern;
  Node (*make)(Graph&, Node, const Match&);
};

/// A list of rules, dispatched by the op of the node. Lists concatenate.
class Rules {
 public:
  Rules(std::string_view pass, std::vector<Rule> rules);
  std::string_view pass() const { return pass_; }
  std::span<const std::uint16_t> for_op(Op op) const { return by_op_[static_cast<std::size_t>(op)]; }
  const Rule& operator[](std::size_t i) const { return rules_[i]; }
  friend Rules operator+(const Rules& a, const Rules& b);

 private:
  std::string_view pass_;
  std::vector<Rule> rules_;
  std::array<std::vector<std::uint16_t>, op_count> by_op_;
};

/// Applies the rules to everything that `root` reaches, until none changes anything. Throws RuleError with the rule's name
/// where a rule fails, and where rules undo each other or never end.
Node rewrite(Graph&, Node root, const Rules&, const Trace& = {});

}  // namespace weft::ir
