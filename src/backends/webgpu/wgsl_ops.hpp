// How WGSL spells one pure operation, given the texts of its operands.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "ir/graph.hpp"

namespace weft::webgpu {

/// Nothing for an operation that has no form here. The operands are names or literals, so they need no parentheses.
std::optional<std::string> spell_operation(ir::Node, std::span<const std::string> operands);

/// Why the webgpu tier does not render an operation, as a clause ("it uses an atomic operation"); empty when it does.
std::string refuses_operation(ir::Op);

}  // namespace weft::webgpu
