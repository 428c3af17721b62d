// The first look at a batch: checks every pass and says how much of everything its encoding takes.
#pragma once

#include <array>
#include <vector>

#include "encode.hpp"

namespace weft::webgpu {

/// A Run with what was looked up for it.
struct PlannedRun {
  const Compiled* program = nullptr;
  std::vector<const Memory*> bound, folded;
  std::array<std::uint32_t, 3> groups{};
  FoldLevels tree{{}, 0, 0};
};

struct Plan {
  std::vector<PlannedRun> runs;      // one for each Run with an iteration, in order
  std::vector<bool> staged_upload;   // by pass: an upload whose memory an earlier pass of the batch touches
  std::uint64_t uniform_bytes = 0;   // aligned places for every dispatch
  std::uint64_t transfer_bytes = 0;  // of staged uploads
  std::uint64_t read_bytes = 0;
  std::uint32_t dispatches = 0;
  bool commands = false;  // it records any
};

/// An error names the pass and what is wrong with it.
backend::Expected<Plan> plan(const Workshop&, const backend::Batch&);

inline std::uint64_t align(std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; }

}  // namespace weft::webgpu
