// Where each pure value of a structured program is computed: renderers and printers walk this and keep no rules of their
// own. A value is placed in the innermost block that contains all of its uses, before the first statement that needs it.
#pragma once

#include <unordered_map>
#include <vector>

#include "ir/graph.hpp"

namespace weft::ir {

/// For each BLOCK: pure values and effects (LOADs among them) in the order in which to emit them. Literals (CONST, and CAST
/// over CONST), PARAM, BUFFER, LOCAL, INDEX and the RANGE of an enclosing loop are not listed: they are spelled where they
/// are used. A value whose only use is one that may be spelled in place is still listed; `uses` lets a renderer inline it.
struct Schedule {
  std::unordered_map<Node, std::vector<Node>> blocks;
  std::unordered_map<Node, std::uint32_t> uses;
};

/// Throws ConstructError when a value stands in a block that does not enclose its use.
Schedule schedule(Node root);

}  // namespace weft::ir
