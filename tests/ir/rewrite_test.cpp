// WEAK-DRV-01: the driver, with rules of its own.
#include "ir/rewrite.hpp"

#include <gtest/gtest.h>

#include "pass_text.hpp"

namespace weft::ir {
namespace {

Node parsed(Graph& g, std::string_view text) { return parse(g, text); }

TEST(Rewrite, meetsSourcesFirstAndResultsAgain) {
  // 1 + 2 folds to 3, and 3 + 3 then to 6.
  static const Rules fold(
      "fold",
      {{"add", node(Op::ADD, node(Op::CONST).named("a"), node(Op::CONST).named("b")),
        [](Graph& g, Node, const Match& m) { return g.constant(*m["a"]->arg.integer + *m["b"]->arg.integer); }}});
  Graph g;
  const Node root =
      parsed(g, "%0 = CONST weakint 1\n%1 = CONST weakint 2\n%2 = ADD weakint %0 %1\n%3 = ADD weakint %2 %2\n");
  std::vector<std::string> fired;
  EXPECT_EQ(rewrite(g, root, fold,
                    [&](auto pass, auto rule, Node, Node after) {
                      fired.push_back(std::string(pass) + ' ' + std::string(rule) + ' ' + print_node(after));
                    }),
            g.constant(6));
  ASSERT_EQ(fired.size(), 2u) << "memoised: each node once";
  EXPECT_EQ(fired[0].substr(0, 8), "fold add");
}

TEST(Rewrite, triesRulesInOrder) {
  const auto to = [](int v) {
    return v == 1 ? [](Graph& g, Node, const Match&) { return g.constant(1); }
                  : [](Graph& g, Node, const Match&) { return g.constant(2); };
  };
  const Rules first("pass", {{"one", node(Op::NEG), to(1)}, {"two", node(Op::NEG), to(2)}});
  Graph g;
  EXPECT_EQ(rewrite(g, g.make(Op::NEG, {g.constant(5)}), first), g.constant(1));
}

TEST(Rewrite, listsOfRulesConcatenate) {
  const Rules neg("pass", {{"neg", node(Op::NEG, any("x")), [](Graph&, Node, const Match& m) { return m["x"]; }}});
  const Rules trunc("pass",
                    {{"trunc", node(Op::TRUNC, any("x")), [](Graph&, Node, const Match& m) { return m["x"]; }}});
  Graph g;
  EXPECT_EQ(rewrite(g, g.make(Op::NEG, {g.make(Op::TRUNC, {g.constant(5)})}), neg + trunc), g.constant(5));
}

TEST(Rewrite, oneNameIsOneNode) {
  const Rules same("pass", {{"x - x", node(Op::SUB, any("x"), any("x")),
                             [](Graph& g, Node, const Match&) { return g.constant(0); }}});
  Graph g;
  const Node a = g.constant(1), b = g.constant(2);
  EXPECT_EQ(rewrite(g, g.make(Op::SUB, {a, a}), same), g.constant(0));
  EXPECT_EQ(rewrite(g, g.make(Op::SUB, {a, b}), same), g.make(Op::SUB, {a, b}));
}

TEST(Rewrite, rulesThatUndoEachOtherAreAnError) {
  const Rules cycle("cycle", {{"to MAX", node(Op::ADD, any("a"), any("b")),
                               [](Graph& g, Node, const Match& m) { return g.make(Op::MAX, {m["a"], m["b"]}); }},
                              {"to ADD", node(Op::MAX, any("a"), any("b")),
                               [](Graph& g, Node, const Match& m) { return g.make(Op::ADD, {m["a"], m["b"]}); }}});
  Graph g;
  const Node root = g.make(Op::ADD, {g.constant(1), g.constant(2)});
  const std::string error = error_of([&] { rewrite(g, root, cycle); });
  EXPECT_NE(error.find("cycle does not come to an end: rule to MAX keeps changing ADD (weakint"), std::string::npos)
      << error;
}

TEST(Rewrite, aRuleThatGrowsForeverIsAnError) {
  const Rules grow("grow", {{"more", node(Op::CONST),
                             [](Graph& g, Node c, const Match&) { return g.constant(*c->arg.integer + 1); }}});
  Graph g;
  const std::string error = error_of([&] { rewrite(g, g.constant(1), grow); });
  EXPECT_NE(error.find("grow does not come to an end: rule more keeps changing CONST"), std::string::npos) << error;
  const Rules wrap("wrap",
                   {{"neg", node(Op::CONST), [](Graph& g, Node c, const Match&) { return g.make(Op::NEG, {c}); }}});
  EXPECT_NE(error_of([&] { rewrite(g, g.constant(1), wrap); }), "");
}

TEST(Rewrite, anErrorInARuleNamesTheRuleAndTheNode) {
  const Rules bad("pass",
                  {{"broken", node(Op::NEG), [](Graph& g, Node n, const Match&) { return g.make(Op::ADD, {n}); }}});
  Graph g;
  const Node root = g.make(Op::NEG, {g.constant(1)});
  try {
    rewrite(g, root, bad);
    FAIL();
  } catch (const RuleError& e) {
    EXPECT_EQ(e.node, root);
    EXPECT_NE(std::string(e.what()).find("(Rule broken of pass.)"), std::string::npos);
  }
}

}  // namespace
}  // namespace weft::ir
