// The body of one loop, copied out of the trace into the kernel's graph.
#pragma once

#include "kernel/body.hpp"
#include "kernel/host_values.hpp"

namespace weft::trace {

/// An access of the copied body, with the raw INDEX that its text is printed from.
struct CopiedAccess {
  ir::Node effect, raw_place;
  std::uint32_t line;
};

struct CopiedBody {
  LoopIR loop;
  std::unordered_map<std::int64_t, CopiedAccess> accesses;  // by the number of the effect
  std::unordered_map<std::int64_t, std::uint32_t> lines;    // of CONTINUE_IF
  ir::Node author_block = nullptr;                          // the author's own statements
  bool needs_folded = false;
};

/// Adds to the kernel's steps what must be stored before the loop, and moves the kernel's variables past it.
CopiedBody copy_body(Tracer&, const RawLoop&, const BodyView&, KernelCore&, HostValues&);

}  // namespace weft::trace
