// Tiles as mappings (MAP-TEN-03 to -06): where a run I lies in E, the mapping of a window of LEN of it, which starts it
// takes. Pure functions; views and tensors are built on them.
#pragma once

#include <weft/detail/mapping_decode.hpp>
#include <weft/detail/mapping_normal.hpp>

namespace weft {

/// A window of `length` cells of a run that lies in a mapping: the run's p-th cell is at p * stride.
struct Tile {
  detail::MappingFault fault{};  // index_not_located or window_does_not_fit
  std::uint64_t stride = 0, extent = 0, length = 0;
  Mapping view{};  // of the size of the element's mapping, in normal form: what is outside of the window is a hole
};

/// Where no closed answer is known, cells are compared one by one, up to so many: in programs, in constant expressions.
inline constexpr std::uint64_t max_compared_cells = std::uint64_t{1} << 24, max_compared_cells_constant = 1 << 12;

namespace detail {

constexpr std::uint64_t comparison_limit() {
  return std::is_constant_evaluated() ? max_compared_cells_constant : max_compared_cells;
}

/// A decoder with what it needs: keeps the tree in which equal composites are equal.
class KeyedDecoder {
 public:
  constexpr explicit KeyedDecoder(const Mapping& m) : KeyedDecoder(m, needs_normal_bases(m)) {}
  KeyedDecoder(const KeyedDecoder&) = delete;
  constexpr std::uint64_t size() const { return decoder_.size(); }
  constexpr bool is_keyed() const { return keyed_.count != 0; }
  constexpr const MappingDecoder& decoder() const { return decoder_; }
  /// Of one that is keyed.
  constexpr const Mapping& tree() const { return keyed_; }
  constexpr void decode(std::uint64_t position, Cell& cell) const { decoder_.decode(position, cell); }
  constexpr Cell operator()(std::uint64_t position) const {
    Cell c;
    decode(position, c);
    return c;
  }

 private:
  constexpr KeyedDecoder(const Mapping& m, bool needs)
      : keyed_(needs ? with_normal_bases(m) : Mapping(Mapping::Empty{})), decoder_(needs ? keyed_ : m) {}

  Mapping keyed_;
  MappingDecoder decoder_;
};

/// The position at which a list of axes and their splits, padded or not, has coordinates; whether it is the only one.
class ListInverse {
 public:
  constexpr ListInverse(const Factors& f, FactorList l) : f_(f), list_(l) { only_ = collect(l) && disjoint(); }

  /// Each live cell stands at one position, and `position` finds it.
  constexpr bool exact() const { return only_; }
  constexpr bool position(const TensorIndex& coordinates, std::uint64_t& at) const {
    return position(list_, coordinates, at);
  }
  /// The positions that are live, as far as that is a product: not below a pad or a resize of less than whole rows.
  constexpr bool dense() const { return dense_; }

 private:
  struct AxisDigit {
    Name name;
    std::uint64_t stride, size;
  };

  constexpr bool collect(FactorList l) {
    for (std::size_t i = 0; i < l.count; ++i) {
      const Factor& f = f_.at(l, i);
      if (f.op == MappingOp::broadcast) return false;
      if (f.op == MappingOp::pad || f.op == MappingOp::resize) {
        dense_ = false;
        if (!collect(f.inner)) return false;
        continue;
      }
      if (f.op == MappingOp::stride && !f_.is_axis(f.inner)) return false;
      if (count_ == max_mapping_nodes) return false;
      const bool whole = f.op == MappingOp::axis;
      digits_[count_++] = {whole ? f.name : f_.at(f.inner, 0).name, whole ? 1 : f.stride, f.size};
    }
    return true;
  }
  // Of two digits of one axis the finer ends where the coarser begins, or before.
  constexpr bool disjoint() const {
    for (std::size_t i = 0; i < count_; ++i)
      for (std::size_t k = 0; k < count_; ++k) {
        const AxisDigit &a = digits_[i], &b = digits_[k];
        if (i == k || a.name != b.name || a.stride > b.stride || (a.stride == b.stride && i > k)) continue;
        if (b.stride < a.stride * a.size || b.stride % a.stride) return false;
      }
    return true;
  }
  // What the next coarser digit of the axis leaves, which need not be a multiple of this one's end.
  constexpr std::uint64_t digit_of(const Name& axis, std::uint64_t stride, const TensorIndex& coordinates) const {
    std::uint64_t coarser = 0;
    for (std::size_t i = 0; i < count_; ++i)
      if (digits_[i].name == axis && digits_[i].stride > stride && (!coarser || digits_[i].stride < coarser))
        coarser = digits_[i].stride;
    const std::uint64_t rest = coordinates[axis];
    return (coarser ? rest % coarser : rest) / stride;
  }
  constexpr bool position(FactorList l, const TensorIndex& coordinates, std::uint64_t& at) const {
    at = 0;
    for (std::size_t i = 0; i < l.count; ++i) {
      const Factor& f = f_.at(l, i);
      std::uint64_t digit = 0;
      if (f.op == MappingOp::axis) digit = coordinates[f.name];
      else if (f.op == MappingOp::stride) digit = digit_of(f_.at(f.inner, 0).name, f.stride, coordinates);
      else if (!position(f.inner, coordinates, digit)) return false;
      if (digit >= f.size) return false;
      at = at * f.size + digit;
    }
    return true;
  }

