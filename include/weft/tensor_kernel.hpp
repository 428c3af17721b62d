// Tensors in kernels (MAP-TEN-08): a parameter Tensor<D, E> is an array of E.size() elements that is also asked by
// coordinates, and E.index(p) gives the coordinates at a position.
//
//   WEFT_AXES(H = 480, W = 640)
//   auto blur = weft::kernel("blur(from, to)",
//       [](weft::Tensor<const float, WEFT_M(H, W)> from, weft::Tensor<float, WEFT_M(H / 8, W / 8, H % 8, W % 8)> to) {
//         weft::loop(0, to.size(), [&](weft::Index p) {
//           auto at = to.index(p);
//           to[p] = (from(at[H], at[W] - 1) + from(at[H], at[W]) + from(at[H], at[W] + 1)) / 3;
//         });
//       });
//
// Reading where there is no element gives zero, writing there is dropped, as with an Array.
#pragma once

#include <array>
#include <span>
#include <utility>

#include <weft/detail/tensor_axes.hpp>
#include <weft/detail/tensor_trace.hpp>
#include <weft/kernel.hpp>
#include <weft/mapping.hpp>
#include <weft/resident.hpp>
#include <weft/tensor_view.hpp>

namespace weft {

template <class D, Mapping Chip, Mapping E> class DeviceTensor;

/// What a mapping says of a traced position.
class TracedIndex {
 public:
  explicit TracedIndex(detail::TracedCell cell) : cell_(std::move(cell)) {}

  /// The coordinate along an axis, 0 of one that the mapping does not have; without meaning where the position is not live.
  Index operator[](const Axis& axis) const { return Index(detail::coordinate_of(cell_, axis)); }
  /// Whether an element is there: `true` as a literal where the mapping has no padding.
  Value<bool> live() const { return Value<bool>(cell_.live); }
  /// Whether it is padding of a kind.
  Value<bool> is_padding(PaddingKind kind) const {
    return Value<bool>(kind == PaddingKind::Top ? cell_.top : kind == PaddingKind::Zero ? cell_.zero : cell_.bottom);
  }

  const detail::TracedCell& cell() const { return cell_; }  // the library's

