// DeviceTensor<D, Chip, E>: a tensor in the memory of a device, and relayout there (MAP-TEN-02, -09).
//
//   weft::Device device;
//   weft::DeviceTensor<float, WEFT_M(1), WEFT_M(H, W)> rows(device, host);
//   weft::DeviceTensor<float, WEFT_M(1), WEFT_M(W, H #{0} 64)> columns(device);
//   weft::relayout(rows, columns);
//   auto back = columns.read().get();  // a HostTensor of the same mapping
//
// Kernels take it as Tensor<D, E> (<weft/tensor_kernel.hpp>).
#pragma once

#include <optional>
#include <vector>

#include <weft/device.hpp>
#include <weft/tensor.hpp>
#include <weft/tensor_kernel.hpp>
#include <weft/tensor_view.hpp>

namespace weft {

template <class T, Mapping I, std::uint64_t Length, Mapping View> class DeviceTile;  // <weft/device_tile.hpp>

/// E.size() elements of type D in the order of the mapping E, kept by a device as a Resident is: a handle is cheap to copy,
/// and copies are the same tensor. `Chip` maps the shards of a tensor over devices: WEFT_M(1), one device, is the only one.
template <class D, Mapping Chip, Mapping E> class DeviceTensor : public detail::ResidentBase {
  static_assert(Element<D>,
                "weft: the elements of a DeviceTensor are float, int32_t, uint32_t, double, or vectors of them");
  static_assert(Chip.size() == 1, "weft: a DeviceTensor lies on one device, its Chip is WEFT_M(1)");

 public:
  using value_type = D;
  static constexpr const Mapping& mapping() { return E; }
  static constexpr detail::TensorAxes axes = detail::axes_of(E);
  /// The number of positions, padding too.
  static constexpr std::uint64_t size() { return E.size(); }

  /// Zeros.
  explicit DeviceTensor(Device& device = default_device())
      : ResidentBase(detail::make_resident(device.state(), dtype_of<D>, E.size(), nullptr), dtype_of<D>) {}
  /// A copy of a tensor of the host, which may change as soon as this returns.
  DeviceTensor(Device& device, const HostTensor<D, E>& from)
      : ResidentBase(detail::make_resident(device.state(), dtype_of<D>, E.size(), from.data()), dtype_of<D>) {}
  /// As HostTensor::from.
  template <class F> static DeviceTensor from(Device& device, F&& f) {
    return DeviceTensor(device, HostTensor<D, E>::from(f));
  }

  /// The positions, padding and all, as an array: the same memory.
  Resident<D> array() const { return Resident<D>(state()); }

  /// A fresh copy on the host, after every call made before it.
  Future<HostTensor<D, E>> read() const {
    check_range({0, size()}, "read");
    auto out = detail::share<HostTensor<D, E>>();
    auto future = detail::share<detail::FutureState<HostTensor<D, E>>>();
    read_bytes({0, size()}, out->data(), future, [out, future] { future->resolve(std::move(*out)); });
    return Future<HostTensor<D, E>>(std::move(future));
  }
  /// The same into a tensor that lives until the future is ready.
  Future<void> read(HostTensor<D, E>& into) const { return array().read(into.span()); }
  /// Replaces everything, after every call made before; `from` is copied before this returns.
  Future<void> write(const HostTensor<D, E>& from) { return write_bytes(from.data(), size(), 0); }

  /// The window of Length cells of I from `start` on, as View has it: no copy; see <weft/device_tile.hpp>. Of a const tensor
  /// it is read, of another written.
  template <Mapping I, std::uint64_t Length, Mapping View> auto tile(std::uint64_t start) const {
    check_range({0, size()}, "tile");
    return DeviceTile<const DeviceTensor, I, Length, View>(*this, start, nullptr);
  }
  template <Mapping I, std::uint64_t Length, Mapping View> auto tile(std::uint64_t start) {
    check_range({0, size()}, "tile");
    return DeviceTile<DeviceTensor, I, Length, View>(*this, start, tiles_);
  }

  using ResidentBase::label;
  /// Names the tensor for messages and GPU tools.
  DeviceTensor& label(std::string name) & {
    set_label(std::move(name));
    return *this;
  }

 private:
  detail::Shared<detail::TileList> tiles_ = detail::make_tile_list();
};

namespace detail {

/// The positions that each position of `to` gets its element from, where kernels cannot compute them; none where they can.
/// `no_element` where nothing is written, `zero_element` where a zero is.
inline constexpr std::int32_t no_element = -1, zero_element = -2;
/// Throws what make_relayout does, UnsupportedError where a list would be longer than 2^31 - 1.
std::optional<std::vector<std::int32_t>> gather_list(const Mapping& from, const Mapping& to);

/// Gives every position of `to` that may be written what `from` has at its index; zero where that is not live.
template <Mapping To, class From, class Write> void move_all(const From& from, Write write) {
  loop(0, To.size(), [&](Index p) {
    const TracedIndex at = To.index(p);
    const auto move = [&] { write(p, from.at(at)); };
    if constexpr (may_touch_all(To)) move();
    else If(at.live() || at.is_padding(PaddingKind::Top) || at.is_padding(PaddingKind::Zero), move);
  });
}
template <class D, Mapping From, Mapping To> auto relayout_kernel() {
  return kernel("relayout(from, to)", fusible, [](Tensor<const D, From> from, Tensor<D, To> to) {
    move_all<To>(from, [&](Index p, const auto& value) { to.array()[p] = value; });
  });
}
template <class D, Mapping From, Mapping To> auto gather_kernel() {
  return kernel("relayout(from, list, to)", fusible,
                [](Tensor<const D, From> from, Array<const std::int32_t> list, Tensor<D, To> to) {
                  loop(list.length(),
                       [&](Index p) { If(list[p] != no_element, [&] { to.array()[p] = from.array()[list[p]]; }); });
                });
}

}  // namespace detail

/// Moves every element of `to` from where it stands in `from`, as relayout of host tensors does, by one kernel on their
/// device; inside a fuse scope the call is recorded as any. Throws MappingError at once, as that does.
template <class D, Mapping Chip, Mapping From, Mapping To>
Future<void> relayout(const DeviceTensor<D, Chip, From>& from, DeviceTensor<D, Chip, To>& to) {
  static const auto list = detail::gather_list(From, To);
  if (!list) {
    static const auto direct = detail::relayout_kernel<D, From, To>();
    return direct(from, to);
  }
  static const auto gather = detail::gather_kernel<D, From, To>();
  return gather(from, *list, to);
}

}  // namespace weft
