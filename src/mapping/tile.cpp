// The refusals of tiles at run time (MAP-TEN-03, -05).
#include <string>

#include <weft/error.hpp>
#include <weft/mapping.hpp>

namespace weft {

Tile check_tile(const Mapping& element, const Mapping& index, std::uint64_t length, const Mapping& view,
                PaddingKind hole) {
  const Tile t = tile(element, index, length, hole);
  const std::string what = "the tile of `" + to_string(element) + "` by `" + to_string(index) + "`";
  const auto refuse = [&](MappingErrorKind kind, const std::string& reason) {
    throw MappingError(what + " is refused: " + reason + " (" + std::string(name(kind)) + ").", name(kind));
  };
  if (t.fault) refuse(t.fault.kind, std::string(t.fault.reason.view()));
  if (!fits(t, view))
    refuse(MappingErrorKind::unexpected_view,
           "the view `" + to_string(view) + "` is not its mapping; `" + to_string(t.view) + "` fits");
  return t;
}

void check_start(const Mapping& index, std::uint64_t length, std::uint64_t start) {
  if (takes_start(index, length, start)) return;
  const std::string numbers = "start " + std::to_string(start) + ", length " + std::to_string(length) + ", size " +
                              std::to_string(index.size());
  const bool inside = length <= index.size() && start <= index.size() - length;
  throw RangeError("the index `" + to_string(index) + "` " +
                   (inside ? "is not live at the start of the tile" : "ends before the tile does") + ": " + numbers +
                   ".");
}

}  // namespace weft
