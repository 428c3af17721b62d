// A traced kernel: its facts, and its code as a weakly typed graph split into straight host code and parallel loops.
// Immutable once traced; lowering copies out of it.
#pragma once

#include <weft/detail/call.hpp>
#include <weft/types.hpp>

#include <memory>
#include <mutex>
#include <optional>
#include <variant>
#include <vector>

#include "ir/graph.hpp"
#include "kernel/facts.hpp"
#include "kernel/moves.hpp"
#include "kernel/shared.hpp"

namespace weft::trace {

/// One reduction of a loop. In the body, `local` starts each iteration at the identity; after the loop the host computes
/// target = target op folded.
struct FoldIR {
  ir::Op op = ir::Op::ADD;
  ir::Node local = nullptr;   // LOCAL inside the body
  ir::Node target = nullptr;  // the kernel's own LOCAL
  bool replaces = false;      // of a variable that a serial loop carries: target = folded
};

/// What the parallel proof leaves to the call: of an index scale*i + rest + low..high, that the scale is not 0, and that no
/// index passes what 32 bits hold.
struct ProofCheck {
  std::size_t access = 0;                    // into LoopFacts::accesses
  ir::Node scale = nullptr, rest = nullptr;  // host expressions
  std::int64_t low = 0, high = 0;
  bool block = false;  // high is scale - 1 more
  bool wraps = false;
};

/// A top-level loop. Its body reads scalars, lengths, trip, start, step and captured values as PARAMs of alu space
/// (ir::Source says which); its arrays are PARAMs of global space whose Storage::index is the parameter number.
struct LoopIR {
  ir::Node start = nullptr, stop = nullptr, step = nullptr;  // host expressions; trip = ceil((stop - start) / step)
  ir::Node range = nullptr;                                  // RANGE over the PARAM of source `trip`
  ir::Node counter = nullptr;  // start + range * step, simplified where start is 0 and step is 1
  ir::Node body = nullptr;     // BLOCK
  std::vector<FoldIR> folds;
  std::vector<ir::Node> captured;  // host expressions, by Storage::index
  std::vector<ProofCheck> checks;
  /// The loop carries variables: it runs as one iteration of the grid that holds it whole, as an inner LOOP.
  bool whole = false;
  std::optional<Move> move;  // it only moves elements
};

struct HostStore {
  ir::Node local, value;
};  // straight code: local = value
using Step = std::variant<HostStore, std::size_t>;  // or the number of a loop

struct LoweringCache;  // programs of this kernel by configuration (lower_cache.hpp)
std::shared_ptr<LoweringCache> make_lowering_cache();

struct KernelCore {
  Facts facts;
  ir::Graph graph;
  std::vector<LoopIR> loops;
  std::vector<Step> steps;
  std::vector<ir::Node> results;  // host expressions, after the last step
  std::optional<Bits> bits;       // a kernel's own choice
  std::shared_ptr<LoweringCache> cache = make_lowering_cache();
};

/// The header of a loop at a call.
struct LoopHeader {
  std::int64_t start = 0, step = 1;
  std::uint64_t trip = 0;
};

/// Runs a kernel's straight code on the host, stopping at each loop.
class HostFrame {
 public:
  HostFrame(std::shared_ptr<const KernelCore>, std::vector<detail::ScalarValue> scalars_by_param,
            std::vector<std::uint64_t> lengths_by_param);
  /// Runs up to the next loop: its number, or nothing at the end.
  std::optional<std::size_t> advance();
  /// Of the loop that `advance` stopped at, as it is dispatched. Throws RangeError, naming the kernel: for a step of 0, and
  /// where a condition of the parallel proof does not hold for these scalars.
  LoopHeader header() const;
  /// As the author wrote it; differs only for a loop that carries variables, whose dispatch is one iteration.
  LoopHeader iterations() const;
  detail::ScalarValue captured(std::uint32_t index) const;
  detail::ScalarValue scalar(std::uint32_t param) const;
  std::uint64_t length(std::uint32_t param) const;
  /// The loop's fold `k` came to `folded` (not called for an empty loop): target = target op folded.
  void fold(std::size_t k, detail::ScalarValue folded);
  std::vector<detail::ScalarValue> results() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

/// The identity of a fold (KER-RED-03), and one step of it on the host.
detail::ScalarValue fold_identity(ir::Op, DType);
detail::ScalarValue fold_step(ir::Op, detail::ScalarValue, detail::ScalarValue);

}  // namespace weft::trace
