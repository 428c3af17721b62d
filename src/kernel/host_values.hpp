// The kernel's straight code as values: what each of its variables holds at each place, as expressions over scalars, lengths
// and folded values.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "kernel/tracer.hpp"

namespace weft::trace {

class HostValues {
 public:
  HostValues(Tracer& t, ir::Graph& to) : t_(t), to_(to) {}

  void load(ir::Node raw);  // of a kernel's variable, in straight code
  void store(ir::Node raw);
  ir::Node variable(ir::Node local) const;  // what it holds now
  void set(ir::Node local, ir::Node value);
  void folded(ir::Node target) { folded_.insert(target); }

  /// Whether a raw node can be computed before a loop: it depends on nothing of a loop's body.
  bool is_host(ir::Node raw);
  /// The copy of a raw node that is_host. Throws StateError for a value of an earlier loop's body.
  ir::Node copy(ir::Node raw);
  /// Whether a copied node reads a value that an earlier loop folded.
  bool reads_folded(ir::Node);

 private:
  Tracer& t_;
  ir::Graph& to_;
  std::unordered_map<ir::Node, ir::Node> copies_;  // raw to copied; loads stand in it from the start
  std::unordered_map<ir::Node, bool> host_, folded_reads_;
  std::unordered_map<std::int64_t, ir::Node> variables_;  // by number of the raw LOCAL
  std::unordered_set<ir::Node> folded_;
};

}  // namespace weft::trace
