// What a plan checks of its scratch arrays beside what every call checks (FUSE-SCR-07, -08, LIM-06).
#pragma once

#include "runtime/execute.hpp"
#include "runtime/scope.hpp"

namespace weft::fusion {

/// Throws the TypeError of a scratch array taken as another element than it was made with.
void check_scratch_elements(const detail::CallRequest&);
/// Throws the UnsupportedError of a scratch array that no buffer of the device holds, before anything is allocated.
void check_scratch_size(const runtime::ResidentState&, const backend::Info&);

}  // namespace weft::fusion
