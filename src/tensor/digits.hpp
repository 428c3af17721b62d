// Boxes of mixed-radix digits: how a mapping, a copy or a view is told without visiting its positions. A box is a set of
// positions base + sum of d_i * position_i, 0 <= d_i < extent_i; each digit also counts along a target, an axis or a split.
#pragma once

#include <cstdint>
#include <vector>

namespace weft::detail {

struct Digit {
  static constexpr int no_target = -1;
  std::uint64_t extent;
  std::uint64_t position;  // stride of positions
  int target;
  std::uint64_t stride;      // along the target
  std::uint64_t source = 0;  // stride of positions of another mapping, once matched (match())
};

struct Box {
  std::uint64_t position = 0, source = 0;
  std::vector<Digit> digits;
  std::vector<std::uint64_t> base;  // of each target

  std::uint64_t& base_of(int target) {
    if (base.size() <= static_cast<std::size_t>(target)) base.resize(static_cast<std::size_t>(target) + 1);
    return base[static_cast<std::size_t>(target)];
  }
  std::uint64_t base_at(int target) const {
    return static_cast<std::size_t>(target) < base.size() ? base[static_cast<std::size_t>(target)] : 0;
  }
};

/// A digit that is looked up: it counts by `key`, and carries what it counts by elsewhere.
struct KeyDigit {
  std::uint64_t extent, key, carry;
  int tag;  // of the carry
  std::uint64_t out = 0;
};
/// What keys are looked up in: a key that is a sum of d_k * stride_k is at the sum of d_k * out_k.
struct Radix {
  std::uint64_t extent, stride, out;
};
struct KeyBox {
  std::int64_t key = 0;
  std::uint64_t out = 0;
  std::vector<KeyDigit> digits;
  std::vector<std::uint64_t> fixed;  // of each tag, what digits that became fixed carried
};

/// Cuts a box of keys into boxes that are wholly held by the radices, with their `out` strides, and boxes that are not held.
/// False where the digits do not divide one another; then nothing is known.
bool refine(KeyBox box, std::vector<Radix> radices, std::vector<KeyBox>& held, std::vector<KeyBox>& not_held);

/// Matches the elements of a box with those of another mapping's: both count along axes 0 to `axes` - 1. `held` have their
/// source position and strides, `not_held` is the rest of the box.
bool match(const Box& box, const Box& other, int axes, std::vector<Box>& held, std::vector<Box>& not_held);

}  // namespace weft::detail