 private:
  detail::TracedCell cell_;
};

namespace detail {

template <class V> struct traced_index {
  static_assert(Operable<V> && is_whole<traced_t<V>> && !is_vector<traced_t<V>>,
                "weft: E.index(p) takes an integer of a kernel; of a number, E.map(p) gives the cell");
  using type = TracedIndex;
  static TracedIndex of(const Mapping& m, const At& at) { return TracedIndex(trace_cell(m, at.index)); }
};

/// The call operator with as many coordinates as there are axes: conversions of arguments take the line of the call.
template <class Self, class Numbers> class TensorCall;
template <class Self, std::size_t... I> class TensorCall<Self, std::index_sequence<I...>> {
  template <std::size_t> using Coordinate = At;

 public:
  /// The element at these coordinates, in axis order.
  auto operator()(Coordinate<I>... at) const {
    const std::array<Expr, sizeof...(I)> list{at.index...};
    std::uint32_t line = 0;
    ((line = at.line), ...);
    return static_cast<const Self&>(*this).element_at(list, line);
  }
};

}  // namespace detail

template <class V> typename detail::traced_index<V>::type Mapping::index(const V& position) const {
  return detail::traced_index<V>::of(*this, position);
}

/// A tensor of a kernel, or a tile of one: elements of type D seen through the mapping E.
template <class D, Mapping E>
class TracedTensor
    : public detail::TensorCall<TracedTensor<D, E>, std::make_index_sequence<detail::axes_of(E).size()>> {
  using Plain = std::remove_const_t<D>;
  static_assert(detail::is_element_type<Plain>(),
                "weft: a tensor in a kernel is of float, int32_t, uint32_t, double, or a vector vec2f..vec4u");

 public:
  static constexpr bool is_mutable = !std::is_const_v<D>;
  static constexpr PaddingKind hole = is_mutable ? PaddingKind::Bottom : PaddingKind::Top;
  static constexpr const Mapping& mapping() { return E; }
  /// The number of positions, padding too.
  static constexpr std::uint64_t size() { return E.size(); }

  explicit TracedTensor(detail::Expr array, detail::TracedWindow window = {}) : array_(array), window_(window) {}

  /// The coordinates at a position: E.index(p).
  TracedIndex index(At position) const { return TracedIndex(detail::trace_cell(E, position.index)); }
  /// What is stored at a position, padding too: in zero padding the zeros of whoever made the tensor. Bottom padding is not
  /// touched: it reads zero (MAP-TEN-07).
  auto operator[](At position) const { return element(detail::touchable_place(E, position.index), position.line); }
  /// The element at the coordinates of another mapping's position, which may have its axes in another order and be padding.
  auto at(const TracedIndex& index, std::source_location where = std::source_location::current()) const {
    return element(detail::place_of(formula(), array_, index.cell(), is_mutable), detail::line_of(where));
  }

  /// The window of Length cells of I from `start` on, as View has it, with coordinates of its own from 0 (MAP-TEN-03 to -05);
  /// a compile error that shows the view that would fit where View does not. A window that passes I has no elements.
  template <Mapping I, Mapping View, std::uint64_t Length> TracedTensor<D, View> tile(At start) const {
    using Of = detail::TileOf<E, I, View, Length, hole>;
    static_assert(Of::check());
    return TracedTensor<D, View>(array_, detail::window_at(window_, I, Length, Of::tile.stride, E.size(), start.index));
  }

  auto element_at(std::span<const detail::Expr> coordinates, std::uint32_t line) const {  // the library's
    return element(detail::place_of(formula(), array_, coordinates, is_mutable), line);
  }

 private:
  static const detail::ElementFormula& formula() {
    static const detail::Shared<const detail::ElementFormula> made = detail::make_element_formula(E);
    return *made;
  }
  auto element(detail::Expr place, std::uint32_t line) const {
    place = detail::place_in(window_, array_, place, E.size());
    const detail::Expr value = detail::load(array_, place, line);
    if constexpr (is_mutable) return ArrayElement<Plain>({array_, place, value, line});
    else return Value<Plain>(value);
  }

 protected:
  detail::Expr array_;
  detail::TracedWindow window_;
};

/// A parameter of E.size() elements of type D in the order of the mapping E; `Tensor<const D, E>` is only read. The call
/// gives it a DeviceTensor or HostTensor of D and E, or any array of as many elements.
template <class D, Mapping E> class Tensor : public TracedTensor<D, E> {
 public:
  explicit Tensor(detail::Expr array) : TracedTensor<D, E>(array) {}
  /// The positions, padding and all.
  Array<D> array() const { return Array<D>(this->array_); }
};

namespace detail {
template <class D, Mapping E> inline constexpr bool is_parameter<Tensor<D, E>> = true;

template <class D, Mapping E> struct Arg<Tensor<D, E>> : Arg<Array<D>> {
  static constexpr ParamSpec spec{true, !std::is_const_v<D>, dtype_of<std::remove_const_t<D>>, E.size()};
  using Arg<Array<D>>::Arg;
  template <Mapping Chip> Arg(const DeviceTensor<std::remove_const_t<D>, Chip, E>& t) : Arg<Array<D>>(t.array()) {}
  Arg(HostTensor<std::remove_const_t<D>, E>& t) : Arg<Array<D>>(t.span()) {}
  Arg(const HostTensor<std::remove_const_t<D>, E>& t)
    requires std::is_const_v<D>
      : Arg<Array<D>>(t.span()) {}
  Arg(HostTensor<std::remove_const_t<D>, E>&&) = delete;
};
}  // namespace detail

}  // namespace weft
