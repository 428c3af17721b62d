// Patterns: values that read like the left side of a rule. node(Op::STORE, any("to"), any("x").weak()) matches a STORE of a
// weak value, whatever follows it. A pattern looks at a node and its operands, never deeper than it is written.
#pragma once

#include <array>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/graph.hpp"

namespace weft::ir {

inline constexpr std::size_t op_count = std::size(detail::op_table);

/// A set of ops, given by its members or by a test: OpSet(is_broadcastable).
class OpSet {
 public:
  OpSet(Op op) : OpSet({op}) {}
  OpSet(std::initializer_list<Op> ops) {
    for (Op op : ops) members_[static_cast<std::size_t>(op)] = true;
  }
  OpSet(bool (*member)(Op)) {
    for (std::size_t i = 0; i < op_count; ++i) members_[i] = member(static_cast<Op>(i));
  }
  static OpSet all() {
    return OpSet([](Op) { return true; });
  }
  OpSet without(Op op) const {
    OpSet s = *this;
    s.members_[static_cast<std::size_t>(op)] = false;
    return s;
  }
  bool contains(Op op) const { return members_[static_cast<std::size_t>(op)]; }
  friend OpSet operator|(OpSet a, const OpSet& b) {
    for (std::size_t i = 0; i < op_count; ++i) a.members_[i] |= b.members_[i];
    return a;
  }

 private:
  std::array<bool, op_count> members_{};
};

/// What a pattern has named.
class Match {
 public:
  Match() {}  // leaves the names unset: a match is begun for every node that a rule looks at
  Node operator[](std::string_view name) const {
    for (std::size_t i = 0; i < size_; ++i)
      if (*names_[i] == name) return nodes_[i];
    return nullptr;
  }
  /// Two uses of one name must be one node. The name is the pattern's, which outlives the match.
  bool bind(const std::string_view& name, Node n) {
    if (name.empty()) return true;
    if (Node known = (*this)[name]) return known == n;
    if (size_ == names_.size()) return false;
    names_[size_] = &name, nodes_[size_] = n;
    ++size_;
    return true;
  }

 private:
  std::array<const std::string_view*, 6> names_;
  std::array<Node, 6> nodes_;
  std::size_t size_ = 0;
};

class Pattern {
 public:
  Pattern(OpSet ops, std::string_view name, std::vector<Pattern> operands = {})
      : ops_(ops), name_(name), operands_(std::move(operands)) {}

  Pattern named(std::string_view name) const {
    return with([&](Pattern& p) { p.name_ = name; });
  }
  Pattern weak() const {
    return with([](Pattern& p) { p.types_ = weak_types; });
  }
  Pattern committed() const {
    return with([](Pattern& p) { p.types_ = ~weak_types; });
  }
  Pattern of(Scalar s) const {
    return with([&](Pattern& p) { p.types_ = weft::detail::bit(s); });
  }
  Pattern invalid() const {
    return with([](Pattern& p) { p.ops_ = Op::CONST, p.invalid_ = true; });
  }
  /// Some source, wherever it stands, is of an op and a type that `source` names.
  Pattern over(const Pattern& source) const {
    return with([&](Pattern& p) { p.over_ops_ = source.ops_, p.over_types_ = source.types_, p.over_ = true; });
  }

  const OpSet& ops() const { return ops_; }
  /// It matches no node without sources.
  bool needs_sources() const { return over_ || !operands_.empty(); }
  bool matches(Node n, Match& m) const { return may_match(n) && matches_rest(n, m); }

 private:
  bool may_match(Node n) const {  // tells most nodes apart
    return is_one_of(n, ops_, types_) && (!over_ || stands_over(n));
  }
  bool matches_rest(Node n, Match& m) const {
    if (invalid_ && n->arg.tag != Arg::Tag::invalid) return false;
    if (n->count < operands_.size() || !m.bind(name_, n)) return false;
    for (std::size_t i = 0; i < operands_.size(); ++i)
      if (!operands_[i].matches((*n)[i], m)) return false;  // as deep as the rule is written
    return true;
  }
  static bool is_one_of(Node n, const OpSet& ops, std::uint32_t types) {
    return (types >> static_cast<unsigned>(n->dtype.scalar) & 1u) && ops.contains(n->op);
  }
  bool stands_over(Node n) const {
    for (Node s : n->src())
      if (is_one_of(s, over_ops_, over_types_)) return true;
    return false;
  }

  static constexpr std::uint32_t weak_types = weft::detail::bit(Scalar::weakint) | weft::detail::bit(Scalar::weakfloat);
  template <class F> Pattern with(F change) const {
    Pattern p = *this;
    change(p);
    return p;
  }

  OpSet ops_;
  std::uint32_t types_ = ~0u;  // bit set of scalars
  std::uint32_t over_types_ = 0;
  OpSet over_ops_{};
  bool over_ = false, invalid_ = false;
  std::string_view name_;
  std::vector<Pattern> operands_;
};

/// Any node.
inline Pattern any(std::string_view name = {}) { return {OpSet::all(), name}; }
/// A node of any op but one.
inline Pattern any_but(Op op) { return {OpSet::all().without(op), ""}; }
/// A node of one of the ops, whose first operands match; more may follow.
template <class... Operands> Pattern node(OpSet ops, Operands... operands) {
  return {ops, "", std::vector<Pattern>{std::move(operands)...}};
}

}  // namespace weft::ir
