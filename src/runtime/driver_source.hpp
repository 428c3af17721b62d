// Where devices get their drivers from: the modules of the library, or what a test gives instead.
#pragma once

#include <weft/types.hpp>

#include <functional>
#include <memory>

#include "runtime/backend.hpp"

namespace weft {
struct DeviceOptions;
class Device;
}  // namespace weft

namespace weft::runtime {

/// Gives the driver of a tier, which outlives every device made with it; throws LoadError.
using DriverSource = std::function<backend::Driver*(Tier)>;

/// That of the modules weft-webgpu, weft-gles and weft-cpu, unless a test has set another.
DriverSource driver_source();
/// Tests only: devices made from now on take their drivers from `source`; null: from the modules again.
void set_driver_source(DriverSource source);
/// Tests only: a device over the given drivers.
Device make_device(const DeviceOptions&, DriverSource source);

}  // namespace weft::runtime
