// How mappings relate (MAP-EQ) and what is odd about one (MAP-SYN-09).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <weft/detail/mapping_tile.hpp>

namespace weft {

/// Where two mappings of one size differ first, or that their sizes do.
struct MappingDifference {
  bool sizes = false;
  std::uint64_t position = 0;
  Cell left, right;
};
/// Nothing where the mappings are equivalent (MAP-EQ-01). Normal forms answer first, then cells one by one; past
/// max_compared_cells a MappingError says so, unless a difference is found sooner.
std::optional<MappingDifference> find_difference(const Mapping&, const Mapping&);
inline bool equivalent(const Mapping& a, const Mapping& b) { return !find_difference(a, b); }

/// Two live positions with the same coordinates (MAP-EQ-04).
struct MappingCollision {
  std::uint64_t first, second;
};
/// Nothing where all live cells are distinct. Past max_compared_cells a MappingError says so where no closed answer is known.
std::optional<MappingCollision> find_collision(const Mapping&);
inline bool is_injective(const Mapping& m) { return !find_collision(m); }
/// Injective, every position live, every coordinate of its axes at one of them.
bool is_bijective(const Mapping&);

/// Coordinates to position, of a mapping whose live cells are distinct.
class MappingInverse {
 public:
  /// Nothing where no position has these coordinates.
  std::optional<std::uint64_t> operator()(const TensorIndex& coordinates) const;

 private:
  friend MappingInverse inverse(const Mapping&);
  Mapping mapping_, normal_;
  bool closed_ = false;
  // Where no closed form is known: hashes of coordinates with positions, in order.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> table_;
};
/// MappingError(not_injective) with two positions that collide, where there are.
MappingInverse inverse(const Mapping&);

/// `# n` below the inner size, `= n` above it (MAP-SYN-09): what each does, in order.
std::vector<std::string> lint(const Mapping&);

}  // namespace weft
