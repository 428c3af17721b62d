// From a finished trace to a kernel: variables become values, reductions and captured values; the graph is built anew in the
// order of a walk, so that it is the same whatever the compiler; facts and the parallel proof are made.
#pragma once

#include "kernel/tracer.hpp"

namespace weft::trace {

std::shared_ptr<const KernelCore> finish(Tracer&);

}  // namespace weft::trace
