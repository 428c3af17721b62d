// The webgpu tier on one device: the Backend interface over the parts beside it.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "compiled.hpp"
#include "encode.hpp"
#include "flight.hpp"
#include "memory.hpp"

namespace weft::webgpu {

class WebgpuBackend final : public backend::Backend {
 public:
  /// `rounds`: of reductions (wgsl.hpp); 0 takes what suits the adapter.
  WebgpuBackend(std::unique_ptr<Gpu>, backend::Info, std::uint32_t rounds = 0);
  ~WebgpuBackend() override;

  const backend::Info& info() const override { return info_; }
  std::optional<std::string> refuses(const trace::Program&) const override;
  void compile(std::shared_ptr<const trace::Program>, backend::Then<backend::CompiledId>) override;
  backend::Expected<std::string> emitted(const trace::Program&) const override;
  backend::Expected<backend::MemoryId> create(const backend::MemoryDesc&) override;
  backend::Expected<backend::MemoryId> import(std::span<std::byte>) override;
  void destroy(backend::MemoryId) override;
  std::byte* host_pointer(backend::MemoryId) override { return nullptr; }
  void submit(backend::Batch, backend::Then<backend::Outcome>) override;
  bool pump(std::chrono::nanoseconds may_block) override;
  bool lost() const override { return gpu_->lost(); }

  Gpu& gpu() { return *gpu_; }
  Pools& pools() { return pools_; }
  backend::Info& info() { return info_; }

 private:
  using Landed = std::pair<backend::Then<backend::Outcome>, backend::Expected<backend::Outcome>>;

  backend::ErrorRecord loss() const;
  /// The id of a program's pipelines. The lock is held.
  backend::Expected<backend::CompiledId> compiled(std::shared_ptr<const trace::Program>);
  /// Puts a batch on the queue; what it comes to where that is known at once. The lock is held.
  std::optional<backend::Expected<backend::Outcome>> put(const backend::Batch&, backend::Then<backend::Outcome>&);
  /// Polls; takes what has landed, in order. The lock is held.
  std::vector<Landed> collect();

  // What was in flight on a device that is lost: the library may call back as late as the device's release.
  std::vector<std::unique_ptr<Flight>> wrecks_;
  std::unique_ptr<Gpu> gpu_;
  backend::Info info_;
  Pools pools_;
  Memories memories_;
  Compiler compiler_;
  std::vector<const Compiled*> programs_;
  std::unordered_map<const Compiled*, backend::CompiledId> ids_;
  std::deque<std::unique_ptr<Flight>> flights_;
  std::uint64_t unflushed_ = 0;  // bytes written to the queue since the last submission
};

}  // namespace weft::webgpu
