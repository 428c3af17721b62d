// The passes of a batch, one after the other.
#pragma once

#include "backends/cpu/memory.hpp"
#include "backends/cpu/workers.hpp"
#include "runtime/backend.hpp"

namespace weft::cpu {

/// Every region and program is looked up before the first pass runs; a wrong one is an error, and nothing has run.
backend::Expected<backend::Outcome> run_batch(const backend::Batch&, const MemoryTable&, Workers&);

}  // namespace weft::cpu
