// A kernel run the way of a call: lowered, each loop a program, the programs run by the interpreter. Its counterpart is
// reference_call, which runs the traced graph itself.
#pragma once

#include <memory>
#include <vector>

#include "kernel/lower.hpp"
#include "support/host_array.hpp"

namespace weft::test {

std::vector<detail::ScalarValue> lowered_call(const std::shared_ptr<const trace::KernelCore>&, Arguments& arguments,
                                              const trace::Config& = {});

/// The uniforms of a loop's program at a call.
std::vector<std::byte> uniforms_for(const trace::Program&, const trace::HostFrame& stopped_at_the_loop);

}  // namespace weft::test
