// Tiles as mappings: MAP-TEN-03 to -06, M-05.
#include <gtest/gtest.h>

#include <weft/error.hpp>

#include "examples.hpp"

namespace weft {
namespace {

TEST(Tile, examples) {
  std::size_t seen = 0;
  for (const auto& e : read_examples("tiles.jsonl")) {
    SCOPED_TRACE(e.dump());
    ++seen;
    const Axes axes = axes_of(e);
    const auto mapping = [&](const char* key) { return Mapping::parse(e[key].get<std::string>(), axes); };
    if (e["kind"] == "find_axis") {
      const Tile t = tile(mapping("table"), mapping("axis"), 1, PaddingKind::Top);
      if (e["result"].is_number()) {
        EXPECT_FALSE(t.fault) << t.fault.reason.view();
        EXPECT_EQ(t.stride, e["result"].get<std::uint64_t>());
      } else if (e["result"].get<std::string>().starts_with("span")) {
        EXPECT_EQ(t.fault.kind, MappingErrorKind::window_does_not_fit);
      } else {
        EXPECT_EQ(t.fault.kind, MappingErrorKind::index_not_located);
      }
      continue;
    }
    const PaddingKind hole = e["hole"] == "!" ? PaddingKind::Bottom : PaddingKind::Top;
    try {
      check_tile(mapping("element"), mapping("index"), e["len"].get<std::uint64_t>(), mapping("expected"), hole);
      EXPECT_EQ(e["result"], "ok");
      for (const auto& start : e.value("starts", nlohmann::json::array()))
        EXPECT_NO_THROW(check_start(mapping("index"), e["len"].get<std::uint64_t>(), start.get<std::uint64_t>()));
    } catch (const MappingError& error) { EXPECT_EQ(error.kind, e["result"].get<std::string>()) << error.what(); }
  }
  EXPECT_EQ(seen, 20u);
}

namespace source {
WEFT_AXES(A = 8, B = 512)

constexpr Tile rows = tile(WEFT_M(A, B), WEFT_M(B), 2, PaddingKind::Top);
static_assert(rows.stride == 1 && rows.view == WEFT_M(A, B = 2 #512));
static_assert(fits(tile(WEFT_M(A, B), WEFT_M(B), 2, PaddingKind::Bottom), WEFT_M(A, B = 2 #{ ! } 512)));
static_assert(!fits(tile(WEFT_M(A, B), WEFT_M(B), 2, PaddingKind::Bottom), WEFT_M(A, B = 2 #512)));  // MAP-TEN-04
static_assert(fits(tile(WEFT_M(A, B), WEFT_M(B / 32), 2, PaddingKind::Top), WEFT_M(A, B / 32 = 2 #16, B % 32)));
static_assert(fits(tile(WEFT_M(A, B), WEFT_M(B / 32), 1, PaddingKind::Top), WEFT_M(A, 1 #16, B % 32)));  // MAP-TEN-06
static_assert(normalize(WEFT_M(B / 32 = 1)) == WEFT_M(1));
static_assert(tile(WEFT_M(A, B), WEFT_M(A), 3, PaddingKind::Top).stride == 512);
static_assert(takes_start(WEFT_M(B / 32), 2, 14) && !takes_start(WEFT_M(B / 32), 2, 15));
}  // namespace source

TEST(Tile, startsAreChecked) {  // MAP-TEN-05, M-05
  const Axes axes = weft::axes("A = 12, B = 512");
  const Mapping a = Mapping::parse("A", axes), blocks = Mapping::parse("B / 32", axes);
  for (std::uint64_t start : {0, 5}) EXPECT_NO_THROW(check_start(a, 5, start));
  try {
    check_start(a, 5, 10);
    ADD_FAILURE();
  } catch (const RangeError& e) {
    EXPECT_STREQ(e.what(), "the index `A` ends before the tile does: start 10, length 5, size 12.");
  }
  EXPECT_NO_THROW(check_start(blocks, 2, 14));
  for (std::uint64_t start : {15, 16}) EXPECT_THROW(check_start(blocks, 2, start), RangeError);
  EXPECT_THROW(check_start(a, 2, ~std::uint64_t{0}), RangeError);
  EXPECT_THROW(check_start(Mapping::parse("A # 16", axes), 2, 12), RangeError);  // padding
  EXPECT_EQ(tile(a, a, 0, PaddingKind::Top).fault.kind, MappingErrorKind::window_does_not_fit);
  EXPECT_EQ(tile(a, a, 13, PaddingKind::Top).fault.kind, MappingErrorKind::window_does_not_fit);
  EXPECT_EQ(tile(a, Mapping(1), 1, PaddingKind::Top).view, a);
  EXPECT_TRUE(tile(a, Mapping(1), 2, PaddingKind::Top).fault);
}

TEST(Tile, aRefusalShowsTheViewThatFits) {
  const Axes axes = weft::axes("A = 8, B = 512");
  const Mapping e = Mapping::parse("A, B", axes), b = Mapping::parse("B", axes);
  try {
    check_tile(e, b, 2, Mapping::parse("A, B = 3 # 512", axes), PaddingKind::Bottom);
    ADD_FAILURE();
  } catch (const MappingError& error) {
    EXPECT_EQ(error.kind, "unexpected-view");
    EXPECT_STREQ(error.what(),
                 "the tile of `A, B` by `B` is refused: the view `A, B = 3 # 512` is not its mapping; "
                 "`A, B = 2 #{!} 512` fits (unexpected-view).");
  }
}

// The rule of MAP-TEN-03, position by position: outer padding, then the hole, then the element's own cell.
TEST(Tile, viewsHaveTheCellsOfTheRule) {
  const Axes axes = weft::axes("A = 21, B = 12, H = 4");
  struct Case {
    const char *element, *index, *inside;
  };
  for (const Case& c :
       {Case{"B, H", "B", "B, H"}, Case{"B, H", "H", "B, H"}, Case{"H, B", "B / 3", "H, B"},
        Case{"[B, H] # 64", "H", "B, H"}, Case{"A # 24", "[A # 24] / 3", "A"}, Case{"A # 24, H", "A # 24", "A # 24, H"},
        Case{"B, H", "[B, H] / 6 % 4", "B, H"}, Case{"A # 24, H", "[A # 24] / 3", "A # 24, H"},
        Case{"B / 4, H, B % 4", "B / 4", "B / 4, H, B % 4"}}) {
    const Mapping e = Mapping::parse(c.element, axes), i = Mapping::parse(c.index, axes);
    const std::uint64_t inside = Mapping::parse(c.inside, axes).size();
    for (std::uint64_t length = 1; length <= i.size(); ++length) {
      const Tile t = tile(e, i, length, PaddingKind::Bottom);
      ASSERT_FALSE(t.fault) << c.element << " by " << c.index;
      EXPECT_EQ(normalize(t.view), t.view);
      for (std::uint64_t p = 0; p < e.size(); ++p) {
        const Cell own = e.map(p);
        const bool hole = p < inside && p / t.stride % i.size() >= length;
        EXPECT_EQ(to_string(t.view.map(p)), hole ? "!" : to_string(own))
            << c.element << " by " << c.index << ", " << length << ", at " << p << ": " << to_string(t.view);
      }
    }
  }
}

}  // namespace
}  // namespace weft
