// What the tensors' templates ask of the library, with the element type reduced to its size: memory, where elements stand,
// and moving them from one mapping to another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <weft/detail/shared.hpp>
#include <weft/detail/tensor_axes.hpp>

namespace weft::detail {

/// Host memory of a tensor, on a boundary of 64 bytes and zero at first, or memory that another library lends.
class HostBuffer {
 public:
  /// Throws OutOfMemory, naming the mapping, also where the bytes of all elements are past what an address can be.
  HostBuffer(const Mapping&, std::size_t element_bytes);
  HostBuffer(void* data, void* lender, void (*give_back)(void*)) : data_(data), owner_(lender), release_(give_back) {}
  ~HostBuffer() { release_(owner_); }
  HostBuffer(const HostBuffer&) = delete;
  HostBuffer& operator=(const HostBuffer&) = delete;
  void* data() const { return data_; }

 private:
  void* data_;
  void* owner_;
  void (*release_)(void*);
};

/// Where the elements of a mapping stand. Where one stands at several positions, the first counts.
class ElementMap;
Shared<const ElementMap> make_element_map(const Mapping&);
/// `coordinates` in axis order. RangeError where one is past its axis or the mapping leaves the element out.
std::uint64_t position_of(const ElementMap&, const std::uint64_t* coordinates);
/// Of a cell; RangeError for one that is not live, MappingError(overshoot) for one past its axis.
std::uint64_t position_of(const ElementMap&, const Cell&);

/// How elements move between two mappings, made once for both.
class Relayout;
/// Throws MappingError: `not-injective` where `to` holds an element twice, `index-not-located` where `from` lacks one.
Shared<const Relayout> make_relayout(const Mapping& from, const Mapping& to);
/// Whether it is strided copies: fast, and small whatever the mappings' sizes.
bool is_strided(const Relayout&);
/// Whether both have the same elements in the same places, and nothing else.
bool is_plain_copy(const Relayout&);
/// The memory must not overlap.
void run_relayout(const Relayout&, const void* from, void* to, std::size_t element_bytes);

}  // namespace weft::detail
