// The end of the program: the default device is never destroyed, but its queue has ended before the modules' static
// objects go.
#pragma once

namespace weft::runtime {

/// Registers `stop_default_device` once more, so that it runs before what was loaded up to now is torn down.
void at_exit();
/// Runs what is queued on the default device and ends its thread; later calls on it are a StateError.
void stop_default_device();

}  // namespace weft::runtime
