// Running calls: the same steps for a call alone and for the calls of a plan. Queue thread only.
//   prepare  checks a call (KER-CALL-05), evaluates its first loop header, and chooses the tier (KER-TIER-04);
//   encode   appends a prepared call's passes to a batch under construction;
//   submit   hands the batch to its backend; `done` becomes true in a later pump; then
//   finish   marks what was written, resolves or rejects.
#pragma once

#include <weft/detail/call.hpp>
#include <weft/error.hpp>

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernel/core.hpp"
#include "kernel/lower.hpp"
#include "runtime/backend.hpp"
#include "runtime/program_cache.hpp"
#include "runtime/resident_state.hpp"

namespace weft::runtime {

struct DeviceState;

/// An array argument at the call: a resident or imported host memory, as elements of the parameter's type.
struct Bound {
  std::shared_ptr<ResidentState> resident;  // host memory gets a temporary one
  void* host = nullptr;                     // of a host argument: written back before the future is ready
  std::uint64_t length = 0;                 // elements of the parameter's type
  DType element;
};

struct Prepared {
  detail::CallRequest request;
  std::vector<Bound> arrays;                // by parameter; scalars have an empty one; with a resident, host memory too
  std::shared_ptr<trace::HostFrame> frame;  // stopped at its first loop
  std::optional<std::size_t> loop;          // that loop; none: no loop to run
  trace::LoopHeader header;
  backend::Backend* backend = nullptr;
  std::string reason;  // why not on the first tier of the device; empty where it is
  std::optional<std::string>
      face_reason;    // the kernel's own (Facts::no_gpu), apart from the device's refusal (WHY W2, W3)
  bool wide = false;  // KER-ACC-05
  std::vector<std::shared_ptr<LoopProgram>> programs;  // by loop, as called alone
};

/// Throws TypeError, RangeError, UnsupportedError (MODEL-13, MODEL-14); nothing has started.
Prepared prepare(DeviceState&, detail::CallRequest);
/// KER-CALL-05 for one loop, whose iterations are known now (HostFrame::iterations).
void check_loop(const Prepared&, std::size_t loop, const trace::LoopHeader& iterations);
/// Goes on to the next loop of the call's straight code.
void next_loop(Prepared&);
/// The straight code from its beginning.
std::shared_ptr<trace::HostFrame> fresh_frame(const Prepared&);

/// A batch under construction on one backend, with what must live and happen around it.
class Builder {
 public:
  Builder(DeviceState&, backend::Backend&, std::string label, bool timed = false);
  ~Builder();

  DeviceState& device();
  backend::Backend& backend();
  backend::Batch& batch();
  /// The array's memory on this backend, current when the batch runs: allocates and uploads as needed, and once. Throws
  /// OutOfMemory, UnsupportedError. If the newest copy is on another backend, `fetch` must have brought it home first.
  backend::Region bring(const Bound&, const std::string& label);
  /// This batch writes it: after success its newest copy is here.
  void writes(const Bound&);
  /// A small region for a folded value, read back with the batch; `value()` after success.
  struct FoldValue {
    backend::Region region;
    std::shared_ptr<std::vector<std::byte>> bytes;
  };
  FoldValue fold_value(DType);
  void keep(std::shared_ptr<const void>);  // lives until the batch is done

  void submit();      // an empty batch submits nothing and is done
  bool done() const;  // pump first
  /// After done: throws what went wrong, else applies `writes`. Stats count dispatches and submissions.
  backend::Outcome finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Fills the uniforms of a program from the calls it was linked from (`frames` and `headers` by Uniform::call).
std::vector<std::byte> uniforms(const trace::Program&, std::span<const Prepared* const> calls);

/// Appends every loop of a prepared call (its program compiled on the builder's backend) as passes of `group`; afterwards
/// `complete` gives the results once the batch is done. A kernel whose later loops need folded values on the host goes
/// through `run` instead (only where the backend runs such kernels: cpu).
struct Encoded {
  std::vector<Builder::FoldValue> folds;
  std::vector<std::array<std::uint32_t, 3>> workgroup_shapes;  // one a loop that ran (FUSE-WGS-03)
  std::vector<std::size_t> passes;                             // positions of its Runs in the batch
};
Encoded encode(Builder&, Prepared&, std::uint32_t group);
/// Only the loop at which the call stands.
Encoded encode_next(Builder&, Prepared&, std::uint32_t group);
/// Gives a loop's folded values to straight code that stands at it.
void take_folds(Prepared&, trace::HostFrame&, std::size_t loop, std::span<const Builder::FoldValue>);

/// Compiles through the backend and waits for it (pumping). Throws CompileError, DeviceLost, ...
backend::CompiledId compile(backend::Backend&, std::shared_ptr<const trace::Program>);

/// Brings the newest copy of an array to the host (a device read, FUSE-REP-05). True when a device had to be read.
bool fetch(DeviceState&, ResidentState&);

/// Resolves a call's future with its results / leaves `error` on its future and on every resident it would have written.
void complete(DeviceState&, Prepared&, const Encoded&);
void complete(Prepared&, const Encoded&);  // where it has an array
/// With straight code that has come to its end.
void deliver(DeviceState&, const Prepared&, const trace::HostFrame& ended);
void fail(const detail::CallRequest&, std::exception_ptr error);

/// ErrorRecord -> the exception of its class.
std::exception_ptr to_exception(const backend::ErrorRecord&);

}  // namespace weft::runtime
