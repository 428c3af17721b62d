// HostTensor<D, E>: host memory whose layout is a mapping, and relayout, which moves elements between two mappings (MAP-TEN).
//
//   WEFT_AXES(H = 48, W = 61)
//   auto rows = weft::HostTensor<float, WEFT_M(H, W)>::from([](auto h, auto w) { return float(h * 100 + w); });
//   weft::HostTensor<float, WEFT_M(W, H #{0} 64)> columns;
//   weft::relayout(rows, columns);  // columns.at(h, w)... takes coordinates in its own axis order: at(w, h)
//
// Elements are of any trivially copyable type; <weft/half.hpp> has 16-bit floats. Files: <weft/tensor_io.hpp>.
#pragma once

#include <span>
#include <type_traits>
#include <utility>

#include <weft/detail/tensor_memory.hpp>
#include <weft/mapping.hpp>

namespace weft {
namespace detail {
/// f(coordinates...) in axis order, or f(const TensorIndex&).
template <class F, std::size_t N>
constexpr bool takes_coordinates = []<std::size_t... I>(std::index_sequence<I...>) {
  return std::is_invocable_v<F&, std::enable_if_t<I + 1 != 0, std::uint64_t>...>;
}(std::make_index_sequence<N>());
}  // namespace detail

/// E.size() elements of type D in the order of the mapping E. A new tensor holds zeros (bytes of 0), so its zero padding
/// holds what it should; later writes through data() are the caller's.
template <class D, Mapping E> class HostTensor {
  static_assert(std::is_trivially_copyable_v<D>, "weft: the elements of a tensor are trivially copyable");

 public:
  using value_type = D;
  static constexpr const Mapping& mapping() { return E; }
  /// The axes, as they appear in the mapping: the order of coordinates.
  static constexpr detail::TensorAxes axes = detail::axes_of(E);

  HostTensor() : buffer_(detail::share<detail::HostBuffer>(E, sizeof(D))) {}
  HostTensor(const HostTensor& o) : HostTensor() { copy(o); }
  HostTensor(HostTensor&& o) noexcept = default;
  HostTensor& operator=(const HostTensor& o) {
    if (this != &o) *this = HostTensor(o);
    return *this;
  }
  HostTensor& operator=(HostTensor&& o) noexcept = default;
  /// Over memory that another library lends; the library's.
  explicit HostTensor(detail::Shared<detail::HostBuffer> b) : buffer_(std::move(b)) {}

  /// The value of each element: f(coordinates...) as std::uint64_t in axis order, or f(const TensorIndex&). An element that stands
  /// at several positions is asked for at each. MappingError(overshoot) where the mapping passes an axis.
  template <class F> static HostTensor from(F&& f) {
    HostTensor t;
    t.for_each([&](const TensorIndex& index, D& element) { element = static_cast<D>(value_at(f, index)); });
    return t;
  }

  /// The number of positions, padding too.
  static constexpr std::uint64_t size() { return E.size(); }
  /// Null of a tensor that was moved from, which may only be assigned to.
  D* data() { return buffer_ ? static_cast<D*>(buffer_->data()) : nullptr; }
  const D* data() const { return buffer_ ? static_cast<const D*>(buffer_->data()) : nullptr; }
  std::span<D> span() { return {data(), static_cast<std::size_t>(size())}; }
  std::span<const D> span() const { return {data(), static_cast<std::size_t>(size())}; }

  /// The element of a live cell, `at(WEFT_I(A: 2, B: 3))`; an axis that is absent is at 0. Where the mapping holds an element
  /// at several positions, its first. RangeError for an element that the mapping does not hold, and for padding.
  D& at(const Cell& cell) { return data()[detail::position_of(elements(), cell)]; }
  const D& at(const Cell& cell) const { return data()[detail::position_of(elements(), cell)]; }
  /// The same by coordinates in axis order: `at(2, 3)`.
  template <std::integral... C>
    requires(sizeof...(C) == axes.size())
  D& at(C... coordinates) {
    return data()[located(coordinates...)];
  }
  template <std::integral... C>
    requires(sizeof...(C) == axes.size())
  const D& at(C... coordinates) const {
    return data()[located(coordinates...)];
  }

  /// f(const TensorIndex&, D&) for each live position, in order.
  template <class F> void for_each(F&& f) { visit(data(), f); }
  template <class F> void for_each(F&& f) const { visit(data(), f); }

  const detail::Shared<detail::HostBuffer>& buffer() const { return buffer_; }  // the library's

 private:
  void copy(const HostTensor& o) {
    for (std::uint64_t i = 0; i < size(); ++i) data()[i] = o.data()[i];
  }
  template <class P, class F> static void visit(P* data, F& f) {
    E.for_each([&](std::uint64_t position, const Cell& cell) {
      if (cell.is_live()) f(cell.index().finalize(), data[position]);
    });
  }
  template <class F> static decltype(auto) value_at(F& f, const TensorIndex& index) {
    if constexpr (detail::takes_coordinates<F, axes.size()>)
      return [&]<std::size_t... I>(std::index_sequence<I...>) -> decltype(auto) {
        return f(index[axes[I]]...);
      }(std::make_index_sequence<axes.size()>());
    else return f(index);
  }
  static const detail::ElementMap& elements() {
    static const detail::Shared<const detail::ElementMap> map = detail::make_element_map(E);
    return *map;
  }
  template <class... C> static std::uint64_t located(C... coordinates) {
    const std::uint64_t list[]{static_cast<std::uint64_t>(coordinates)..., 0};
    return detail::position_of(elements(), list);
  }

  detail::Shared<detail::HostBuffer> buffer_;
};

/// Moves every element of `to` from where it stands in `from`: transposes, pads, unpads, tiles, untiles, interleaves. Zero
/// padding of `to` becomes 0, top padding any value, bottom padding and positions out of bounds are not touched. `to` may
/// hold fewer elements than `from`. Before anything is written, MappingError(not-injective) where `to` holds an element at
/// two positions, MappingError(index-not-located) where `from` lacks an element or one has an axis that the other has not.
template <class D, Mapping From, Mapping To> void relayout(const HostTensor<D, From>& from, HostTensor<D, To>& to) {
  static const detail::Shared<const detail::Relayout> plan = detail::make_relayout(From, To);
  detail::run_relayout(*plan, from.data(), to.data(), sizeof(D));
}

/// The same into a new tensor.
template <Mapping To, class D, Mapping From> HostTensor<D, To> relayout(const HostTensor<D, From>& from) {
  HostTensor<D, To> to;
  relayout(from, to);
  return to;
}

}  // namespace weft
