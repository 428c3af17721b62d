// The text of a mapping (MAP-SYN-07): what parses back to the same tree, with the fewest brackets.
#pragma once

#include <weft/detail/mapping_value.hpp>

namespace weft::detail {

/// Prints the subtree at `root` piece by piece: sink << string_view, number or Name.
template <class Sink> constexpr void print_mapping(const Mapping& m, std::size_t root, Sink& sink) {
  const auto operand = [&](std::size_t n) {
    const bool brackets = m.node(n).op == MappingOp::pair;
    if (brackets) sink << "[";
    print_mapping(m, n, sink);
    if (brackets) sink << "]";
  };
  for (;;) {
    const MappingNode& n = m.node(root);
    switch (n.op) {
      case MappingOp::none: return;
      case MappingOp::axis: sink << n.name; return;
      case MappingOp::broadcast: sink << n.number; return;
      case MappingOp::pair:
        operand(n.left);
        sink << ", ";
        root = n.right;
        continue;
      default: break;
    }
    operand(n.left);
    switch (n.op) {
      case MappingOp::stride: sink << " / "; break;
      case MappingOp::modulo: sink << " % "; break;
      case MappingOp::resize: sink << " = "; break;
      default: sink << (n.kind == PaddingKind::Top ? " # " : n.kind == PaddingKind::Zero ? " #{0} " : " #{!} "); break;
    }
    sink << n.number;
    return;
  }
}

}  // namespace weft::detail
