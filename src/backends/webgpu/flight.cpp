#include "flight.hpp"

#include <fmt/format.h>

#include <cstring>

namespace weft::webgpu {

void Flight::watch(const Gpu& gpu) {
  if (reads_back()) {
    // A map waits for the submission that writes the buffer, so it says both.
    WGPUBufferMapCallbackInfo callback{};
    callback.mode = WGPUCallbackMode_AllowSpontaneous;
    callback.userdata1 = this;
    callback.callback = [](WGPUMapAsyncStatus status, WGPUStringView message, void* userdata, void*) {
      auto& flight = *static_cast<Flight*>(userdata);
      flight.state = status == WGPUMapAsyncStatus_Success ? State::done : State::failed;
      if (flight.state == State::failed) flight.failure = text(message);
    };
    api().BufferMapAsync(staging.buffer.get(), WGPUMapMode_Read, 0, staged_bytes, callback);
    return;
  }
  WGPUQueueWorkDoneCallbackInfo callback{};
  callback.mode = WGPUCallbackMode_AllowSpontaneous;
  callback.userdata1 = this;
  callback.callback = [](WGPUQueueWorkDoneStatus status, WGPUStringView message, void* userdata, void*) {
    auto& flight = *static_cast<Flight*>(userdata);
    flight.state = status == WGPUQueueWorkDoneStatus_Success ? State::done : State::failed;
    if (flight.state == State::failed) flight.failure = text(message);
  };
  api().QueueOnSubmittedWorkDone(gpu.queue(), callback);
}

backend::Expected<backend::Outcome> Flight::land(const Gpu& gpu, Pools& pools) {
  const bool mapped = reads_back() && state == State::done;
  if (mapped) {
    const void* range = api().BufferGetConstMappedRange(staging.buffer.get(), 0, staged_bytes);
    if (range) {
      for (const ReadBack& r : reads)
        std::memcpy(r.into.data(), static_cast<const std::byte*>(range) + r.at, r.into.size());
      timing.read(static_cast<const std::byte*>(range), gpu.tick_ns(), outcome.passes);
    } else {
      state = State::failed;
      failure = "the staging buffer gives no memory";
    }
    api().BufferUnmap(staging.buffer.get());
  }
  if (reads_back() && !mapped) staging = {};  // its state is not known: not used again
  give_back(pools);
  if (state == State::failed)
    return backend::ErrorRecord{
        backend::ErrorKind::device, fmt::format("{} did not finish on the device: {}", label, failure), {}};
  return std::move(outcome);
}

void Flight::give_back(Pools& pools) {
  pools.uniforms.give_back(std::move(uniforms));
  pools.staging.give_back(std::move(staging));
  for (auto& p : partials) pools.partials.give_back(std::move(p));
  for (auto& t : transfers) pools.transfer.give_back(std::move(t));
  partials.clear();
  transfers.clear();
  timing.give_back(pools.queries, pools.times);
}

}  // namespace weft::webgpu
