// The passes over a graph, in the order in which a compile runs them (spec weak.md). Each takes a root in a graph and
// gives the root after the pass, in the same graph; none recurses, all are linear in nodes.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "ir/graph.hpp"

namespace weft::ir {

/// Told of every rule that fires: the pass, the rule, the node before and after.
using Trace = std::function<void(std::string_view pass, std::string_view rule, Node before, Node after)>;

Node commit_weak(Graph&, Node root, const Trace& = {});  // widths from peers, stores and casts (WEAK-COM)
Node lower_weak(Graph&, Node root, const Trace& = {});   // default widths for the rest (WEAK-LOW)
Node cast_const(Graph&, Node root, const Trace& = {});   // the spelling of literals (WEAK-CST)

/// `u` with each source that is a weak constant converted to `dtype`; `u` itself where it is none (WEAK-NODE-05). For a
/// rewrite that builds a node from weak literals beside an operand whose type it knows.
Node commit_weak_consts(Graph&, Node u, std::optional<Scalar> dtype);
/// Whether a node of this op over these sources takes its type from committed sources alone: then a weak literal among
/// them may stay bare (WEAK-COM-03).
bool derives_committed(const Graph&, Op, std::span<const Node> src);

/// What must hold after a stage (WEAK-DRV-02): a sentence about the first node where it does not, or nothing.
enum class Stage : std::uint8_t { built, committed, lowered, spelled };
std::optional<std::string> verify(const Graph&, Node root, Stage);

}  // namespace weft::ir
