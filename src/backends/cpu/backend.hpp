// The cpu tier: kernels compiled for this machine, run on its threads, on plain host memory. A batch runs on the thread
// that submits it, with the threads of Workers, and is done when submit returns.
#pragma once

#include "backends/cpu/memory.hpp"
#include "backends/cpu/workers.hpp"
#include "runtime/backend.hpp"

namespace weft::cpu {

/// What the tier is on this machine, before any limit is lowered.
backend::Info machine_info();

class CpuBackend final : public backend::Backend {
 public:
  explicit CpuBackend(const backend::OpenOptions&);

  const backend::Info& info() const override { return info_; }
  std::optional<std::string> refuses(const trace::Program&) const override;
  void compile(std::shared_ptr<const trace::Program>, backend::Then<backend::CompiledId>) override;
  backend::Expected<std::string> emitted(const trace::Program&) const override;
  backend::Expected<backend::MemoryId> create(const backend::MemoryDesc&) override;
  backend::Expected<backend::MemoryId> import(std::span<std::byte>) override;
  void destroy(backend::MemoryId) override;
  std::byte* host_pointer(backend::MemoryId) override;
  void submit(backend::Batch, backend::Then<backend::Outcome>) override;
  bool pump(std::chrono::nanoseconds) override { return false; }
  bool lost() const override { return false; }

 private:
  backend::Info info_;
  MemoryTable memory_;
  Workers workers_;
};

}  // namespace weft::cpu
