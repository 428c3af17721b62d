// Index arithmetic simplified by bounds: what must be left of known forms, and that no form changes its value.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "evaluate.hpp"
#include "ir/simplify_index.hpp"
#include "ir/text.hpp"

namespace weft::ir {
namespace {

struct Field {
  Graph g;
  Node variable(const std::string& name, std::int64_t lo, std::int64_t hi) {
    Storage s;
    s.slot = slot++;
    s.dtype = Scalar::weakint;
    s.space = Space::alu;
    s.vmin = lo, s.vmax = hi;
    s.name = name;
    return g.storage(Op::PARAM, std::move(s));
  }
  Node num(std::int64_t v) { return g.constant(v); }
  Node div(Node a, std::int64_t c) { return g.make(Op::CDIV, {a, num(c)}); }
  Node mod(Node a, std::int64_t c) { return g.make(Op::CMOD, {a, num(c)}); }
  Node mul(Node a, std::int64_t c) { return g.make(Op::MUL, {a, num(c)}); }
  Node add(Node a, Node b) { return g.make(Op::ADD, {a, b}); }
  Node shr(Node a, std::int64_t c) { return g.make(Op::SHR, {a, num(c)}); }
  Node shl(Node a, std::int64_t c) { return g.make(Op::SHL, {a, num(c)}); }
  Node mask(Node a, std::int64_t c) { return g.make(Op::AND, {a, num(c)}); }
  Node operator()(Node n) { return simplify_index(g, n); }
  std::uint32_t slot = 0;
};

TEST(SimplifyIndex, foldsByRange) {  // MAP-TEN-08
  Field f;
  const Node p = f.variable("p", 0, 511);
  EXPECT_EQ(f(f.div(p, 512)), f.num(0));
  EXPECT_EQ(f(f.mod(p, 512)), p);
  EXPECT_EQ(f(f.mod(p, 1)), f.num(0));
  EXPECT_EQ(f(f.div(f.add(p, f.num(512)), 512)), f.num(1));
  EXPECT_EQ(f(f.mod(f.add(p, f.num(512)), 512)), p);
}

TEST(SimplifyIndex, powersOfTwoAreShiftsAndMasks) {  // MAP-TEN-08
  Field f;
  const Node p = f.variable("p", 0, 511);
  EXPECT_EQ(f(f.div(p, 64)), f.shr(p, 6));
  EXPECT_EQ(f(f.mod(p, 64)), f.mask(p, 63));
  EXPECT_EQ(f(f.mul(f.div(p, 64), 8)), f.shl(f.shr(p, 6), 3));
  EXPECT_EQ(f(f.div(p, 60)), f.div(p, 60));  // and no others
}

TEST(SimplifyIndex, composes) {  // MAP-TEN-08
  Field f;
  const Node p = f.variable("p", 0, 5999), q = f.variable("q", 0, 11);
  EXPECT_EQ(f(f.div(f.div(p, 6), 10)), f.div(p, 60));
  EXPECT_EQ(f(f.mod(f.mod(p, 60), 12)), f.mod(p, 12));
  EXPECT_EQ(f(f.div(f.mod(p, 60), 12)), f.mod(f.div(p, 12), 5));
  EXPECT_EQ(f(f.div(f.add(f.mul(p, 12), q), 12)), p);
  EXPECT_EQ(f(f.mod(f.add(f.mul(p, 12), q), 12)), q);
  EXPECT_EQ(f(f.div(f.add(f.mul(p, 12), q), 24)), f.shr(p, 1));
  EXPECT_EQ(f(f.add(f.mul(f.div(p, 60), 60), f.mod(p, 60))), p);  // neighbours become one
  EXPECT_EQ(f(f.add(f.mul(f.mod(f.div(p, 12), 5), 12), f.mod(p, 12))), f.mod(p, 60));
}

TEST(SimplifyIndex, keepsWhatMayBeNegative) {  // MAP-TEN-08
  Field f;
  const Node x = f.variable("x", -5, 5);
  EXPECT_EQ(f(f.div(x, 4)), f.div(x, 4));
  EXPECT_EQ(f(f.mod(x, 4)), f.mod(x, 4));
  EXPECT_EQ(f(f.div(f.add(x, f.num(8)), 4)), f.shr(f.add(x, f.num(8)), 2));
}

// Positions to coordinates and back, of `B / 64, B % 32, B / 32 % 2`.
TEST(SimplifyIndex, aRearrangementOfBitsAndItsInverseIsNothing) {  // MAP-TEN-08
  Field f;
  const Node p = f.variable("p", 0, 511);
  const Node b = f.add(f.add(f.mul(f.div(f.div(p, 2), 32), 64), f.mod(f.div(p, 2), 32)), f.mul(f.mod(p, 2), 32));
  const Node back = f.add(f.mul(f.add(f.mul(f.div(b, 64), 32), f.mod(b, 32)), 2), f.mod(f.div(b, 32), 2));
  EXPECT_EQ(f(back), p);
  EXPECT_NE(f(b), p);
}

TEST(SimplifyIndex, deepSumsNeedNoStack) {
  Field f;
  const Node p = f.variable("p", 0, 3);
  Node n = p;
  for (int k = 0; k < 100000; ++k) n = f.add(n, f.num(1));
  EXPECT_EQ(f(n), f.add(p, f.num(100000)));
}

TEST(SimplifyIndex, numbersPastEveryWidthAreLeft) {
  Field f;
  const Node p = f.variable("p", 0, 3);
  Node n = p;
  for (int k = 0; k < 12; ++k) n = f.mul(f.add(n, f.num(7)), std::int64_t{1} << 40);
  Evaluation before(f.g), after(f.g);
  before.set(p, 2), after.set(p, 2);
  EXPECT_EQ(before(f.div(n, 12)), after(f(f.div(n, 12))));
}

TEST(SimplifyIndex, aConstantPastWhatIsLookedIntoIsNotZero) {
  Field f;
  const Node p = f.variable("p", 0, 3);
  for (const Node n : {f.mul(p, 5'000'000'000'000'000'000), f.mul(f.add(p, f.num(3)), 5'000'000'000'000'000'000),
                       f.div(f.mul(p, 5'000'000'000'000'000'000), 7)}) {
    Evaluation before(f.g), after(f.g);
    before.set(p, 2), after.set(p, 2);
    EXPECT_EQ(before(n), after(f(n)));
  }
}

// Random trees of every operation that is looked into, over variables with bounds of both signs.
Node random_index(Field& f, const std::vector<Node>& variables, int depth) {
  const auto number = [] {
    return *rc::gen::element<std::int64_t>(1, 2, 3, 4, 5, 6, 8, 12, 16, 30, 32, 64, 100, std::int64_t{1} << 40,
                                           5'000'000'000'000'000'000);
  };
  if (depth == 0 || *rc::gen::inRange(0, 8) == 0) return *rc::gen::elementOf(variables);
  const auto next = [&] { return random_index(f, variables, depth - 1); };
  switch (*rc::gen::inRange(0, 10)) {
    case 0:
    case 1: return f.add(next(), next());
    case 2: return f.g.make(Op::SUB, {next(), *rc::gen::arbitrary<bool>() ? next() : f.num(number())});
    case 3: return f.mul(next(), *rc::gen::arbitrary<bool>() ? number() : -number());
    case 4: return f.g.make(*rc::gen::element(Op::CDIV, Op::FLOORDIV), {next(), f.num(number())});
    case 5: return f.g.make(*rc::gen::element(Op::CMOD, Op::FLOORMOD), {next(), f.num(number())});
    case 6: return f.shr(next(), *rc::gen::inRange(0, 7));
    case 7: return f.shl(next(), *rc::gen::inRange(0, 4));
    case 8: return f.mask(next(), *rc::gen::element<std::int64_t>(0, 1, 3, 7, 31, 5, 12));
    default: return f.add(next(), f.num(*rc::gen::inRange<std::int64_t>(-40, 200)));
  }
}

TEST(SimplifyIndexProperty, keepsValues) {  // MAP-TEN-08
  EXPECT_TRUE(rc::check([] {
    Field f;
    std::vector<Node> variables;
    std::vector<std::pair<std::int64_t, std::int64_t>> ranges;
    for (int k = 0; k < 3; ++k) {
      const std::int64_t lo = *rc::gen::element<std::int64_t>(0, 0, 0, -7, 5);
      ranges.push_back({lo, lo + *rc::gen::element<std::int64_t>(0, 1, 5, 11, 63, 511)});
      variables.push_back(f.variable("v" + std::to_string(k), ranges.back().first, ranges.back().second));
    }
    const Node n = random_index(f, variables, 6), m = f(n);
    for (int k = 0; k < 40; ++k) {
      Evaluation before(f.g), after(f.g);
      for (std::size_t v = 0; v < variables.size(); ++v) {
        const auto [lo, hi] = ranges[v];
        const std::int64_t value = k == 0 ? lo : k == 1 ? hi : *rc::gen::inRange<std::int64_t>(lo, hi + 1);
        before.set(variables[v], value), after.set(variables[v], value);
      }
      RC_ASSERT(before(n) == after(m));
    }
  }));
}

}  // namespace
}  // namespace weft::ir