  const Factors& f_;
  FactorList list_;
  AxisDigit digits_[max_mapping_nodes];
  std::size_t count_ = 0;
  bool only_ = false, dense_ = true;
};

/// Equal cells everywhere: 1 yes, 0 no, -1 not known within the limit.
constexpr int same_cells(const Mapping& a, const Mapping& b) {
  if (a.size() != b.size()) return 0;
  if (a == b || normalize(a) == normalize(b)) return 1;
  const KeyedDecoder x(a), y(b);
  const std::uint64_t end = a.size() < comparison_limit() ? a.size() : comparison_limit();
  Cell c, d;
  for (std::uint64_t i = 0; i < end; ++i) {
    x.decode(i, c);
    y.decode(i, d);
    if (!(c == d)) return 0;
  }
  return end == a.size() ? 1 : -1;
}

/// Whether I at p is E at p * stride for every p of I that is in E.
constexpr bool lies_at(const KeyedDecoder& e, const Mapping& element, const KeyedDecoder& i, const Mapping& index,
                       std::uint64_t stride) {
  std::uint64_t count = (e.size() - 1) / stride + 1;
  if (count > i.size()) count = i.size();
  for (const std::uint64_t p : {count - 1, std::uint64_t{1}, count / 2})
    if (!(e(p * stride) == i(p))) return false;
  if (e.size() % stride == 0 && e.size() / stride % i.size() == 0) {
    Mapping cut = element;
    if (!cut.append_unary(MappingOp::stride, stride) && !cut.append_unary(MappingOp::modulo, i.size()) &&
        normalize(cut) == normalize(index))
      return true;
  }
  if (count > comparison_limit()) return false;
  for (std::uint64_t p = 0; p < count; ++p)
    if (!(e(p * stride) == i(p))) return false;
  return true;
}

/// The smallest stride at which `index` lies in `element`; 0 if there is none (MAP-TEN-03).
constexpr std::uint64_t locate(const Mapping& element, const Mapping& index) {
  const KeyedDecoder e(element), i(index);
  if (i.size() < 2) return i.size();
  if (e.size() < 2 || !(e(0) == i(0))) return 0;
  const Cell second = i(1);
  Normalizer n;
  const FactorList list = n.normalize(element, element.count);
  const ListInverse inverse(n.factors(), list);
  if (second.is_live() && !second.index().overshoot() && inverse.exact()) {  // then only one position can be it
    std::uint64_t at = 0;
    return inverse.position(second.index(), at) && at && at < e.size() && lies_at(e, element, i, index, at) ? at : 0;
  }
  const std::uint64_t end = e.size() < comparison_limit() ? e.size() : comparison_limit();
  Cell c;
  for (std::uint64_t s = 1; s < end; ++s) {
    e.decode(s, c);
    if (c == second && lies_at(e, element, i, index, s)) return s;
  }
  return 0;
}

/// Cuts a list into windows: what is above, within and below the run.
class Window {
 public:
  constexpr explicit Window(const Mapping& element) : list_(n_.normalize(element, element.count)) {}

  constexpr Mapping view(std::uint64_t stride, std::uint64_t extent, std::uint64_t length, PaddingKind hole) {
    const FactorList l = window(list_, stride, extent, length, hole);
    Mapping result{Mapping::Empty{}};
    if (n_.factors().overflow() || n_.factors().emit(l, result)) mapping_error(too_many_nodes(), "");
    return normalize(result);
  }

