#include "backends/cpu/move.hpp"

#include <algorithm>

namespace weft::cpu {

namespace {
// Bytes in one piece of a parallel run: some 50 us.
constexpr std::uint64_t bytes_per_piece = 1u << 19;
}  // namespace

void move(Workers& workers, const detail::CopyBox& box, void* to, const void* from, std::uint64_t bytes) {
  auto* target = static_cast<std::byte*>(to);
  const auto* source = static_cast<const std::byte*>(from);
  const std::uint64_t whole = box.count();
  if (box.dims.empty() || (box.dims.size() == 1 && box.dims[0].to == 1 && box.dims[0].from == 1))
    return copy(workers, target + box.to * bytes, source + box.from * bytes, whole * bytes);
  // Parts of the longest dimension, whole squares of a transpose; all others stay together, so that the patterns of a copy do.
  const auto longest = std::max_element(box.dims.begin(), box.dims.end(),
                                        [](const auto& a, const auto& b) { return a.extent < b.extent; });
  const std::uint64_t row = whole / longest->extent * bytes;
  const std::uint64_t grain = std::max<std::uint64_t>(bytes_per_piece / row, 1);
  workers.each(longest->extent, grain >= 16 ? grain / 16 * 16 : grain, [&](std::uint64_t begin, std::uint64_t end) {
    detail::CopyBox piece = box;
    detail::CopyDim& d = piece.dims[static_cast<std::size_t>(longest - box.dims.begin())];
    piece.to += begin * d.to, piece.from += begin * d.from;
    d.extent = end - begin;
    detail::arrange(piece);
    detail::copy_box(piece, source, target, bytes);
  });
}

}  // namespace weft::cpu
