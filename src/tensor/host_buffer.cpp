// The memory of host tensors.
#include <cstdlib>

#include <weft/detail/tensor_memory.hpp>
#include <weft/error.hpp>

namespace weft::detail {

HostBuffer::HostBuffer(const Mapping& m, std::size_t element_bytes)
    : data_(nullptr), owner_(nullptr), release_([](void* p) { std::free(p); }) {
  constexpr std::size_t boundary = 64;
  const std::uint64_t elements = m.size(), limit = (~std::size_t{0} >> 1) - boundary;
  // Fresh pages of the system are zero without being written.
  if (elements <= limit / element_bytes)
    owner_ = std::calloc(static_cast<std::size_t>(elements) * element_bytes + boundary, 1);
  if (!owner_)
    throw OutOfMemory("HostTensor `" + to_string(m) + "`: there is no memory for " + std::to_string(elements) +
                      " elements of " + std::to_string(element_bytes) + " bytes.");
  const auto address = reinterpret_cast<std::uintptr_t>(owner_);
  data_ = static_cast<std::byte*>(owner_) + (boundary - address % boundary) % boundary;
}

}  // namespace weft::detail
