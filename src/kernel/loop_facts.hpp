// The facts of one loop: its accesses in program order, and whether its iterations may run in any order.
#pragma once

#include "kernel/affine.hpp"
#include "kernel/rebuild.hpp"

namespace weft::trace {

struct LoopKnowledge {
  LoopFacts facts;
  std::vector<Form> forms;  // of the accesses
};

LoopKnowledge read_loop(const Tracer&, const CopiedBody&, ir::Graph&, Forms&);

/// Sets `not_parallel`, or the checks that the call has to make (KER-LOOP-03, MODEL-3).
void prove(const Tracer&, const BodyView&, LoopKnowledge&, LoopIR&, ir::Graph&, Forms&);

}  // namespace weft::trace
