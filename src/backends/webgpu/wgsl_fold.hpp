// The parts of a shader that fold in the tree order. All of it works on bits (u32): a driver that takes NaN or infinities
// for impossible sees integers.
#pragma once

#include <string>
#include <vector>

#include "kernel/lower.hpp"

namespace weft::webgpu {

/// One scalar that is folded: a lane of a fold.
struct FoldLane {
  ir::Op op;
  Scalar type;
  std::uint32_t fold, lane, lanes;  // which fold of the program, which lane of how many
};
std::vector<FoldLane> lanes_of(std::span<const trace::ProgramFold>);

/// The bits of a fold's identity (KER-RED-03).
std::uint32_t identity_bits(ir::Op, Scalar);

/// Functions that the float minimum and maximum need.
std::string order_functions();
/// Workgroup memory `w0, w1, ...` and functions `fold0, fold1, ...` on bits, one for each lane; `zero` is a parameter.
std::string fold_declarations(const std::vector<FoldLane>&);
/// The body of a reducing `main`: every invocation takes `rounds` values of a block of 256, at distance 256 / rounds, and
/// folds them as they come, in the order of the tree; the last strides go through workgroup memory. So a workgroup holds
/// `rounds` blocks, and the fewer barriers there are for each value, which is what costs on a device that runs
/// invocations on a processor. `values` are statements that set `a<j>` to the bits of lane j at number `k`, below `count`;
/// `to` is the element of the first partial.
std::string fold_main(const std::vector<FoldLane>&, std::uint32_t rounds, const std::string& count,
                      const std::string& values, const std::string& to);
/// Where lane j of element `index` (an expression) of its fold stands in its array of partials.
std::string partial(const FoldLane&, const std::string& index);

}  // namespace weft::webgpu
