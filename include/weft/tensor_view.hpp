// TensorView<D, E>: memory seen through a mapping, without owning it, and tiles, the same memory seen through a part of it
// (MAP-TEN-02 to -07).
//
//   weft::TensorView<float, WEFT_M(A, B)> v(memory);
//   auto two = v.tile<WEFT_M(B), WEFT_M(A, B = 2 #{!} 512), 2>(6);   // B 6 and 7, its own coordinates from 0
//   two.at(a, 1) = 3;                                                // element A = a, B = 7 of v
//
// A view of `const D` reads: its tiles state top padding for what is outside of them (`# 512`). One of D writes: its tiles
// state bottom padding (`#{!} 512`), and two of them may not share elements at one time.
#pragma once

#include <span>
#include <type_traits>
#include <utility>

#include <weft/detail/tensor_memory.hpp>
#include <weft/mapping.hpp>
#include <weft/tensor.hpp>

namespace weft {
namespace detail {

/// The mutable tiles of one view that live now.
class TileList;
Shared<TileList> make_tile_list();

/// A mutable tile that lives; copies of its view share it, and tiles of that view keep it.
class TileMark {
 public:
  /// StateError, naming both, where a tile of the list that lives shares elements with this one.
  TileMark(Shared<TileList> list, Shared<TileMark> outer, const Mapping& view, std::uint64_t offset);
  ~TileMark();
  TileMark(const TileMark&) = delete;
  TileMark& operator=(const TileMark&) = delete;

 private:
  Shared<TileList> list_;
  Shared<TileMark> outer_;
  std::uint64_t number_;
};

void check_view_memory(const Mapping&, std::uint64_t elements);  // TypeError
[[noreturn]] void refuse_read(const Mapping&, std::uint64_t position, const Cell&);

/// Not defined: naming it makes the compiler print why a tile is refused, and the view that would fit.
template <Text Index, Text Kind, Text Reason> struct tile_error_of;

template <Mapping E, Mapping I, Mapping View, std::uint64_t Length, PaddingKind Hole> struct TileOf {
  static constexpr Tile tile = weft::tile(E, I, Length, Hole);
  static consteval Sentence reason() {
    if (tile.fault) return tile.fault.reason;
    Sentence s("the view of this tile is ");
    print_mapping(tile.view, tile.view.count, s);
    return s;
  }
  static consteval bool check() {
    if constexpr (tile.fault || !fits(tile, View)) {
      constexpr std::string_view kind = name(tile.fault ? tile.fault.kind : MappingErrorKind::unexpected_view);
      constexpr Sentence why = reason(), index = [] {
        Sentence s;
        print_mapping(I, I.count, s);
        return s;
      }();
      return tile_error_of<text_of<index.view().size()>(index.view()), text_of<kind.size()>(kind),
                           text_of<why.view().size()>(why.view())>::value;
    } else {
      return true;
    }
  }
};

}  // namespace detail

template <class D, Mapping E> class TensorView {
  static_assert(std::is_trivially_copyable_v<D>, "weft: the elements of a tensor are trivially copyable");

 public:
  using value_type = std::remove_const_t<D>;
  static constexpr bool is_mutable = !std::is_const_v<D>;
  static constexpr PaddingKind hole = is_mutable ? PaddingKind::Bottom : PaddingKind::Top;
  static constexpr const Mapping& mapping() { return E; }
  static constexpr detail::TensorAxes axes = detail::axes_of(E);

  /// Over memory of at least E.size() elements, which outlives the view. TypeError where it is shorter.
  explicit TensorView(std::span<D> memory) : memory_(memory) {
    detail::check_view_memory(E, memory.size());
    if constexpr (is_mutable) tiles_ = detail::make_tile_list();
  }

  static constexpr std::uint64_t size() { return E.size(); }

  /// The element of a live cell, or of coordinates in axis order, as HostTensor::at.
  D& at(const Cell& cell) const { return memory_[offset_ + detail::position_of(elements(), cell)]; }
  template <std::integral... C>
    requires(sizeof...(C) == axes.size())
  D& at(C... coordinates) const {
    const std::uint64_t list[]{static_cast<std::uint64_t>(coordinates)..., 0};
    return memory_[offset_ + detail::position_of(elements(), list)];
  }
  /// What is read at a position, padding too: an element; of top padding, what is stored, or a zero where that is past the
  /// memory; of zero padding, 0. RangeError for bottom padding and out of bounds (MAP-TEN-07).
  value_type read(std::uint64_t position) const {
    const Cell cell = E.map(position);
    if (cell.is_padding(PaddingKind::Zero)) return value_type{};
    if (cell.is_live()) return memory_[offset_ + position];
    if (!cell.is_padding(PaddingKind::Top)) detail::refuse_read(E, position, cell);
    return position < memory_.size() - offset_ ? memory_[offset_ + position] : value_type{};
  }
  /// f(const Index&, D&) for each live position, in order.
  template <class F> void for_each(F&& f) const {
    E.for_each([&](std::uint64_t position, const Cell& cell) {
      if (cell.is_live()) f(cell.index().finalize(), memory_[offset_ + position]);
    });
  }

  /// The window of Length cells of I from `start` on, as View has it: no copy. A compile error that shows the view that
  /// would fit where View does not. RangeError where the window passes I; StateError where it shares elements with a mutable
  /// tile of this view that lives.
  template <Mapping I, Mapping View, std::uint64_t Length> TensorView<D, View> tile(std::uint64_t start) const {
    using Of = detail::TileOf<E, I, View, Length, hole>;
    static_assert(Of::check());
    check_start(I, Length, start);
    const std::uint64_t offset = offset_ + start * Of::tile.stride;
    TensorView<D, View> view(memory_, offset);
    if constexpr (is_mutable) {
      view.mark_ = detail::share<detail::TileMark>(tiles_, mark_, View, offset);
      view.tiles_ = detail::make_tile_list();
    }
    return view;
  }

  D* data() const { return memory_.data() + offset_; }  // of position 0

 private:
  template <class, Mapping> friend class TensorView;
  TensorView(std::span<D> memory, std::uint64_t offset) : memory_(memory), offset_(offset) {}
  static const detail::ElementMap& elements() {
    static const detail::Shared<const detail::ElementMap> map = detail::make_element_map(E);
    return *map;
  }

  std::span<D> memory_;
  std::uint64_t offset_ = 0;
  detail::Shared<detail::TileList> tiles_;  // of a view that writes
  detail::Shared<detail::TileMark> mark_;   // of a tile
};

}  // namespace weft
