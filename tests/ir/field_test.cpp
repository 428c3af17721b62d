// Cases from the field, W-01 to W-17, as far as they are about the IR: small graphs on which weak types have gone wrong.
// Their kernels are in tests/conformance/weak_kernels_test.cpp.
#include <limits>

#include "evaluate.hpp"
#include "pass_text.hpp"

namespace weft::ir {
namespace {

constexpr unsigned every_stage[] = {0u, commit, commit | lower, every_pass};

// The value of the root of a text after each stage: one for all of them.
std::string value(std::string_view text, const std::map<std::string, Integer>& env = {}) {
  std::string all;
  for (unsigned passes : every_stage) {
    Graph g;
    const Node root = run_passes(g, parse(g, text), passes);
    Evaluation e(g);
    for (const auto& [name, v] : env) e.set(name, v);
    const auto v = e(root->is(Op::SINK) ? (*root)[0] : root);
    const std::string one = v ? v->to_string() : "none";
    if (all.empty()) all = one;
    else if (all != one) all += ", then " + one;
  }
  return all;
}

std::string bounds_of(std::string_view text) {
  Graph g;
  const Bounds& b = bounds(g, parse(g, text));
  return "[" + b.lo.to_string() + ", " + b.hi.to_string() + "]";
}

std::string default_of(const std::string& literal) {
  Graph g;
  return std::string(name(commit_dtype(g, parse(g, "%0 = CONST weakint " + literal))));
}

TEST(Field, W01_aLiteralThatItsPeerDoesNotHold) {
  // Kept whole beside its peer, spelled at its type, and read as the type's bits: 256 is 0 there.
  EXPECT_PASS(every_pass, "%0 = PARAM uint8 slot=0\n%1 = CONST weakint 256\n%2 = CMPLT bool %0 %1",
              "%0 = PARAM uint8 slot=0\n%1 = CONST weakint 256\n%2 = CAST uint8 %1\n%3 = CMPLT bool %0 %2");
  for (int x : {0, 1, 255})
    EXPECT_EQ(value("%0 = PARAM uint8 slot=0 name=\"x\"\n%1 = CONST weakint 256\n%2 = CMPLT bool %0 %1", {{"x", x}}),
              "0");
}

TEST(Field, W02_unsignedSteps) {
  EXPECT_EQ(
      value("%0 = PARAM uint32 slot=0 name=\"x\"\n%1 = CONST weakint 4294967295\n%2 = ADD uint32 %0 %1", {{"x", 0}}),
      "4294967295");
  EXPECT_EQ(value("%0 = PARAM uint8 slot=0 name=\"x\"\n%1 = CONST weakint 300\n%2 = ADD uint8 %0 %1", {{"x", 250}}),
            "38");
}

TEST(Field, W03_theDefaultWidthOfBigNumbers) {
  EXPECT_EQ(default_of("2147483647"), "int32");
  EXPECT_EQ(default_of("2147483648"), "int64");
  EXPECT_EQ(default_of("9223372036854775807"), "int64");
  EXPECT_EQ(default_of("9223372036854775808"), "uint64");
  EXPECT_EQ(default_of("18446744073709551615"), "uint64");
  EXPECT_NE(error_of([] { default_of("18446744073709551616"); }).find("fits no integer type"), std::string::npos);
  // No 64-bit type holds [-1, 2^63]: int64, and never a narrower one; as a shift count it is refused.
  constexpr std::string_view wide = "%0 = PARAM weakint slot=0 space=alu min=-1 max=9223372036854775808\n";
  Graph g;
  const Node n = parse(g, wide);
  EXPECT_TRUE(fits_no_int(g, n));
  EXPECT_EQ(commit_dtype(g, n), DType(Scalar::int64).scalar);
  EXPECT_NE(error_of([&] {
              after(commit, std::string(wide) + "%1 = PARAM int32 slot=1\n%2 = SHL int32 %1 %0");
            }).find("[-1, 9223372036854775808]"),
            std::string::npos);
}

TEST(Field, W04_signedAndUnsignedMeetAt64Bits) {
  const auto of = [](const char* op, const char* type, const char* other, Integer a, Integer b) {
    return value("%0 = PARAM uint32 slot=0 name=\"a\"\n%1 = PARAM " + std::string(other) +
                     " slot=1 name=\"b\"\n%2 = " + op + " " + type + " %0 %1",
                 {{"a", a}, {"b", b}});
  };
  EXPECT_EQ(of("CMPLT", "bool", "int32", 2147483648, 0), "0");
  EXPECT_EQ(of("ADD", "int64", "int8", 4294967295, 1), "4294967296");
  EXPECT_EQ(of("ADD", "int64", "int32", 4294967295, -1), "4294967294");
}

TEST(Field, W06_shiftsPastTheWidth) {
  const auto of = [](const char* op, const std::string& type, int x, const char* count) {
    const std::string head = "%0 = PARAM " + type + " slot=0 name=\"x\"\n",
                      tail = std::string(op) + " " + type + " %0 %1";
    const std::string literal = value(head + "%1 = CONST weakint " + count + "\n%2 = " + tail, {{"x", x}});
    const std::string data = value(head + "%1 = PARAM " + type + " slot=1 name=\"n\"\n%2 = " + tail,
                                   {{"x", x}, {"n", *Integer::parse(count)}});
    return literal == data ? literal : literal + " as a literal, " + data + " as data";
  };
  EXPECT_EQ(of("SHL", "uint32", 1, "31"), "2147483648");
  EXPECT_EQ(of("SHL", "uint32", 1, "32"), "0");
  EXPECT_EQ(of("SHL", "uint32", 1, "40"), "0");
  EXPECT_EQ(of("SHR", "uint32", -1, "32"), "0");
  EXPECT_EQ(of("SHR", "int32", -8, "40"), "-1");
  EXPECT_EQ(of("SHL", "int32", -8, "40"), "0");
  EXPECT_EQ(of("SHL", "uint8", 1, "8"), "0");
}

TEST(Field, W08_shiftsOfAndByOtherTypes) {
  // The weak left side takes its type from the count.
  for (int i = 0; i <= 4; ++i)
    EXPECT_EQ(
        value(
            "%0 = PARAM uint32 slot=0 min=0 max=4 name=\"i\"\n%1 = CONST weakint 4\n%2 = SUB uint32 %1 %0\n%3 = CONST weakint 1\n%4 = SHL weakint %3 %2\n"
            "%5 = SINK void %4",
            {{"i", i}}),
        std::to_string(16 >> i));
  EXPECT_PASS(commit, "%0 = PARAM uint32 slot=0\n%1 = CONST weakint 1\n%2 = SHL weakint %1 %0",
              "%0 = PARAM uint32 slot=0\n%1 = CONST weakint 1\n%2 = CAST uint32 %1\n%3 = SHL uint32 %2 %0");
  EXPECT_EQ(value("%0 = PARAM uint32 slot=0 name=\"x\"\n%1 = PARAM int32 slot=1 name=\"n\"\n%2 = SHR uint32 %0 %1",
                  {{"x", 4294967295}, {"n", 1}}),
            "2147483647");
}

TEST(Field, W10_aNarrowingCastWraps) {
  constexpr std::string_view narrow =
      "%0 = PARAM weakint slot=0 space=alu min=0 max=255 name=\"i\"\n%1 = CAST int8 %0\n";
  EXPECT_EQ(bounds_of(narrow), "[-128, 127]");
  const std::string negative = std::string(narrow) + "%2 = CONST weakint 0\n%3 = CMPLT bool %1 %2";
  EXPECT_EQ(bounds_of(negative), "[0, 1]");
  int count = 0;
  for (int i = 0; i < 256; ++i) count += value(negative, {{"i", i}}) == "1";
  EXPECT_EQ(count, 128);
  const std::string past =
      "%0 = PARAM int32 slot=0 space=alu min=-5 max=-1 name=\"i\"\n%1 = CAST uint8 %0\n%2 = CONST weakint 250\n%3 = CMPLT bool %2 %1";
  EXPECT_EQ(bounds_of(past), "[0, 1]");
  for (int i = -5; i < 0; ++i) EXPECT_EQ(value(past, {{"i", i}}), "1");
}

TEST(Field, W12_onlyTheGuardedIndexNarrows) {
  const std::string text =
      "%0 = PARAM int32 slot=0 size=10\n%1 = CONST weakint 2\n%2 = RANGE weakint %1 axis=1\n%3 = CONST weakint 4294967296\n%4 = MUL weakint %2 %3\n"
      "%5 = CONST weakint 10\n%6 = RANGE weakint %5 axis=2\n%7 = ADD weakint %4 %6\n%8 = CMPLT bool %7 %5\n%9 = CONST bool invalid\n"
      "%10 = WHERE weakint %8 %7 %9\n%11 = INDEX int32 %0 %10\n%12 = CONST weakint 1\n%13 = ADD weakint %2 %12\n%14 = STORE void %11 %13\n%15 = SINK void %14";
  Graph g;
  const Node root = run_passes(g, parse(g, text), every_pass);
  const Node index = (*(*(*root)[0])[0])[1];  // of the INDEX of the STORE
  ASSERT_TRUE(index->is(Op::WHERE));
  EXPECT_EQ((*index)[1]->dtype, DType(Scalar::int32));
  EXPECT_EQ((*(*index)[0])[0]->dtype, DType(Scalar::int64)) << print(root);
  for (int i : {0, 1})
    for (int j : {0, 9}) {
      Evaluation e(g);
      e.set("r1", i), e.set("r2", j);
      EXPECT_EQ(e((*index)[0]), std::optional<Integer>(i == 0 ? 1 : 0));
    }
}

TEST(Field, W14_theTwoDivisionsStayApart) {
  const auto of = [](const char* op, int divisor, int x) {
    return value("%0 = PARAM int32 slot=0 min=-4 max=3 name=\"x\"\n%1 = CONST weakint " + std::to_string(divisor) +
                     "\n%2 = " + op + " int32 %0 %1",
                 {{"x", x}});
  };
  const int half[] = {-2, -1, -1, 0, 0, 0, 1, 1}, shifted[] = {-2, -2, -1, -1, 0, 0, 1, 1},
            rest[] = {0, -1, 0, -1, 0, 1, 0, 1};
  for (int x = -4; x <= 3; ++x) {
    EXPECT_EQ(of("CDIV", 2, x), std::to_string(half[x + 4]));
    EXPECT_EQ(of("SHR", 1, x), std::to_string(shifted[x + 4]));
    EXPECT_EQ(of("FLOORDIV", 2, x), std::to_string(shifted[x + 4]));
    EXPECT_EQ(of("CMOD", 2, x), std::to_string(rest[x + 4]));
    EXPECT_EQ(of("CMOD", -2, x), std::to_string(rest[x + 4]));
  }
}

TEST(Field, W15_anIntegerPowerIsOneOfIntegers) {
  const auto of = [](const std::string& type, int base, int exponent) {
    return value("%0 = PARAM " + type + " slot=0 name=\"x\"\n%1 = CONST weakint " + std::to_string(exponent) +
                     "\n%2 = POW " + type + " %0 %1",
                 {{"x", base}});
  };
  EXPECT_EQ(of("int32", 11, 7), "19487171");
  EXPECT_EQ(of("int8", 2, 64), "0");
  EXPECT_EQ(of("uint8", 3, 6), "217");
  EXPECT_EQ(of("int32", 2, 31), "-2147483648");
}

// The literal that a cast to the type leaves, and what it is worth.
double float_literal(const std::string& literal, const std::string& type) {
  Graph g;
  const Node root = run_passes(
      g, parse(g, "%0 = CONST weakfloat " + literal + "\n%1 = PARAM " + type + " slot=0\n%2 = ADD " + type + " %1 %0"),
      every_pass);
  return *float_value((*root)[1]);
}

TEST(Field, W16_literalsAreRoundedAtTheirType) {
  EXPECT_EQ(float_literal("0.1", "float16"), 0.0999755859375);
  EXPECT_EQ(float_literal("65519.0", "float16"), 65504);
  EXPECT_EQ(float_literal("65520.0", "float16"), std::numeric_limits<double>::infinity());
  // float(int(x)): two conversions, and neither is left out.
  EXPECT_PASS(
      every_pass,
      "%0 = PARAM float32 slot=0 space=alu fmin=-0x1.4p+3 fmax=0x1.4p+3\n%1 = CAST weakint %0\n%2 = CAST weakfloat %1\n%3 = SINK void %2",
      "%0 = PARAM float32 slot=0 space=alu fmin=-0x1.4p+3 fmax=0x1.4p+3\n%1 = CAST int32 %0\n%2 = CAST float32 %1\n%3 = SINK void %2");
}

TEST(Field, W17_everyConstantHasASpelling) {
  EXPECT_EQ(float_literal("1e40", "float32"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(float_literal("0.1", "float64"), 0.1) << "not by way of float32";
  EXPECT_EQ(float_literal("0x1.5555555555555p-2", "float64"), 1.0 / 3.0);
  EXPECT_EQ(float_literal("0.1", "float16"), 0x1.998p-4) << "0x2E66";
  for (const char* literal :
       {"weakint -2147483648", "weakint -9223372036854775808", "weakint 4294967295", "weakfloat 0x1.fffffep+127",
        "weakfloat inf", "weakfloat -inf", "weakfloat nan", "weakfloat -0x0p+0", "weakfloat 0x1p-149"}) {
    const std::string line = std::string("%0 = CONST ") + literal + "\n";
    EXPECT_EQ(normal(line), line);
  }
}

}  // namespace
}  // namespace weft::ir
