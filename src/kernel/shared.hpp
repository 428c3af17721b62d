// The bridge between the public headers' Shared<T> and std::shared_ptr, which everything inside the library uses.
#pragma once

#include <weft/detail/shared.hpp>

#include <atomic>
#include <memory>

namespace weft::detail {

class Owners {
 public:
  explicit Owners(std::shared_ptr<const void> o) : object(std::move(o)) {}
  std::shared_ptr<const void> object;
  std::atomic<std::size_t> count = 1;
};

template <StandardShared P> Owners* own_standard(P object) { return object ? new Owners(std::move(object)) : nullptr; }

template <StandardShared P> P standard(Owners* owners, typename P::element_type* object) {
  return owners ? P(std::const_pointer_cast<void>(owners->object), object) : P();
}

}  // namespace weft::detail
