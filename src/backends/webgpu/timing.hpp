// GPU times of a batch: two timestamps for each compute pass, resolved in the encoder of the passes (FUSE-TIM-02, -05).
// Whatever goes wrong with times, the batch itself goes on without them (FUSE-TIM-08).
#pragma once

#include <span>
#include <vector>

#include "pool.hpp"

namespace weft::webgpu {

/// A submission of more passes has no times (FUSE-TIM-09): 4,096 queries are what every device allows in a set.
inline constexpr std::uint32_t most_timed_passes = 2048;

/// Query sets, used again.
class QueryPool {
 public:
  struct Lease {
    Handle<WGPUQuerySet> set;
    std::uint32_t count = 0;
  };
  explicit QueryPool(const Gpu& gpu) : gpu_(gpu) {}
  Lease take(std::uint32_t queries);
  void give_back(Lease);

 private:
  const Gpu& gpu_;
  std::vector<Lease> free_;
};

class Timing {
 public:
  /// Times `passes` compute passes where the device can; else does nothing. An error scope of its own is used.
  void begin(const Gpu&, QueryPool&, BufferPool& resolved, std::uint32_t passes);
  bool on() const { return bool(queries_.set); }
  std::uint64_t bytes() const { return on() ? std::uint64_t{passes_} * 16 : 0; }

  /// The writes of the next pass, which belongs to pass `of` of the batch; null where it is off.
  const WGPUPassTimestampWrites* next(std::uint32_t of);
  /// Resolves into `staging` at `at`.
  void resolve(WGPUCommandEncoder, WGPUBuffer staging, std::uint64_t at);
  /// Sums up the passes of each pass of the batch (FUSE-TIM-04, -10).
  void read(const std::byte* staging, double tick_ns, std::span<backend::PassResult>) const;
  void give_back(QueryPool&, BufferPool&);

 private:
  QueryPool::Lease queries_;
  BufferPool::Lease resolved_;
  std::uint32_t passes_ = 0;
  std::uint64_t at_ = 0;
  std::vector<std::uint32_t> owner_;  // of each compute pass: the pass of the batch
  WGPUPassTimestampWrites writes_{};
};

/// The time of ticks, or nothing where a pass ends before it begins.
std::optional<double> duration_ns(std::uint64_t begin, std::uint64_t end, double tick_ns);

}  // namespace weft::webgpu
