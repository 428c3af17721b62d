// The trace in progress: a graph that grows while the author's lambda runs, the blocks that are open, and what was said of
// each node (lines, variables). Raw: variables are still stores and loads, and nothing is folded, so that texts can be
// printed as written; finish.cpp makes the kernel of it.
#pragma once

#include <weft/detail/trace.hpp>
#include <weft/error.hpp>

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#include "kernel/core.hpp"

namespace weft::trace {

/// The most that a trip count or a length can be (KER-ACC-05). What is simplified while tracing holds for all of them.
inline constexpr std::int64_t greatest_extent = 0xFFFFFFFF;

/// A top-level loop as traced.
struct RawLoop {
  ir::Node start = nullptr, stop = nullptr, step = nullptr;  // weak integers
  ir::Node range = nullptr, counter = nullptr, body = nullptr;
  std::uint32_t line = 0;
  std::uint32_t first = 0;  // nodes with a smaller id were there before its body
};
/// A LOAD or STORE of a kernel's own variable in straight code, or a loop.
using RawStep = std::variant<ir::Node, RawLoop>;

struct Variable {
  ir::Node local = nullptr;
  std::uint32_t line = 0;
  bool of_kernel = false;       // declared at the top level
  std::vector<ir::Node> lanes;  // of a kernel's own vector: a scalar variable each, so that reductions are of scalars
  std::uint32_t stores = 0;
  ir::Node value = nullptr;  // as last stored
};

class Tracer {
 public:
  Tracer();

  std::uint32_t id;  // tells its expressions from those of other traces
  ir::Graph graph;
  Facts facts;
  std::optional<Bits> bits;
  std::vector<RawStep> steps;
  std::vector<ir::Node> results;  // one scalar each
  std::vector<std::uint32_t> result_lanes;
  std::unordered_map<std::int64_t, Variable> variables;   // by the number of their LOCAL
  std::unordered_map<std::int64_t, std::uint32_t> lines;  // of loads, stores and continue_if, by number

  const std::string& name() const { return facts.name; }
  bool in_loop() const { return !blocks_.empty(); }
  ir::Node node(const detail::Operand&);  // a CONST for a literal; StateError for another trace's value
  ir::Node check(detail::Expr) const;
  detail::Expr expr(ir::Node n) const { return {n, id}; }

  /// Adds an effect or load to the open block, or to the straight code.
  ir::Node emit(ir::Op, std::initializer_list<ir::Node> src, std::uint32_t line = 0);
  /// Runs a body in a block of its own and gives the BLOCK. An exception leaves no block open.
  ir::Node block(detail::Body, ir::Node counter = nullptr);
  std::vector<ir::Node>& open() { return blocks_.back(); }
  std::size_t depth() const { return blocks_.size(); }

  ir::Node alu_param(ir::Source, std::uint32_t index, DType, std::string name, const ir::Integer& vmin,
                     const ir::Integer& vmax);
  ir::Node length(std::uint32_t param);

  std::unordered_map<ir::Node, std::string> counters;               // their names in texts: i, then j, k, ... inward
  std::unordered_map<ir::Node, std::vector<ir::Node>> coordinates;  // of a place in a tensor, as the author gave them
  std::unordered_set<ir::Node> implicit;                            // casts that the author did not write
  std::uint32_t for_depth = 0;
  std::vector<bool> breakable;  // of the open loops, innermost last: For and While may be left

 private:
  std::uint32_t next_slot_ = 0;
  std::vector<ir::Node> lengths_;
  std::vector<std::vector<ir::Node>> blocks_;
};

/// The trace of this thread. Throws StateError where none is open; `what` is the author's word, as in "weft::loop".
Tracer& current(const char* what);

/// Makes a trace the thread's own for a while.
class TracerScope {
 public:
  explicit TracerScope(Tracer&);
  ~TracerScope();
  TracerScope(const TracerScope&) = delete;

 private:
  Tracer* before_;
};

std::string on_line(std::uint32_t line);  // " (line 9)", or nothing

/// An operand at a scalar type: a literal that the type does not hold is a RangeError (KER-NUM-07); `beside` is printed.
ir::Node committed(Tracer&, const detail::Operand&, Scalar, ir::Node beside);
void check_literal(Tracer&, const detail::Operand&, Scalar, ir::Node beside);
/// One lane of a vector, through the elementwise operations that made it.
ir::Node lane(ir::Graph&, ir::Node, unsigned k);
ir::Node broadcast(ir::Graph&, ir::Node scalar, unsigned lanes);

}  // namespace weft::trace
