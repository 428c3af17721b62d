#include "gpu.hpp"

#include <fmt/format.h>

namespace weft::webgpu {

backend::ErrorKind kind_of(WGPUErrorType type) {
  return type == WGPUErrorType_OutOfMemory ? backend::ErrorKind::memory : backend::ErrorKind::device;
}

backend::Expected<std::unique_ptr<Gpu>> Gpu::open(Handle<WGPUInstance> instance, Adapter adapter,
                                                  const WGPULimits& limits) {
  std::unique_ptr<Gpu> gpu(new Gpu);
  gpu->watch_ = std::make_unique<Watch>();
  gpu->instance_ = std::move(instance);
  gpu->adapter_ = std::move(adapter.handle);

  WGPUDeviceDescriptor descriptor{};
  const std::string name = label(adapter.info.adapter);
  descriptor.label = view(name);
  const WGPUFeatureName wanted[] = {WGPUFeatureName_TimestampQuery};
  descriptor.requiredFeatures = wanted;
  descriptor.requiredFeatureCount = adapter.timestamps ? 1 : 0;
  descriptor.requiredLimits = &limits;
  descriptor.deviceLostCallbackInfo.mode = WGPUCallbackMode_AllowSpontaneous;
  descriptor.deviceLostCallbackInfo.userdata1 = gpu->watch_.get();
  descriptor.deviceLostCallbackInfo.callback = [](const WGPUDevice*, WGPUDeviceLostReason, WGPUStringView message,
                                                  void* userdata, void*) {
    auto& watch = *static_cast<Watch*>(userdata);
    {
      std::lock_guard guard(watch.mutex);
      watch.message = text(message);
    }
    watch.lost.store(true, std::memory_order_release);
  };
  // Without a callback an uncaptured error aborts the process.
  descriptor.uncapturedErrorCallbackInfo.userdata1 = gpu->watch_.get();
  descriptor.uncapturedErrorCallbackInfo.callback = [](const WGPUDevice*, WGPUErrorType type, WGPUStringView message,
                                                       void* userdata, void*) {
    auto& watch = *static_cast<Watch*>(userdata);
    std::lock_guard guard(watch.mutex);
    if (!watch.uncaptured) watch.uncaptured = GpuError{type, text(message)};
  };

  struct Request {
    WGPUDevice device = nullptr;
    std::string message;
  } request;
  WGPURequestDeviceCallbackInfo callback{};
  callback.mode = WGPUCallbackMode_AllowSpontaneous;
  callback.userdata1 = &request;
  callback.callback = [](WGPURequestDeviceStatus status, WGPUDevice device, WGPUStringView message, void* userdata,
                         void*) {
    auto& r = *static_cast<Request*>(userdata);
    r.device = status == WGPURequestDeviceStatus_Success ? device : nullptr;
    r.message = text(message);
  };
  api().AdapterRequestDevice(gpu->adapter_.get(), &descriptor, callback);  // calls back before it returns
  if (!request.device)
    return backend::ErrorRecord{
        backend::ErrorKind::device, fmt::format("{} gives no device: {}", name, request.message), {}};
  gpu->device_ = Handle<WGPUDevice>(request.device);
  gpu->queue_ = Handle<WGPUQueue>(api().DeviceGetQueue(request.device));
  gpu->limits_ = limits;
  gpu->timestamps_ = adapter.timestamps;
  gpu->tick_ns_ = api().QueueGetTimestampPeriod(gpu->queue());
  return gpu;
}

Gpu::~Gpu() {
  queue_.reset();
  device_.reset();
  adapter_.reset();
  instance_.reset();
}

std::string Gpu::lost_message() const {
  std::lock_guard guard(watch_->mutex);
  return watch_->message;
}

std::optional<GpuError> Gpu::take_uncaptured() const {
  std::lock_guard guard(watch_->mutex);
  return std::exchange(watch_->uncaptured, std::nullopt);
}

void Gpu::destroy() {
  std::lock_guard guard(lock);
  if (!lost()) api().DeviceDestroy(device());
  watch_->lost.store(true, std::memory_order_release);
}

ErrorScope::ErrorScope(const Gpu& gpu) : gpu_(gpu) {
  gpu.take_uncaptured();
  api().DevicePushErrorScope(gpu.device(), WGPUErrorFilter_OutOfMemory);
  api().DevicePushErrorScope(gpu.device(), WGPUErrorFilter_Validation);
}

ErrorScope::~ErrorScope() {
  if (open_) end();
}

std::optional<GpuError> ErrorScope::end() {
  open_ = false;
  std::optional<GpuError> first;
  WGPUPopErrorScopeCallbackInfo callback{};
  callback.mode = WGPUCallbackMode_AllowSpontaneous;
  callback.userdata1 = &first;
  callback.callback = [](WGPUPopErrorScopeStatus, WGPUErrorType type, WGPUStringView message, void* userdata, void*) {
    auto& found = *static_cast<std::optional<GpuError>*>(userdata);
    if (type != WGPUErrorType_NoError && !found) found = GpuError{type, text(message)};
  };
  for (int i = 0; i < 2; ++i) api().DevicePopErrorScope(gpu_.device(), callback);  // each calls back at once
  return first ? first : gpu_.take_uncaptured();
}

}  // namespace weft::webgpu
