#include <gtest/gtest.h>

#include "pass_text.hpp"

namespace weft::ir {
namespace {

TEST(LowerWeak, leavesCommittedGraphsAlone) {  // WEAK-LOW-07: committed sources of different types stay mixed
  EXPECT_UNCHANGED(lower, R"(
    %0 = PARAM int32 slot=0
    %1 = PARAM int64 slot=1
    %2 = ADD int64 %0 %1)");
}

TEST(LowerWeak, theDefaultIntegerIsInt32) {  // WEAK-LOW-01
  EXPECT_PASS(lower, R"(
    %0 = PARAM weakint slot=0 space=alu min=0 max=9
    %1 = CONST weakint 3
    %2 = MUL weakint %0 %1
    %3 = SINK void %2)",
              R"(
    %0 = PARAM int32 slot=0 space=alu min=0 max=9
    %1 = CONST weakint 3
    %2 = MUL int32 %0 %1
    %3 = SINK void %2)");
}

TEST(LowerWeak, aGuardedIndexNarrows) {  // WEAK-LOW-02, W-12
  const char* guarded = R"(
    %0 = PARAM int32 slot=0 size=10
    %1 = PARAM int64 slot=1 space=alu name="i"
    %2 = CONST weakint 10
    %3 = CMPLT bool %1 %2
    %4 = CONST bool invalid
    %5 = WHERE int64 %3 %1 %4
    %6 = INDEX int32 %0 %5)";
  EXPECT_PASS(lower, guarded, R"(
    %0 = PARAM int32 slot=0 size=10
    %1 = PARAM int64 slot=1 space=alu name="i"
    %2 = CONST weakint 10
    %3 = CMPLT bool %1 %2
    %4 = CAST int32 %1
    %5 = CONST bool invalid
    %6 = WHERE int32 %3 %4 %5
    %7 = INDEX int32 %0 %6)");
  std::string large(guarded);
  large.replace(large.find("size=10"), 7, "size=2147483649");
  EXPECT_UNCHANGED(lower, large);
  large.replace(large.find("size=2147483649"), 15, "size=2147483648");
  EXPECT_NE(after(lower, large).find("CAST int32"), std::string::npos);
}

TEST(LowerWeak, stackedWeakCastsAreTwoConversions) {  // WEAK-LOW-03, W-16
  EXPECT_PASS(lower, R"(
    %0 = PARAM float32 slot=0
    %1 = CAST weakint %0
    %2 = CAST weakfloat %1
    %3 = SINK void %2)",
              R"(
    %0 = PARAM float32 slot=0
    %1 = CAST int64 %0
    %2 = CAST float32 %1
    %3 = SINK void %2)");
}

TEST(LowerWeak, aWeakScalarIsStoredAtItsDefault) {  // WEAK-LOW-04
  EXPECT_PASS(lower, "%0 = PARAM weakint slot=0 space=alu min=0 max=4294967296\n%1 = SINK void %0",
              "%0 = PARAM int64 slot=0 space=alu min=0 max=4294967296\n%1 = SINK void %0");
  EXPECT_UNCHANGED(lower, "%0 = PARAM weakfloat slot=0 space=alu\n%1 = SINK void %0");
  EXPECT_UNCHANGED(lower, "%0 = PARAM weakint slot=0 size=4\n%1 = SINK void %0");
}

TEST(LowerWeak, aWeakCastIsAbsorbed) {  // WEAK-LOW-05
  EXPECT_PASS(lower, R"(
    %0 = PARAM int16 slot=0
    %1 = CAST weakint %0
    %2 = PARAM bool slot=1
    %3 = CAST weakint %2
    %4 = ADD weakint %1 %3
    %5 = SINK void %4)",
              R"(
    %0 = PARAM int16 slot=0
    %1 = CAST int32 %0
    %2 = PARAM bool slot=1
    %3 = CAST int32 %2
    %4 = ADD int32 %1 %3
    %5 = SINK void %4)");
}

TEST(LowerWeak, aLiteralTakesItsDefaultWhereNothingDerives) {  // WEAK-LOW-06
  EXPECT_PASS(lower, R"(
    %0 = CONST weakint 2147483648
    %1 = NEG weakint %0
    %2 = CONST weakfloat 0x1.8p+0
    %3 = SIN weakfloat %2
    %4 = SINK void %1 %3)",
              R"(
    %0 = CONST weakint 2147483648
    %1 = CAST int64 %0
    %2 = NEG int64 %1
    %3 = CONST weakfloat 0x1.8p+0
    %4 = CAST float32 %3
    %5 = SIN float32 %4
    %6 = SINK void %2 %5)");
  EXPECT_EQ(error_of([] { after(lower, "%0 = CONST weakint 18446744073709551616\n%1 = SINK void %0"); }),
            "18446744073709551616 fits no integer type: int64 and uint64 are the widest.");  // W-03
}

TEST(LowerWeak, aBinaryNodeWidensByItsOwnBounds) {  // WEAK-LOW-07
  EXPECT_PASS(lower, R"(
    %0 = PARAM weakint slot=0 space=alu min=0 max=2000000000
    %1 = ADD weakint %0 %0
    %2 = SINK void %1)",
              R"(
    %0 = PARAM int32 slot=0 space=alu min=0 max=2000000000
    %1 = CAST int64 %0
    %2 = ADD int64 %1 %1
    %3 = SINK void %2)");
}

TEST(LowerWeak, aConditionIsNoOperandOfItsWhere) {  // WEAK-LOW-07
  EXPECT_PASS(lower, R"(
    %0 = PARAM bool slot=0
    %1 = PARAM weakint slot=1 space=alu min=0 max=9
    %2 = CONST weakint 5000000000
    %3 = WHERE weakint %0 %1 %2
    %4 = SINK void %3)",
              R"(
    %0 = PARAM bool slot=0
    %1 = PARAM int32 slot=1 space=alu min=0 max=9
    %2 = CONST weakint 5000000000
    %3 = WHERE int32 %0 %1 %2
    %4 = SINK void %3)");
}

TEST(LowerWeak, putsCastsBackThatConsumersAbsorb) {  // WEAK-LOW-08: simplification between would remove them
  Graph g;
  const Node root =
      parse(g, "%0 = PARAM weakint slot=0 space=alu min=0 max=9\n%1 = NEG weakint %0\n%2 = SINK void %1\n");
  bool saw = false;
  const Node lowered = lower_weak(g, root, [&](auto, auto rule, Node, Node after) {
    saw |= rule == "general" && after->is(Op::CAST) && after->dtype.is_weak();
  });
  EXPECT_TRUE(saw);
  EXPECT_EQ(print(lowered).find("weak"), std::string::npos);
}

TEST(LowerWeak, settlesTheCountersOfKernels) {
  EXPECT_PASS(every_pass, R"(
    %0 = CONST weakint 4
    %1 = RANGE weakint %0 axis=1
    %2 = LOCAL weakfloat number=2
    %3 = CONST weakfloat 0x1p+0
    %4 = STORE void %2 %3 number=3
    %5 = BLOCK void %4
    %6 = LOOP void %1 %5 number=4
    %7 = BLOCK void %6)",
              R"(
    %0 = CONST weakint 4
    %1 = CAST int32 %0
    %2 = RANGE int32 %1 axis=1
    %3 = LOCAL float32 number=2
    %4 = CONST weakfloat 0x1p+0
    %5 = CAST float32 %4
    %6 = STORE void %3 %5 number=3
    %7 = BLOCK void %6
    %8 = LOOP void %2 %7 number=4
    %9 = BLOCK void %8)");
}

}  // namespace
}  // namespace weft::ir
