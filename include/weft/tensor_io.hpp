// Tensors to and from elsewhere (MAP-TEN-01): .npy files, DLPack, std::mdspan.
//
//   weft::write_npy("out.npy", tensor);                                  // an array of the axes, in axis order
//   auto t = weft::read_npy<float, WEFT_M(H, W #{0} 64)>("in.npy");      // of shape (H, W)
#pragma once

#include <cstdint>
#include <string>

#include <weft/detail/tensor_dlpack.hpp>
#include <weft/half.hpp>
#include <weft/tensor.hpp>

#if __has_include(<mdspan>)
#include <mdspan>
#endif

namespace weft {
namespace detail {

/// What an element is to numpy and to DLPack: b(ool), i, u, f(loat), B(float16) or V, bytes that mean nothing to them.
struct ElementCode {
  char kind;
  std::size_t bytes;
};
template <class D> constexpr ElementCode element_code() {
  if constexpr (std::is_same_v<D, bool>) return {'b', sizeof(D)};
  else if constexpr (std::is_same_v<D, bfloat16>) return {'B', 2};
  else if constexpr (std::is_same_v<D, half> || (std::is_floating_point_v<D> && sizeof(D) <= 8))
    return {'f', sizeof(D)};
  else if constexpr (std::is_integral_v<D>) return {std::is_signed_v<D> ? 'i' : 'u', sizeof(D)};
  else return {'V', sizeof(D)};
}

void write_npy(const std::string& path, const Mapping&, const void* data, ElementCode);
void read_npy(const std::string& path, const Mapping&, void* data, ElementCode);

/// A mapping that is the axes, each at one stride, in elements. MappingError where it is not.
struct Strides {
  std::uint64_t offset = 0, stride[max_mapping_nodes]{};
};
Strides strides_of(const Mapping&);

dlpack::ManagedTensor* to_dlpack(const Mapping&, const Shared<HostBuffer>&, ElementCode);
Shared<HostBuffer> from_dlpack(dlpack::ManagedTensor*, const Mapping&, ElementCode);

}  // namespace detail

/// Writes the elements as an array whose dimensions are the axes in axis order: in C or Fortran order as they stand where
/// the mapping is one of these, else in C order. Padding is not written. IoError where the file cannot be written;
/// MappingError where the mapping leaves elements out. bfloat16 becomes `V2`, as ml_dtypes reads it; a type that numpy does
/// not know becomes `V` and its size.
template <class D, Mapping E> void write_npy(const std::string& path, const HostTensor<D, E>& tensor) {
  detail::write_npy(path, E, tensor.data(), detail::element_code<D>());
}
/// Reads such a file, of either order. IoError, naming the file, where it is not one, ends too soon, or has elements of
/// another type or another shape.
template <class D, Mapping E> HostTensor<D, E> read_npy(const std::string& path) {
  HostTensor<D, E> tensor;
  detail::read_npy(path, E, tensor.data(), detail::element_code<D>());
  return tensor;
}

/// The tensor as DLPack has it, sharing its memory; the receiver calls `deleter`. Dimensions are the axes in axis order.
/// MappingError where the mapping is not strided: relayout it first.
template <class D, Mapping E> dlpack::ManagedTensor* to_dlpack(const HostTensor<D, E>& tensor) {
  static_assert(detail::element_code<D>().kind != 'V', "weft: DLPack has no such element type");
  return detail::to_dlpack(E, tensor.buffer(), detail::element_code<D>());
}
/// A tensor from DLPack, taken over: over its memory where the strides are the mapping's, else a copy. TypeError for another
/// device, element type or shape; the tensor then stays the caller's.
template <class D, Mapping E> HostTensor<D, E> from_dlpack(dlpack::ManagedTensor* managed) {
  static_assert(detail::element_code<D>().kind != 'V', "weft: DLPack has no such element type");
  return HostTensor<D, E>(detail::from_dlpack(managed, E, detail::element_code<D>()));
}

#if defined(__cpp_lib_mdspan)
namespace detail {
template <class D, Mapping E, class T> auto mdspan_of(T* data) {
  constexpr std::size_t rank = HostTensor<D, E>::axes.size();
  using Extents = std::dextents<std::size_t, rank>;
  const Strides s = strides_of(E);
  std::array<std::size_t, rank> extents{}, strides{};
  for (std::size_t a = 0; a < rank; ++a)
    extents[a] = static_cast<std::size_t>(HostTensor<D, E>::axes[a].size),
    strides[a] = static_cast<std::size_t>(s.stride[a]);
  return std::mdspan<T, Extents, std::layout_stride>(data + s.offset, {Extents(extents), strides});
}
}  // namespace detail
/// The elements by their coordinates. MappingError where the mapping is not strided.
template <class D, Mapping E> auto as_mdspan(HostTensor<D, E>& t) { return detail::mdspan_of<D, E>(t.data()); }
template <class D, Mapping E> auto as_mdspan(const HostTensor<D, E>& t) { return detail::mdspan_of<D, E>(t.data()); }
#endif

}  // namespace weft
