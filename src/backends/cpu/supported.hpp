// What the cpu tier takes of a program, looked at before anything is compiled.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kernel/lower.hpp"

namespace weft::cpu {

/// Why a program cannot be rendered here (KER-NUM-10), or nothing.
std::optional<std::string> unsupported(const trace::Program&);

/// Roughly the operations of one iteration: how much work one piece of a parallel run should be.
std::uint64_t cost(const trace::Program&);

}  // namespace weft::cpu
