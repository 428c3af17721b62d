// What a kernel keeps of its lowering: by loop and configuration, found again by every call. Thread-safe.
#pragma once

#include <map>
#include <mutex>
#include <tuple>
#include <vector>

#include "kernel/lower.hpp"

namespace weft::trace {

struct LoweringCache {
  using LoopKey = std::tuple<std::size_t, Bits, bool, bool>;
  static LoopKey key(std::size_t loop, const Config& c) { return {loop, c.bits, c.wide, c.fences}; }

  std::mutex mutex;
  // These refer to the kernel without keeping it, since the kernel keeps them.
  std::map<LoopKey, std::shared_ptr<const Lowered>> loops;
  std::map<std::size_t, std::uint64_t> narrow_limit;  // by loop
  std::map<std::pair<LoopKey, std::vector<std::uint16_t>>, LoneProgram> lone;
};

}  // namespace weft::trace
