#include "backends/cpu/move.hpp"

#include <algorithm>

namespace weft::cpu {

namespace {
// Bytes in one piece of a parallel run: some 100 us.
constexpr std::uint64_t bytes_per_piece = 1u << 20;

/// Parts of the longest dimension, whole squares of a transpose; all others stay together, so that the patterns of a copy do.
template <class F> void each_part(Workers& workers, const detail::CopyBox& box, std::uint64_t bytes, F f) {
  const std::uint64_t whole = box.count();
  if (whole * bytes <= bytes_per_piece || box.dims.empty()) return workers.alone(1, [&](auto, auto) { f(box); });
  const auto longest = std::max_element(box.dims.begin(), box.dims.end(),
                                        [](const auto& a, const auto& b) { return a.extent < b.extent; });
  const std::uint64_t row = whole / longest->extent * bytes;
  const std::uint64_t grain = std::max<std::uint64_t>(bytes_per_piece / row, 1);
  workers.each(longest->extent, grain >= 16 ? grain / 16 * 16 : grain, [&](std::uint64_t begin, std::uint64_t end) {
    detail::CopyBox part = box;
    detail::CopyDim& d = part.dims[static_cast<std::size_t>(longest - box.dims.begin())];
    part.to += begin * d.to, part.from += begin * d.from;
    d.extent = end - begin;
    detail::arrange(part);
    f(part);
  });
}
}  // namespace

void move(Workers& workers, const detail::CopyBox& box, void* to, const void* from, std::uint64_t bytes) {
  auto* target = static_cast<std::byte*>(to);
  const auto* source = static_cast<const std::byte*>(from);
  const std::uint64_t whole = box.count();
  if (box.dims.empty() || (box.dims.size() == 1 && box.dims[0].to == 1 && box.dims[0].from == 1))
    return copy(workers, target + box.to * bytes, source + box.from * bytes, whole * bytes);
  each_part(workers, box, bytes, [&](const detail::CopyBox& part) { detail::copy_box(part, source, target, bytes); });
}

void clear(Workers& workers, const detail::CopyBox& box, void* to, std::uint64_t bytes) {
  auto* target = static_cast<std::byte*>(to);
  each_part(workers, box, bytes, [&](const detail::CopyBox& part) { detail::zero_box(part, target, bytes); });
}

}  // namespace weft::cpu
