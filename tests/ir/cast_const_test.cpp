#include <gtest/gtest.h>

#include "pass_text.hpp"

namespace weft::ir {
namespace {

TEST(CastConst, spellsALiteralAtItsPeersType) {  // WEAK-CST-01
  EXPECT_PASS(cast, R"(
    %0 = PARAM uint16 slot=0
    %1 = CONST weakint 7
    %2 = MAX uint16 %0 %1)",
              R"(
    %0 = PARAM uint16 slot=0
    %1 = CONST weakint 7
    %2 = CAST uint16 %1
    %3 = MAX uint16 %0 %2)");
}

TEST(CastConst, andAnyOtherAtItsDefault) {  // WEAK-CST-01
  EXPECT_PASS(cast, R"(
    %0 = PARAM int32 slot=0
    %1 = CONST weakint 3000000000
    %2 = INDEX int32 %0 %1
    %3 = CONST bool true
    %4 = STORE void %2 %0 %3)",
              R"(
    %0 = PARAM int32 slot=0
    %1 = CONST weakint 3000000000
    %2 = CAST int64 %1
    %3 = INDEX int32 %0 %2
    %4 = CONST bool true
    %5 = CAST bool %4
    %6 = STORE void %3 %0 %5)");
}

TEST(CastConst, keepsTheLiteralItself) {  // W-17: 0.1 at float16 is rounded by whoever reads the cast
  EXPECT_PASS(cast, "%0 = CONST weakfloat 0x1.999999999999ap-4\n%1 = SINK void %0",
              "%0 = CONST weakfloat 0x1.999999999999ap-4\n%1 = CAST float32 %0\n%2 = SINK void %1");
}

TEST(CastConst, invalidAndTheRootStayBare) {  // WEAK-CST-02
  EXPECT_UNCHANGED(
      cast, "%0 = PARAM bool slot=0\n%1 = PARAM int32 slot=1\n%2 = CONST bool invalid\n%3 = WHERE int32 %0 %1 %2");
  EXPECT_UNCHANGED(cast, "%0 = CONST weakint 7");
}

TEST(CastConst, isIdempotent) {  // WEAK-CST-02
  EXPECT_UNCHANGED(
      cast,
      after(
          cast,
          "%0 = PARAM bool slot=0\n%1 = CONST bool true\n%2 = AND bool %0 %1\n%3 = CONST weakint 1\n%4 = SINK void %2 %3"));
}

}  // namespace
}  // namespace weft::ir
