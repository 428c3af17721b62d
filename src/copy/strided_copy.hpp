// Copying between two strided boxes of memory, and zeroing one: what relayout of host tensors and loops that only move
// elements are run by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft::detail {

/// One dimension of a copy, its strides in elements.
struct CopyDim {
  std::uint64_t extent, to, from;
};
struct CopyBox {
  std::uint64_t to = 0, from = 0;  // of the first element
  std::vector<CopyDim> dims;
  /// The elements.
  std::uint64_t count() const {
    std::uint64_t n = 1;
    for (const CopyDim& d : dims) n *= d.extent;
    return n;
  }
};

/// In an order that is good to run: by destination stride from large to small, neighbours merged where they are one run.
void arrange(CopyBox&);

/// Copies an arranged box between memory that does not overlap.
void copy_box(const CopyBox&, const std::byte* from, std::byte* to, std::size_t element_bytes);
/// Writes zeros over the destination of an arranged box.
void zero_box(const CopyBox&, std::byte* to, std::size_t element_bytes);

}  // namespace weft::detail
