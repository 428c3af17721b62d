// Merging the reports of several plans: arithmetic on the records (FUSE-REP-12).
#include <weft/fuse.hpp>

#include <algorithm>
#include <limits>

namespace weft {

namespace {

std::uint64_t add(std::uint64_t a, std::uint64_t b) {
  return b > std::numeric_limits<std::uint64_t>::max() - a ? std::numeric_limits<std::uint64_t>::max() : a + b;
}

}  // namespace

bool FuseGroup::operator==(const FuseGroup&) const = default;
bool FuseReport::operator==(const FuseReport&) const = default;

FuseReport merge_reports(std::span<const FuseReport> reports) {
  FuseReport all;
  for (const FuseReport& r : reports) {
    all.tier = std::min(all.tier, r.tier);  // the more capable tier comes first
    all.dispatches = add(all.dispatches, r.dispatches);
    all.submissions = add(all.submissions, r.submissions);
    all.groups.insert(all.groups.end(), r.groups.begin(), r.groups.end());
  }
  return all;
}

}  // namespace weft
