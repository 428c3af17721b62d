// One run of a kernel: its iterations spread over the threads, the split into edges and interior, and the levels of its
// folds.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "backends/cpu/kernel.hpp"
#include "backends/cpu/workers.hpp"

namespace weft::cpu {

/// `arrays` by slot; `folded` by fold of the program, where each value goes. An error says that the edge's code could not
/// be compiled; then nothing has run.
std::optional<backend::ErrorRecord> run(Kernel&, Workers&, std::span<void* const> arrays, const void* uniforms,
                                        std::uint64_t n, std::span<std::byte* const> folded);

}  // namespace weft::cpu
