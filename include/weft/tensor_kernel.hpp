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
#include <utility>

#include <weft/detail/tensor_axes.hpp>
#include <weft/detail/tensor_trace.hpp>
#include <weft/kernel.hpp>
#include <weft/mapping.hpp>
#include <weft/resident.hpp>

namespace weft {

template <class D, Mapping E> class HostTensor;
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

template <class D, Mapping E> struct TensorPlaces {
  static constexpr bool writes = !std::is_const_v<D>;
  using Element = std::conditional_t<writes, ArrayElement<std::remove_const_t<D>>, Value<std::remove_const_t<D>>>;

  static const ElementFormula& formula() {
    static const Shared<const ElementFormula> made = make_element_formula(E);
    return *made;
  }
  static Element element(Expr array, Expr place, std::uint32_t line) {
    const Expr value = load(array, place, line);
    if constexpr (writes) return Element({array, place, value, line});
    else return Element(value);
  }
};

/// The call operator with as many coordinates as there are axes: conversions of arguments take the line of the call.
template <class D, Mapping E, class Numbers> class TensorCall;
template <class D, Mapping E, std::size_t... I> class TensorCall<D, E, std::index_sequence<I...>> {
  template <std::size_t> using Coordinate = At;

 public:
  explicit TensorCall(Expr array) : array_(array) {}
  /// The element at these coordinates, in axis order.
  auto operator()(Coordinate<I>... at) const {
    using Places = TensorPlaces<D, E>;
    const std::array<Expr, sizeof...(I)> list{at.index...};
    std::uint32_t line = 0;
    ((line = at.line), ...);
    return Places::element(array_, place_of(Places::formula(), array_, list, Places::writes), line);
  }

 protected:
  Expr array_;
};

}  // namespace detail

template <class V> typename detail::traced_index<V>::type Mapping::index(const V& position) const {
  return detail::traced_index<V>::of(*this, position);
}

/// E.size() elements of type D in the order of the mapping E; `Tensor<const D, E>` is only read. The call gives it a
/// DeviceTensor or HostTensor of D and E, or any array of as many elements.
template <class D, Mapping E>
class Tensor : public detail::TensorCall<D, E, std::make_index_sequence<detail::axes_of(E).size()>> {
  static_assert(detail::is_element_type<std::remove_const_t<D>>(),
                "weft: Tensor<D, E> in a kernel is of float, int32_t, uint32_t, double, or a vector vec2f..vec4u");
  using Places = detail::TensorPlaces<D, E>;

 public:
  using detail::TensorCall<D, E, std::make_index_sequence<detail::axes_of(E).size()>>::TensorCall;
  static constexpr const Mapping& mapping() { return E; }
  /// The number of positions, padding too.
  static constexpr std::uint64_t size() { return E.size(); }

  /// The positions, padding and all.
  Array<D> array() const { return Array<D>(this->array_); }

  /// The coordinates at a position: E.index(p).
  TracedIndex index(At position) const { return TracedIndex(detail::trace_cell(E, position.index)); }
  /// What is stored at a position, padding too; of bottom padding nothing is (MAP-TEN-07).
  auto operator[](At position) const {
    return Places::element(this->array_, detail::touchable_place(E, position.index), position.line);
  }
  /// The element at the coordinates of another mapping's position, which may have its axes in another order and be padding.
  auto at(const TracedIndex& index, std::source_location where = std::source_location::current()) const {
    return Places::element(this->array_,
                           detail::place_of(Places::formula(), this->array_, index.cell(), Places::writes),
                           detail::line_of(where));
  }
};

namespace detail {
template <class D, Mapping E> inline constexpr bool is_parameter<Tensor<D, E>> = true;

template <class D, Mapping E> struct Arg<Tensor<D, E>> : Arg<Array<D>> {
  static constexpr ParamSpec spec{true, !std::is_const_v<D>, dtype_of<std::remove_const_t<D>>, E.size()};
  using Arg<Array<D>>::Arg;
  template <Mapping Chip>
  Arg(const DeviceTensor<std::remove_const_t<D>, Chip, E>& t) : Arg<Array<D>>(t.array()) {}
  Arg(HostTensor<std::remove_const_t<D>, E>& t) : Arg<Array<D>>(t.span()) {}
  Arg(const HostTensor<std::remove_const_t<D>, E>& t)
    requires std::is_const_v<D>
      : Arg<Array<D>>(t.span()) {}
  Arg(HostTensor<std::remove_const_t<D>, E>&&) = delete;
};
}  // namespace detail

}  // namespace weft
