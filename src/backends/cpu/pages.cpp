#include "backends/cpu/pages.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

namespace weft::cpu {

namespace {
constexpr std::uint64_t most_kept = 256u << 20;
}

std::byte* PageStore::take(std::uint64_t bytes) {
  std::byte* data = nullptr;
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(kept_.rbegin(), kept_.rend(), [&](const Piece& p) { return p.bytes == bytes; });
    if (found != kept_.rend()) {
      data = found->data;
      kept_bytes_ -= bytes;
      kept_.erase(std::next(found).base());
    }
  }
  if (data) {
    std::memset(data, 0, bytes);
    return data;
  }
  void* fresh = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (fresh == MAP_FAILED) return nullptr;
  madvise(fresh, bytes, MADV_HUGEPAGE);  // fewer page faults at the first touch; only a hint
  return static_cast<std::byte*>(fresh);
}

void PageStore::give(std::byte* data, std::uint64_t bytes) {
  std::vector<Piece> let_go;
  if (bytes > most_kept) {
    let_go.push_back({data, bytes});
  } else {
    const std::lock_guard lock(mutex_);
    kept_.push_back({data, bytes});
    kept_bytes_ += bytes;
    while (kept_bytes_ > most_kept) {
      let_go.push_back(kept_.front());
      kept_bytes_ -= kept_.front().bytes;
      kept_.erase(kept_.begin());
    }
  }
  for (const Piece& p : let_go) munmap(p.data, p.bytes);
}

PageStore& page_store() {
  static PageStore& store =
      *new PageStore;  // never destroyed: a resident of static storage may give its pages back last
  return store;
}

}  // namespace weft::cpu
