// How many workgroups a dispatch has in x, y and z, and how many partials a reduction has at each level.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace weft::webgpu {

/// Workgroups of `size` invocations that hold numbers 0..n-1 (n >= 1, size a power of two), as x * y * z of at most `most`
/// each. No number passes 2^32 - 1, so none comes twice in 32 bits (KER-LOOP-06). Nothing where `most` is too small.
std::optional<std::array<std::uint32_t, 3>> dispatch_shape(std::uint64_t n, std::uint32_t size, std::uint32_t most);

/// One level of the tree: `count` partials from element `from` give ceil(count / 256) at element `to` (MODEL-9).
struct FoldLevel {
  std::uint32_t from, count, to;
};
struct FoldLevels {
  std::vector<FoldLevel> levels;  // after the loop's own dispatch
  std::uint32_t elements;         // of the array of partials
  std::uint32_t result;           // the element of the value
};
FoldLevels fold_levels(std::uint64_t n);

}  // namespace weft::webgpu
