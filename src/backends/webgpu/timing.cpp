#include "timing.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace weft::webgpu {

QueryPool::Lease QueryPool::take(std::uint32_t queries) {
  for (auto it = free_.begin(); it != free_.end(); ++it)
    if (it->count >= queries) {
      Lease lease = std::move(*it);
      free_.erase(it);
      return lease;
    }
  WGPUQuerySetDescriptor descriptor{};
  descriptor.label = view("times");
  descriptor.type = WGPUQueryType_Timestamp;
  descriptor.count = std::min(2 * most_timed_passes, std::bit_ceil(std::max(queries, 64u)));
  return {Handle<WGPUQuerySet>(api().DeviceCreateQuerySet(gpu_.device(), &descriptor)), descriptor.count};
}

void QueryPool::give_back(Lease lease) {
  constexpr std::size_t most = 4;  // plans in flight at once
  if (lease.set && free_.size() < most) free_.push_back(std::move(lease));
}

void Timing::begin(const Gpu& gpu, QueryPool& queries, BufferPool& resolved, std::uint32_t passes) {
  if (!gpu.timestamps() || passes == 0 || passes > most_timed_passes) return;
  ErrorScope scope(gpu);
  queries_ = queries.take(2 * passes);
  resolved_ = resolved.take(std::uint64_t{passes} * 16);
  if (scope.end() || !queries_.set || !resolved_.buffer) {
    queries_ = {};
    resolved_ = {};
    return;
  }
  passes_ = passes;
  owner_.reserve(passes);
}

const WGPUPassTimestampWrites* Timing::next(std::uint32_t of) {
  if (!on() || owner_.size() == passes_) return nullptr;
  const auto index = static_cast<std::uint32_t>(owner_.size());
  owner_.push_back(of);
  writes_ = WGPUPassTimestampWrites{};
  writes_.querySet = queries_.set.get();
  writes_.beginningOfPassWriteIndex = 2 * index;
  writes_.endOfPassWriteIndex = 2 * index + 1;
  return &writes_;
}

void Timing::resolve(WGPUCommandEncoder encoder, WGPUBuffer staging, std::uint64_t at) {
  at_ = at;
  api().CommandEncoderResolveQuerySet(encoder, queries_.set.get(), 0, 2 * passes_, resolved_.buffer.get(), 0);
  api().CommandEncoderCopyBufferToBuffer(encoder, resolved_.buffer.get(), 0, staging, at, bytes());
}

void Timing::read(const std::byte* staging, double tick_ns, std::span<backend::PassResult> results) const {
  std::vector<bool> broken(results.size());
  for (std::size_t i = 0; i < owner_.size(); ++i) {
    std::uint64_t ticks[2];
    std::memcpy(ticks, staging + at_ + 16 * i, sizeof ticks);
    auto& result = results[owner_[i]];
    const auto ns = duration_ns(ticks[0], ticks[1], tick_ns);
    if (!ns) broken[owner_[i]] = true;
    else result.ns = result.ns.value_or(0) + *ns;
  }
  for (std::size_t i = 0; i < results.size(); ++i)
    if (broken[i]) results[i].ns.reset();
}

void Timing::give_back(QueryPool& queries, BufferPool& resolved) {
  queries.give_back(std::move(queries_));
  resolved.give_back(std::move(resolved_));
}

std::optional<double> duration_ns(std::uint64_t begin, std::uint64_t end, double tick_ns) {
  if (end < begin) return std::nullopt;
  return static_cast<double>(end - begin) * tick_ns;
}

}  // namespace weft::webgpu
