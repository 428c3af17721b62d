// A program on the device: pipelines, and what a batch must know to bind and dispatch it. Cached by key.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "gpu.hpp"
#include "wgsl.hpp"

namespace weft::webgpu {

struct Pipeline {
  Handle<WGPUBindGroupLayout> layout;
  Handle<WGPUComputePipeline> pipeline;
};

struct Compiled {
  std::shared_ptr<const trace::Program> program;
  std::string label;  // sanitised
  Pipeline loop;
  const Pipeline* level = nullptr;  // of a reduction: one further level of its tree
  std::uint32_t uniform_bytes = 0;
  std::uint32_t iterations = 0;  // of a workgroup
};

/// Why the device cannot run a program, before anything is compiled (KER-TIER-04): a clause.
std::optional<std::string> refusal(const trace::Program&, const WGPULimits&);

class Compiler {
 public:
  /// `rounds`: of reductions (wgsl.hpp).
  Compiler(Gpu& gpu, std::uint32_t rounds) : gpu_(gpu), rounds_(rounds) {}
  std::uint32_t rounds() const { return rounds_; }

  /// The device's lock is held. The pointer stays good.
  backend::Expected<const Compiled*> compile(std::shared_ptr<const trace::Program>);

 private:
  /// Bindings: one storage array for each entry of `written`, then the uniforms.
  backend::Expected<Pipeline> pipeline(const std::string& label, const std::string& wgsl,
                                       const std::vector<bool>& written, std::uint32_t uniform_bytes);
  backend::Expected<const Pipeline*> level(const trace::Program&);

  Gpu& gpu_;
  const std::uint32_t rounds_;
  std::unordered_map<std::string, std::unique_ptr<Compiled>> programs_;
  std::unordered_map<std::string, std::unique_ptr<Pipeline>> levels_;
};

}  // namespace weft::webgpu
