#include <gtest/gtest.h>

#include "pass_text.hpp"

namespace weft::ir {
namespace {

TEST(CommitWeak, leavesCommittedAndWeakGraphsAlone) {
  EXPECT_UNCHANGED(commit, R"(
    %0 = PARAM int32 slot=0
    %1 = PARAM int64 slot=1
    %2 = ADD int64 %0 %1
    %3 = NEG int64 %2)");
  EXPECT_UNCHANGED(commit, R"(
    %0 = CONST weakint 1
    %1 = CONST weakint 2
    %2 = ADD weakint %0 %1)");
}

TEST(CommitWeak, aPeerCommitsAWeakExpression) {  // WEAK-COM-02, WEAK-COM-04
  EXPECT_PASS(commit, R"(
    %0 = CONST weakint 1000
    %1 = RANGE weakint %0 axis=1
    %2 = PARAM uint8 slot=0
    %3 = ADD uint8 %1 %2)",
              R"(
    %0 = CONST weakint 1000
    %1 = RANGE weakint %0 axis=1
    %2 = CAST uint8 %1
    %3 = PARAM uint8 slot=0
    %4 = ADD uint8 %2 %3)");
}

TEST(CommitWeak, boolsAndInvalidStay) {  // WEAK-COM-02
  EXPECT_UNCHANGED(commit, R"(
    %0 = PARAM bool slot=0
    %1 = PARAM int64 slot=1
    %2 = CONST bool invalid
    %3 = WHERE int64 %0 %1 %2
    %4 = CONST bool true
    %5 = ADD int64 %3 %4)");
}

TEST(CommitWeak, aLiteralStaysBareWhereTheTypeDoesNotNeedIt) {  // WEAK-COM-03
  EXPECT_UNCHANGED(commit, R"(
    %0 = PARAM uint8 slot=0
    %1 = CONST weakint 256
    %2 = CMPLT bool %0 %1)");                                   // kept whole, W-01
  EXPECT_PASS(commit, R"(
    %0 = PARAM float16 slot=0
    %1 = CONST weakint 3
    %2 = MUL float16 %0 %1)",
              R"(
    %0 = PARAM float16 slot=0
    %1 = CONST weakfloat 0x1.8p+1
    %2 = MUL float16 %0 %1)");
}

TEST(CommitWeak, theLiteralLeftOfACommittedCountIsCast) {  // WEAK-COM-03, W-08
  EXPECT_PASS(commit, R"(
    %0 = CONST weakint 1
    %1 = PARAM uint32 slot=0
    %2 = SHL weakint %0 %1)",
              R"(
    %0 = CONST weakint 1
    %1 = CAST uint32 %0
    %2 = PARAM uint32 slot=0
    %3 = SHL uint32 %1 %2)");
}

TEST(CommitWeak, aShiftCountSaturatesAtTheWidth) {  // WEAK-COM-05, W-06
  EXPECT_PASS(commit, R"(
    %0 = PARAM uint32 slot=0
    %1 = CONST weakint 40
    %2 = SHL uint32 %0 %1)",
              R"(
    %0 = PARAM uint32 slot=0
    %1 = CONST weakint 32
    %2 = SHL uint32 %0 %1)");
  EXPECT_PASS(commit, R"(
    %0 = PARAM int32 slot=0
    %1 = PARAM weakint slot=1 space=alu min=32 max=99999999999999999999
    %2 = SHR int32 %0 %1)",
              R"(
    %0 = PARAM int32 slot=0
    %1 = CONST weakint 32
    %2 = SHR int32 %0 %1)");
}

TEST(CommitWeak, aShiftCountThatNoIntegerHoldsIsAnError) {  // WEAK-COM-05
  EXPECT_EQ(
      error_of([] {
        after(commit, R"(
                %0 = PARAM int32 slot=0
                %1 = PARAM weakint slot=1 space=alu min=31 max=99999999999999999999
                %2 = SHR int32 %0 %1)");
      }),
      "The count of SHR has the bounds [31, 99999999999999999999], which no 64-bit integer holds, and they are not all "
      "past the width of int32 (32).");
}

TEST(CommitWeak, anIntegerPowersExponentStaysWhole) {  // WEAK-COM-06, W-15
  EXPECT_UNCHANGED(commit, R"(
    %0 = PARAM int8 slot=0
    %1 = CONST weakint 300
    %2 = POW int8 %0 %1)");
  EXPECT_PASS(commit, R"(
    %0 = PARAM float32 slot=0
    %1 = CONST weakint 2
    %2 = POW float32 %0 %1)",
              R"(
    %0 = PARAM float32 slot=0
    %1 = CONST weakfloat 0x1p+1
    %2 = POW float32 %0 %1)");
}

TEST(CommitWeak, aStoreCommitsItsValue) {  // WEAK-COM-07, W-02
  EXPECT_PASS(commit, R"(
    %0 = PARAM uint32 slot=0
    %1 = CONST weakint 0
    %2 = INDEX uint32 %0 %1
    %3 = CONST weakint 4294967295
    %4 = CONST bool true
    %5 = STORE void %2 %3 %4 number=1)",
              R"(
    %0 = PARAM uint32 slot=0
    %1 = CONST weakint 0
    %2 = INDEX uint32 %0 %1
    %3 = CONST weakint 4294967295
    %4 = CAST uint32 %3
    %5 = CONST bool true
    %6 = STORE void %2 %4 %5 number=1)");
}

