#include "tensor/digits.hpp"

#include <algorithm>

namespace weft::detail {
namespace {

constexpr std::size_t max_boxes = 2048;  // of one call, so that a hopeless case ends soon
constexpr std::uint64_t infinite = ~std::uint64_t{0};

/// One call of refine: boxes are cut until each is within one run of each radix, or outside.
class Refiner {
 public:
  Refiner(std::vector<Radix> radices, std::vector<KeyBox>& held, std::vector<KeyBox>& not_held)
      : radices_(std::move(radices)), held_(held), not_held_(not_held) {}

  bool run(KeyBox box) {
    std::erase_if(radices_, [](const Radix& r) { return r.extent == 1; });
    // Between the radices, and below the first, only 0 is held.
    if (std::none_of(radices_.begin(), radices_.end(), [](const Radix& r) { return r.stride == 1; }))
      radices_.push_back({1, 1, 0});
    std::sort(radices_.begin(), radices_.end(), [](const Radix& a, const Radix& b) { return a.stride < b.stride; });
    for (std::size_t k = 0; k + 1 < radices_.size(); ++k) {
      const Radix &r = radices_[k], &next = radices_[k + 1];
      if (next.stride % r.stride || r.extent > next.stride / r.stride) return false;
    }
    todo_.push_back(std::move(box));
    for (std::size_t seen = 0; !todo_.empty(); ++seen) {
      if (seen > max_boxes) return false;
      KeyBox b = std::move(todo_.back());
      todo_.pop_back();
      if (!step(std::move(b))) return false;
    }
    return true;
  }

 private:
  std::uint64_t upper(std::size_t k) const { return k + 1 < radices_.size() ? radices_[k + 1].stride : infinite; }

  /// The digit `i` becomes fixed at `index`, or from there on where `extent` is not 1.
  static void move(KeyBox& b, std::size_t i, std::uint64_t index, std::uint64_t extent) {
    KeyDigit& d = b.digits[i];
    b.key += static_cast<std::int64_t>(d.key * index);
    if (d.tag >= 0) {
      if (b.fixed.size() <= static_cast<std::size_t>(d.tag)) b.fixed.resize(static_cast<std::size_t>(d.tag) + 1);
      b.fixed[static_cast<std::size_t>(d.tag)] += d.carry * index;
    }
    d.extent = extent;
    if (extent == 1) b.digits.erase(b.digits.begin() + static_cast<std::ptrdiff_t>(i));
  }
  void push(const KeyBox& b, std::size_t i, std::uint64_t index, std::uint64_t extent) {
    if (!extent) return;
    todo_.push_back(b);
    move(todo_.back(), i, index, extent);
  }

  /// Cuts digit i of a box where the digits' sum passes `limit`: b is the sum's base, `rest` what the others add at most.
  bool cut(const KeyBox& box, std::size_t i, std::uint64_t step, std::int64_t b, std::uint64_t rest,
           std::int64_t limit) {
    const std::int64_t g = static_cast<std::int64_t>(step), e = static_cast<std::int64_t>(box.digits[i].extent);
    const std::int64_t room = limit - 1 - b - static_cast<std::int64_t>(rest), reach = limit - b;
    const std::int64_t below = std::clamp<std::int64_t>(room < 0 ? 0 : room / g + 1, 0, e);
    const std::int64_t above = std::clamp<std::int64_t>(reach <= 0 ? 0 : (reach + g - 1) / g, below, e);
    push(box, i, 0, static_cast<std::uint64_t>(below));
    if (above - below > 64) return false;
    for (std::int64_t j = below; j < above; ++j) push(box, i, static_cast<std::uint64_t>(j), 1);
    push(box, i, static_cast<std::uint64_t>(above), static_cast<std::uint64_t>(e - above));
    return true;
  }

