#include "kernel/shared.hpp"

namespace weft::detail {

Owners* own(void* object, void (*destroy)(void*)) { return own_standard(std::shared_ptr<void>(object, destroy)); }

void retain(Owners* o) noexcept {
  if (o) o->count.fetch_add(1, std::memory_order_relaxed);
}

void release(Owners* o) noexcept {
  if (o && o->count.fetch_sub(1, std::memory_order_acq_rel) == 1) delete o;
}

}  // namespace weft::detail
