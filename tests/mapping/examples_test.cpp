// The worked examples against the parser, map and the assignment form (MAP-SYN-02, MAP-SYN-03, MAP-SYN-08,
// MAP-POS-01, MAP-POS-08).
#include <gtest/gtest.h>

#include <weft/error.hpp>

#include "examples.hpp"

namespace weft {
namespace {

TEST(MappingExamples, sizesAndCells) {
  std::size_t seen = 0;
  for (const auto& e : read_examples("examples.jsonl")) {
    SCOPED_TRACE(e["id"].get<std::string>() + ": " + e["expr"].get<std::string>());
    const Axes axes = axes_of(e);
    ++seen;
    try {
      const Mapping m = Mapping::parse(e["expr"].get<std::string>(), axes, names_of(e, axes));
      ASSERT_FALSE(e.contains("error"));
      EXPECT_EQ(m.size(), e["size"].get<std::uint64_t>());
      EXPECT_EQ(Mapping::parse(to_string(m), axes), m);
      for (std::size_t i = 0; i < e["cells"].size(); ++i) {
        const std::uint64_t at = e.contains("pos") ? e["pos"][i].get<std::uint64_t>() : i;
        EXPECT_EQ(to_string(m.map(at)), e["cells"][i].get<std::string>()) << "at " << at;
      }
    } catch (const MappingError& error) {
      ASSERT_TRUE(e.contains("error")) << error.what();
      EXPECT_EQ(error.kind, e["error"].get<std::string>()) << error.what();
    }
  }
  EXPECT_EQ(seen, 124u);
}

// As the examples print an index: every term that was written, zeros too.
std::string with_zeros(const Cell& cell) {
  if (!cell.is_live()) return to_string(cell);
  std::string text;
  for (const IndexTerm& t : cell.index())
    text += (text.empty() ? "" : ",") + to_string(t.name) + "=" + std::to_string(t.value);
  return text.empty() ? "." : text;
}

TEST(MappingExamples, assignments) {
  std::size_t seen = 0;
  for (const auto& e : read_examples("cells.jsonl")) {
    SCOPED_TRACE(e["id"].get<std::string>() + ": " + e["index"].get<std::string>());
    const std::string error = e.value("error", "");
    ++seen;
    try {
      const Cell c = cell(e["index"].get<std::string>(), axes_of(e));
      EXPECT_EQ(error, "");
      EXPECT_EQ(with_zeros(c), e["cell"].get<std::string>());
    } catch (const MappingError& refused) {
      EXPECT_EQ(refused.kind, "syntax");
      EXPECT_TRUE(error.starts_with("syntax") || error.starts_with("host-language")) << refused.what();
    }
  }
  EXPECT_EQ(seen, 30u);
}

}  // namespace
}  // namespace weft
