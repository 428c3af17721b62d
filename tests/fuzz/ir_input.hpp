// What `weft ir` must bear: any bytes are a graph, or an error of one of the three kinds that say where. What is a graph
// prints and parses back to itself, and each pass changes nothing in its own output.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "ir/bounds.hpp"
#include "ir/json.hpp"
#include "ir/passes.hpp"
#include "ir/text.hpp"

namespace weft::ir {

inline void require(bool holds, const char* what, const std::string& graph) {
  if (holds) return;
  std::fprintf(stderr, "%s:\n%s\n", what, graph.c_str());
  std::abort();
}

inline void try_printed_forms(Graph& g, Node root) {
  const std::string text = print(root);
  Graph again(g.default_float());
  require(print(parse(again, text)) == text, "the text form does not come back", text);
  try {
    const std::string json = print_json(root);
    Graph other(g.default_float());
    require(print_json(parse_json(other, json)) == json, "the JSON form does not come back", json);
  } catch (const FormatError& e) {  // a kernel op has no JSON form
    require(std::string_view(e.what()).find("has no JSON form") != std::string_view::npos, e.what(), text);
  }
  print_dot(root);
}

inline void try_passes(Graph& g, Node root) {
  for (auto pass : {commit_weak, lower_weak, cast_const}) {
    const Node before = root;
    root = pass(g, root, {});
    require(pass(g, root, {}) == root, "a pass is not idempotent", print(before));
    try_printed_forms(g, root);
  }
}

/// Returns when all is well; anything else is an exception of another kind, or the end of the process.
inline void try_ir_input(std::string_view bytes) {
  const std::size_t first = bytes.find_first_not_of(" \t\r\n");
  const bool json = first != std::string_view::npos && (bytes[first] == '[' || bytes[first] == '{');
  JsonInput input;
  try {
    if (json) {
      input = parse_json_input(bytes, Scalar::float32);
    } else {
      input.graph = std::make_unique<Graph>();
      input.root = parse(*input.graph, bytes);
    }
  } catch (const ConstructError&) { return; } catch (const FormatError&) {
    return;
  }
  Graph& g = *input.graph;
  try_printed_forms(g, input.root);
  try {
    print_with_bounds(g, input.root);
    try_passes(g, input.root);
    print_with_bounds(g, input.root);
  } catch (const RuleError& e) {
    if (e.node) print_node(e.node);
  } catch (const ConstructError&) {}
}

}  // namespace weft::ir
