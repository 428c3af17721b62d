// What is not exact on a device (KER-BIT-04): a batch of known expressions, run as any program is and compared with the
// host's own arithmetic.
#pragma once

#include <string>
#include <vector>

#include "runtime/backend.hpp"

namespace weft::webgpu {

/// Clauses for Info::inexact, such as "subnormal floats are flushed to zero". Waits for the device. Asked once for each
/// adapter and driver in a process.
std::vector<std::string> inexact(backend::Backend&);

}  // namespace weft::webgpu
