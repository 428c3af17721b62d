// The normal form (MAP-EQ-03). Every rule keeps the cell of every position. Some hold anywhere; the others take a split of
// a composite apart, and a digit may only be cut loose from the mapping it belongs to when no other digit of that mapping
// stands at the same level, since they add up before they are decoded (MAP-POS-05).
#pragma once

#include <weft/detail/mapping_factors.hpp>

namespace weft::detail {

class Normalizer {
 public:
  /// The normal form of the subtree at `root`, as a list.
  constexpr FactorList normalize(const Mapping& m, std::size_t root) { return settle(read(m, root, false)); }
  /// The tree as it is, but what is split in normal form, so that equal composites are equal trees.
  constexpr FactorList with_normal_bases(const Mapping& m) { return read(m, m.count, true); }

  constexpr Factors& factors() { return f_; }
  /// Whether a split was taken apart, so that a part of it may be simpler alone.
  constexpr bool again() const { return again_; }

  // --- the rules that hold anywhere ---
  constexpr FactorList join(FactorList a, FactorList b) {
    if (a.count == 0) return b;
    if (b.count == 0) return a;
    if (f_.size(a) == 0 || f_.size(b) == 0) return zero();  // no position is left to tell them apart
    const Factor &l = f_.at(a, a.count - 1), &r = f_.at(b, 0);
    FactorList seam;
    if (l.op == MappingOp::broadcast && r.op == MappingOp::broadcast) seam = broadcast_of(l.size * r.size);
    else if (l.op == MappingOp::stride && r.op == MappingOp::stride && l.stride == r.stride * r.size &&
             f_.equal(l.inner, r.inner))
      seam = split(l.inner, r.stride, l.size * r.size);
    else return f_.concatenate(a, b);
    return join(join(f_.part(a, 0, a.count - 1), seam), f_.part(b, 1, b.count - 1));
  }
  constexpr FactorList padded(FactorList x, std::uint64_t n, PaddingKind kind) {
    const std::uint64_t size = f_.size(x);
    if (n <= size) return resized(x, n);
    if (x.count == 1 && f_.at(x, 0).op == MappingOp::pad && f_.at(x, 0).kind == kind) x = f_.at(x, 0).inner;
    return f_.make_list({MappingOp::pad, kind, x, n, 0, {}});
  }
  constexpr FactorList resized(FactorList x, std::uint64_t n) {
    const std::uint64_t size = f_.size(x);
    if (n == size) return x;
    if (n == 0) return zero();
    if (n < size && n == 1 && !has_composite_split(x) && f_.starts_live(x)) return {};
    if (x.count == 1) {
      const Factor& only = f_.at(x, 0);
      if (only.op == MappingOp::broadcast && n < size) return broadcast_of(n);
      if (only.op == MappingOp::resize && n < size) return resized(only.inner, n);
      if (only.op == MappingOp::pad && n < size) {
        const FactorList inner = only.inner;
        return n <= f_.size(inner) ? resized(inner, n) : padded(inner, n, only.kind);
      }
    }
    if (x.count > 1 && n < size) {
      const FactorList minor = f_.part(x, x.count - 1, 1);
      const std::uint64_t row = f_.size(minor);
      const FactorList major = f_.part(x, 0, x.count - 1);
      if (n % row == 0) return join(resized(major, n / row), minor);
      if (n < row && !has_composite_split(major) && f_.starts_live(major)) return resized(minor, n);
    }
    return f_.make_list({MappingOp::resize, {}, x, n, 0, {}});
  }
  /// base / stride, of it the first n. The base is in normal form.
  constexpr FactorList split(FactorList base, std::uint64_t stride, std::uint64_t n) {
    if (n == 0) return zero();
    if (base.count == 0) return {};
    if (base.count == 1) {
      const Factor& only = f_.at(base, 0);
      if (only.op == MappingOp::broadcast && only.size) return broadcast_of(n);
      if (only.op == MappingOp::stride) return split(only.inner, only.stride * stride, n);
      if (only.op == MappingOp::axis) {
        if (n == 1 && only.size) return {};
        if (n == only.size) return base;
      }
    }
    return f_.make_list({MappingOp::stride, {}, base, n, stride, {}});
  }

  /// Whether some composite has two digits at a level.
  constexpr bool has_repeated_digits(FactorList l) const {
    std::uint16_t found[max_mapping_nodes];
    std::size_t count = 0;
    return repeats(l, found, count);
  }
  /// The digits of a composite among the factors of a level.
  constexpr std::size_t count_within(FactorList l, FactorList base) const {
    std::size_t n = 0;
    for (std::size_t i = 0; i < l.count; ++i) {
      const Factor& f = f_.at(l, i);
      if (f.op != MappingOp::stride) n += count_within(f.inner, base);
      else n += f_.is_composite_split(f) && f_.equal(f.inner, base);
    }
    return n;
  }

