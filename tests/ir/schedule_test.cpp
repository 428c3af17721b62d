#include "ir/schedule.hpp"

#include <gtest/gtest.h>

#include "pass_text.hpp"

namespace weft::ir {
namespace {

// Each block as a list of the ids of what it emits.
std::vector<std::uint32_t> ids(const Schedule& s, Node block) {
  std::vector<std::uint32_t> v;
  for (Node n : s.blocks.at(block)) v.push_back(n->id);
  return v;
}

constexpr std::string_view kernel = R"(
  %0 = PARAM int32 slot=0 space=alu source=trip min=0 max=99
  %1 = RANGE int32 %0 axis=1
  %2 = PARAM float32 slot=1 source=array
  %3 = INDEX float32 %2 %1
  %4 = LOAD float32 %3 number=2
  %5 = MUL float32 %4 %4
  %6 = CMPLT bool %5 %4
  %7 = ADD float32 %5 %4
  %8 = STORE void %3 %7 number=3
  %9 = BLOCK void %8
  %10 = NEG float32 %5
  %11 = STORE void %3 %10 number=4
  %12 = BLOCK void %11
  %13 = IF void %6 %9 %12 number=5
  %14 = BLOCK void %4 %13
  %15 = GRID void %1 %14)";

TEST(Schedule, placesAValueInTheInnermostBlockAroundItsUses) {
  Graph g;
  const Node root = parse(g, kernel);
  const Schedule s = schedule(root);
  EXPECT_EQ(ids(s, (*root)[1]), (std::vector<std::uint32_t>{4, 5, 6, 13})) << "the product is shared by both sides";
  const Node branch = (*(*root)[1])[1];
  EXPECT_EQ(ids(s, (*branch)[1]), (std::vector<std::uint32_t>{7, 8}));
  EXPECT_EQ(ids(s, (*branch)[2]), (std::vector<std::uint32_t>{10, 11}));
}

TEST(Schedule, countsUses) {
  Graph g;
  const Node root = parse(g, kernel);
  const Schedule s = schedule(root);
  EXPECT_EQ(s.uses.at(g.at(5)), 3u);
  EXPECT_EQ(s.uses.at(g.at(7)), 1u);
  EXPECT_EQ(s.uses.at(g.at(4)), 4u) << "standing in a block is no use";
}

TEST(Schedule, aValueNeededInsideComesBeforeTheLoop) {
  Graph g;
  const Node root = parse(g, R"(
    %0 = LOCAL int32 number=1
    %1 = LOAD int32 %0 number=2
    %2 = NEG int32 %1
    %3 = RANGE int32 %2 axis=3
    %4 = MUL int32 %2 %3
    %5 = STORE void %0 %4 number=4
    %6 = BLOCK void %5
    %7 = LOOP void %3 %6 number=5
    %8 = BLOCK void %1 %7)");
  const Schedule s = schedule(root);
  EXPECT_EQ(ids(s, root), (std::vector<std::uint32_t>{1, 2, 7}));
  EXPECT_EQ(ids(s, g.at(6)), (std::vector<std::uint32_t>{4, 5}));
}

TEST(Schedule, refusesAUseOutsideOfTheBlock) {
  Graph g;
  const auto error = [&](std::string_view text) { return error_of([&] { schedule(parse(g, text)); }); };
  EXPECT_NE(error(R"(
    %0 = CONST bool true
    %1 = LOCAL int32 number=1
    %2 = LOAD int32 %1 number=2
    %3 = BLOCK void %2
    %4 = IF void %0 %3 number=3
    %5 = STORE void %1 %2 number=4
    %6 = BLOCK void %4 %5)")
                .find("outside of the block that it stands in."),
            std::string::npos);
  EXPECT_NE(error(R"(
    %0 = CONST weakint 4
    %1 = RANGE weakint %0 axis=1
    %2 = LOCAL weakint number=2
    %3 = STORE void %2 %1 number=3
    %4 = BLOCK void %3
    %5 = LOOP void %1 %4 number=4
    %6 = STORE void %2 %1 number=5
    %7 = BLOCK void %5 %6)")
                .find("outside of its loop."),
            std::string::npos);
}

TEST(Schedule, emptyBlocksMayBeOneNode) {
  Graph g;
  const Node root = parse(g, R"(
    %0 = PARAM bool slot=0 space=alu
    %1 = BLOCK void
    %2 = IF void %0 %1 %1 number=1
    %3 = IF void %0 %1 number=2
    %4 = BLOCK void %2 %3)");
  EXPECT_EQ(ids(schedule(root), root), (std::vector<std::uint32_t>{2, 3}));
}

}  // namespace
}  // namespace weft::ir
