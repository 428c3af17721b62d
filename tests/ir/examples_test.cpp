// The worked examples of tests/data/weak: tables, graphs that cannot be built, and graphs after each stage with their bounds.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>

#include "evaluate.hpp"
#include "ir/bounds.hpp"
#include "ir/derive.hpp"
#include "ir/json.hpp"
#include "ir/literal.hpp"
#include "ir/value_text.hpp"
#include "pass_text.hpp"

namespace weft::ir {
namespace {

using Json = nlohmann::json;

const std::vector<Json>& examples() {
  static const std::vector<Json> all = [] {
    std::ifstream file(WEFT_SOURCE_DIR "/tests/data/weak/examples.jsonl");
    std::vector<Json> v;
    for (std::string line; std::getline(file, line);) v.push_back(Json::parse(line));
    return v;
  }();
  return all;
}

const Json& table(std::string_view name) {
  for (const Json& j : examples())
    if (j["kind"] == "table" && j["name"] == name) return j["rows"];
  throw std::runtime_error("no table " + std::string(name));
}

template <class F> void for_each_case(F f) {
  std::size_t cases = 0;
  for (const Json& j : examples())
    if (j["kind"] == "case") {
      SCOPED_TRACE(j["name"].get<std::string>());
      f(j, *parse_scalar(j["default_float"].get<std::string>()));
      ++cases;
    }
  EXPECT_GE(cases, 138u);
}

Scalar scalar(const Json& j) { return *parse_scalar(j.get<std::string>()); }
Integer integer(const Json& j) { return *Integer::parse(j.get<std::string>().substr(2)); }

Node value(Graph& g, const Json& j) {
  const auto text = j.get<std::string>();
  if (text == "invalid") return g.invalid();
  if (text[0] == 'b') return g.constant(text == "b:1");
  return text[0] == 'i' ? g.constant(integer(j)) : g.constant(*parse_float(text.substr(2)));
}

// A node of some type, which is not a literal.
Node some(Graph& g, Scalar s, std::uint32_t slot) {
  Storage st;
  st.slot = slot;
  st.dtype = s;
  st.space = Space::alu;
  return g.storage(Op::PARAM, st);
}

TEST(Examples, typesHaveTheirSizesAndLimits) {  // WEAK-TYPE-01, WEAK-TYPE-05
  EXPECT_EQ(table("dtypes").size(), scalar_count);
  for (const Json& r : table("dtypes")) {
    const Scalar s = scalar(r[0]);
    EXPECT_EQ(info(s).priority, r[1].get<int>()) << r;
    EXPECT_EQ(bit_size(s), r[2].get<int>()) << r;
    EXPECT_EQ(is_integer(s), r[3] == "int") << r;
    EXPECT_EQ(is_float(s), r[3] == "float") << r;
    EXPECT_EQ(is_unsigned(s), r[4].get<bool>()) << r;
    EXPECT_EQ(is_weak(s), r[5].get<bool>()) << r;
    if (!is_integer(s)) continue;
    EXPECT_EQ(limits(s).lo, integer(r[6])) << r;
    EXPECT_EQ(limits(s).hi, integer(r[7])) << r;
  }
}

TEST(Examples, leastUpperTypes) {  // WEAK-TYPE-02, WEAK-TYPE-03
  for (const Json& r : table("least_upper_pairs"))
    EXPECT_EQ(name(least_upper(scalar(r[0]), scalar(r[1]))), r[2].get<std::string>()) << r;
  for (const Json& r : table("least_upper_triples"))
    EXPECT_EQ(name(LeastUpper().add(scalar(r[0])).add(scalar(r[1])).add(scalar(r[2])).type()), r[3].get<std::string>())
        << r;
}

TEST(Examples, leastUpperFloats) {  // WEAK-TYPE-04
  for (const Json& r : table("least_upper_float"))
    EXPECT_EQ(name(least_upper_float(scalar(r[1]), scalar(r[0]))), r[2].get<std::string>()) << r;
}

TEST(Examples, constantsAtTypes) {  // WEAK-TYPE-06
  for (const Json& r : table("const")) {
    Graph g;
    if (r[2] == "error") {
      EXPECT_THROW(literal_at(g, value(g, r[1]), scalar(r[0])), ConstructError) << r;
    } else {
      EXPECT_EQ(literal_at(g, value(g, r[1]), scalar(r[0])), value(g, r[2])) << r;
    }
  }
}

TEST(Examples, derivedTypes) {  // WEAK-NODE-02
  std::size_t checked = 0;
  for (const Json& r : table("derived_dtype")) {
    Graph g;
    std::vector<Node> src;
    for (const Json& t : r[1]) src.push_back(some(g, scalar(t), static_cast<std::uint32_t>(src.size())));
    if (!parse_op(r[0].get<std::string>())) continue;  // an op of other libraries
    const Op op = *parse_op(r[0].get<std::string>());
    const DType target =
        r[2].is_string() && parse_dtype(r[2].get<std::string>()) ? *parse_dtype(r[2].get<std::string>()) : DType();
    if (r[3] == "error") {
      EXPECT_THROW(g.make(op, src, {}, target), ConstructError) << r;
    } else {
      EXPECT_EQ(to_string(g.make(op, src, {}, target)->dtype), r[3].get<std::string>()) << r;
    }
    ++checked;
  }
  EXPECT_GE(checked, 600u);
}

TEST(Examples, defaultIntegers) {  // WEAK-BND-04
  for (const Json& r : table("commit_int")) {
    const Bounds b = Bounds::of(integer(r[0]), integer(r[1]));
    if (r[3] == "error") {
      EXPECT_THROW(commit_integer(b, scalar(r[2])), RuleError) << r;
    } else {
      EXPECT_EQ(name(commit_integer(b, scalar(r[2]))), r[3].get<std::string>()) << r;
    }
  }
}

TEST(Examples, literalShiftCounts) {  // WEAK-COM-05
  for (const Json& r : table("shift_count_literal")) {
    Graph g;
    const Node x = some(g, scalar(r[0]), 0);
    const Node after = commit_weak(g, g.make(Op::SHL, {x, g.constant(integer(r[1]))}));
    EXPECT_EQ((*after)[1], g.constant(integer(r[2]))) << r;
  }
}

TEST(Examples, shiftCountExpressions) {  // WEAK-COM-05
  for (const Json& r : table("shift_count_expression")) {
    Graph g;
    Storage st;
    st.slot = 1;
    st.dtype = Scalar::weakint;
    st.space = Space::alu;
    st.vmin = integer(r[2]);
    st.vmax = integer(r[3]);
    const Scalar dt = scalar(r[0]);
    const Node n = g.storage(Op::PARAM, st), shift = g.make(Op::SHR, {some(g, dt, 0), n});
    if (r[4] == "error") {
      EXPECT_THROW(commit_weak(g, shift), RuleError) << r;
      continue;
    }
    const Node count = (*commit_weak(g, shift))[1];
    if (r[4] == "convert") { EXPECT_EQ(count, g.cast(n, dt)) << r; }
    if (r[4] == "width") { EXPECT_EQ(count, g.constant(r[1].get<int>())) << r; }
    if (r[4] == "saturate") {
      EXPECT_EQ(count->dtype, DType(dt)) << r;
      // The least of the count and the width, at the count's own default.
      const Scalar at = scalar(r[5]);
      EXPECT_EQ((*count)[0]->dtype, DType(at)) << r;
      for (const Json& end : {r[2], r[3]}) {
        const Integer c = integer(end);
        Evaluation e(g);
        e.set(n, c);
        EXPECT_EQ(e((*count)[0]).value(), std::min(c, Integer(r[1].get<int>()))) << r;
      }
    }
  }
}

TEST(Examples, whatCannotBeBuilt) {  // WEAK-NODE-06
  std::size_t seen = 0;
  for (const Json& j : examples()) {
    if (j["kind"] != "construct_error") continue;
    Graph g;
    try {
      parse_json(g, j["nodes"].dump());
      ADD_FAILURE() << j["name"];
    } catch (const ConstructError& e) { EXPECT_EQ(e.node, j["fails_at"].get<std::int64_t>()) << j["name"]; }
    ++seen;
  }
  EXPECT_EQ(seen, 9u);
}

void expect_stage(const Json& j, Scalar default_float, const char* stage, unsigned passes) {
  if (!j.contains(stage)) return;
  Graph g(default_float);
  const Node root = parse_json(g, j["input"].dump());
  if (j[stage].is_object()) {
    EXPECT_THROW(run_passes(g, root, passes), RuleError) << stage;
    return;
  }
  const Node result = run_passes(g, root, passes), expected = parse_json(g, j[stage].dump());
  EXPECT_EQ(result, expected) << stage << "\n" << print(result) << "where\n" << print(expected) << "is expected";
}

// WEAK-COM-01, WEAK-COM-02, WEAK-COM-03, WEAK-COM-04, WEAK-COM-06, WEAK-COM-07, WEAK-COM-08
TEST(Examples, afterCommit) {
  for_each_case([](const Json& j, Scalar f) { expect_stage(j, f, "commit", commit); });
}
// WEAK-LOW-01 to WEAK-LOW-08
TEST(Examples, afterLower) {
  for_each_case([](const Json& j, Scalar f) {
    expect_stage(j, f, "lower", commit | lower);
    expect_stage(j, f, "lower_only", lower);
  });
}
// WEAK-CST-01, WEAK-CST-02
TEST(Examples, afterCast) {
  for_each_case([](const Json& j, Scalar f) {
    expect_stage(j, f, "cast", every_pass);
    expect_stage(j, f, "cast_only", cast);
  });
}

bool is(const Json& j, const Bounds& b, bool high) {
  const auto text = j.get<std::string>();
  const double end = high ? b.high : b.low;
  if (text[0] == 'f') return b.real && *parse_float(text.substr(2)) == end;
  return b.real ? integer(j).to_double() == end : integer(j) == (high ? b.hi : b.lo);
}

// WEAK-BND-01, WEAK-BND-02, WEAK-BND-03
TEST(Examples, bounds) {
  std::size_t checked = 0;
  for_each_case([&](const Json& j, Scalar f) {
    Graph g(f);
    Json before = Json::array();
    for (const Json& n : j["input"]) {
      before.push_back(n);
      const Json soft = j.value("soft_bounds", Json::array());
      if (!n.contains("bounds") || std::find(soft.begin(), soft.end(), n["id"]) != soft.end()) continue;
      const Bounds& b = bounds(g, parse_json(g, before.dump()));
      EXPECT_TRUE(is(n["bounds"][0], b, false) && is(n["bounds"][1], b, true)) << n;
      ++checked;
    }
  });
  EXPECT_GE(checked, 700u);
}

// WEAK-DRV-03: the values that every stage keeps.
TEST(Examples, values) {
  std::size_t checked = 0;
  for_each_case([&](const Json& j, Scalar f) {
    if (!j.contains("eval")) return;
    for (unsigned passes : {0u, +commit, commit | lower, +every_pass}) {
      Graph g(f);
      const Node root = run_passes(g, parse_json(g, j["input"].dump()), passes);
      for (const Json& point : j["eval"]) {
        Evaluation e(g);
        for (const auto& [name, v] : point["env"].items())
          e.set(name, v.get<std::string>()[0] == 'b' ? Integer(v == "b:1" ? 1 : 0) : integer(v));
        std::vector<Node> roots(root->src().begin(), root->src().end());
        if (!root->is(Op::SINK)) roots = {root};
        std::size_t i = 0;
        for (Node r : roots) {
          const Node v = r->is(Op::STORE) ? (*r)[1] : r;
          if (i >= point["roots"].size()) break;
          const Json& expected = point["roots"][i++];
          if (!expected.is_string() || expected.get<std::string>()[0] == 'f') continue;
          const auto got = e(v);
          if (!got) continue;
          EXPECT_EQ(got->to_string(), integer(expected).to_string()) << "stage " << passes << " at " << point;
          ++checked;
        }
      }
    }
  });
  EXPECT_GE(checked, 300u);
}

}  // namespace
}  // namespace weft::ir
