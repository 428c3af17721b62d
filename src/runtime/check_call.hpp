// The checks of a call before anything of it is uploaded or run (KER-CALL-05, KER-ACC-04).
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/execute.hpp"

namespace weft::runtime {

/// The arrays a kernel writes, by parameter.
std::vector<bool> written_params(const trace::Facts&);

/// Number and kinds of the arguments, element types, lengths of views, destroyed residents. Host memory gets a temporary
/// resident of `device`.
std::vector<Bound> bind_arrays(const std::shared_ptr<DeviceState>& device, const detail::CallRequest&);

/// One array given to two parameters: TypeError unless each access through either is at exactly i and the types are one.
/// By parameter, the first one bound to the same array; empty where no two need be one.
std::vector<std::uint16_t> check_aliases(const trace::Facts&, const std::vector<Bound>&);

/// Every array holds what the loop writes unconditionally.
void check_bounds(const trace::Facts&, const trace::LoopFacts&, const trace::LoopHeader&, const std::vector<Bound>&);

}  // namespace weft::runtime
