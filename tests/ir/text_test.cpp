#include "ir/text.hpp"

#include <gtest/gtest.h>

#include "pass_text.hpp"

namespace weft::ir {
namespace {

std::string parse_error(std::string_view text) {
  Graph g;
  return error_of([&] { parse(g, text); });
}

// Every op once, with every argument that it can have.
constexpr std::string_view everything =
    R"(%0 = PARAM int32 slot=0 size=16 source=array index=2 call=3 name="a \"name\" with \\ and \x0a"
%1 = PARAM weakint slot=4294967295 space=alu source=trip min=-99999999999999999999 max=99999999999999999999
%2 = BUFFER float32x4 slot=7 size=64 space=workgroup
%3 = PARAM float16 slot=8 space=alu source=scalar fmin=-0x1.8p+1 fmax=inf
%4 = RANGE weakint %1 axis=-5
%5 = CONST weakint 123456789012345678901234567890
%6 = SPECIAL weakint %5 name="gidx0"
%7 = INDEX int32 %0 %4 %6
%8 = CONST bool true
%9 = LOAD int32 %7 %8 number=1
%10 = CONST weakfloat -0x1.999999999999ap-4
%11 = CONST weakfloat nan
%12 = CONST weakfloat -inf
%13 = CONST weakfloat 0x0.0000000000001p-1022
%14 = STACK weakfloat %10 %11 %12 %13
%15 = CONST bool invalid
%16 = WHERE int32 %8 %9 %15
%17 = CAST float32 %16
%18 = BITCAST uint32 %17
%19 = VECTOR float32x2 %17 %17
%20 = EXTRACT float32 %19 lane=1
%21 = FMA float32 %17 %20 %20
%22 = MULACC float32 %17 %20 %21
%23 = FENCE float32 %22
%24 = LOCAL float32 number=12
%25 = STORE void %24 %23 number=2
%26 = ATOMIC int32 %7 %9 number=3 op=ADD
%27 = CMPLT bool %9 %5
%28 = BREAK_IF void %27 number=4
%29 = BLOCK void %9 %25 %26 %28
%30 = LOOP void %4 %29 number=5
%31 = CONTINUE_IF void %8 number=6
%32 = BLOCK void
%33 = BLOCK void %31
%34 = IF void %8 %33 %32 number=7
%35 = WHILE void %33 number=8
%36 = BARRIER void number=9
%37 = BLOCK void %30 %34 %35 %36
%38 = SHRINK int32 %0 %5 %1
%39 = SINK void %14 %18 %38 %2 %3
%40 = GRID void %4 %37 %24
%41 = SINK void %39 %40
)";

TEST(Text, printAfterParseIsTheIdentity) {  // WEAK-TOOL-01, WEAK-TOOL-05
  Graph g;
  const Node root = parse(g, everything);
  Graph h;
  const std::string printed = print(root);
  EXPECT_EQ(print(parse(h, printed)), printed);
  EXPECT_EQ(parse(g, printed), root) << "after interning the same graph";
  EXPECT_EQ(std::count(printed.begin(), printed.end(), '\n'), 42);
}

TEST(Text, isOneNodeALineInTheOrderOfAWalk) {  // WEAK-TOOL-01
  EXPECT_EQ(normal("%7 = CONST weakint 5 # five\n\n%3 = CONST weakint 4\r\n  %10 = ADD weakint %3 %7   "),
            "%0 = CONST weakint 4\n%1 = CONST weakint 5\n%2 = ADD weakint %0 %1\n");
}

TEST(Text, literalsAreExact) {  // WEAK-TOOL-01
  for (const char* v : {"0", "-7", "123456789012345678901234567890", "0x1.999999999999ap-4", "-0x0p+0", "inf", "-inf",
                        "nan", "true", "invalid", "0x0.8p-1022"}) {
    Graph g;
    const std::string type =
        std::string_view(v).find_first_of("xinf") != std::string_view::npos && std::string_view(v) != "invalid"
            ? "weakfloat"
        : std::string_view(v).find_first_of("tv") != std::string_view::npos ? "bool"
                                                                            : "weakint";
    const std::string line = "%0 = CONST " + type + ' ' + v + '\n';
    EXPECT_EQ(print(parse(g, line)), line);
  }
  EXPECT_EQ(normal("%0 = CONST weakfloat 0.1"), "%0 = CONST weakfloat 0x1.999999999999ap-4\n")
      << "decimal floats are read";
}

TEST(Text, errorsSayWhereAndWhatWasExpected) {  // WEAK-TOOL-01
  EXPECT_EQ(
      parse_error(""),
      "line 1, column 1: Expected a node: the text has none, and the last one would be the root, found the end of the text.");
  EXPECT_EQ(parse_error("x"), "line 1, column 1: Expected '%', found \"x\".");
  EXPECT_EQ(parse_error("%0 = CONST weakint 1\n%1 = FROB int32 %0"), "line 2, column 6: \"FROB\" is no op.");
  EXPECT_EQ(parse_error("%0 = CONST weakint 1\n%1 = NEG int31 %0"), "line 2, column 10: \"int31\" is no type.");
  EXPECT_EQ(parse_error("%0 = NEG weakint %0"), "line 1, column 18: %0 is no earlier node.");
  EXPECT_EQ(parse_error("%0 = CONST weakint 1\n%0 = CONST weakint 2"), "line 2, column 1: %0 is given twice.");
  EXPECT_EQ(parse_error("%0 = CONST weakint 1\n%1 = NEG int32 %0"),
            "line 2, column 10: NEG derives weakint, and the text states int32.");
  EXPECT_EQ(parse_error("%0 = CONST weakint 1\n%1 = ADD weakint %0"),
            "line 2, column 6: ADD of (weakint) cannot be built: it takes 2 operands, and 1 is given.");
  EXPECT_EQ(
      parse_error("%0 = CONST weakint 1x"),
      "line 1, column 20: Expected a literal: an integer of at most 5000 digits, a float, true, false or invalid, found \"1x\".");
  EXPECT_EQ(parse_error("%0 = PARAM int32 slot=0 colour=3"), "line 1, column 25: There is no argument \"colour\".");
  EXPECT_EQ(parse_error("%0 = PARAM int32 slot=0 name=\"x"),
            "line 1, column 32: Expected a closing '\"', found the end of the text.");
  EXPECT_NE(parse_error("%0 = CONST weakint 1 2"), "");
  EXPECT_NE(parse_error("%0 = CONST weakint 1\n%1 = NEG weakint %0 slot=1"), "");
  EXPECT_NE(parse_error("%99999999999999999999 = CONST weakint 1"), "");
}

TEST(Text, boundsAreAComment) {  // WEAK-TOOL-03
  Graph g;
  const Node root = parse(g, "%0 = CONST weakint 4\n%1 = RANGE weakint %0 axis=1\n%2 = SINK void %1\n");
  const std::string printed = print_with_bounds(g, root);
  EXPECT_EQ(
      printed,
      "%0 = CONST weakint 4  # bounds: [4, 4]\n%1 = RANGE weakint %0 axis=1  # bounds: [0, 3]\n%2 = SINK void %1\n");
  EXPECT_EQ(parse(g, printed), root);
}

TEST(Dot, drawsNodesAndOperands) {  // WEAK-TOOL-04
  Graph g;
  EXPECT_EQ(print_dot(parse(g, "%0 = PARAM int32 slot=0 name=\"x\"\n%1 = NEG int32 %0\n%2 = SUB int32 %1 %0\n")),
            "digraph weft {\n  node [shape=box, fontname=\"monospace\"];\n"
            "  n0 [label=\"PARAM int32 slot=0 name=\\\"x\\\"\"];\n"
            "  n1 [label=\"NEG int32\"];\n  n0 -> n1;\n"
            "  n2 [label=\"SUB int32\"];\n  n1 -> n2 [label=0];\n  n0 -> n2 [label=1];\n}\n");
}

}  // namespace
}  // namespace weft::ir
