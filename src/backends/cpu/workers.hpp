// The threads of the cpu tier: oneTBB behind one function. Pieces of work run in the floating-point environment of
// kernels (float_env.hpp) whatever the thread had.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace weft::cpu {

class Workers {
 public:
  using Piece = std::function<void(std::uint64_t begin, std::uint64_t end)>;

  /// At most `threads` at a time, the calling one among them; 0: as many as the machine has cores for this process.
  explicit Workers(unsigned threads = 0);
  ~Workers();

  unsigned threads() const { return threads_; }
  /// Calls `piece` for disjoint parts that make up [0, n), each beginning at a multiple of `grain`, on several threads;
  /// returns when all are done. One part is run on the calling thread.
  void each(std::uint64_t n, std::uint64_t grain, const Piece& piece);
  /// The whole of [0, n) as one piece on the calling thread.
  void alone(std::uint64_t n, const Piece& piece);

 private:
  struct Arena;
  unsigned threads_;
  std::unique_ptr<Arena> arena_;
};

/// memcpy and memset, on several threads where that is faster.
void copy(Workers&, void* to, const void* from, std::uint64_t bytes);
void zero(Workers&, void* to, std::uint64_t bytes);

}  // namespace weft::cpu