 private:
  constexpr FactorList zero() { return f_.make_list({MappingOp::broadcast, {}, {}, 0, 0, {}}); }
  constexpr FactorList broadcast_of(std::uint64_t n) {
    return n == 1 ? FactorList{} : f_.make_list({MappingOp::broadcast, {}, {}, n, 0, {}});
  }
  constexpr bool has_composite_split(FactorList l) const {
    for (std::size_t i = 0; i < l.count; ++i) {
      const Factor& f = f_.at(l, i);
      if (f.op == MappingOp::stride ? f_.is_composite_split(f) : has_composite_split(f.inner)) return true;
    }
    return false;
  }

  // `verbatim` applies no rule outside of what is split.
  constexpr FactorList read(const Mapping& m, std::size_t root, bool verbatim) {
    const MappingNode& n = m.node(root);
    switch (n.op) {
      case MappingOp::axis:
        if (!verbatim && n.number <= 1) return n.number ? FactorList{} : zero();
        return f_.make_list({MappingOp::axis, {}, {}, n.number, 0, n.name});
      case MappingOp::broadcast:
        return verbatim ? f_.make_list({n.op, {}, {}, n.number, 0, {}}) : broadcast_of(n.number);
      case MappingOp::pair: {
        const FactorList l = read(m, n.left, verbatim), r = read(m, n.right, verbatim);
        return verbatim ? f_.concatenate(l, r) : join(l, r);
      }
      case MappingOp::pad:
      case MappingOp::resize: {
        const FactorList x = read(m, n.left, verbatim);
        if (verbatim) return f_.make_list({n.op, n.kind, x, n.number, 0, {}});
        return n.op == MappingOp::pad ? padded(x, n.number, n.kind) : resized(x, n.number);
      }
      default: break;
    }
    std::uint64_t stride = 1;
    std::size_t base = root;
    for (; m.node(base).is_split(); base = m.node(base).left)
      if (m.node(base).op == MappingOp::stride) stride *= m.node(base).number;
    return split(normalize(m, base), stride, m.size_of(root));
  }

  // --- the rules that look at the level ---
  // Exposes one split after the other until none can be, and applies the rules above again.
  constexpr FactorList settle(FactorList l) {
    for (std::size_t round = 0; round < 4 * max_mapping_nodes && !f_.overflow(); ++round) {
      digit_count_ = 0;
      collect(l);
      bool changed = false;
      l = rebuild(l, changed);
      if (!changed) break;
    }
    return l;
  }
  // The composite splits of the level in order. Deeper calls of settle have ended when this one's list is in use.
  constexpr void collect(FactorList l) {
    for (std::size_t i = 0; i < l.count; ++i) {
      const Factor& f = f_.at(l, i);
      if (f.op != MappingOp::stride) collect(f.inner);
      else if (f_.is_composite_split(f) && digit_count_ < max_mapping_nodes * 2)
        digits_[digit_count_++] = f_.item(l, i);
    }
  }
  constexpr std::size_t digits_of(FactorList base) const {
    std::size_t n = 0;
    for (std::size_t i = 0; i < digit_count_; ++i) n += f_.equal(f_[digits_[i]].inner, base);
    return n;
  }
  constexpr bool is_first_digit(std::uint16_t factor) const {
    for (std::size_t i = 0; i < digit_count_; ++i)
      if (f_.equal(f_[digits_[i]].inner, f_[factor].inner)) return digits_[i] == factor;
    return false;
  }

  // One exposure, the first that is possible.
  constexpr FactorList rebuild(FactorList l, bool& changed) {
    for (std::size_t i = 0; i < l.count; ++i) {
      const std::uint16_t item = f_.item(l, i);
      const Factor f = f_[item];
      FactorList next;
      if (f.op == MappingOp::resize && f.size == 1 && f_.starts_live(f.inner) && only_digits_within(f.inner)) {
        changed = true;
      } else if (f.op == MappingOp::pad || f.op == MappingOp::resize) {
        const FactorList inner = rebuild(f.inner, changed);
        if (changed) next = f.op == MappingOp::pad ? padded(inner, f.size, f.kind) : resized(inner, f.size);
      } else if (f_.is_composite_split(f)) {
        changed = expose(item, next);
      }
      if (changed) return join(join(f_.part(l, 0, i), next), f_.part(l, i + 1, l.count - i - 1));
    }
    return l;
  }
  // Whether every digit within is of a composite that has no digit elsewhere.
  constexpr bool only_digits_within(FactorList l) const {
    for (std::size_t i = 0; i < digit_count_; ++i) {
      const FactorList base = f_[digits_[i]].inner;
      const std::size_t within = count_within(l, base);
      if (within && within != digits_of(base)) return false;
    }
    return true;
  }
  constexpr bool expose(std::uint16_t item, FactorList& to) {
    const Factor f = f_[item];
    const bool sole = digits_of(f.inner) == 1;
    if (f.size == 1) {  // offset 0: nothing is added, and only the first digit holds the place
      if (!f_.starts_live(f.inner) || (!sole && is_first_digit(item))) return false;
      to = {};
      return true;
    }
    if (!sole) return false;
    FactorList parts;
    if (f.stride == 1 && f.size == f_.size(f.inner)) parts = f.inner;
    else if (!take_apart(f.inner, f.stride, f.size, parts)) return false;
    if (meets_others(parts, item)) return false;
    to = parts;
    again_ = true;
    return true;
  }
  // Whether a split among the parts has a composite that has digits at this level already.
  constexpr bool meets_others(FactorList parts, std::uint16_t exposed) const {
    for (std::size_t i = 0; i < digit_count_; ++i)
      if (digits_[i] != exposed && count_within(parts, f_[digits_[i]].inner)) return true;
    return false;
  }

