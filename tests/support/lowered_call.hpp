// A kernel run the way of a call: lowered, each loop a program, the programs run by the interpreter. Its counterpart is
// reference_call, which runs the traced graph itself.
#pragma once

#include <memory>
#include <vector>

#include "kernel/lower.hpp"
#include "support/host_array.hpp"

namespace weft::test {

/// Only kernels whose straight code sets reduction variables to literals and returns them (what generators make).
std::vector<detail::ScalarValue> lowered_call(const std::shared_ptr<const trace::KernelCore>&, Arguments& arguments,
                                              const trace::Config& = {});

/// The uniforms of a loop's program for these arguments.
std::vector<std::byte> uniforms_for(const trace::Program&, const Arguments&, std::int64_t start, std::int64_t step,
                                    std::uint64_t trip);

}  // namespace weft::test
