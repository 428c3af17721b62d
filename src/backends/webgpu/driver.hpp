// The module's Driver: it finds adapters and opens devices. Programs that hold the module's objects reach it by this name.
#pragma once

#include "runtime/backend.hpp"

namespace weft::webgpu {

/// Lives for the process.
backend::Driver* driver();

}  // namespace weft::webgpu
