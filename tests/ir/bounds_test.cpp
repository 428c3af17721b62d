#include "ir/bounds.hpp"

#include <gtest/gtest.h>

#include "pass_text.hpp"

namespace weft::ir {
namespace {

// Bounds of the last node, as text.
std::string bounds_of(std::string_view text) {
  Graph g;
  const Node root = parse(g, text);
  const std::string all = print_with_bounds(g, root);
  const auto at = all.rfind("bounds: ");
  return all.substr(at + 8, all.size() - at - 9);
}

std::string weak(std::string_view name, std::string_view lo, std::string_view hi) {
  return '%' + std::string(name) + " = PARAM weakint slot=" + std::string(name) + " space=alu min=" + std::string(lo) +
         " max=" + std::string(hi) + '\n';
}

TEST(Bounds, ofUnknownValuesAreTheWholeType) {  // WEAK-BND-01
  EXPECT_EQ(bounds_of("%0 = PARAM int8 slot=0"), "[-128, 127]");
  EXPECT_EQ(bounds_of("%0 = PARAM float32 slot=0"), "[-inf, inf]");
  EXPECT_EQ(bounds_of("%0 = CONST bool invalid"), "[0, 1]");
  EXPECT_EQ(bounds_of("%0 = CONST weakfloat nan"), "[-inf, inf]");
  Graph g;
  EXPECT_EQ(Bounds::whole(Scalar::weakint).hi, Integer::power_of_two(799) - 1);
}

TEST(Bounds, areExactPast64And800Bits) {  // WEAK-TYPE-05
  EXPECT_EQ(bounds_of("%0 = CONST weakint 18446744073709551616\n%1 = MUL weakint %0 %0\n"),
            "[340282366920938463463374607431768211456, 340282366920938463463374607431768211456]");
  std::string text = "%0 = CONST weakint 2\n%1 = CONST weakint 1000\n%2 = SHL weakint %0 %1\n%3 = SHR weakint %2 %1\n";
  EXPECT_EQ(bounds_of(text), "[2, 2]");
}

TEST(Bounds, wrapAtACommittedTypeWhereTheyAreOneValue) {  // WEAK-BND-02
  EXPECT_EQ(bounds_of(weak("0", "300", "300") + "%1 = CAST uint8 %0"), "[44, 44]");
  EXPECT_EQ(bounds_of(weak("0", "0", "300") + "%1 = CAST uint8 %0"), "[0, 255]");
  EXPECT_EQ(bounds_of("%0 = PARAM uint8 slot=0\n%1 = CONST weakint -1\n%2 = MAX uint8 %0 %1"), "[255, 255]")
      << "-1 reads as 255";
  EXPECT_EQ(bounds_of("%0 = PARAM uint8 slot=0 space=alu min=0 max=9\n%1 = CONST weakint -1\n%2 = CMPLT bool %0 %1"),
            "[1, 1]");
  EXPECT_EQ(bounds_of("%0 = PARAM uint8 slot=0 space=alu min=1 max=9\n%1 = CONST weakint -1\n%2 = SHL uint8 %0 %1"),
            "[0, 255]")
      << "a count is a number";
}

TEST(Bounds, ofSumsAndProducts) {  // WEAK-BND-03
  const std::string ab = weak("0", "-3", "5") + weak("1", "2", "7");
  EXPECT_EQ(bounds_of(ab + "%2 = ADD weakint %0 %1"), "[-1, 12]");
  EXPECT_EQ(bounds_of(ab + "%2 = SUB weakint %0 %1"), "[-10, 3]");
  EXPECT_EQ(bounds_of(ab + "%2 = MUL weakint %0 %1"), "[-21, 35]");
  EXPECT_EQ(bounds_of(ab + "%2 = MAX weakint %0 %1"), "[2, 7]");
  EXPECT_EQ(bounds_of(ab + "%2 = MIN weakint %0 %1"), "[-3, 5]");
}

TEST(Bounds, ofQuotientsAndRemainders) {  // WEAK-BND-03
  const std::string ab = weak("0", "-7", "20") + weak("1", "-5", "-3") + weak("2", "-1", "1");
  EXPECT_EQ(bounds_of(ab + "%3 = CDIV weakint %0 %1"), "[-6, 2]");
  EXPECT_EQ(bounds_of(ab + "%3 = FLOORDIV weakint %0 %1"), "[-7, 2]");
  EXPECT_EQ(bounds_of(ab + "%3 = CMOD weakint %0 %1"), "[-4, 4]");
  EXPECT_EQ(bounds_of(ab + "%3 = FLOORMOD weakint %0 %1"), "[-4, 0]");
  EXPECT_EQ(bounds_of(weak("0", "13", "15") + "%1 = CONST weakint 10\n%2 = FLOORMOD weakint %0 %1"), "[3, 5]")
      << "one period";
  EXPECT_EQ(
      bounds_of(
          ab +
          "%3 = CONST weakint 0\n%4 = MUL weakint %3 %0\n%5 = CONST weakint 1\n%6 = ADD weakint %4 %5\n%7 = CDIV weakint %6 %2")
          .substr(0, 8),
      "[-333400")
      << "the divisor may be 0";
}

TEST(Bounds, ofBits) {  // WEAK-BND-03
  const std::string x = weak("0", "0", "20") + weak("1", "-8", "20");
  EXPECT_EQ(bounds_of(x + "%2 = CONST weakint 7\n%3 = AND weakint %1 %2"), "[0, 7]");
  EXPECT_EQ(bounds_of(x + "%2 = CONST weakint 96\n%3 = AND weakint %0 %2"), "[0, 0]")
      << "no bit of the mask is one of 0..20";
  EXPECT_EQ(bounds_of(x + "%2 = CONST weakint 3\n%3 = SHL weakint %1 %2"), "[-64, 160]");
  EXPECT_EQ(bounds_of(x + "%2 = CONST weakint 3\n%3 = SHR weakint %1 %2"), "[-1, 2]");
  EXPECT_EQ(bounds_of(x + "%2 = CONST weakint -1\n%3 = XOR weakint %0 %2"), "[-21, -1]");
  EXPECT_EQ(bounds_of("%0 = PARAM bool slot=0\n%1 = CONST bool false\n%2 = AND bool %0 %1"), "[0, 0]");
  EXPECT_EQ(bounds_of("%0 = PARAM bool slot=0\n%1 = CONST bool true\n%2 = OR bool %0 %1"), "[1, 1]");
}

TEST(Bounds, ofComparisonsAreDecidedByTheIntervals) {  // WEAK-BND-03
  const std::string x = weak("0", "0", "4") + weak("1", "5", "9");
  EXPECT_EQ(bounds_of(x + "%2 = CMPLT bool %0 %1"), "[1, 1]");
  EXPECT_EQ(bounds_of(x + "%2 = CMPLT bool %1 %0"), "[0, 0]");
  EXPECT_EQ(bounds_of(x + "%2 = CMPNE bool %0 %1"), "[1, 1]");
  EXPECT_EQ(bounds_of(x + "%2 = CMPNE bool %0 %0"), "[0, 1]");
  EXPECT_EQ(bounds_of(x + "%2 = CMPEQ bool %0 %1"), "[0, 1]");
}

TEST(Bounds, ofChoicesAndCounters) {  // WEAK-BND-03
  EXPECT_EQ(bounds_of(weak("0", "3", "5") + "%1 = RANGE weakint %0 axis=1"), "[0, 4]");
  EXPECT_EQ(
      bounds_of(weak("0", "3", "5") + "%1 = PARAM bool slot=1\n%2 = CONST weakint 9\n%3 = WHERE weakint %1 %0 %2"),
      "[3, 9]");
  EXPECT_EQ(bounds_of("%0 = PARAM float32 slot=0 space=alu fmin=-0x1p+2 fmax=0x1p+3\n%1 = CONST weakfloat 0x0p+0\n"
                      "%2 = CMPLT bool %1 %0\n%3 = WHERE float32 %2 %0 %1"),
            "[0x0p+0, 0x1p+3]")
      << "the arm is known to be positive";
}

TEST(Bounds, ofFloats) {  // WEAK-BND-03
  const std::string x = "%0 = PARAM float32 slot=0 space=alu fmin=-0x1.6p+1 fmax=0x1p+3\n";
  EXPECT_EQ(bounds_of(x + "%1 = NEG float32 %0"), "[-0x1p+3, 0x1.6p+1]");
  EXPECT_EQ(bounds_of(x + "%1 = TRUNC float32 %0"), "[-0x1p+1, 0x1p+3]");
  EXPECT_EQ(bounds_of(x + "%1 = CAST int8 %0"), "[-2, 8]");
  EXPECT_EQ(bounds_of(x + "%1 = CAST uint8 %0"), "[0, 8]");
  EXPECT_EQ(bounds_of("%0 = PARAM float16 slot=0 space=alu fmin=0x1p+15 fmax=0x1p+15\n%1 = ADD float16 %0 %0"),
            "[-inf, inf]")
      << "it may overflow";
  EXPECT_EQ(bounds_of("%0 = CONST weakfloat 0x1p+0\n%1 = ADD weakfloat %0 %0"), "[-inf, inf]");
}

TEST(CommitDtype, isTheFirstThatHoldsTheBounds) {  // WEAK-BND-04
  const auto width = [](std::string_view lo, std::string_view hi) {
    Graph g;
    return name(commit_dtype(g, parse(g, weak("0", lo, hi))));
  };
  EXPECT_EQ(width("0", "2147483647"), "int32");
  EXPECT_EQ(width("0", "2147483648"), "int64");
  EXPECT_EQ(width("0", "9223372036854775808"), "uint64");
  EXPECT_EQ(width("-1", "9223372036854775808"), "int64") << "none holds them";
  EXPECT_EQ(error_of([&] { width("18446744073709551616", "18446744073709551616"); }),
            "18446744073709551616 fits no integer type: int64 and uint64 are the widest.");
  Graph g(Scalar::bfloat16);
  EXPECT_EQ(commit_dtype(g, g.constant(1.0)), Scalar::bfloat16);
  EXPECT_TRUE(fits_no_int(g, parse(g, weak("0", "-1", "9223372036854775808"))));
  EXPECT_FALSE(fits_no_int(g, parse(g, weak("0", "0", "9223372036854775808"))));
}

TEST(Bounds, areComputedOncePerNodeAndWithoutRecursion) {  // WEAK-BND-05
  Graph g;
  Node x = parse(g, weak("0", "0", "1"));
  for (int i = 0; i < 300'000; ++i) x = g.make(i % 2 ? Op::SUB : Op::ADD, {x, g.make(Op::MAX, {x, g.constant(i)})});
  const Bounds* first = &bounds(g, parse(g, weak("0", "0", "1")));
  EXPECT_EQ(&bounds(g, parse(g, weak("0", "0", "1"))), first);
  try {
    bounds(g, x);
  } catch (const RuleError&) {}  // a doubling chain passes 2^16384: refused, and not exponential
}

TEST(Bounds, past2To16384AreRefused) {  // WEAK-BND-06
  std::string text = "%0 = CONST weakint 2\n";
  for (int i = 1; i <= 14; ++i)
    text += '%' + std::to_string(i) + " = MUL weakint %" + std::to_string(i - 1) + " %" + std::to_string(i - 1) + '\n';
  EXPECT_NE(bounds_of(text), "") << "2^16384 itself is exact";
  EXPECT_EQ(error_of([&] { bounds_of(text + "%15 = MUL weakint %14 %14\n"); }),
            "The bounds of MUL (weakint) pass 2^16384.");
  EXPECT_EQ(error_of([&] {
              bounds_of("%0 = CONST weakint 1\n%1 = CONST weakint 99999999999999999999\n%2 = SHL weakint %0 %1\n");
            }),
            "The bounds of SHL pass 2^16384: it shifts by 99999999999999999999.");
}

}  // namespace
}  // namespace weft::ir
