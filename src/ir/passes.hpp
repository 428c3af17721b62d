// The passes over a graph, in the order in which a compile runs them (spec weak.md). Each takes a root in a graph and
// gives the root after the pass, in the same graph; none recurses, all are linear in nodes.
#pragma once

#include <optional>
#include <string>

#include "ir/graph.hpp"

namespace weft::ir {

Node commit_weak(Graph&, Node root);  // widths from peers, stores and casts (WEAK-COM)
Node lower_weak(Graph&, Node root);   // default widths for the rest (WEAK-LOW)
Node cast_const(Graph&, Node root);   // the spelling of literals (WEAK-CST)

/// What must hold after a stage (WEAK-DRV-02): a sentence about the first node where it does not, or nothing.
enum class Stage : std::uint8_t { built, committed, lowered, spelled };
std::optional<std::string> verify(const Graph&, Node root, Stage);

}  // namespace weft::ir
