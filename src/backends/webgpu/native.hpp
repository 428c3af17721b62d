// The WebGPU library (wgpu-native), opened at run time: one table of the functions that Weft calls, found by dlsym. What
// wgpu-native leaves unimplemented aborts the process, so nothing is called that is not in this list.
#pragma once

#include <wgpu.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/backend.hpp"

namespace weft::webgpu {

// clang-format off
#define WEFT_WGPU_FUNCTIONS(X)                                                                                        \
  X(CreateInstance) X(InstanceRelease) X(InstanceEnumerateAdapters) X(GetVersion)                                     \
  X(AdapterGetInfo) X(AdapterInfoFreeMembers) X(AdapterGetLimits) X(AdapterGetFeatures) X(AdapterHasFeature)          \
  X(SupportedFeaturesFreeMembers) X(AdapterRequestDevice) X(AdapterRelease)                                           \
  X(DeviceGetQueue) X(DeviceGetLimits) X(DevicePushErrorScope) X(DevicePopErrorScope) X(DevicePoll) X(DeviceDestroy)  \
  X(DeviceRelease) X(DeviceCreateBuffer) X(DeviceCreateShaderModule) X(DeviceCreateBindGroupLayout)                   \
  X(DeviceCreatePipelineLayout) X(DeviceCreateComputePipeline) X(DeviceCreateBindGroup) X(DeviceCreateQuerySet)       \
  X(DeviceCreateCommandEncoder)                                                                                       \
  X(CommandEncoderBeginComputePass) X(CommandEncoderClearBuffer) X(CommandEncoderCopyBufferToBuffer)                  \
  X(CommandEncoderFinish) X(CommandEncoderPushDebugGroup) X(CommandEncoderPopDebugGroup)                              \
  X(CommandEncoderResolveQuerySet) X(CommandEncoderRelease) X(CommandBufferRelease)                                   \
  X(ComputePassEncoderSetPipeline) X(ComputePassEncoderSetBindGroup) X(ComputePassEncoderDispatchWorkgroups)          \
  X(ComputePassEncoderEnd) X(ComputePassEncoderRelease)                                                               \
  X(QueueSubmit) X(QueueWriteBuffer) X(QueueOnSubmittedWorkDone) X(QueueGetTimestampPeriod) X(QueueRelease)           \
  X(BufferMapAsync) X(BufferGetConstMappedRange) X(BufferUnmap) X(BufferRelease)                                      \
  X(ShaderModuleRelease) X(BindGroupLayoutRelease) X(PipelineLayoutRelease) X(ComputePipelineRelease)                 \
  X(BindGroupRelease) X(QuerySetRelease)
// clang-format on

struct Api {
#define X(name) decltype(&::wgpu##name) name = nullptr;
  WEFT_WGPU_FUNCTIONS(X)
#undef X
};

/// Opens the library: the absolute path in WEFT_WGPU_NATIVE, else libwgpu_native.so in this module's own folder or the
/// core library's. Once it is open it stays so; a failure is not remembered. The error says what is missing and how to
/// get it.
backend::Expected<const Api*> load();

/// The functions of the loaded library; `load` has succeeded before.
const Api& api();

/// "29.0.1" of a wgpuGetVersion value.
std::string version_text(std::uint32_t version);
/// The release whose headers this is compiled with (the wheel `wgpu` 0.32.0 brings it): another major or minor release
/// has other numbers for the same names, so it is refused before anything else is called.
inline constexpr std::uint32_t header_version = 0x1d000101;
bool same_interface(std::uint32_t header, std::uint32_t library);

inline WGPUStringView view(std::string_view s) { return {s.data(), s.size()}; }
std::string text(WGPUStringView);
/// An author's name as the library's strings take it: valid UTF-8 without NUL, at most 240 bytes.
std::string label(std::string_view);

/// Owns one reference to an object of the library.
template <class T> class Handle {
 public:
  Handle() = default;
  explicit Handle(T raw) : raw_(raw) {}
  Handle(Handle&& o) noexcept : raw_(std::exchange(o.raw_, nullptr)) {}
  Handle& operator=(Handle&& o) noexcept {
    std::swap(raw_, o.raw_);
    return *this;
  }
  ~Handle() { reset(); }
  void reset();
  T get() const { return raw_; }
  explicit operator bool() const { return raw_ != nullptr; }

 private:
  T raw_ = nullptr;
};

// clang-format off
#define WEFT_RELEASED(Type) template <> void Handle<WGPU##Type>::reset();
WEFT_RELEASED(Instance) WEFT_RELEASED(Adapter) WEFT_RELEASED(Device) WEFT_RELEASED(Queue) WEFT_RELEASED(Buffer)
WEFT_RELEASED(ShaderModule) WEFT_RELEASED(BindGroupLayout) WEFT_RELEASED(PipelineLayout) WEFT_RELEASED(ComputePipeline)
WEFT_RELEASED(BindGroup) WEFT_RELEASED(QuerySet) WEFT_RELEASED(CommandEncoder) WEFT_RELEASED(CommandBuffer)
WEFT_RELEASED(ComputePassEncoder)
#undef WEFT_RELEASED
// clang-format on

}  // namespace weft::webgpu
