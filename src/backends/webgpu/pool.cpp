#include "pool.hpp"

#include <algorithm>
#include <bit>

namespace weft::webgpu {
namespace {

constexpr std::uint64_t smallest = 1024;
constexpr std::uint64_t most_kept = std::uint64_t{64} << 20;

}  // namespace

BufferPool::Lease BufferPool::take(std::uint64_t bytes) {
  // Powers of two up to 1 MiB, then steps of an eighth: a large staging buffer wastes little.
  std::uint64_t size = std::bit_ceil(std::max(bytes, smallest));
  if (size > (1u << 20)) size = (bytes + size / 16 - 1) / (size / 16) * (size / 16);
  if (auto found = free_.lower_bound(size); found != free_.end() && found->first <= 2 * size) {
    Lease lease{std::move(found->second), found->first};
    kept_ -= found->first;
    free_.erase(found);
    return lease;
  }
  WGPUBufferDescriptor descriptor{};
  descriptor.label = view(name_);
  descriptor.usage = usage_;
  descriptor.size = std::max(bytes, std::min(size, gpu_.limits().maxBufferSize / 4 * 4));
  return {Handle<WGPUBuffer>(api().DeviceCreateBuffer(gpu_.device(), &descriptor)), descriptor.size};
}

void BufferPool::give_back(Lease lease) {
  if (!lease.buffer || lease.bytes > most_kept) return;
  while (kept_ + lease.bytes > most_kept) {
    kept_ -= free_.begin()->first;
    free_.erase(free_.begin());
  }
  kept_ += lease.bytes;
  free_.emplace(lease.bytes, std::move(lease.buffer));
}

}  // namespace weft::webgpu
