// Kernel::explain: what a kernel is, in words. The runtime adds the code of each tier through a hook, since describing a
// kernel needs no device.
#pragma once

#include <memory>
#include <string>

#include "kernel/core.hpp"

namespace weft::trace {

/// Loops, what was proved, accesses, reductions.
std::string describe(const KernelCore&);

/// What follows in explain(): per tier the emitted code, or why there is none. Set once, by the runtime.
using ExplainHook = std::string (*)(const std::shared_ptr<const KernelCore>&);
void set_explain_hook(ExplainHook);

}  // namespace weft::trace