TEST(CommitWeak, aCastStatesTheWidthThatTheBoundsWiden) {  // WEAK-COM-08
  EXPECT_PASS(commit, R"(
    %0 = PARAM weakint slot=0 space=alu min=0 max=5000000000
    %1 = CONST weakint 3
    %2 = ADD weakint %0 %1
    %3 = CAST int16 %2)",
              R"(
    %0 = PARAM weakint slot=0 space=alu min=0 max=5000000000
    %1 = CAST int64 %0
    %2 = CONST weakint 3
    %3 = CAST int64 %2
    %4 = ADD int64 %1 %3
    %5 = CAST int16 %4)");
}

TEST(CommitWeak, aCastDescends) {  // WEAK-COM-08
  EXPECT_PASS(commit, R"(
    %0 = CONST weakint 8
    %1 = RANGE weakint %0 axis=1
    %2 = NEG weakint %1
    %3 = MAX weakint %2 %0
    %4 = CAST int64 %3)",
              R"(
    %0 = CONST weakint 8
    %1 = RANGE weakint %0 axis=1
    %2 = CAST int64 %1
    %3 = NEG int64 %2
    %4 = CAST int64 %0
    %5 = MAX int64 %3 %4)");
}

TEST(CommitWeak, anIntegerCastComputesInIntegers) {  // WEAK-COM-08
  EXPECT_PASS(commit, R"(
    %0 = PARAM weakint slot=0 space=alu min=-5 max=5
    %1 = MUL weakint %0 %0
    %2 = CAST uint64 %1)",
              R"(
    %0 = PARAM weakint slot=0 space=alu min=-5 max=5
    %1 = CAST int64 %0
    %2 = MUL int64 %1 %1
    %3 = CAST uint64 %2)");
}

TEST(CommitWeak, otherCastsStateNothing) {  // WEAK-COM-08
  for (const char* text : {"%0 = CONST weakint 3\n%1 = CAST int64 %0",
                           "%0 = CONST weakint 3\n%1 = STACK weakint %0 %0\n%2 = CAST int64 %1",
                           "%0 = CONST weakint 3\n%1 = RANGE weakint %0 axis=1\n%2 = CAST int64 %1",
                           "%0 = CONST weakint 3\n%1 = ADD weakint %0 %0\n%2 = CAST float32 %1"})
    EXPECT_UNCHANGED(commit, text);
}

TEST(CommitWeak, rulesAreTriedInOrder) {  // WEAK-COM-01
  Graph g;
  const Node root = parse(g, R"(
    %0 = PARAM int64 slot=0
    %1 = CONST weakint 2
    %2 = RANGE weakint %1 axis=1
    %3 = ADD weakint %2 %1
    %4 = MUL int64 %3 %0)");
  std::vector<std::string> fired;
  commit_weak(g, root, [&](auto, auto rule, Node, Node) { fired.emplace_back(rule); });
  EXPECT_EQ(fired, (std::vector<std::string>{"peer", "cast"}))
      << "the cast that the peer puts on the sum matches again";
}

TEST(CommitWeak, reachesItsFixedPoint) {  // WEAK-COM-09
  const std::string once = after(
      commit,
      "%0 = CONST weakint 5\n%1 = RANGE weakint %0 axis=1\n%2 = PARAM int8 slot=0\n%3 = ADD weakint %1 %0\n%4 = MUL int8 %3 %2\n");
  EXPECT_UNCHANGED(commit, once);
}

TEST(CommitWeak, passesThroughKernels) {
  EXPECT_PASS(commit, R"(
    %0 = PARAM weakint slot=0 space=alu source=trip min=0 max=2147483647
    %1 = RANGE weakint %0 axis=1
    %2 = PARAM float32 slot=1 source=array name="x"
    %3 = INDEX float32 %2 %1
    %4 = LOAD float32 %3 number=2
    %5 = CONST weakint 2
    %6 = MUL float32 %4 %5
    %7 = STORE void %3 %6 number=3
    %8 = BLOCK void %4 %7
    %9 = GRID void %1 %8)",
              R"(
    %0 = PARAM weakint slot=0 space=alu source=trip min=0 max=2147483647
    %1 = RANGE weakint %0 axis=1
    %2 = PARAM float32 slot=1 source=array name="x"
    %3 = INDEX float32 %2 %1
    %4 = LOAD float32 %3 number=2
    %5 = CONST weakfloat 0x1p+1
    %6 = MUL float32 %4 %5
    %7 = STORE void %3 %6 number=3
    %8 = BLOCK void %4 %7
    %9 = GRID void %1 %8)");
}

TEST(CommitWeak, theLanesOfAVectorArePeers) {
  EXPECT_PASS(commit, R"(
    %0 = CONST weakfloat 0x1p+0
    %1 = VECTOR weakfloatx2 %0 %0
    %2 = PARAM float32x2 slot=0
    %3 = ADD float32x2 %1 %2)",
              R"(
    %0 = CONST weakfloat 0x1p+0
    %1 = CAST float32 %0
    %2 = VECTOR float32x2 %1 %1
    %3 = PARAM float32x2 slot=0
    %4 = ADD float32x2 %2 %3)");
}

}  // namespace
}  // namespace weft::ir
