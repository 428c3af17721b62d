// What a plan checks of its scratch arrays beside what every call checks (FUSE-SCR-07, -08, LIM-06).
#pragma once

#include "runtime/execute.hpp"
#include "runtime/scope.hpp"

namespace weft::fusion {

/// Throws the TypeError of a scratch array taken as another element than it was made with, and the UnsupportedError of one
/// that no buffer of the device's first tier holds, before anything is allocated. One that could become a local is refused
/// too: whether it does is not known before every call is checked.
void check_scratch(const detail::CallRequest&, const backend::Info&);

}  // namespace weft::fusion
