// Large pieces of memory, kept for the next of their size: the scratch arrays of a plan come again with every plan, and
// filling pages with zeros costs a fraction of faulting fresh ones in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace weft::cpu {

class PageStore {
 public:
  /// Zero-filled pages, or null with errno set.
  std::byte* take(std::uint64_t bytes);
  void give(std::byte* data, std::uint64_t bytes);

 private:
  struct Piece {
    std::byte* data;
    std::uint64_t bytes;
  };
  std::mutex mutex_;
  std::vector<Piece> kept_;  // oldest first
  std::uint64_t kept_bytes_ = 0;
};

/// The process's own; it outlives every piece.
PageStore& page_store();

}  // namespace weft::cpu
