// Loops that only move elements, as strided copies: to[..digits of i..] = from[..digits of i..] over tensors, and zeros where
// digits pass a limit, as padding has it. A tier may run such a loop by copying memory, in any order.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "copy/strided_copy.hpp"
#include "ir/graph.hpp"

namespace weft::trace {

struct KernelCore;
struct LoopIR;

struct Move {
  std::uint32_t to = 0, from = 0;      // parameters of a kernel, slots of a program
  std::uint64_t trip = 0;              // of the loop that it is; a loop of another trip count is not it
  detail::CopyBox box;                 // of the elements; arranged
  std::vector<detail::CopyBox> zeros;  // of `to` alone; arranged
};

/// Nothing unless the loop is that alone, counts from 0 to a constant, and stays within arrays of stated lengths.
std::optional<Move> find_move(KernelCore&, const LoopIR&);

}  // namespace weft::trace
