// WEAK-DRV-04, WEAK-BND-05: a chain a million nodes deep, through everything that walks graphs.
#include <gtest/gtest.h>

#include "ir/bounds.hpp"
#include "ir/json.hpp"
#include "pass_text.hpp"

namespace weft::ir {
namespace {

constexpr std::int64_t depth = 1'000'000;

TEST(Chain, ofAMillionNodesPassesWithoutOverflow) {
  Graph g;
  Node x = g.range(g.constant(16), 1);
  for (std::int64_t i = 0; i < depth / 2; ++i)
    x = g.make(Op::FLOORMOD, {g.make(Op::ADD, {x, g.constant(i % 7)}), g.constant(16)});
  Node root = g.make(Op::SINK, {x});
  EXPECT_EQ(bounds(g, x).hi, Integer(15));
  root = run_passes(g, root, every_pass);
  EXPECT_EQ(verify(g, root, Stage::spelled), std::nullopt);
  EXPECT_GT(topological(root).size(), static_cast<std::size_t>(depth));
  Graph h;
  EXPECT_EQ(parse(g, print(root)), root);
  EXPECT_EQ(parse_json(g, print_json(root)), root);
  EXPECT_EQ(topological(copy(h, root)).size(), topological(root).size());
}

// A cast at the end descends through the whole chain (WEAK-COM-08).
TEST(Chain, ofAMillionNodesTakesItsWidthFromACast) {
  Graph g;
  Node x = g.range(g.constant(16), 1);
  for (std::int64_t i = 0; i < depth; ++i) x = g.make(i % 2 ? Op::SUB : Op::ADD, {x, g.constant(3)});
  const Node root = run_passes(g, g.cast(x, Scalar::int64), every_pass);
  EXPECT_EQ(verify(g, root, Stage::spelled), std::nullopt);
  EXPECT_EQ(root->dtype, Scalar::int64);
}

}  // namespace
}  // namespace weft::ir
