// WEAK-DRV-02: verify says what holds after each stage, or names the node.
#include <gtest/gtest.h>

#include "pass_text.hpp"

namespace weft::ir {
namespace {

std::optional<std::string> fault(std::string_view text, Stage stage) {
  Graph g;
  return verify(g, parse(g, text), stage);
}

TEST(Verify, acceptsWhatThePassesGive) {
  Graph g;
  Node root = parse(
      g,
      "%0 = PARAM int64 slot=0 space=alu\n%1 = CONST weakint 5\n%2 = RANGE weakint %1 axis=1\n%3 = MUL int64 %2 %0\n%4 = SINK void %3\n");
  EXPECT_EQ(verify(g, root, Stage::built), std::nullopt);
  root = commit_weak(g, root);
  EXPECT_EQ(verify(g, root, Stage::committed), std::nullopt);
  root = lower_weak(g, root);
  EXPECT_EQ(verify(g, root, Stage::lowered), std::nullopt);
  root = cast_const(g, root);
  EXPECT_EQ(verify(g, root, Stage::spelled), std::nullopt);
}

TEST(Verify, namesAWeakOperandBesideACommittedOne) {
  EXPECT_EQ(fault("%0 = PARAM int64 slot=0\n%1 = CONST weakint 5\n%2 = RANGE weakint %1 axis=1\n%3 = MUL int64 %2 %0",
                  Stage::committed),
            "MUL (int64, node 3) has the weak operand RANGE (weakint, node 2) beside a committed one.");
  EXPECT_EQ(fault("%0 = PARAM int8 slot=0\n%1 = CONST weakint 0\n%2 = INDEX int8 %0 %1\n%3 = STORE void %2 %1",
                  Stage::committed),
            "STORE (void, node 3) stores a value whose width its destination should have stated.");
}

TEST(Verify, namesAWeakNodeAfterLowering) {
  EXPECT_EQ(fault("%0 = CONST weakint 5\n%1 = RANGE weakint %0 axis=1", Stage::lowered),
            "RANGE (weakint, node 1) has a weak type after lower_weak.");
  EXPECT_EQ(fault("%0 = CONST weakint 5\n%1 = SINK void %0", Stage::lowered), std::nullopt);
}

TEST(Verify, namesABareLiteralAfterSpelling) {
  EXPECT_EQ(fault("%0 = CONST weakint 5\n%1 = SINK void %0", Stage::spelled),
            "SINK (void, node 1) has the bare literal CONST (weakint, node 0) as an operand.");
  EXPECT_EQ(fault("%0 = CONST bool invalid\n%1 = SINK void %0", Stage::spelled), std::nullopt);
}

}  // namespace
}  // namespace weft::ir