 private:
  constexpr FactorList window(FactorList l, std::uint64_t stride, std::uint64_t extent, std::uint64_t length,
                              PaddingKind hole) {
    Factors& f = n_.factors();
    const std::uint64_t size = f.size(l);
    if (length == extent || size == 0) return l;
    if (l.count == 1 && f.at(l, 0).op == MappingOp::pad) {  // outer padding stays outside
      const Factor pad = f.at(l, 0);
      const std::uint64_t inner = f.size(pad.inner);
      if (inner % stride == 0 && (inner / stride % extent == 0 || (inner / stride < extent && inner / stride > length)))
        return n_.padded(window(pad.inner, stride, inner / stride < extent ? inner / stride : extent, length, hole),
                         pad.size, pad.kind);
      if (inner <= stride * length) return l;
    }
    FactorList above, run, below, rest;
    if (!cut(l, stride, rest, below) || !cut(rest, extent, above, run)) {
      above = n_.split(l, stride * extent, size / stride / extent);
      run = n_.split(l, stride, extent);
      below = n_.split(l, 1, stride);
    }
    run = n_.padded(n_.resized(run, length), extent, hole);
    return f.concatenate(f.concatenate(above, run), below);
  }
  // The list as one of size / minor positions and one of `minor`.
  constexpr bool cut(FactorList l, std::uint64_t minor, FactorList& above, FactorList& below) {
    Factors& f = n_.factors();
    std::size_t i = l.count;
    while (i > 0 && minor % f.at(l, i - 1).size == 0) minor /= f.at(l, --i).size;
    above = f.part(l, 0, i);
    below = f.part(l, i, l.count - i);
    if (minor == 1) return true;
    if (i == 0 || f.at(l, i - 1).size % minor) return false;
    const FactorList one = f.part(l, i - 1, 1);
    const std::uint64_t size = f.size(one);
    const FactorList upper = n_.split(one, minor, size / minor);
    if (upper.count == 1 && f.is_composite_split(f.at(upper, 0)) && !may_cut(f.at(one, 0), f.at(upper, 0).inner))
      return false;
    above = f.concatenate(f.part(l, 0, i - 1), upper);
    below = f.concatenate(n_.split(one, 1, minor), below);
    return true;
  }

  // The digits of a composite that is cut must be the only ones of it at the level, and none may meet those within it.
  constexpr bool may_cut(const Factor& factor, FactorList composite) {
    const bool again = has_cut_ && n_.factors().equal(cut_, composite), split = n_.factors().is_composite_split(factor);
    if ((again ? !split : n_.count_within(list_, composite) != split) || n_.has_repeated_digits(list_)) return false;
    has_cut_ = true;
    cut_ = composite;
    return true;
  }

  Normalizer n_;
  FactorList list_, cut_;
  bool has_cut_ = false;
};

}  // namespace detail

/// The tile of E whose window takes `length` cells of the run `index`, holes of the kind `hole`: Top where one reads, Bottom
/// where one writes (MAP-TEN-04).
constexpr Tile tile(const Mapping& element, const Mapping& index, std::uint64_t length, PaddingKind hole) {
  using detail::Sentence;
  Tile t;
  t.extent = index.size();
  t.length = length;
  t.stride = detail::locate(element, index);
  if (t.stride == 0) {
    t.fault = {MappingErrorKind::index_not_located, 0,
               Sentence("the index of size ")
                   << t.extent << " lies at no stride in the mapping of size " << element.size()};
  } else if (length < 1 || length > t.extent) {
    t.fault = {MappingErrorKind::window_does_not_fit, 0,
               Sentence("a window of ") << length << " does not fit the " << t.extent << " cells of the index"};
  } else if (t.extent > element.size() || t.stride > element.size() / t.extent ||
             element.size() % (t.stride * t.extent)) {
    t.fault = {MappingErrorKind::window_does_not_fit, 0,
               Sentence("the index spans ") << t.extent << " cells at stride " << t.stride
                                            << ", which do not divide the size " << element.size()};
  } else {
    t.view = t.extent == 1 ? normalize(element) : detail::Window(element).view(t.stride, t.extent, length, hole);
  }
  return t;
}

/// Whether a view may be given to the tile: it has the normal form of the tile's own, or the same cells throughout.
constexpr bool fits(const Tile& t, const Mapping& view) {
  return !t.fault && (t.view == normalize(view) || detail::same_cells(t.view, view) == 1);
}

/// The starts of MAP-TEN-05: start + length <= |index|, and the index is live at start.
constexpr bool takes_start(const Mapping& index, std::uint64_t length, std::uint64_t start) {
  const std::uint64_t extent = index.size();
  return length <= extent && start <= extent - length && index.map(start).is_live();
}

/// As tile and fits, but a refusal is a MappingError whose message shows the mapping that would fit.
Tile check_tile(const Mapping& element, const Mapping& index, std::uint64_t length, const Mapping& view,
                PaddingKind hole);
/// RangeError with the three numbers where takes_start says no.
void check_start(const Mapping& index, std::uint64_t length, std::uint64_t start);

}  // namespace weft
