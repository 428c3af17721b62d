// A tier for tests of what stands above a backend: it runs programs with the interpreter, counts what it is asked for, and
// fails where a test wants it to. It checks what every backend may rely on (regions in bounds, slots bound, uniforms of
// the right size, no call after a loss) and remembers what was wrong in `misuse`.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/backend.hpp"
#include "support/program_interpreter.hpp"

namespace weft::test {

struct NullCounts {
  std::uint64_t compiles = 0, creates = 0, destroys = 0, submits = 0, pumps = 0;
  std::uint64_t passes = 0, runs = 0, dispatches = 0, uploads = 0, reads = 0, copies = 0, fills = 0;
};

/// What to do wrong, and when. Numbers count from 1; 0 is never.
struct NullFailures {
  std::optional<std::string> compile;  // refuse every shader with this sentence
  std::uint64_t create = 0;            // the N-th create is out of memory
  std::uint64_t lose_at_submit = 0;    // the N-th submit finds the device lost
  std::optional<std::string> refuse;   // every program, before it is compiled
  std::uint64_t submit_error = 0;      // the N-th submit fails, the device stays
};

/// The Info of a null tier as capable as the cpu tier, under the given name.
backend::Info null_info(Tier = Tier::cpu);

class NullBackend final : public backend::Backend {
 public:
  explicit NullBackend(backend::Info = null_info());
  ~NullBackend() override;

  const backend::Info& info() const override { return info_; }
  std::optional<std::string> refuses(const trace::Program&) const override;
  void compile(std::shared_ptr<const trace::Program>, backend::Then<backend::CompiledId>) override;
  backend::Expected<std::string> emitted(const trace::Program&) const override;
  backend::Expected<backend::MemoryId> create(const backend::MemoryDesc&) override;
  backend::Expected<backend::MemoryId> import(std::span<std::byte>) override;
  void destroy(backend::MemoryId) override;
  std::byte* host_pointer(backend::MemoryId) override;
  void submit(backend::Batch, backend::Then<backend::Outcome>) override;
  bool pump(std::chrono::nanoseconds may_block) override;
  bool lost() const override;

  // What a test sees and sets; from any thread.
  NullCounts counts() const;
  std::size_t live() const;                                             // memories created and not destroyed
  std::vector<std::string> misuse() const;                              // sentences; a good client leaves none
  std::vector<std::string> labels() const;                              // of every pass run, in order
  std::vector<std::shared_ptr<const trace::Program>> programs() const;  // compiled, in order
  void fail(NullFailures);
  /// Batches and compiles complete in a later pump (true) or before their call returns (false, the default).
  void delay(bool);
  /// Nothing completes until released; only with delay.
  void hold(bool);
  void lose();  // as if the device went away now
  /// Memory can be addressed by the host, as on the cpu tier; import works.
  void host_addressable(bool);

 private:
  struct Memory;
  struct Job;  // one submitted batch with the memories and programs it found
  backend::Expected<backend::Outcome> execute(Job&);
  void complete(std::function<void()>);  // now, or in a later pump
  backend::ErrorRecord gone(const char* call);

  backend::Info info_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  NullCounts counts_;
  NullFailures failures_;
  bool delayed_ = false, held_ = false, lost_ = false, addressable_ = false;
  backend::MemoryId next_memory_ = 1;
  std::map<backend::MemoryId, std::shared_ptr<Memory>> memories_;
  std::map<std::string, backend::CompiledId> compiled_;
  std::unordered_map<backend::CompiledId, std::shared_ptr<ProgramInterpreter>> programs_;
  std::vector<std::shared_ptr<const trace::Program>> order_;
  std::vector<std::string> misuse_, labels_;
  std::deque<std::function<void()>> pending_;
};

/// A driver of one such adapter; `last` is the backend opened last, while it lives.
class NullDriver final : public backend::Driver {
 public:
  explicit NullDriver(backend::Info info = null_info()) : info_(std::move(info)) {}
  Tier tier() const override { return info_.tier; }
  backend::Expected<std::vector<backend::Info>> adapters() override;
  backend::Expected<std::unique_ptr<backend::Backend>> open(const backend::OpenOptions&) override;
  NullBackend* last() const { return last_; }
  /// No adapter: this sentence.
  void missing(std::optional<std::string> why) { missing_ = std::move(why); }

 private:
  backend::Info info_;
  std::optional<std::string> missing_;
  NullBackend* last_ = nullptr;
};

}  // namespace weft::test
