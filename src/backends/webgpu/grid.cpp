#include "grid.hpp"

#include <bit>

#include "wgsl.hpp"

namespace weft::webgpu {
namespace {

constexpr std::uint64_t numbers = std::uint64_t{1} << 32;

constexpr std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

}  // namespace

std::optional<std::array<std::uint32_t, 3>> dispatch_shape(std::uint64_t n, std::uint32_t size, std::uint32_t most) {
  const auto shape = [](std::uint64_t x, std::uint64_t y, std::uint64_t z) {
    return std::array{static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y), static_cast<std::uint32_t>(z)};
  };
  const std::uint64_t groups = ceil_div(n, size);
  if (groups <= most) return shape(groups, 1, 1);
  const std::uint64_t z = ceil_div(groups, std::uint64_t{most} * most);
  if (z > most) return std::nullopt;
  const std::uint64_t y = ceil_div(groups, z * most);
  const std::uint64_t x = ceil_div(groups, z * y);
  if (x * y * z * size <= numbers) return shape(x, y, z);
  // The spare workgroups of that shape would wrap. With powers of two, the spare numbers end at 2^32 at the latest.
  const std::uint64_t row = std::bit_floor(most);
  const std::uint64_t rows = ceil_div(groups, row);
  if (rows <= most) return shape(row, rows, 1);
  const std::uint64_t sheets = ceil_div(rows, row);
  if (sheets > most) return std::nullopt;
  return shape(row, row, sheets);
}

FoldLevels fold_levels(std::uint64_t n) {
  FoldLevels out{{}, 0, 0};
  std::uint32_t from = 0;
  auto count = static_cast<std::uint32_t>(ceil_div(n, fold_width));
  while (count > 1) {
    const std::uint32_t to = from + count;
    out.levels.push_back({from, count, to});
    from = to;
    count = static_cast<std::uint32_t>(ceil_div(count, fold_width));
  }
  out.result = from;
  out.elements = from + 1;
  return out;
}

}  // namespace weft::webgpu
