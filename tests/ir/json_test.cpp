// WEAK-TOOL-02: the exchange form.
#include "ir/json.hpp"

#include <gtest/gtest.h>

#include "pass_text.hpp"

namespace weft::ir {
namespace {

std::string json_error(std::string_view text) {
  Graph g;
  return error_of([&] { parse_json(g, text); });
}

TEST(JsonForm, roundTrips) {
  const std::string_view text =
      R"([{"id": 0, "op": "PARAM", "dtype": "float32", "src": [], "arg": {"slot": -1, "dtype": "float32", "vmin": "f:0x0.0p+0", "vmax": "f:0x1.4000000000000p+3", "name": "b", "addrspace": "ALU"}}, )"
      R"({"id": 1, "op": "CONST", "dtype": "weakint", "src": [], "arg": "i:123456789012345678901234567890"}, )"
      R"({"id": 2, "op": "RANGE", "dtype": "weakint", "src": [1], "arg": {"axis": 3}}, )"
      R"({"id": 3, "op": "CONST", "dtype": "weakfloat", "src": [], "arg": "f:-inf"}, )"
      R"({"id": 4, "op": "MULACC", "dtype": "float32", "src": [0, 2, 3]}, )"
      R"({"id": 5, "op": "BITCAST", "dtype": "uint32", "src": [4], "arg": "uint32"}, )"
      R"({"id": 6, "op": "SPECIAL", "dtype": "weakint", "src": [1], "arg": "gidx0"}, )"
      R"({"id": 7, "op": "BUFFER", "dtype": "uint8", "src": [], "arg": {"slot": 4, "dtype": "uint8", "size": 12}}, )"
      R"({"id": 8, "op": "CONST", "dtype": "bool", "src": [], "arg": "invalid"}, )"
      R"({"id": 9, "op": "STACK", "dtype": "uint32", "src": [5, 6, 7, 8]}])";
  Graph g;
  EXPECT_EQ(print_json(parse_json(g, text)), text);
}

TEST(JsonForm, addsBounds) {  // WEAK-TOOL-03
  Graph g;
  const Node root = parse_json(
      g,
      R"([{"id":5,"op":"CONST","dtype":"bool","src":[],"arg":"b:1"},{"id":6,"op":"SINK","dtype":"void","src":[5]}])");
  EXPECT_EQ(
      print_json(root, &g),
      R"([{"id": 0, "op": "CONST", "dtype": "bool", "src": [], "arg": "b:1", "bounds": ["b:1", "b:1"]}, {"id": 1, "op": "SINK", "dtype": "void", "src": [0]}])");
}

TEST(JsonForm, refusesKernelOpsByName) {  // WEAK-TOOL-05
  EXPECT_EQ(json_error(R"([{"id":0,"op":"BLOCK","dtype":"void","src":[]}])"),
            "node 0: BLOCK is a kernel op, which has no JSON form.");
  Graph g;
  const Node floor = parse(g, "%0 = PARAM float32 slot=0\n%1 = FLOOR float32 %0");
  EXPECT_EQ(error_of([&] { print_json(floor); }), "FLOOR is a kernel op, which has no JSON form.");
  const Node vector = parse(g, "%0 = PARAM float32x4 slot=0");
  EXPECT_EQ(error_of([&] { print_json(vector); }), "PARAM has the vector type float32x4, which has no JSON form.");
}

TEST(JsonForm, saysWhatIsWrongAndWhere) {
  EXPECT_EQ(
      json_error("[{\"id\": 0,\n \"op\" \"CONST\"}]"),
      "line 2, column 13: The text is no JSON: syntax error while parsing object separator - unexpected string literal; expected ':'.");
  EXPECT_NE(json_error("[{\"id\": 0").find("line 1, column "), std::string::npos);
  EXPECT_EQ(json_error("[]"), "line 1, column 1: The list of nodes is empty, and its last node would be the root.");
  EXPECT_EQ(json_error("{}"), "line 1, column 1: A graph is a list of nodes, and object is given.");
  EXPECT_EQ(json_error(R"([{"id":7,"op":"FROB","dtype":"void","src":[]}])"), "node 7: \"FROB\" is no op.");
  EXPECT_EQ(
      json_error(R"([{"id":7,"op":"NEG","dtype":"void","src":[8]},{"id":8,"op":"SINK","dtype":"void","src":[]}])"),
      "node 7: The source 8 is no earlier node.");
  EXPECT_EQ(
      json_error(R"([{"id":7,"op":"SINK","dtype":"void","src":[]},{"id":7,"op":"SINK","dtype":"void","src":[]}])"),
      "node 7: The id is given twice.");
  EXPECT_EQ(json_error(R"([{"id":7,"op":"CONST","dtype":"int32","src":[],"arg":"i:1"}])"),
            "node 7: CONST is stated as int32 and derives weakint.");
  EXPECT_EQ(json_error(R"([{"id":7,"op":"CONST","dtype":"weakint","src":[],"arg":"i:1.5"}])"),
            "node 7: \"i:1.5\" is no value: i:<decimal>, f:<hex float>, b:0, b:1 or invalid is expected.");
  EXPECT_EQ(json_error(R"([{"op":"SINK","dtype":"void","src":[]}])"),
            "node at position 0: The field \"id\" is missing.");
  EXPECT_EQ(json_error(std::string(100'000, '[')), "line 1, column 65: Brackets are nested deeper than 64 levels.");
  EXPECT_EQ(json_error("\x80").find("line 1, column 1: "), 0u);
}

TEST(JsonForm, anObjectMayNameTheDefaultFloat) {  // WEAK-TOOL-03
  const JsonInput in = parse_json_input(
      R"({"input": [{"id":0,"op":"CONST","dtype":"weakfloat","src":[],"arg":"f:0x1p+0"}], "default_float": "float64", "more": 1})",
      Scalar::float32);
  EXPECT_EQ(in.graph->default_float(), Scalar::float64);
  EXPECT_EQ(in.root->dtype, Scalar::weakfloat);
  EXPECT_NE(error_of([] { parse_json_input(R"({"input": [], "default_float": "int32"})", Scalar::float32); }), "");
}

}  // namespace
}  // namespace weft::ir
