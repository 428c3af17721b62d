// Patterns: values that read like the left side of a rule. node(Op::STORE, any("to"), any("x").weak()) matches a STORE of a
// weak value, whatever follows it. A pattern looks at a node and its operands, never deeper than it is written.
#pragma once

#include <array>
#include <bitset>
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
  OpSet(Op op) { bits_.set(static_cast<std::size_t>(op)); }
  OpSet(std::initializer_list<Op> ops) {
    for (Op op : ops) bits_.set(static_cast<std::size_t>(op));
  }
  OpSet(bool (*member)(Op)) {
    for (std::size_t i = 0; i < op_count; ++i) bits_.set(i, member(static_cast<Op>(i)));
  }
  static OpSet all() {
    return OpSet([](Op) { return true; });
  }
  bool contains(Op op) const { return bits_[static_cast<std::size_t>(op)]; }
  friend OpSet operator|(OpSet a, const OpSet& b) {
    a.bits_ |= b.bits_;
    return a;
  }

 private:
  std::bitset<op_count> bits_;
};

/// What a pattern has named.
class Match {
 public:
  Node operator[](std::string_view name) const {
    for (std::size_t i = 0; i < size_; ++i)
      if (named_[i].first == name) return named_[i].second;
    return nullptr;
  }
  /// Two uses of one name must be one node.
  bool bind(std::string_view name, Node n) {
    if (name.empty()) return true;
    if (Node known = (*this)[name]) return known == n;
    named_[size_++] = {name, n};
    return size_ <= named_.size();
  }

 private:
  std::array<std::pair<std::string_view, Node>, 6> named_;
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

  const OpSet& ops() const { return ops_; }
  bool matches(Node n, Match& m) const {
    if (!ops_.contains(n->op) || !(types_ >> static_cast<unsigned>(n->dtype.scalar) & 1u)) return false;
    if (invalid_ && n->arg.tag != Arg::Tag::invalid) return false;
    if (n->count < operands_.size() || !m.bind(name_, n)) return false;
    for (std::size_t i = 0; i < operands_.size(); ++i)
      if (!operands_[i].matches((*n)[i], m)) return false;  // as deep as the rule is written
    return true;
  }

 private:
  static constexpr std::uint32_t weak_types = weft::detail::bit(Scalar::weakint) | weft::detail::bit(Scalar::weakfloat);
  template <class F> Pattern with(F change) const {
    Pattern p = *this;
    change(p);
    return p;
  }

  OpSet ops_;
  std::string_view name_;
  std::vector<Pattern> operands_;
  std::uint32_t types_ = ~0u;  // bit set of scalars
  bool invalid_ = false;
};

/// Any node.
inline Pattern any(std::string_view name = {}) { return {OpSet::all(), name}; }
/// A node of one of the ops, whose first operands match; more may follow.
template <class... Operands> Pattern node(OpSet ops, Operands... operands) {
  return {ops, "", std::vector<Pattern>{std::move(operands)...}};
}

}  // namespace weft::ir
