// The Vulkan adapters of this machine: what they are called, what they can do, and which one a device is made on.
#pragma once

#include <string>
#include <vector>

#include "native.hpp"

namespace weft::webgpu {

struct Adapter {
  Handle<WGPUAdapter> handle;
  WGPULimits limits{};
  bool timestamps = false;
  backend::Info info;
};

struct Adapters {
  Handle<WGPUInstance> instance;  // outlives the adapters
  std::vector<Adapter> list;      // hardware first, software after it
};

/// All adapters; an error says what is missing (the library, the Vulkan loader, a driver) and what to install.
backend::Expected<Adapters> find_adapters();

/// The limits by their WebGPU names, in the order of webgpu.h.
std::vector<std::pair<std::string, std::uint64_t>> named(const WGPULimits&);
/// Lowers limits by name; an error names a limit that does not exist.
backend::Expected<WGPULimits> lowered(WGPULimits, const std::vector<std::pair<std::string, std::uint64_t>>&);

}  // namespace weft::webgpu
