// The traced form, as text: what lowering and linking build on. The same on every compiler.
#include <gtest/gtest.h>

#include "ir/text.hpp"
#include "kernel/run_kernel.hpp"

using namespace weft;

namespace {
template <class K> std::string body(const K& k, std::size_t loop = 0) {
  return "\n" + ir::print(k.core()->loops.at(loop).body);
}
}  // namespace

TEST(TracedForm, KER_AUTH_04_a_map) {
  const auto k = kernel("scale(a, b, k)", [](Array<const float> a, Array<float> b, Scalar<float> k) {
    loop(b.length(), [&](Index i) { b[i] = a[i] * k + 1; });
  });
  EXPECT_EQ(body(k), R"(
%0 = PARAM float32 slot=0 source=array name="a"
%1 = PARAM weakint slot=4 space=alu source=trip min=0 max=4294967295 name="trip"
%2 = RANGE weakint %1 axis=1
%3 = INDEX float32 %0 %2
%4 = LOAD float32 %3 number=2
%5 = PARAM float32 slot=1 source=array index=1 name="b"
%6 = INDEX float32 %5 %2
%7 = PARAM float32 slot=2 space=alu source=scalar index=2 name="k"
%8 = MUL float32 %4 %7
%9 = CONST weakint 1
%10 = ADD float32 %8 %9
%11 = STORE void %6 %10 number=3
%12 = BLOCK void %4 %11 number=4
)");
}

TEST(TracedForm, KER_RED_01_a_reduction_under_if) {
  const auto k = kernel("sum(x)", [](Array<const int> x) {
    Var<int> s = 5;
    loop(1, x.length(), 2, [&](Index i) { If(x[i] <= 9, [&] { s = x[i] + s; }).Else([&] { s += 1; }); });
    return s;
  });
  EXPECT_EQ(body(k), R"(
%0 = PARAM int32 slot=0 source=array name="x"
%1 = CONST weakint 1
%2 = PARAM weakint slot=2 space=alu source=trip min=0 max=4294967295 name="trip"
%3 = RANGE weakint %2 axis=1
%4 = CONST weakint 2
%5 = MUL weakint %3 %4
%6 = ADD weakint %1 %5
%7 = INDEX int32 %0 %6
%8 = LOAD int32 %7 number=4
%9 = CONST weakint 9
%10 = CMPLT bool %9 %8
%11 = CONST bool true
%12 = XOR bool %10 %11
%13 = LOCAL int32 number=3
%14 = LOAD int32 %13 number=5
%15 = LOAD int32 %7 number=6
%16 = ADD int32 %14 %15
%17 = STORE void %13 %16 number=7
%18 = BLOCK void %14 %15 %17 number=8
%19 = LOAD int32 %13 number=9
%20 = ADD int32 %19 %1
%21 = STORE void %13 %20 number=10
%22 = BLOCK void %19 %21 number=11
%23 = IF void %12 %18 %22 number=12
%24 = BLOCK void %8 %23 number=13
)");
  EXPECT_EQ("\n" + ir::print(k.core()->results[0]), R"(
%0 = LOCAL int32 number=2
%1 = LOAD int32 %0 number=14
)");
}

TEST(TracedForm, KER_AUTH_06_loops_and_variables) {
  const auto k = kernel("f(t, n)", [](Array<float> t, Scalar<int> n) {
    loop(t.length(), [&](Index i) {
      Var<float> once = t[i], sum = 0;
      For(n, [&](Index j) {
        continue_if(j == i);
        sum += once;
      });
      t[i] = sum;
    });
  });
  EXPECT_EQ(body(k), R"(
%0 = PARAM float32 slot=0 source=array name="t"
%1 = PARAM weakint slot=3 space=alu source=trip min=0 max=4294967295 name="trip"
%2 = RANGE weakint %1 axis=1
%3 = INDEX float32 %0 %2
%4 = LOAD float32 %3 number=2
%5 = LOCAL float32 number=3
%6 = CONST weakint 0
%7 = STORE void %5 %6 number=4
%8 = PARAM int32 slot=1 space=alu source=scalar index=1 name="n"
%9 = CAST weakint %8
%10 = MAX weakint %9 %6
%11 = RANGE weakint %10 axis=5
%12 = CMPEQ bool %11 %2
%13 = CONTINUE_IF void %12 number=6
%14 = LOAD float32 %5 number=7
%15 = ADD float32 %14 %4
%16 = STORE void %5 %15 number=8
%17 = BLOCK void %13 %14 %16 number=9
%18 = LOOP void %11 %17 number=10
%19 = LOAD float32 %5 number=11
%20 = STORE void %3 %19 number=12
%21 = BLOCK void %4 %7 %18 %19 %20 number=13
)");
}

TEST(TracedForm, a_carried_variable_goes_through_one_iteration) {
  const auto k = kernel("f(t)", [](Array<float> t) {
    Var<float> last = 0;
    loop(t.length(), [&](Index i) { t[i] = last, last = t[i] + 1; });
    return last;
  });
  EXPECT_EQ(body(k), R"(
%0 = LOCAL float32 number=5
%1 = CONST weakfloat 0x0p+0
%2 = CAST float32 %1
%3 = STORE void %0 %2 number=11
%4 = PARAM weakint slot=1048576 space=alu source=captured name="captured0"
%5 = RANGE weakint %4 axis=2
%6 = LOAD float32 %0 number=6
%7 = PARAM float32 slot=0 source=array name="t"
%8 = INDEX float32 %7 %5
%9 = STORE void %8 %6 number=7
%10 = LOAD float32 %8 number=8
%11 = CONST weakint 1
%12 = ADD float32 %10 %11
%13 = STORE void %0 %12 number=9
%14 = BLOCK void %6 %9 %10 %13 number=10
%15 = LOOP void %5 %14 number=12
%16 = LOAD float32 %0 number=13
%17 = LOCAL float32 number=4
%18 = STORE void %17 %16 number=14
%19 = BLOCK void %3 %15 %16 %18 number=15
)");
}
