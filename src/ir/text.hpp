// The text form of graphs (spec weak.md, WEAK-TOOL-01): one node a line in topological order, the last one the root.
//
//   %0 = PARAM int32 slot=0 space=alu min=0 max=10 name="x"
//   %1 = CONST weakint 3
//   %2 = ADD int32 %0 %1
//   %3 = CAST int64 %2                     # a comment ends the line
//
// Literals are exact: decimal integers of any size, hexadecimal floats, inf, nan, true, false, invalid. A CAST's type is its
// argument; every other type is derived, and the text must state what it derives. Kernel ops have the same form. print and
// parse are each other's inverse.
#pragma once

#include <string>
#include <string_view>

#include "ir/graph.hpp"
#include "ir/json.hpp"  // FormatError

namespace weft::ir {

std::string print(Node root);
inline std::string print(const Graph&, Node root) { return print(root); }
/// With the bounds of each node that has a value, in a comment.
std::string print_with_bounds(Graph&, Node root);
/// One node, its operands by their ids in the graph; for traces and messages.
std::string print_node(Node);

/// Throws FormatError, or ConstructError for a node that cannot be built; both messages start with line and column.
Node parse(Graph&, std::string_view text);

/// The graph in the dot language of Graphviz.
std::string print_dot(Node root);

}  // namespace weft::ir
