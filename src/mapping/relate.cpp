// Equivalence and inverses (MAP-EQ): normal forms where they answer, else cell by cell up to a stated limit.
#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include <weft/mapping.hpp>

namespace weft {
namespace {

using detail::KeyedDecoder;

[[noreturn]] void past_the_limit(const char* what, const Mapping& m) {
  detail::mapping_error(MappingErrorKind::size_overflow,
                        std::string(what) + " `" + to_string(m) + "` would take more than " +
                            std::to_string(max_compared_cells) + " comparisons (max_compared_cells)");
}

std::uint64_t mix(std::uint64_t h) {
  h ^= h >> 31;
  h *= 0x9e3779b97f4a7c15u;
  return h ^ h >> 29;
}
// Of the coordinates that are not 0, whatever their order.
std::uint64_t hash(const TensorIndex& index) {
  std::uint64_t sum = 0;
  for (const IndexTerm& t : index) {
    if (!t.value) continue;
    std::uint64_t h = t.value + t.composite;
    for (std::uint64_t w : t.name.word) h = mix(h ^ w);
    sum += h;
  }
  return sum;
}

bool is_coordinates(const Cell& c) { return c.is_live() && !c.index().overshoot(); }

// Positions of a mapping of any size, of each scale: where a difference or a collision is likely to show.
template <class F> void sample(std::uint64_t size, F&& f) {
  std::uint64_t state = 88172645463325252u;
  for (int i = 0; i < 4096; ++i) {
    state = mix(state + 0x632be59bd9b4e019u);
    f(state % size >> (i % 4 ? 0 : state % 63));
  }
  for (std::uint64_t p = 1; p < size && p; p *= 2) f(p), f(size - p), f(p - 1);
}

// Two positions that collide, if the list shows them; whether it shows that none do.
bool closed_answer(const Mapping& normal, const KeyedDecoder& decode, std::optional<MappingCollision>& collision) {
  detail::Normalizer n;
  const detail::FactorList l = n.normalize(normal, normal.count);
  if (detail::ListInverse(n.factors(), l).exact()) return true;
  std::uint64_t below = 1;
  for (std::size_t i = l.count; i-- > 0;) {
    const detail::Factor& f = n.factors().at(l, i);
    if (f.op == detail::MappingOp::broadcast && f.size > 1) {
      const Cell first = decode(0), second = decode(below);
      if (is_coordinates(first) && first == second) return collision = MappingCollision{0, below}, true;
    }
    below *= f.size;
  }
  return false;
}

}  // namespace

std::optional<MappingDifference> find_difference(const Mapping& a, const Mapping& b) {
  if (a.size() != b.size()) return MappingDifference{true, 0, {}, {}};
  if (normalize(a) == normalize(b)) return std::nullopt;
  const KeyedDecoder x(a), y(b);
  Cell c, d;
  const auto differ = [&](std::uint64_t i) {
    x.decode(i, c);
    y.decode(i, d);
    return !(c == d);
  };
  const std::uint64_t size = a.size(), end = std::min(size, max_compared_cells);
  for (std::uint64_t i = 0; i < end; ++i)
    if (differ(i)) return MappingDifference{false, i, c, d};
  if (end == size) return std::nullopt;
  std::uint64_t first = size;
  sample(size, [&](std::uint64_t i) {
    if (i < first && differ(i)) first = i;
  });
  if (first == size) past_the_limit("whether another mapping is equivalent to", a);
  differ(first);
  return MappingDifference{false, first, c, d};
}

std::optional<MappingCollision> find_collision(const Mapping& m) {
  const KeyedDecoder decode(m);
  std::optional<MappingCollision> collision;
  if (closed_answer(normalize(m), decode, collision)) return collision;
  const std::uint64_t size = m.size(), end = std::min(size, max_compared_cells);
  std::unordered_multimap<std::uint64_t, std::uint64_t> seen;
  Cell c;
  for (std::uint64_t i = 0; i < end; ++i) {
    decode.decode(i, c);
    if (!is_coordinates(c)) continue;
    const std::uint64_t h = hash(c.index());
    for (auto [at, last] = seen.equal_range(h); at != last; ++at)
      if (decode(at->second) == c) return MappingCollision{at->second, i};
    seen.emplace(h, i);
  }
  if (end < size) past_the_limit("whether two positions collide in", m);
  return std::nullopt;
}

bool is_bijective(const Mapping& m) {
  std::vector<Axis> axes;
  std::uint64_t volume = 1;
  for (std::uint16_t i = 0; i < m.count; ++i) {
    const Axis a(m.nodes[i].name, m.nodes[i].number);
    if (m.nodes[i].op != detail::MappingOp::axis || std::find(axes.begin(), axes.end(), a) != axes.end()) continue;
    axes.push_back(a);
    if (a.size && volume > max_mapping_size / a.size) return false;  // more than any mapping has positions
    volume *= a.size;
  }
  if (m.size() != volume) return false;
  const Mapping normal = normalize(m);
  detail::Normalizer n;
  const detail::FactorList l = n.normalize(normal, normal.count);
  const detail::ListInverse inverse(n.factors(), l);
  // Distinct digits within their axes, as many as there are coordinates.
  if (inverse.exact() && inverse.dense()) return true;
  if (m.size() > max_compared_cells) past_the_limit("whether every position is live in", m);
  bool all = true;
  m.for_each([&](std::uint64_t, const Cell& c) { all = all && is_coordinates(c); });
  return all && is_injective(m);
}

MappingInverse inverse(const Mapping& m) {
  if (const auto collision = find_collision(m))
    detail::mapping_error(MappingErrorKind::not_injective, "`" + to_string(m) + "` has the coordinates " +
                                                               to_string(m.map(collision->first)) + " at positions " +
                                                               std::to_string(collision->first) + " and " +
                                                               std::to_string(collision->second));
  MappingInverse result;
  result.mapping_ = m;
  result.normal_ = normalize(m);
  detail::Normalizer n;
  const detail::FactorList l = n.normalize(result.normal_, result.normal_.count);
  result.closed_ = detail::ListInverse(n.factors(), l).exact();
  if (result.closed_) return result;
  result.table_.reserve(m.size());
  m.for_each([&](std::uint64_t i, const Cell& c) {
    if (is_coordinates(c)) result.table_.emplace_back(hash(c.index()), i);
  });
  std::sort(result.table_.begin(), result.table_.end());
  return result;
}

std::optional<std::uint64_t> MappingInverse::operator()(const TensorIndex& coordinates) const {
  const auto is = [&](std::uint64_t at) {
    const Cell c = mapping_.map(at);
    return is_coordinates(c) && c.index() == coordinates;
  };
  if (closed_) {
    detail::Normalizer n;
    const detail::FactorList l = n.normalize(normal_, normal_.count);
    std::uint64_t at = 0;
    if (detail::ListInverse(n.factors(), l).position(coordinates, at) && is(at)) return at;
    return std::nullopt;
  }
  const std::uint64_t h = hash(coordinates);
  for (auto at = std::lower_bound(table_.begin(), table_.end(), std::pair{h, std::uint64_t{0}});
       at != table_.end() && at->first == h; ++at)
    if (is(at->second)) return at->second;
  return std::nullopt;
}

std::vector<std::string> lint(const Mapping& m) {
  std::vector<std::string> found;
  for (std::uint16_t n = 1; n <= m.count; ++n) {
    const detail::MappingNode& node = m.node(n);
    if (node.op != detail::MappingOp::pad && node.op != detail::MappingOp::resize) continue;
    const std::uint64_t inner = m.size_of(node.left);
    Mapping part{Mapping::Empty{}};
    part.append(m, n);
    if (node.op == detail::MappingOp::pad && node.number < inner)
      found.push_back("`" + to_string(part) + "` cuts " + std::to_string(inner) + " positions to " +
                      std::to_string(node.number) + ", as `=` does: padding only adds.");
    if (node.op == detail::MappingOp::resize && node.number > inner)
      found.push_back("`" + to_string(part) + "` has " + std::to_string(node.number) + " positions, and those from " +
                      std::to_string(inner) + " on are out of bounds: `#` makes them padding.");
  }
  return found;
}

}  // namespace weft
