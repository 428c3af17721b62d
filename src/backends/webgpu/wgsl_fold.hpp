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
/// The tree over a workgroup: `w<j>[lane]` hold the values; the result is in `w<j>[0]`.
std::string fold_tree(const std::vector<FoldLane>&);
/// Where lane j of element `index` (an expression) of its fold stands in its array of partials.
std::string partial(const FoldLane&, const std::string& index);

}  // namespace weft::webgpu
