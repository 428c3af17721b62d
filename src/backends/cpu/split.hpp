// Where gates can be left out. A gated access at an affine index (t[i - 1]) is out of bounds only near the ends of the
// loop, and a gate costs 2.6 times the access. So the iterations split in three: an edge, the interior, an edge. The
// interior is where every condition below holds; it is computed at run time, once per run, from the uniforms.
//
// Conditions also say that index arithmetic in 32 bits does not wrap, so that the interior may compute addresses in 64
// bits, where a vectoriser sees that neighbours are neighbours.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "kernel/lower.hpp"

namespace weft::cpu {

/// constant + sum of coefficient * symbol, as an exact integer. A symbol is the counter of the grid, of an inner loop, or
/// a value that the whole grid shares.
struct Linear {
  std::int64_t constant = 0;
  std::vector<std::pair<ir::Node, std::int64_t>> terms;
  bool operator==(const Linear&) const = default;
};

class Split {
 public:
  explicit Split(const trace::Program&);

  /// Each is >= 0 in the interior.
  const std::vector<Linear>& conditions() const { return conditions_; }
  /// The exact value of an index in the interior, where it is affine.
  const Linear* index(ir::Node) const;
  /// A part of a gate (a gate is its parts joined by AND) that is true in the interior.
  bool holds(ir::Node part) const { return holds_.contains(part); }
  /// The value is the same in all iterations, and computing it early does no harm.
  bool shared(ir::Node n) const { return shared_.contains(n); }
  ir::Node counter() const { return counter_; }

  /// The parts of a gate, left to right.
  static std::vector<ir::Node> parts(ir::Node gate);

 private:
  std::optional<Linear> linear(ir::Node, std::vector<Linear>& needs, int depth) const;
  std::optional<Linear> exact(ir::Node, std::vector<Linear>& needs, int depth = 0) const;
  bool condition_of(ir::Node part, bool negated, std::vector<Linear>& needs) const;
  void require(std::vector<Linear> needs);

  ir::Node counter_;
  std::vector<Linear> conditions_;
  std::unordered_map<ir::Node, Linear> index_;
  std::unordered_set<ir::Node> holds_, shared_;
};

}  // namespace weft::cpu
