#include "backends/cpu/workers.hpp"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <cstring>

#include "backends/cpu/float_env.hpp"

namespace weft::cpu {

struct Workers::Arena {
  explicit Arena(int threads) : arena(threads) {}
  oneapi::tbb::task_arena arena;  // takes no thread before its first use
};

Workers::Workers(unsigned threads)
    : threads_(threads ? threads : static_cast<unsigned>(oneapi::tbb::this_task_arena::max_concurrency())),
      arena_(std::make_unique<Arena>(static_cast<int>(threads_))) {}

Workers::~Workers() = default;

void Workers::alone(std::uint64_t n, const Piece& piece) {
  if (n == 0) return;
  const FloatEnvironment environment;
  piece(0, n);
}

void Workers::each(std::uint64_t n, std::uint64_t grain, const Piece& piece) {
  const std::uint64_t pieces = n / grain + (n % grain != 0);
  if (pieces <= 1 || threads_ == 1) return alone(n, piece);
  arena_->arena.execute([&] {
    oneapi::tbb::parallel_for(oneapi::tbb::blocked_range<std::uint64_t>(0, pieces), [&](const auto& part) {
      const FloatEnvironment environment;
      piece(part.begin() * grain, std::min(n, part.end() * grain));
    });
  });
}

namespace {
// Below this a second thread costs more than it brings; it is also the largest part one thread takes at a time.
constexpr std::uint64_t copy_grain = 1u << 20;
}  // namespace

void copy(Workers& workers, void* to, const void* from, std::uint64_t bytes) {
  if (bytes == 0) return;  // either may be null
  if (bytes <= copy_grain) {
    std::memcpy(to, from, bytes);
    return;
  }
  workers.each(bytes, copy_grain, [&](std::uint64_t begin, std::uint64_t end) {
    std::memcpy(static_cast<std::byte*>(to) + begin, static_cast<const std::byte*>(from) + begin, end - begin);
  });
}

void zero(Workers& workers, void* to, std::uint64_t bytes) {
  if (bytes == 0) return;
  if (bytes <= copy_grain) {
    std::memset(to, 0, bytes);
    return;
  }
  workers.each(bytes, copy_grain, [&](std::uint64_t begin, std::uint64_t end) {
    std::memset(static_cast<std::byte*>(to) + begin, 0, end - begin);
  });
}

}  // namespace weft::cpu
