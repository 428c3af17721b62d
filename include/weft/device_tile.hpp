// Tiles of device tensors (MAP-TEN-02 to -05): a window of a DeviceTensor, without a copy, that relayout reads or writes.
//
//   auto six = std::as_const(t).tile<WEFT_M(B), 2, WEFT_M(A, B = 2 # 512)>(6);  // B 6 and 7, of a const tensor: to read
//   weft::relayout(six, small);                                                // small: a DeviceTensor of WEFT_M(B = 2, A)
//
// Inside a kernel a tile begins at a traced number: Tensor::tile (<weft/tensor_kernel.hpp>).
#pragma once

#include <weft/device_tensor.hpp>

namespace weft {

/// T is a DeviceTensor, or a const one of which the tile is read. Its view states top padding for what is outside of a read
/// tile (`# 512`), bottom padding of a written one (`#{!} 512`). Two written tiles of one tensor may not share elements.
template <class T, Mapping I, std::uint64_t Length, Mapping View> class DeviceTile {
  using Of = detail::TileOf<T::mapping(), I, View, Length, std::is_const_v<T> ? PaddingKind::Top : PaddingKind::Bottom>;
  static_assert(Of::check());

 public:
  using value_type = typename T::value_type;
  static constexpr bool is_mutable = !std::is_const_v<T>;
  static constexpr const Mapping& mapping() { return View; }
  static constexpr const Mapping& run() { return I; }
  static constexpr std::uint64_t length = Length;

  /// RangeError where the window passes I; StateError where it is written and shares elements with a written tile that lives.
  DeviceTile(T& tensor, std::uint64_t start, const detail::Shared<detail::TileList>& tiles)
      : tensor_(tensor), start_(start) {
    check_start(I, Length, start);
    if constexpr (is_mutable)
      mark_ = detail::share<detail::TileMark>(tiles, detail::Shared<detail::TileMark>(), View, start * Of::tile.stride);
  }

  const std::remove_const_t<T>& tensor() const { return tensor_; }
  std::uint64_t start() const { return start_; }

 private:
  std::remove_const_t<T> tensor_;  // a handle
  std::uint64_t start_;
  detail::Shared<detail::TileMark> mark_;
};

namespace detail {
/// What relayout refuses, and UnsupportedError where `from` has no formula for its elements.
void check_tile_relayout(const Mapping& from, const Mapping& to);
/// UnsupportedError past what a kernel takes.
std::int32_t tile_start(std::uint64_t);
}  // namespace detail

/// relayout from a tile, into a tensor with the axes of its view: there the elements of the window, which must hold all that
/// `to` has.
template <class T, Mapping I, std::uint64_t Length, Mapping View, class D, Mapping Chip, Mapping To>
Future<void> relayout(const DeviceTile<T, I, Length, View>& from, DeviceTensor<D, Chip, To>& to) {
  [[maybe_unused]] static const bool checked = (detail::check_tile_relayout(View, To), true);
  static const auto move =
      kernel("relayout(from, start, to)", fusible,
             [](Tensor<const D, T::mapping()> whole, Scalar<std::int32_t> start, Tensor<D, To> into) {
               detail::move_all<To>(whole.template tile<I, View, Length>(start),
                                    [&](Index p, const auto& value) { into.array()[p] = value; });
             });
  return move(from.tensor(), detail::tile_start(from.start()), to);
}

/// relayout into a written tile: its elements, and nothing else of its tensor, whose positions it all visits.
template <class D, Mapping Chip, Mapping From, class T, Mapping I, std::uint64_t Length, Mapping View>
Future<void> relayout(const DeviceTensor<D, Chip, From>& from, DeviceTile<T, I, Length, View>& to) {
  static_assert(!std::is_const_v<T>, "weft: this tile is read; take the tile of a tensor that is not const");
  [[maybe_unused]] static const bool checked = (detail::check_tile_relayout(From, View), true);
  static const auto move =
      kernel("relayout(from, to, start)", fusible,
             [](Tensor<const D, From> source, Tensor<D, T::mapping()> whole, Scalar<std::int32_t> start) {
               const auto window = whole.template tile<I, View, Length>(start);
               detail::move_all<View>(source, [&](Index p, const auto& value) { window[p] = value; });
             });
  return move(from, to.tensor(), detail::tile_start(to.start()));
}

}  // namespace weft
