// A kernel run on a backend, with nothing between: lowered, compiled, its arrays created, uploaded and read back. For
// differential tests of a tier against reference_call.
#pragma once

#include <memory>
#include <vector>

#include "kernel/lower.hpp"
#include "runtime/backend.hpp"
#include "support/host_array.hpp"

namespace weft::test {

/// Changes the arrays of `arguments`; gives the results. Throws std::runtime_error with the backend's own words where it
/// refuses or fails.
std::vector<detail::ScalarValue> backend_call(backend::Backend&, const std::shared_ptr<const trace::KernelCore>&,
                                              Arguments& arguments, const trace::Config& = {});

}  // namespace weft::test
