#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "evaluate.hpp"
#include "ir/json.hpp"
#include "pass_text.hpp"
#include "random_graph.hpp"

namespace weft::ir {
namespace {

std::optional<Node> passed(RandomGraph& r, unsigned passes) {
  try {
    return run_passes(*r.graph, r.root, passes);
  } catch (const RuleError&) {
    return std::nullopt;  // a count or a value that no integer holds
  }
}

TEST(Property, eachPassIsIdempotentOnItsOwnOutput) {  // WEAK-DRV-03, WEAK-CST-02, WEAK-COM-09
  EXPECT_TRUE(rc::check([] {
    RandomGraph r = GraphMaker(random_tape(), {.floats = true}).make();
    Graph& g = *r.graph;
    const auto c = passed(r, commit);
    if (!c) return;
    RC_ASSERT(commit_weak(g, *c) == *c);
    const auto l = passed(r, commit | lower);
    if (!l) return;
    RC_ASSERT(lower_weak(g, *l) == *l);
    const Node s = cast_const(g, *l);
    RC_ASSERT(cast_const(g, s) == s);
    RC_ASSERT(verify(g, *c, Stage::committed) == std::nullopt);
    RC_ASSERT(verify(g, *l, Stage::lowered) == std::nullopt);
    RC_ASSERT(verify(g, s, Stage::spelled) == std::nullopt);
  }));
}

// The type that each weak value is committed at holds its bounds: int32 by default, or its peer's.
bool widths_hold(Graph& g, Node root) {
  for (Node n : topological(root)) {
    if (n->dtype.scalar == Scalar::weakint && !holds(Scalar::int32, bounds(g, n))) return false;
    if (!is_broadcastable(n->op)) continue;
    const Scalar at = least_upper(n->src());  // where its weak sources commit
    if (n->dtype.is_weak() && is_integer(at) && !is_weak(at) && !holds(at, bounds(g, n)))
      return false;  // a weak left operand
    for (Node s : n->src())
      if (s->dtype.is_weak() && is_integer(at) && !is_weak(at) && !holds(at, bounds(g, s))) return false;
  }
  return true;
}

TEST(Property, passesKeepValues) {  // WEAK-DRV-03
  int compared = 0;
  EXPECT_TRUE(rc::check([&] {
    RandomGraph r = GraphMaker(random_tape(), {.narrow = *rc::gen::arbitrary<bool>(), .large = false}).make();
    Graph& g = *r.graph;
    try {
      if (!widths_hold(g, r.root)) return;
    } catch (const RuleError&) { return; }
    const auto after = passed(r, every_pass);
    if (!after) return;
    const auto point = random_point(r);
    Evaluation before_values(g), after_values(g);
    for (const auto& [name, v] : point) before_values.set(name, v), after_values.set(name, v);
    for (std::size_t i = 0; i < r.roots.size(); ++i) {
      const auto expected = before_values(r.roots[i]);
      if (!expected) continue;
      const auto got = after_values((**after)[i]);
      RC_LOG() << print(r.root) << print(*after);
      RC_ASSERT(got.has_value());
      RC_ASSERT(got->to_string() == expected->to_string());
      ++compared;
    }
  }));
  EXPECT_GT(compared, 50);
}

TEST(Property, boundsAreSound) {  // WEAK-BND-01, WEAK-BND-02, WEAK-BND-03
  int compared = 0;
  EXPECT_TRUE(rc::check([&] {
    RandomGraph r = GraphMaker(random_tape(), {}).make();
    Graph& g = *r.graph;
    const auto point = random_point(r);
    Evaluation e(g);
    for (const auto& [name, v] : point) e.set(name, v);
    for (Node n : topological(r.root)) {
      const auto v = e(n);
      if (!v || n->dtype.is_void()) continue;
      Bounds b;
      try {
        b = bounds(g, n);
      } catch (const RuleError&) { return; }
      // A weak value beyond 800 bits of unknown bounds has no interval.
      if (n->dtype.is_weak() && v->bit_length() > 799) continue;
      RC_LOG() << print(n) << "is " << v->to_string() << '\n';
      RC_ASSERT(b.lo <= *v);
      RC_ASSERT(*v <= b.hi);
      ++compared;
    }
  }));
  EXPECT_GT(compared, 500);
}

TEST(Property, textAndJsonRoundTrip) {  // WEAK-TOOL-01, WEAK-TOOL-02
  EXPECT_TRUE(rc::check([] {
    RandomGraph r = GraphMaker(random_tape(), {.floats = true}).make();
    for (unsigned passes : {0u, +every_pass}) {
      const auto root = passed(r, passes);
      if (!root) return;
      RC_ASSERT(parse(*r.graph, print(*root)) == *root);
      RC_ASSERT(parse_json(*r.graph, print_json(*root)) == *root);
      Graph other;
      RC_ASSERT(print(parse(other, print(*root))) == print(*root));
    }
  }));
}

// The parsers, on texts that were damaged: an error or a graph, never a crash.
TEST(Property, damagedTextsAreRefusedOrRead) {  // WEAK-TOOL-01
  EXPECT_TRUE(rc::check([] {
    RandomGraph r = GraphMaker(random_tape(), {.floats = true}).make();
    const bool json = *rc::gen::arbitrary<bool>();
    std::string text = json ? print_json(r.root) : print(r.root);
    for (int i = *rc::gen::inRange(1, 6); i > 0; --i) {
      const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
      const int how = *rc::gen::inRange(0, 3);
      if (how == 0) text[at] = static_cast<char>(*rc::gen::inRange(-128, 128));
      else if (how == 1) text.erase(at, *rc::gen::inRange<std::size_t>(1, 20));
      else text.insert(at, text.substr(*rc::gen::inRange<std::size_t>(0, text.size()), 15));
      if (text.empty()) text = " ";
    }
    Graph g;
    try {
      json ? parse_json(g, text) : parse(g, text);
    } catch (const ConstructError&) {
    } catch (const FormatError&) {}
  }));
}

}  // namespace
}  // namespace weft::ir
