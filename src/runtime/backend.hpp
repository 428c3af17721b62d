// The one interface between Weft and a tier. A single call, a fused plan and a copy are all a Batch of passes; nothing
// above asks which tier it is on, except through Info. Nothing here blocks but `pump`; errors are data, never exceptions,
// because they cross module boundaries.
#pragma once

#include <weft/types.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kernel/lower.hpp"

namespace weft::backend {

enum class ErrorKind : std::uint8_t { type, range, state, unsupported, compile, load, io, device, lost, memory };

struct ErrorRecord {
  ErrorKind kind = ErrorKind::device;
  std::string message;  // a sentence; begins with the author's name of the thing where there is one
  std::string source;   // emitted text, for compile
};

template <class T> class Expected {
 public:
  Expected(T v) : v_(std::move(v)) {}
  Expected(ErrorRecord e) : v_(std::move(e)) {}
  explicit operator bool() const { return v_.index() == 0; }
  T& operator*() { return std::get<0>(v_); }
  const T& operator*() const { return std::get<0>(v_); }
  T* operator->() { return &std::get<0>(v_); }
  const ErrorRecord& error() const { return std::get<1>(v_); }
 private:
  std::variant<T, ErrorRecord> v_;
};

template <class T> using Then = std::function<void(Expected<T>)>;

/// What a tier on one adapter is and can do. Limits by their WebGPU names.
struct Info {
  Tier tier = Tier::cpu;
  std::string adapter, driver;  // as the driver names itself
  bool software = false;
  bool int64 = false;  // 64-bit integers (KER-ACC-05)
  bool fuses = false;  // FUSE-TIER-01
  bool timestamps = false;
  bool runs_serial = false;  // can run a loop that is not proved parallel
  std::vector<std::pair<std::string, std::uint64_t>> limits;
  std::vector<std::string> features;
  std::vector<std::string> inexact;  // what is not exact here (KER-BIT-04), a clause each
  std::uint64_t limit(std::string_view name, std::uint64_t otherwise) const {
    for (auto& [n, v] : limits)
      if (n == name) return v;
    return otherwise;
  }
};

using MemoryId = std::uint64_t;  // 0: none
using CompiledId = std::uint64_t;

struct MemoryDesc {
  std::uint64_t bytes = 0;  // zero-filled at creation; array textures come to stand here
  std::string label;
};

/// A range of bytes of a buffer.
struct Region {
  MemoryId memory = 0;
  std::uint64_t offset = 0, size = 0;
};

/// One dispatch of a program: n iterations. With folds, the backend also runs the levels of the tree and puts fold k's
/// value (the dtype's bytes) at folded[k].
struct Run {
  CompiledId program = 0;
  std::vector<Region> bound;  // by slot
  std::vector<std::byte> uniforms;
  std::uint64_t n = 0;
  std::vector<Region> folded;
};
struct Upload {
  Region to;
  std::span<const std::byte> from;
};  // `from` lives until the batch is done
struct Copy {
  Region from, to;
};
struct Fill {
  Region to;
};  // with zero
struct Read {
  Region from;
  std::span<std::byte> into;
};  // `into` is filled when the batch is done

struct Pass {
  std::variant<Run, Upload, Copy, Fill, Read> what;
  std::uint32_t group = 0;  // of the plan: debug groups and times follow it
  std::string label;
};
struct Batch {
  std::vector<Pass> passes;
  bool timed = false;  // write timestamps (plans only, FUSE-TIM-03)
  std::string label;
};

struct PassResult {
  std::uint32_t dispatches = 0;  // with fold levels
  std::optional<double> ns;      // GPU time
};
struct Outcome {
  std::vector<PassResult> passes;  // one for each pass of the batch
  std::uint32_t submissions = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;  // waits for what was submitted
  virtual const Info& info() const = 0;
  /// Why this program cannot run here ("it binds 9 arrays and the device allows 8"), before anything is compiled.
  virtual std::optional<std::string> refuses(const trace::Program&) const = 0;
  /// Cached by key. `then` may be called before this returns, or in `pump`.
  virtual void compile(std::shared_ptr<const trace::Program>, Then<CompiledId> then) = 0;
  /// The text or machine code of a program, for explain().
  virtual Expected<std::string> emitted(const trace::Program&) const = 0;
  virtual Expected<MemoryId> create(const MemoryDesc&) = 0;
  /// Host memory used in place (cpu tier); a tier that cannot answers with an error of kind unsupported.
  virtual Expected<MemoryId> import(std::span<std::byte>) = 0;
  virtual void destroy(MemoryId) = 0;  // work already submitted still finds it
  /// Where the memory can be addressed by the host at any time (cpu tier), else null.
  virtual std::byte* host_pointer(MemoryId) = 0;
  /// Runs the passes in order, as if each waited for the one before. `then` is called before this returns or in `pump`.
  virtual void submit(Batch, Then<Outcome> then) = 0;
  /// Makes progress and calls what is due; waits up to `may_block` for something to happen. False when nothing is pending.
  virtual bool pump(std::chrono::nanoseconds may_block) = 0;
  virtual bool lost() const = 0;
};

struct OpenOptions {
  std::string adapter;                                        // part of an adapter's name; empty: the best
  std::vector<std::pair<std::string, std::uint64_t>> limits;  // lower these
};

/// What a tier's module gives.
class Driver {
 public:
  virtual ~Driver() = default;
  virtual Tier tier() const = 0;
  /// Every adapter of this machine, best first; an error says what is missing and what to install.
  virtual Expected<std::vector<Info>> adapters() = 0;
  virtual Expected<std::unique_ptr<Backend>> open(const OpenOptions&) = 0;
};

}  // namespace weft::backend
