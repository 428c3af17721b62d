// Bounds of the value of a node (WEAK-BND): exact integers of any size, floats as doubles. They choose the width of a weak
// value. Computed once per node and cached in its graph, without recursion.
#pragma once

#include <deque>
#include <vector>

#include "ir/graph.hpp"

namespace weft::ir {

/// [lo, hi], the ends included. Integers and bools (0 and 1) use lo and hi, floats low and high; a void node has [0, 0].
struct Bounds {
  bool real = false;
  Integer lo, hi;
  double low = 0, high = 0;

  static Bounds of(Integer lo, Integer hi) { return {false, std::move(lo), std::move(hi), 0, 0}; }
  static Bounds of_real(double low, double high) { return {true, {}, {}, low, high}; }
  /// Everything a value of the type can be (WEAK-BND-01).
  static Bounds whole(Scalar);
  bool exact() const { return real ? low == high : lo == hi; }
  bool operator==(const Bounds&) const = default;
};

/// The smallest and the largest value of an integer type (or bool); weakint's are those of 800 bits (WEAK-TYPE-05).
const Bounds& limits(Scalar);
/// Whether an integer type holds every value of the bounds.
bool holds(Scalar, const Bounds&);
/// An integer as the type's bits read it: modulo 2^bits.
Integer wrap(const Integer&, Scalar);

/// Throws RuleError when they pass 2^16384 in magnitude (WEAK-BND-06). Those of a candidate are valid until the next one's.
const Bounds& bounds(Graph&, Node);

/// The width that a weak value takes by default (WEAK-BND-04): for weakint the first of int32, int64, uint64 that holds
/// the bounds, int64 when none does; for weakfloat the default float; else the node's own type. Throws RuleError for a
/// single value that no integer type holds.
Scalar commit_dtype(Graph&, Node);
/// The same for bounds that stand alone, with another first choice than int32.
Scalar commit_integer(const Bounds&, Scalar default_integer = Scalar::int32);
/// Neither int64 nor uint64 holds the bounds.
bool fits_no_int(Graph&, Node);

/// Which nodes of a graph have known bounds. Part of the graph; only bounds.cpp writes it.
class BoundsTable {
 public:
  const Bounds* find(std::uint32_t id) const { return id < known_.size() ? known_[id] : nullptr; }
  const Bounds& add(std::uint32_t id, Bounds b) {
    if (id == UOp::no_id) return candidate_ = std::move(b);
    if (id >= known_.size()) known_.resize(std::max<std::size_t>(id + 1, known_.size() + known_.size() / 2));
    return *(known_[id] = &entries_.emplace_back(std::move(b)));
  }

  std::vector<Node> work;  // of bounds(): kept, so that the usual short walks allocate nothing

 private:
  std::vector<const Bounds*> known_;  // by node id; null where not known yet
  std::deque<Bounds> entries_;        // a deque keeps them in their places
  Bounds candidate_;                  // of the last candidate, which has no id
};

}  // namespace weft::ir
