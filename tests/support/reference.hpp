// The oracle of the differential tests: a traced kernel evaluated as it was written, in plain C++, over host arrays. Weak
// integers are exact, floats round after each operation, reading outside an array gives zero and writing there is dropped,
// loops run in order of their counters, reductions in the tree order of KER-RED-02. It shares no code with lowering.
#pragma once

#include <vector>

#include "kernel/core.hpp"
#include "support/host_array.hpp"

namespace weft::test {

/// Runs the kernel on `arguments`, changing their arrays; gives its results.
std::vector<detail::ScalarValue> reference_call(const trace::KernelCore&, Arguments& arguments);

}  // namespace weft::test