  bool step(KeyBox b) {
    std::erase_if(b.digits, [](const KeyDigit& d) { return d.extent == 1; });
    // Each digit comes to lie within one radix.
    std::vector<std::size_t> radix(b.digits.size());
    for (std::size_t i = 0; i < b.digits.size(); ++i) {
      const KeyDigit d = b.digits[i];
      std::size_t k = radices_.size() - 1;
      while (radices_[k].stride > d.key) --k;
      const std::uint64_t up = upper(k);
      if (d.key % radices_[k].stride) return false;
      if (up != infinite && d.extent > up / d.key) {
        if (up % d.key) return false;
        const std::uint64_t t = up / d.key, full = d.extent / t, left = d.extent % t;
        if (left) push(b, i, full * t, left);
        KeyDigit high = d;
        high.extent = full, high.key = d.key * t, high.carry = d.carry * t;
        b.digits[i].extent = t;
        b.digits.push_back(high);
        todo_.push_back(std::move(b));
        return true;
      }
      radix[i] = k;
    }
    for (std::size_t k = 0; k < radices_.size(); ++k) {
      const Radix& r = radices_[k];
      const std::int64_t s = static_cast<std::int64_t>(r.stride);
      const std::int64_t quotient = b.key >= 0 ? b.key / s : -((-b.key + s - 1) / s);
      const bool last = k + 1 == radices_.size();
      const std::int64_t turn = last ? 0 : static_cast<std::int64_t>(upper(k) / r.stride);
      const std::int64_t base = last ? quotient : ((quotient % turn) + turn) % turn;
      std::uint64_t sum = 0;
      std::size_t largest = b.digits.size();
      for (std::size_t i = 0; i < b.digits.size(); ++i) {
        if (radix[i] != k) continue;
        sum += (b.digits[i].extent - 1) * (b.digits[i].key / r.stride);
        if (largest == b.digits.size() || b.digits[i].key > b.digits[largest].key) largest = i;
      }
      const std::int64_t top = base + static_cast<std::int64_t>(sum), extent = static_cast<std::int64_t>(r.extent);
      std::int64_t limit = 0;
      if (!last && top >= turn) limit = turn;
      else if (base >= extent || top < 0) {
        not_held_.push_back(std::move(b));
        return true;
      } else if (base < 0) limit = 0;
      else if (top >= extent) limit = extent;
      else {
        b.out += static_cast<std::uint64_t>(base) * r.out;
        continue;
      }
      b.out = 0;
      const std::uint64_t g = b.digits[largest].key / r.stride;
      return cut(b, largest, g, base, sum - (b.digits[largest].extent - 1) * g, limit);
    }
    for (std::size_t i = 0; i < b.digits.size(); ++i) {
      const Radix& r = radices_[radix[i]];
      b.digits[i].out = r.out * (b.digits[i].key / r.stride);
    }
    held_.push_back(std::move(b));
    return true;
  }

  std::vector<Radix> radices_;
  std::vector<KeyBox> todo_;
  std::vector<KeyBox>&held_, &not_held_;
};

}  // namespace

bool refine(KeyBox box, std::vector<Radix> radices, std::vector<KeyBox>& held, std::vector<KeyBox>& not_held) {
  return Refiner(std::move(radices), held, not_held).run(std::move(box));
}

bool match(const Box& box, const Box& other, int axes, std::vector<Box>& held, std::vector<Box>& not_held) {
  std::vector<Box> now{box};
  for (Box& b : now) b.source = other.position;
  for (int axis = 0; axis < axes; ++axis) {
    std::vector<Radix> radices;
    for (const Digit& d : other.digits)
      if (d.target == axis) radices.push_back({d.extent, d.stride, d.position});
    std::vector<Box> next;
    for (const Box& b : now) {
      KeyBox keys;
      keys.key = static_cast<std::int64_t>(b.base_at(axis) - other.base_at(axis));
      for (const Digit& d : b.digits)
        if (d.target == axis) keys.digits.push_back({d.extent, d.stride, d.position, 0});
      std::vector<KeyBox> in, out;
      if (!refine(keys, radices, in, out)) return false;
      const auto add = [&](const KeyBox& k, std::vector<Box>& to, bool matched) {
        Box part = b;
        std::erase_if(part.digits, [&](const Digit& d) { return d.target == axis; });
        if (!k.fixed.empty()) part.position += k.fixed[0];
        if (matched) part.source += k.out;
        part.base_of(axis) = static_cast<std::uint64_t>(k.key) + other.base_at(axis);
        for (const KeyDigit& d : k.digits) {
          // What was matched keeps its axis where it is compared again, with another box.
          part.digits.push_back({d.extent, d.carry, axis, d.key, matched ? d.out : 0});
        }
        to.push_back(std::move(part));
      };
      for (const KeyBox& k : in) add(k, next, true);
      for (const KeyBox& k : out) add(k, not_held, false);
    }
    now = std::move(next);
  }
  held.insert(held.end(), now.begin(), now.end());
  return true;
}

}  // namespace weft::detail
