#include "memory.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace weft::webgpu {

backend::Expected<backend::MemoryId> Memories::create(const backend::MemoryDesc& desc) {
  Memory made;
  made.label = label(desc.label);
  const std::string name = made.label.empty() ? "an array" : made.label;
  const WGPULimits& limits = gpu_.limits();
  const std::uint64_t most = std::min(limits.maxBufferSize, limits.maxStorageBufferBindingSize);
  // An array fills its binding, so the smaller of the two limits counts.
  if (desc.bytes > most)
    return backend::ErrorRecord{
        backend::ErrorKind::memory,
        fmt::format("{} takes {} bytes, and a buffer of this device holds at most {} ({}).", name, desc.bytes, most,
                    limits.maxBufferSize < limits.maxStorageBufferBindingSize ? "maxBufferSize"
                                                                              : "maxStorageBufferBindingSize"),
        {}};
  made.bytes = desc.bytes;
  made.allocated = std::max<std::uint64_t>(16, (desc.bytes + 3) / 4 * 4);
  WGPUBufferDescriptor descriptor{};
  descriptor.label = view(made.label);
  descriptor.usage = WGPUBufferUsage_Storage | WGPUBufferUsage_CopySrc | WGPUBufferUsage_CopyDst;
  descriptor.size = made.allocated;
  ErrorScope scope(gpu_);
  made.buffer = Handle<WGPUBuffer>(api().DeviceCreateBuffer(gpu_.device(), &descriptor));
  if (auto error = scope.end())
    return backend::ErrorRecord{kind_of(error->type),
                                fmt::format("{} ({} bytes) cannot be allocated: {}", name, desc.bytes, error->message),
                                {}};
  const backend::MemoryId id = next_++;
  table_.emplace(id, std::move(made));
  return id;
}

const Memory* Memories::find(backend::MemoryId id) const {
  const auto found = table_.find(id);
  return found == table_.end() ? nullptr : &found->second;
}

}  // namespace weft::webgpu
