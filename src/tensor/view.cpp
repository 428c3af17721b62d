// What views check at run time: their memory, what they read, and that no two mutable tiles share elements.
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <weft/error.hpp>
#include <weft/tensor_view.hpp>

#include "tensor/element_text.hpp"
#include "tensor/layout.hpp"

namespace weft::detail {
namespace {

struct LiveTile {
  std::uint64_t number;
  Mapping view;
  std::uint64_t offset;
  std::optional<Layout> layout;

  std::string text() const { return quoted(view) + " from position " + std::to_string(offset) + " on"; }
};

/// Whether two tiles share a position: by their boxes, or one by one.
bool share_positions(const LiveTile& a, const LiveTile& b) {
  bool known = a.layout && b.layout;
  for (std::size_t i = 0; known && i < a.layout->live.size(); ++i)
    for (std::size_t j = 0; known && j < b.layout->live.size(); ++j) {
      const Box &x = a.layout->live[i], &y = b.layout->live[j];
      KeyBox keys;
      keys.key = static_cast<std::int64_t>(x.position + a.offset - y.position - b.offset);
      for (const Digit& d : x.digits) keys.digits.push_back({d.extent, d.position, 0, 0});
      std::vector<Radix> radices;
      for (const Digit& d : y.digits) radices.push_back({d.extent, d.position, 0});
      std::vector<KeyBox> held, not_held;
      known = refine(std::move(keys), std::move(radices), held, not_held);
      if (known && !held.empty()) return true;
    }
  if (known) return false;
  const MappingDecoder second(b.view);
  Cell cell;
  bool shared = false;
  a.view.for_each([&](std::uint64_t position, const Cell& c) {
    const std::uint64_t at = position + a.offset;
    if (shared || !c.is_live() || at < b.offset || at - b.offset >= b.view.size()) return;
    second.decode(at - b.offset, cell);
    shared = cell.is_live();
  });
  return shared;
}

}  // namespace

class TileList {
 public:
  std::mutex mutex;
  std::vector<LiveTile> tiles;
  std::uint64_t next = 0;
};

Shared<TileList> make_tile_list() { return share<TileList>(); }

TileMark::TileMark(Shared<TileList> list, Shared<TileMark> outer, const Mapping& view, std::uint64_t offset)
    : list_(std::move(list)), outer_(std::move(outer)) {
  LiveTile tile{0, view, offset, layout_of(view, axes_of(view))};
  const std::lock_guard lock(list_->mutex);
  for (const LiveTile& other : list_->tiles)
    if (share_positions(tile, other))
      throw StateError("The mutable tile " + tile.text() + " shares elements with the mutable tile " + other.text() +
                       ", which is still in use; end that one first, or read through a view of const elements.");
  tile.number = number_ = list_->next++;
  list_->tiles.push_back(std::move(tile));
}

TileMark::~TileMark() {
  const std::lock_guard lock(list_->mutex);
  std::erase_if(list_->tiles, [&](const LiveTile& t) { return t.number == number_; });
}

void check_view_memory(const Mapping& m, std::uint64_t elements) {
  if (elements < m.size())
    throw TypeError("TensorView " + quoted(m) + ": it needs " + std::to_string(m.size()) +
                    " elements of memory, and was given " + std::to_string(elements) + ".");
}

void refuse_read(const Mapping& m, std::uint64_t position, const Cell& cell) {
  throw RangeError("TensorView " + quoted(m) + ": position " + std::to_string(position) + " is " +
                   (cell.is_padding() ? "bottom padding, which is not read." : "out of bounds."));
}

}  // namespace weft::detail
