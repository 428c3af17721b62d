// The library's own threads for continuations (KER-CALL-06). They are never a queue's, so a continuation may wait for
// other work; therefore the pool grows while all of its threads are busy, and shrinks again.
#pragma once

#include <functional>

namespace weft::runtime {

/// Runs `job` on a thread of the pool, soon. What it throws is dropped.
void run_on_pool(std::function<void()> job);

}  // namespace weft::runtime
