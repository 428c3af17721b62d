// How the boxes of a mapping are found. A level is what is walked without going into composites that are split (MAP-POS-05):
// its parts are boxes whose digits count along axes and splits, each with the events that decide its cell in their order.
// Then the splits are resolved, from the first: the boxes of the composite are looked up in the digits that split it.
#include "tensor/layout.hpp"

#include <algorithm>

#include <weft/detail/mapping_decode.hpp>

namespace weft::detail {
namespace {

constexpr std::size_t max_parts = 256;

// What decides a cell: a composite that is decoded (its node), or the end of it.
enum Event : int { top = -1, zero = -2, bottom = -3, out = -4 };
Event event_of(PaddingKind k) { return k == PaddingKind::Top ? top : k == PaddingKind::Zero ? zero : bottom; }

struct Part {
  Box box;
  std::vector<int> events;
  bool is_dead_at_once() const { return !events.empty() && events[0] < 0; }
};
using Parts = std::vector<Part>;

class Finder {
 public:
  Finder(const Mapping& m, const TensorAxes& axes) : m_(m), axes_(axes) {}

  bool failed() const { return failed_; }

  /// The parts of a node, each with at most one event, and that an end.
  Parts resolved(std::size_t node) {
    Parts result, todo = level(node);
    const std::vector<int> outer = open_;
    for (const Part& p : todo)
      for (const Digit& d : p.box.digits)
        if (is_split(d.target) && std::find(open_.begin(), open_.end(), d.target) == open_.end())
          open_.push_back(d.target);
    while (!todo.empty() && !failed_) {
      Part p = std::move(todo.back());
      todo.pop_back();
      if (p.events.empty() || p.events[0] < 0) {
        if (p.is_dead_at_once()) p.events.resize(1), strip(p.box);
        result.push_back(std::move(p));
      } else {
        resolve(std::move(p), todo);
      }
      if (result.size() + todo.size() > max_parts) failed_ = true;
    }
    open_ = outer;
    return result;
  }

 private:
  bool is_split(int target) const { return target >= static_cast<int>(axes_.size()); }
  int split_target(std::size_t node) const { return static_cast<int>(axes_.size() + node); }

  static void strip(Box& b) {
    for (Digit& d : b.digits) d.target = Digit::no_target, d.stride = 0;
    b.base.clear();
  }
  static Part run(std::uint64_t extent, int target, std::uint64_t stride) {
    Part p;
    p.box.digits.push_back({extent, 1, target, stride});
    return p;
  }
  static Part dead(std::uint64_t from, std::uint64_t to, Event e) {
    Part p = run(to - from, Digit::no_target, 0);
    p.box.position = from;
    p.events.push_back(e);
    return p;
  }

  Parts level(std::size_t n) {
    const MappingNode& node = m_.node(n);
    const std::uint64_t size = m_.size_of(n);
    if (size == 0 || failed_) return {};
    switch (node.op) {
      case MappingOp::axis: return {run(size, static_cast<int>(axes_.find(node.name)), 1)};
      case MappingOp::broadcast: return {run(size, Digit::no_target, 0)};
      case MappingOp::pair: return product(level(node.left), level(node.right), m_.size_of(node.right));
      case MappingOp::pad:
      case MappingOp::resize: {
        const std::uint64_t inner = m_.size_of(node.left);
        Parts parts = level(node.left);
        if (size < inner) return prefix(parts, size);
        if (size > inner) parts.push_back(dead(inner, size, node.op == MappingOp::pad ? event_of(node.kind) : out));
        return parts;
      }
      default: return {split(n, size)};
    }
  }

