#include "adapter.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>

namespace weft::webgpu {
namespace {

/// wgpu-native looks for a Wayland display, and libwayland complains on stderr where XDG_RUNTIME_DIR is not set. Weft
/// draws on no display, so any value will do while the adapters are listed.
class QuietDisplay {
 public:
  QuietDisplay() : guard_(mutex()), set_(!std::getenv("XDG_RUNTIME_DIR")) {
    if (set_) setenv("XDG_RUNTIME_DIR", "/tmp", 1);
  }
  ~QuietDisplay() {
    if (set_) unsetenv("XDG_RUNTIME_DIR");
  }

 private:
  static std::mutex& mutex() {
    static std::mutex m;
    return m;
  }
  std::lock_guard<std::mutex> guard_;
  bool set_;
};

// X(name): the limits, in the order of webgpu.h. An alignment is no upper limit and is not lowered.
// clang-format off
#define WEFT_LIMITS(X)                                                                                                \
  X(maxTextureDimension1D) X(maxTextureDimension2D) X(maxTextureDimension3D) X(maxTextureArrayLayers)                 \
  X(maxBindGroups) X(maxBindGroupsPlusVertexBuffers) X(maxBindingsPerBindGroup)                                       \
  X(maxDynamicUniformBuffersPerPipelineLayout) X(maxDynamicStorageBuffersPerPipelineLayout)                           \
  X(maxSampledTexturesPerShaderStage) X(maxSamplersPerShaderStage) X(maxStorageBuffersPerShaderStage)                 \
  X(maxStorageTexturesPerShaderStage) X(maxUniformBuffersPerShaderStage) X(maxUniformBufferBindingSize)               \
  X(maxStorageBufferBindingSize) X(minUniformBufferOffsetAlignment) X(minStorageBufferOffsetAlignment)                \
  X(maxVertexBuffers) X(maxBufferSize) X(maxVertexAttributes) X(maxVertexBufferArrayStride)                           \
  X(maxInterStageShaderVariables) X(maxColorAttachments) X(maxColorAttachmentBytesPerSample)                          \
  X(maxComputeWorkgroupStorageSize) X(maxComputeInvocationsPerWorkgroup) X(maxComputeWorkgroupSizeX)                  \
  X(maxComputeWorkgroupSizeY) X(maxComputeWorkgroupSizeZ) X(maxComputeWorkgroupsPerDimension)
// clang-format on

const char* feature_name(WGPUFeatureName f) {
  switch (f) {
    case WGPUFeatureName_TimestampQuery: return "timestamp-query";
    case WGPUFeatureName_ShaderF16: return "shader-f16";
    case WGPUFeatureName_Subgroups: return "subgroups";
    case WGPUFeatureName_Float32Filterable: return "float32-filterable";
    case WGPUFeatureName_IndirectFirstInstance: return "indirect-first-instance";
    default: return nullptr;
  }
}

Adapter describe(WGPUAdapter raw) {
  Adapter a;
  a.handle = Handle<WGPUAdapter>(raw);
  api().AdapterGetLimits(raw, &a.limits);
  a.limits.nextInChain = nullptr;
  a.limits.maxImmediateSize = 0;  // of a feature that is not asked for

  WGPUAdapterInfo info{};
  api().AdapterGetInfo(raw, &info);
  a.info.tier = Tier::webgpu;
  a.info.adapter = text(info.device);
  a.info.driver = text(info.description);
  if (a.info.driver.empty()) a.info.driver = text(info.vendor);
  a.info.software = info.adapterType == WGPUAdapterType_CPU;
  api().AdapterInfoFreeMembers(info);

  WGPUSupportedFeatures features{};
  api().AdapterGetFeatures(raw, &features);
  for (std::size_t i = 0; i < features.featureCount; ++i)
    if (const char* name = feature_name(features.features[i])) a.info.features.push_back(name);
  api().SupportedFeaturesFreeMembers(features);
  std::sort(a.info.features.begin(), a.info.features.end());

  a.timestamps = (api().AdapterHasFeature(raw, WGPUFeatureName_TimestampQuery) & 0xff) != 0;
  a.info.timestamps = a.timestamps;
  a.info.fuses = true;
  a.info.limits = named(a.limits);
  return a;
}

std::string no_adapter() {
  void* loader = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!loader) return "the Vulkan loader (libvulkan.so.1) is missing: install it (Debian: apt-get install libvulkan1)";
  dlclose(loader);
  std::string where;
  for (const char* variable : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"})
    if (const char* value = std::getenv(variable); value && *value)
      where += fmt::format(" ({} is set to \"{}\")", variable, value);
  return "no Vulkan driver was found" + where +
         ": install the driver of the GPU, or a software one (Debian: apt-get install mesa-vulkan-drivers)";
}

}  // namespace

backend::Expected<Adapters> find_adapters() {
  if (auto loaded = load(); !loaded) return loaded.error();
  QuietDisplay quiet;

  WGPUInstanceExtras extras{};
  extras.chain.sType = static_cast<WGPUSType>(WGPUSType_InstanceExtras);
  extras.backends = WGPUInstanceBackend_Vulkan;  // GL would be probed too: a second, slower software adapter
  extras.flags = WGPUInstanceFlag_WithEnv;       // none, but for what WGPU_VALIDATION and its kind ask for
  WGPUInstanceDescriptor descriptor{};
  descriptor.nextInChain = &extras.chain;

  Adapters found;
  found.instance = Handle<WGPUInstance>(api().CreateInstance(&descriptor));
  if (!found.instance) return backend::ErrorRecord{backend::ErrorKind::load, "wgpu-native made no instance.", {}};
  WGPUInstanceEnumerateAdapterOptions options{};
  options.backends = WGPUInstanceBackend_Vulkan;
  std::vector<WGPUAdapter> raw(16);
  const std::size_t first = api().InstanceEnumerateAdapters(found.instance.get(), &options, nullptr);
  raw.resize(first);
  if (first) raw.resize(std::min(first, api().InstanceEnumerateAdapters(found.instance.get(), &options, raw.data())));
  std::vector<Adapter> software;
  for (WGPUAdapter a : raw) {
    Adapter made = describe(a);
    (made.info.software ? software : found.list).push_back(std::move(made));
  }
  for (Adapter& a : software) found.list.push_back(std::move(a));
  if (found.list.empty()) return backend::ErrorRecord{backend::ErrorKind::load, no_adapter() + ".", {}};
  return found;
}

std::vector<std::pair<std::string, std::uint64_t>> named(const WGPULimits& limits) {
  return {
#define X(name) {#name, limits.name},
      WEFT_LIMITS(X)
#undef X
  };
}

backend::Expected<WGPULimits> lowered(WGPULimits limits, const std::vector<std::pair<std::string, std::uint64_t>>& to) {
  for (const auto& [name, value] : to) {
    const bool upper = name.compare(0, 3, "min") != 0;
#define X(limit)                                                                                                       \
  if (name == #limit) {                                                                                                \
    if (upper && value < limits.limit) limits.limit = static_cast<decltype(limits.limit)>(value);                      \
    continue;                                                                                                          \
  }
    WEFT_LIMITS(X)
#undef X
    return backend::ErrorRecord{backend::ErrorKind::range, fmt::format("{} is not a limit of WebGPU.", name), {}};
  }
  return limits;
}

}  // namespace weft::webgpu
