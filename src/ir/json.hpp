// The JSON form of exchange graphs (spec weak.md, WEAK-TOOL-02): a list of {"id","op","dtype","src","arg"?} in topological
// order, the last one the root. Kernel ops and vectors have no JSON form and are refused by name (WEAK-TOOL-05).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ir/graph.hpp"

namespace weft::ir {

/// Input that is no graph: the message starts with where ("line 3, column 7: ...", "node 5: ...").
struct FormatError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The root of the graph that a JSON text describes. Throws FormatError for what is no graph, and ConstructError (with the
/// id of the node) for a node that cannot be built.
Node parse_json(Graph&, std::string_view text);

struct JsonInput {
  std::unique_ptr<Graph> graph;
  Node root = nullptr;
};
/// The same from a list, or from an object {"input": list, "default_float"?}, whose default float wins.
JsonInput parse_json_input(std::string_view text, Scalar default_float);

/// One line. With a graph, the bounds of each node that has a value are added, as "bounds": [lo, hi].
std::string print_json(Node root, Graph* with_bounds = nullptr);
/// An error as the tool prints it: {"error": kind, "node", "message"}.
std::string print_json_error(std::string_view kind, std::optional<std::int64_t> node, std::string_view message);

}  // namespace weft::ir