  Part split(std::size_t n, std::uint64_t size) {
    std::uint64_t stride = 1;
    for (; m_.node(n).is_split(); n = m_.node(n).left)
      if (m_.node(n).op == MappingOp::stride) stride *= m_.node(n).number;
    const MappingNode& base = m_.node(n);
    if (base.op == MappingOp::axis) return run(size, static_cast<int>(axes_.find(base.name)), stride);
    if (base.op == MappingOp::broadcast) return run(size, Digit::no_target, 0);
    std::size_t first = 1;  // of equal composites
    while (!same_subtree(m_, first, n)) ++first;
    Part p = run(size, split_target(first), stride);
    p.events.push_back(static_cast<int>(first));
    // A split of what is split further out decodes with it, or past it: not told by boxes.
    if (std::find(open_.begin(), open_.end(), p.box.digits[0].target) != open_.end()) failed_ = true;
    return p;
  }

  Parts product(const Parts& left, const Parts& right, std::uint64_t right_size) {
    Parts result;
    // What follows the end of a cell matters only where it adds to a split that began before.
    bool splits = false;
    for (const Part& r : right)
      for (const Digit& d : r.box.digits) splits = splits || is_split(d.target);
    for (const Part& l : left) {
      Part scaled = l;
      scaled.box.position *= right_size;
      for (Digit& d : scaled.box.digits) d.position *= right_size;
      if (l.is_dead_at_once() && !splits) {
        scaled.box.digits.push_back({right_size, 1, Digit::no_target, 0});
        result.push_back(std::move(scaled));
        continue;
      }
      for (const Part& r : right) {
        if (result.size() == max_parts) return failed_ = true, Parts();
        Part both = scaled;
        both.box.position += r.box.position;
        both.box.digits.insert(both.box.digits.end(), r.box.digits.begin(), r.box.digits.end());
        for (std::size_t t = 0; t < r.box.base.size(); ++t) both.box.base_of(static_cast<int>(t)) += r.box.base[t];
        for (int e : r.events)
          if (e < 0 || std::find(both.events.begin(), both.events.end(), e) == both.events.end())
            both.events.push_back(e);
        result.push_back(std::move(both));
      }
    }
    return result;
  }

  /// The parts of the positions below n.
  Parts prefix(const Parts& parts, std::uint64_t n) {
    Parts result, todo = parts;
    while (!todo.empty()) {
      Part p = std::move(todo.back());
      todo.pop_back();
      if (p.box.position >= n) continue;
      std::erase_if(p.box.digits, [](const Digit& d) { return d.extent == 1; });
      auto largest = p.box.digits.begin();
      std::uint64_t last = p.box.position;
      for (auto d = p.box.digits.begin(); d != p.box.digits.end(); ++d) {
        last += (d->extent - 1) * d->position;
        if (d->position > largest->position) largest = d;
      }
      if (last < n) {
        result.push_back(std::move(p));
        continue;
      }
      const std::uint64_t rest = last - (largest->extent - 1) * largest->position, room = n - 1 - p.box.position;
      const std::uint64_t whole = n - 1 < rest ? 0 : (n - 1 - rest) / largest->position + 1;
      const std::uint64_t reached = room / largest->position + 1;
      const auto keep = [&](std::uint64_t index, std::uint64_t extent) {
        if (!extent) return;
        Part q = p;
        Digit& d = q.box.digits[static_cast<std::size_t>(largest - p.box.digits.begin())];
        d.extent = extent;
        q.box.position += d.position * index;
        if (d.target >= 0) q.box.base_of(d.target) += d.stride * index;
        todo.push_back(std::move(q));
      };
      keep(0, whole);
      for (std::uint64_t i = whole; i < reached && i < whole + 4; ++i) keep(i, 1);
      if (reached > whole + 4 || todo.size() + result.size() > max_parts) return failed_ = true, Parts();
    }
    return result;
  }

