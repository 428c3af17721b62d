#include "compiled.hpp"

#include <fmt/format.h>

#include "ir/derive.hpp"
#include "wgsl_fold.hpp"
#include "wgsl_ops.hpp"

namespace weft::webgpu {
namespace {

using ir::Op;

/// A type in the graph that WGSL lacks, as a clause (KER-NUM-10).
std::string refuses_type(ir::Node n) {
  switch (n->dtype.scalar) {
    case Scalar::void_:
    case Scalar::boolean:
    case Scalar::int32:
    case Scalar::uint32:
    case Scalar::float32: return {};
    case Scalar::float64: return "it computes in doubles";
    case Scalar::int64:
    case Scalar::uint64: return "its indices need 64 bits";
    case Scalar::weakint:
    case Scalar::weakfloat:
      // A literal is a CAST over one of these.
      if (n->is(Op::CONST)) return {};
      [[fallthrough]];
    default: return fmt::format("it computes in {}, which the webgpu tier does not have", ir::to_string(n->dtype));
  }
}

std::string plural(std::size_t n, const char* what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); }

}  // namespace

std::optional<std::string> refusal(const trace::Program& p, const WGPULimits& limits) {
  if (p.serial) return "it may not run in any order";
  for (ir::Node n : ir::topological(p.root)) {
    if (std::string why = refuses_type(n); !why.empty()) return why;
    if (std::string why = refuses_operation(n->op); !why.empty()) return why;
  }
  if (p.needs_int64) return "its indices need 64 bits";
  if (const std::size_t arrays = p.slots.size() + p.folds.size(); arrays > limits.maxStorageBuffersPerShaderStage)
    return fmt::format("it binds {} and the device allows {}", plural(arrays, "array"),
                       limits.maxStorageBuffersPerShaderStage);
  const std::uint32_t size = workgroup_of(p);
  if (const std::uint32_t most = std::min(limits.maxComputeInvocationsPerWorkgroup, limits.maxComputeWorkgroupSizeX);
      size > most)
    return fmt::format("its workgroups have {} and the device allows {}", plural(size, "invocation"), most);
  if (const std::size_t shared = lanes_of(p.folds).size() * fold_width * 4;
      shared > limits.maxComputeWorkgroupStorageSize)
    return fmt::format("its reductions take {} bytes of workgroup memory and the device allows {}", shared,
                       limits.maxComputeWorkgroupStorageSize);
  if (const std::uint32_t bytes = uniform_bytes(p); bytes > limits.maxUniformBufferBindingSize)
    return fmt::format("its scalars take {} bytes and the device allows {}", bytes, limits.maxUniformBufferBindingSize);
  return std::nullopt;
}

backend::Expected<const Compiled*> Compiler::compile(std::shared_ptr<const trace::Program> program) {
  const trace::Program& p = *program;
  if (auto found = programs_.find(p.key); found != programs_.end()) return found->second.get();
  if (auto why = refusal(p, gpu_.limits()))
    return backend::ErrorRecord{
        backend::ErrorKind::unsupported, fmt::format("{} does not run on the webgpu tier: {}.", p.label, *why), {}};
  auto made = std::make_unique<Compiled>();
  made->label = label(p.label);
  made->iterations = workgroup_of(p) * (p.folds.empty() ? 1 : rounds_);
  made->uniform_bytes = uniform_bytes(p);

  std::vector<bool> written;
  for (const auto& slot : p.slots) written.push_back(slot.written);
  written.insert(written.end(), p.folds.size(), true);
  auto loop = pipeline(made->label, render(p, rounds_), written, made->uniform_bytes);
  if (!loop) return loop.error();
  made->loop = std::move(*loop);
  if (!p.folds.empty()) {
    auto further = level(p);
    if (!further) return further.error();
    made->level = *further;
  }
  made->program = std::move(program);
  return programs_.emplace(made->program->key, std::move(made)).first->second.get();
}

backend::Expected<const Pipeline*> Compiler::level(const trace::Program& p) {
  std::string key;
  for (const auto& f : p.folds) key += fmt::format("{} {} ", ir::name(f.op), ir::to_string(f.dtype));
  if (auto found = levels_.find(key); found != levels_.end()) return found->second.get();
  auto made = pipeline("fold " + key, render_fold_level(p.folds, rounds_), std::vector<bool>(p.folds.size(), true), 16);
  if (!made) return made.error();
  return levels_.emplace(key, std::make_unique<Pipeline>(std::move(*made))).first->second.get();
}

backend::Expected<Pipeline> Compiler::pipeline(const std::string& name, const std::string& wgsl,
                                               const std::vector<bool>& written, std::uint32_t uniform_bytes) {
  Pipeline made;
  // Each step ends its own scope: a step over an object that was refused would only say so again.
  const auto failed = [&](const GpuError& error) {
    return backend::ErrorRecord{
        error.type == WGPUErrorType_OutOfMemory ? backend::ErrorKind::memory : backend::ErrorKind::compile,
        fmt::format("The shader of {} does not compile: {}", name, error.message), wgsl};
  };
  WGPUShaderSourceWGSL source{};
  source.chain.sType = WGPUSType_ShaderSourceWGSL;
  source.code = view(wgsl);
  WGPUShaderModuleDescriptor shader{};
  shader.nextInChain = &source.chain;
  shader.label = view(name);
  ErrorScope shader_scope(gpu_);
  Handle<WGPUShaderModule> module(api().DeviceCreateShaderModule(gpu_.device(), &shader));
  if (auto error = shader_scope.end()) return failed(*error);

  std::vector<WGPUBindGroupLayoutEntry> entries(written.size() + 1);
  for (std::uint32_t b = 0; b < entries.size(); ++b) {
    entries[b] = WGPUBindGroupLayoutEntry{};
    entries[b].binding = b;
    entries[b].visibility = WGPUShaderStage_Compute;
    entries[b].buffer.type = b == written.size() ? WGPUBufferBindingType_Uniform
                             : written[b]        ? WGPUBufferBindingType_Storage
                                                 : WGPUBufferBindingType_ReadOnlyStorage;
    if (b == written.size()) entries[b].buffer.minBindingSize = uniform_bytes;
  }
  WGPUBindGroupLayoutDescriptor group{};
  group.label = view(name);
  group.entries = entries.data();
  group.entryCount = entries.size();
  ErrorScope layout_scope(gpu_);
  made.layout = Handle<WGPUBindGroupLayout>(api().DeviceCreateBindGroupLayout(gpu_.device(), &group));
  if (auto error = layout_scope.end()) return failed(*error);

  WGPUPipelineLayoutDescriptor layout_of_groups{};
  layout_of_groups.label = view(name);
  const WGPUBindGroupLayout groups[] = {made.layout.get()};
  layout_of_groups.bindGroupLayouts = groups;
  layout_of_groups.bindGroupLayoutCount = 1;
  ErrorScope pipeline_scope(gpu_);
  Handle<WGPUPipelineLayout> layout(api().DeviceCreatePipelineLayout(gpu_.device(), &layout_of_groups));
  WGPUComputePipelineDescriptor descriptor{};
  descriptor.label = view(name);
  descriptor.layout = layout.get();
  descriptor.compute.module = module.get();
  descriptor.compute.entryPoint = view("main");
  made.pipeline = Handle<WGPUComputePipeline>(api().DeviceCreateComputePipeline(gpu_.device(), &descriptor));
  if (auto error = pipeline_scope.end()) return failed(*error);
  return made;
}

}  // namespace weft::webgpu
