// Each stage of lowering, text to text: the copy with its limits and guards (still weak), the legal forms, the fences.
#include "kernel/lower_copy.hpp"
#include "kernel/lower_fence.hpp"
#include "kernel/lower_legal.hpp"
#include "lower/lowering.hpp"

namespace weft::test {
namespace {

std::string legal(const char* text) {
  ir::Graph from, to;
  const Node root = ir::parse(from, text);
  return ir::print(trace::legalise(from, root, to));
}
std::string fenced(const char* text, const trace::Config& config = {}) {
  ir::Graph from, to;
  return ir::print(trace::place_fences(to, ir::parse(from, text), config));
}

TEST(Stage, copy_guards_before_the_widths_are_known_KER_ACC_01) {
  KernelBuilder k("shift");
  const auto a = k.array("a", Scalar::float32, false), b = k.array("b", Scalar::float32);
  k.loop(k.length(b), [&](Node i) { k.store(b, i, k.load(a, k.make(Op::SUB, {i, k.lit(1)}))); });
  ir::Graph g;
  EXPECT_EQ(ir::print(trace::copy_loop(g, *k.finish(), 0, 1000)),
            R"(%0 = PARAM weakint slot=0 space=alu source=trip min=0 max=1000 name="trip"
%1 = RANGE weakint %0 axis=1
%2 = PARAM float32 slot=0 size=1000 source=array name="a"
%3 = CONST weakint 1
%4 = SUB weakint %1 %3
%5 = INDEX float32 %2 %4
%6 = CONST weakint -1
%7 = CMPLT bool %6 %4
%8 = PARAM weakint slot=0 space=alu source=length min=0 max=1000 name="a.length"
%9 = CMPLT bool %4 %8
%10 = AND bool %7 %9
%11 = LOAD float32 %5 %10 number=2
%12 = PARAM float32 slot=1 size=1000 source=array index=1 name="b"
%13 = INDEX float32 %12 %1
%14 = STORE void %13 %11 number=3
%15 = BLOCK void %11 %14 number=4
%16 = GRID void %1 %15 number=5
)");
}

TEST(Stage, copy_leaves_out_what_nothing_needs) {
  KernelBuilder k("f");
  const auto a = k.array("a", Scalar::float32);
  k.loop(k.length(a), [&](Node i) {
    k.load(a, k.load(a, i)->dtype.is_float() ? i : i);  // two loads that nothing uses
    k.store(a, i, k.lit(1.0));
  });
  ir::Graph g;
  EXPECT_EQ(count(trace::copy_loop(g, *k.finish(), 0, 1000), Op::LOAD), 0u);
}

TEST(Stage, legal_changes_nothing_that_is_plain) {
  const char* plain = R"(%0 = PARAM int32 slot=0 space=alu
%1 = CONST weakint 3
%2 = CAST int32 %1
%3 = CDIV int32 %0 %2
%4 = CAST float32 %3
%5 = PARAM float32 slot=1 space=alu
%6 = FDIV float32 %4 %5
%7 = FLOOR float32 %6
)";
  EXPECT_EQ(legal(plain), plain);
}

TEST(Stage, legal_shift_by_data_KER_NUM_01) {
  EXPECT_EQ(legal(R"(%0 = PARAM int32 slot=0 space=alu
%1 = PARAM int32 slot=1 space=alu
%2 = SHL int32 %0 %1
)"),
            R"(%0 = PARAM int32 slot=1 space=alu
%1 = BITCAST uint32 %0
%2 = CONST weakint 32
%3 = CAST uint32 %2
%4 = CMPLT bool %1 %3
%5 = PARAM int32 slot=0 space=alu
%6 = CONST weakint 31
%7 = CAST uint32 %6
%8 = AND uint32 %1 %7
%9 = SHL int32 %5 %8
%10 = CONST weakint 0
%11 = CAST int32 %10
%12 = WHERE int32 %4 %9 %11
)");
  EXPECT_EQ(legal(R"(%0 = PARAM int32 slot=0 space=alu
%1 = PARAM uint32 slot=1 space=alu
%2 = SHR int32 %0 %1
)"),
            R"(%0 = PARAM int32 slot=0 space=alu
%1 = PARAM uint32 slot=1 space=alu
%2 = CONST weakint 31
%3 = CAST uint32 %2
%4 = MIN uint32 %1 %3
%5 = SHR int32 %0 %4
)");
}

TEST(Stage, legal_shift_whose_bounds_fit_KER_NUM_01) {
  EXPECT_EQ(legal(R"(%0 = PARAM uint32 slot=0 space=alu
%1 = PARAM int32 slot=1 space=alu min=0 max=31
%2 = SHR uint32 %0 %1
)"),
            R"(%0 = PARAM uint32 slot=0 space=alu
%1 = PARAM int32 slot=1 space=alu min=0 max=31
%2 = CAST uint32 %1
%3 = SHR uint32 %0 %2
)");
}

TEST(Stage, legal_division_by_data_KER_NUM_02) {
  EXPECT_EQ(legal(R"(%0 = PARAM uint32 slot=0 space=alu
%1 = PARAM uint32 slot=1 space=alu
%2 = CMOD uint32 %0 %1
)"),
            R"(%0 = PARAM uint32 slot=0 space=alu
%1 = PARAM uint32 slot=1 space=alu
%2 = CONST weakint 0
%3 = CAST uint32 %2
%4 = CMPEQ bool %1 %3
%5 = CONST weakint 1
%6 = CAST uint32 %5
%7 = WHERE uint32 %4 %6 %1
%8 = CMOD uint32 %0 %7
)");
}

TEST(Stage, legal_floor_division_by_a_power_of_two_KER_NUM_02) {
  EXPECT_EQ(legal(R"(%0 = PARAM int32 slot=0 space=alu
%1 = CONST weakint 8
%2 = CAST int32 %1
%3 = FLOORDIV int32 %0 %2
%4 = FLOORMOD int32 %0 %2
%5 = SUB int32 %3 %4
)"),
            R"(%0 = PARAM int32 slot=0 space=alu
%1 = CONST weakint 3
%2 = CAST uint32 %1
%3 = SHR int32 %0 %2
%4 = CONST weakint 7
%5 = CAST int32 %4
%6 = AND int32 %0 %5
%7 = SUB int32 %3 %6
)");
}

TEST(Stage, legal_maximum_with_a_number_KER_NUM_03) {
  EXPECT_EQ(legal(R"(%0 = PARAM float32 slot=0 space=alu
%1 = CONST weakfloat 0x0p+0
%2 = CAST float32 %1
%3 = MAX float32 %0 %2
)"),
            R"(%0 = CONST weakint 2139095040
%1 = CAST int32 %0
%2 = PARAM float32 slot=0 space=alu
%3 = BITCAST int32 %2
%4 = CONST weakint 2147483647
%5 = CAST int32 %4
%6 = AND int32 %3 %5
%7 = CMPLT bool %1 %6
%8 = CONST weakfloat 0x0p+0
%9 = CAST float32 %8
%10 = CONST weakint 31
%11 = CAST uint32 %10
%12 = SHR int32 %3 %11
%13 = AND int32 %12 %5
%14 = XOR int32 %3 %13
%15 = BITCAST int32 %9
%16 = SHR int32 %15 %11
%17 = AND int32 %16 %5
%18 = XOR int32 %15 %17
%19 = CMPLT bool %14 %18
%20 = WHERE float32 %19 %9 %2
%21 = WHERE float32 %7 %9 %20
)");
}

TEST(Stage, legal_operands_of_one_type_KER_NUM_01) {
  EXPECT_EQ(legal(R"(%0 = PARAM uint32 slot=0 space=alu
%1 = PARAM int32 slot=1 space=alu
%2 = ADD int64 %0 %1
)"),
            R"(%0 = PARAM uint32 slot=0 space=alu
%1 = CAST int64 %0
%2 = PARAM int32 slot=1 space=alu
%3 = CAST int64 %2
%4 = ADD int64 %1 %3
)");
}

TEST(Stage, legal_compositions_KER_NUM_09) {
  EXPECT_EQ(legal(R"(%0 = PARAM float32 slot=0 space=alu
%1 = RECIPROCAL float32 %0
%2 = MULACC float32 %0 %1 %0
)"),
            R"(%0 = PARAM float32 slot=0 space=alu
%1 = CONST weakfloat 0x1p+0
%2 = CAST float32 %1
%3 = FDIV float32 %2 %0
%4 = MUL float32 %0 %3
%5 = ADD float32 %4 %0
)");
}

TEST(Stage, fences_between_two_operations_KER_BIT_01) {
  const char* body = R"(%0 = PARAM float32 slot=0 source=array
%1 = CONST weakint 0
%2 = CAST int32 %1
%3 = INDEX float32 %0 %2
%4 = PARAM float32 slot=1 space=alu
%5 = MUL float32 %4 %4
%6 = ADD float32 %5 %4
%7 = STORE void %3 %6 number=1
)";
  EXPECT_EQ(fenced(body), R"(%0 = PARAM float32 slot=0 source=array
%1 = CONST weakint 0
%2 = CAST int32 %1
%3 = INDEX float32 %0 %2
%4 = PARAM float32 slot=1 space=alu
%5 = MUL float32 %4 %4
%6 = FENCE float32 %5
%7 = ADD float32 %6 %4
%8 = STORE void %3 %7 number=1
)");
  EXPECT_EQ(fenced(body, {.bits = Bits::fast}), body);
  EXPECT_EQ(fenced(body, {.fences = false}), body);
}

}  // namespace
}  // namespace weft::test