  void resolve(Part p, Parts& todo) {
    const std::size_t composite = static_cast<std::size_t>(p.events[0]);
    const int target = split_target(composite);
    const std::uint64_t base = p.box.base_at(target);
    std::vector<Radix> radices;
    std::uint64_t last = base;
    for (const Digit& d : p.box.digits)
      if (d.target == target) radices.push_back({d.extent, d.stride, d.position}), last += (d.extent - 1) * d.stride;
    if (last >= m_.size_of(composite)) {  // an overshoot
      failed_ = true;
      return;
    }
    Part rest = p;
    rest.events.erase(rest.events.begin());
    std::erase_if(rest.box.digits, [&](const Digit& d) { return d.target == target; });
    if (base) rest.box.base_of(target) = 0;
    const int targets = static_cast<int>(axes_.size() + m_.count + 1);
    for (const Part& x : resolved(composite)) {
      KeyBox keys;
      keys.key = static_cast<std::int64_t>(x.box.position - base);
      for (const Digit& d : x.box.digits)
        keys.digits.push_back({d.extent, d.position, d.stride, d.target >= 0 ? d.target : targets});
      std::vector<KeyBox> held, not_held;
      if (!refine(std::move(keys), radices, held, not_held)) failed_ = true;
      for (const KeyBox& k : held) {
        Part q = rest;
        q.box.position += k.out;
        for (const KeyDigit& d : k.digits)
          q.box.digits.push_back({d.extent, d.out, d.tag == targets ? Digit::no_target : d.tag, d.carry});
        for (std::size_t t = 0; t < k.fixed.size() && static_cast<int>(t) < targets; ++t)
          if (k.fixed[t]) q.box.base_of(static_cast<int>(t)) += k.fixed[t];
        for (std::size_t t = 0; t < x.box.base.size(); ++t)
          if (x.box.base[t]) q.box.base_of(static_cast<int>(t)) += x.box.base[t];
        if (!x.events.empty()) q.events = x.events;
        todo.push_back(std::move(q));
      }
      if (failed_ || todo.size() > max_parts) {
        failed_ = true;
        return;
      }
    }
  }

  const Mapping& m_;
  const TensorAxes& axes_;
  std::vector<int> open_;  // the splits of the levels further out
  bool failed_ = false;
};

}  // namespace

std::optional<Layout> layout_of(const Mapping& m, const TensorAxes& axes) {
  Finder finder(m, axes);
  Layout layout;
  for (Part& p : finder.resolved(m.count)) {
    std::erase_if(p.box.digits, [](const Digit& d) { return d.extent == 1; });
    if (p.events.empty()) {
      for (std::size_t a = 0; a < axes.size(); ++a) {
        std::uint64_t last = p.box.base_at(static_cast<int>(a));
        for (const Digit& d : p.box.digits)
          if (d.target == static_cast<int>(a)) last += (d.extent - 1) * d.stride;
        if (last >= axes[a].size) return {};
      }
      layout.live.push_back(std::move(p.box));
    } else {
      (p.events[0] == top    ? layout.top
       : p.events[0] == zero ? layout.zero
                             : layout.forbidden)
          .push_back(std::move(p.box));
    }
  }
  if (finder.failed()) return {};
  return layout;
}

std::optional<Duplicate> duplicate_in(const Layout& layout, int axes, bool& known) {
  known = layout.live.size() <= 64;
  for (std::size_t i = 0; i < layout.live.size() && known; ++i) {
    const Box& box = layout.live[i];
    for (const Digit& d : box.digits)
      if (d.target < 0) return Duplicate{box.position, box.position + d.position};
    for (int axis = 0; axis < axes; ++axis) {
      std::vector<const Digit*> digits;
      for (const Digit& d : box.digits)
        if (d.target == axis) digits.push_back(&d);
      std::sort(digits.begin(), digits.end(), [](auto a, auto b) { return a->stride < b->stride; });
      std::uint64_t last = 0;
      for (const Digit* d : digits) {
        if (d->stride <= last) return known = false, std::nullopt;
        last += (d->extent - 1) * d->stride;
      }
    }
    for (std::size_t j = 0; j < i && known; ++j) {
      std::vector<Box> held, not_held;
      known = match(box, layout.live[j], axes, held, not_held);
      if (known && !held.empty())
        return Duplicate{std::min(held[0].position, held[0].source), std::max(held[0].position, held[0].source)};
    }
  }
  return {};
}

}  // namespace weft::detail
