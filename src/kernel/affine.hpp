// Index expressions as polynomials in what a loop does and does not change: how `t[i + 1 - 1]` is known to be exactly i, and
// which indices no two iterations share (KER-LOOP-03, MODEL-5).
#pragma once

#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "ir/graph.hpp"
#include "kernel/facts.hpp"

namespace weft::trace {

/// A sum of constant * product of atoms, looking through integer casts. An atom is a node that is no sum or product.
struct Polynomial {
  std::map<std::vector<std::uint32_t>, std::int64_t> terms;  // by the ids of the atoms, sorted; the constant has none
  bool wraps = false;  // computed in 32 bits on the way: equal to the index modulo 2^32 only
  std::int64_t constant() const {
    const auto c = terms.find({});
    return c == terms.end() ? 0 : c->second;
  }
  bool operator==(const Polynomial& o) const { return terms == o.terms; }
};

class Polynomials {
 public:
  /// `stop` (may be null) is an atom though it is a sum: the loop's counter.
  explicit Polynomials(ir::Node stop = nullptr) : stop_(stop) {}
  Polynomial of(ir::Node);
  ir::Node atom(std::uint32_t id) const { return atoms_.at(id); }

 private:
  Polynomial walk(ir::Node, int depth);
  Polynomial single(ir::Node);

  ir::Node stop_;
  std::unordered_map<ir::Node, Polynomial> done_;
  std::unordered_map<std::uint32_t, ir::Node> atoms_;
};

/// a - b, where that is a constant whatever the atoms are.
std::optional<std::int64_t> constant_difference(ir::Node a, ir::Node b);

/// An index of a loop, taken apart: scale * i + inner + rest.
struct Form {
  bool usable = false;               // the parts below say all of it
  std::int64_t a = 0;                // constant scale, where `scale` is empty
  std::vector<std::uint32_t> scale;  // atoms of a run-time scale, times `a`
  Polynomial rest;                   // what the loop does not change, without the constant
  std::int64_t low = 0, high = 0;    // constant plus inner counters: least and greatest
  bool block = false;                // inner counters reach 0 .. scale-1 of a run-time scale
  bool varies = false;               // inner counters take part
  Polynomial whole;
};

/// Takes an index apart in a loop with this counter.
class Forms {
 public:
  explicit Forms(ir::Node counter) : counter_(counter), polynomials_(counter) {}
  Form of(ir::Node index);
  /// The same for the facts; may make the node of a run-time coefficient.
  Affine affine(ir::Graph&, const Form&);
  ir::Node product(ir::Graph&, const std::vector<std::uint32_t>& atoms, std::int64_t factor);
  ir::Node sum(ir::Graph&, const Polynomial&);
  /// Whether a value is the same in every iteration.
  bool unchanged(ir::Node);

 private:
  ir::Node counter_;
  Polynomials polynomials_;
  std::unordered_map<ir::Node, bool> unchanged_;
};

}  // namespace weft::trace
