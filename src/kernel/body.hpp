// A loop's body as traced, read once: which nodes are used, where each statement stands, in which order loads come, and what
// happens to the kernel's own variables. Only reads the raw graph.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "kernel/tracer.hpp"

namespace weft::trace {

class BodyView {
 public:
  /// Throws StateError where a value is used outside the block that it was made in.
  BodyView(const Tracer&, const RawLoop&);

  /// The statements of a block that are used, in an order that does not depend on the compiler: loads between two effects by
  /// line, then as a walk of the expressions meets them, operands left to right.
  const std::vector<ir::Node>& statements(ir::Node block) const { return lists_.at(block); }
  bool used(ir::Node n) const { return used_.contains(n); }
  bool stands_here(ir::Node statement) const { return place_.contains(statement); }
  std::uint32_t uses(ir::Node n) const {
    const auto f = uses_.find(n);
    return f == uses_.end() ? 0 : f->second;
  }
  /// Of a variable of the body that is stored once, where that store is seen by all of its loads.
  ir::Node only_value(ir::Node local) const;

  /// What the body does to one variable of the kernel.
  struct Update {
    ir::Node local = nullptr;
    bool reduction = false;  // every update is local = local op value, and nothing else reads it
    bool read = false;       // its running value is used
    ir::Op op = ir::Op::ADD;
    std::unordered_map<ir::Node, ir::Node> values;  // of a reduction: by STORE
  };
  /// Those that it stores, in the order of their first store.
  const std::vector<Update>& updates() const { return updates_; }

 private:
  struct Place {
    ir::Node block;
    std::size_t at;
  };

  void place(ir::Node block, ir::Node parent);
  void mark();
  void rank();
  void order();
  void check_scopes();
  void classify();
  bool accumulates(ir::Node store, Update&) const;
  bool stores_between(const Place& from, const Place& to, ir::Node local) const;
  bool encloses(ir::Node outer, ir::Node inner) const;
  bool is_of_kernel(ir::Node local) const;

  const Tracer& t_;
  const RawLoop& loop_;
  std::vector<ir::Node> blocks_;                   // outer before inner
  std::unordered_map<ir::Node, ir::Node> parent_;  // of a block
  std::unordered_map<ir::Node, Place> place_;      // of a statement
  std::unordered_map<ir::Node, ir::Node> block_of_range_;
  std::unordered_map<std::int64_t, std::vector<ir::Node>> stores_, loads_;  // by local
  std::unordered_set<ir::Node> used_;
  std::unordered_map<ir::Node, std::uint32_t> uses_, rank_;
  std::unordered_map<ir::Node, std::vector<ir::Node>> lists_;
  std::vector<Update> updates_;
};

}  // namespace weft::trace
