// The oracle of the differential tests: a traced kernel evaluated as it was written, in plain C++, over host arrays. Weak
// integers are exact, floats round after each operation, reading outside an array gives zero and writing there is dropped,
// loops run in order of their counters, reductions in the tree order of KER-RED-02. It shares no code with lowering.
#pragma once

#include <vector>

#include "kernel/core.hpp"
#include "support/host_array.hpp"

namespace weft::test {

/// What a run met among its float values: where a device's class (KER-BIT-04) excludes it, its bits are not promised.
struct Seen {
  bool non_finite = false, subnormal = false, nan = false;
};

/// Runs the kernel on `arguments`, changing their arrays; gives its results.
std::vector<detail::ScalarValue> reference_call(const trace::KernelCore&, Arguments& arguments, Seen* = nullptr);

}  // namespace weft::test