  // base / stride, the first n of it, as factors of its own: where the cuts fall between factors or divide one. A factor
  // that stays at 0 goes, if it is live there.
  constexpr bool take_apart(FactorList base, std::uint64_t stride, std::uint64_t n, FactorList& parts) {
    if (base.count == 1) return take_apart_one(f_.at(base, 0), stride, n, parts);
    if (has_repeated_digits(base)) return false;  // their order would change
    FactorList result;
    for (std::size_t i = base.count; i-- > 0;) {
      const FactorList one = f_.part(base, i, 1);
      const std::uint64_t size = f_.size(one);
      if (n == 1 || stride % size == 0) {
        if (!f_.starts_live(one)) return false;
        if (n != 1) stride /= size;
        continue;
      }
      if (size % stride) return false;
      const std::uint64_t here = size / stride;
      if (n <= here ? here % n : n % here) return false;
      const std::uint64_t taken = n < here ? n : here;
      result = join(stride == 1 && taken == size ? one : split(one, stride, taken), result);
      n /= taken;
      stride = 1;
    }
    if (has_repeated_digits(result)) return false;  // two equal factors, which were whole
    parts = result;
    return true;
  }
  constexpr bool repeats(FactorList l, std::uint16_t (&found)[max_mapping_nodes], std::size_t& count) const {
    for (std::size_t i = 0; i < l.count; ++i) {
      const Factor& f = f_.at(l, i);
      if (f.op != MappingOp::stride) {
        if (repeats(f.inner, found, count)) return true;
      } else if (f_.is_composite_split(f)) {
        for (std::size_t k = 0; k < count; ++k)
          if (f_.equal(f_[found[k]].inner, f.inner)) return true;
        if (count == max_mapping_nodes) return true;
        found[count++] = f_.item(l, i);
      }
    }
    return false;
  }
  // A padded or resized mapping whose inner size the stride divides: the split goes inside.
  constexpr bool take_apart_one(Factor f, std::uint64_t stride, std::uint64_t n, FactorList& parts) {
    if (f.op != MappingOp::pad && f.op != MappingOp::resize) return false;
    const std::uint64_t size = f_.size(f.inner);
    if (size % stride) return false;
    const FactorList inner = split(f.inner, stride, size / stride);
    parts = f.op == MappingOp::pad ? padded(inner, n, f.kind) : resized(inner, n);
    return true;
  }

  Factors f_;
  std::uint16_t digits_[max_mapping_nodes * 2];
  std::size_t digit_count_ = 0;
  bool again_ = false;
};

constexpr Mapping normalize_once(const Mapping& m, bool& again) {
  Normalizer n;
  const FactorList l = n.normalize(m, m.count);
  Mapping result{Mapping::Empty{}};
  if (n.factors().overflow() || n.factors().emit(l, result)) return again = false, m;
  again = n.again();
  return result;
}
constexpr Mapping with_normal_bases(const Mapping& m) {
  Normalizer n;
  const FactorList l = n.with_normal_bases(m);
  Mapping result{Mapping::Empty{}};
  return n.factors().overflow() || n.factors().emit(l, result) ? m : result;
}

}  // namespace weft::detail

namespace weft {

/// An equivalent mapping in normal form: splits merged, pairs flat, units and steps without effect gone. It is the same when
/// normalized again; two equivalent mappings may have different ones. (A form past max_mapping_nodes is not taken.)
constexpr Mapping normalize(const Mapping& m) {
  bool again = false;
  Mapping result = detail::normalize_once(m, again);
  while (again) result = detail::normalize_once(result, again);
  return result;
}

}  // namespace weft
