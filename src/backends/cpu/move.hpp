// Loops that only move elements, run as copies of memory.
#pragma once

#include "backends/cpu/workers.hpp"
#include "copy/strided_copy.hpp"

namespace weft::cpu {

/// Zeros over the destination of an arranged box, on several threads.
void clear(Workers&, const detail::CopyBox&, void* to, std::uint64_t element_bytes);
/// Copies an arranged box between arrays that do not overlap, on several threads.
void move(Workers&, const detail::CopyBox&, void* to, const void* from, std::uint64_t element_bytes);

}  // namespace weft::cpu
