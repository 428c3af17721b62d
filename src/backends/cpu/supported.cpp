#include "backends/cpu/supported.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ir/derive.hpp"
#include "ir/schedule.hpp"

namespace weft::cpu {

using ir::Node;
using ir::Op;

namespace {

bool taken(Scalar s) {
  switch (s) {
    case Scalar::void_:
    case Scalar::boolean:
    case Scalar::int32:
    case Scalar::uint32:
    case Scalar::int64:
    case Scalar::uint64:
    case Scalar::float32:
    case Scalar::float64: return true;
    default: return false;
  }
}

bool taken(Op op) {
  switch (op) {
    case Op::SPECIAL:
    case Op::STACK:
    case Op::SHRINK:
    case Op::SINK:
    case Op::BARRIER:
    case Op::BUFFER: return false;
    default: return true;
  }
}

std::uint64_t cost_of(Node block, const ir::Schedule& schedule) {
  std::uint64_t sum = 0;
  for (Node n : schedule.blocks.at(block)) {
    std::uint64_t inner = 1;
    for (Node s : n->src())
      if (s->is(Op::BLOCK)) inner += cost_of(s, schedule);
    // How often a loop turns is rarely known; 16 keeps a piece short enough for any.
    const auto turns = n->is(Op::LOOP) ? ir::int_value((*(*n)[0])[0]).value_or(16) : n->is(Op::WHILE) ? 16 : 1;
    sum += inner * static_cast<std::uint64_t>(std::clamp<std::int64_t>(turns, 1, 1 << 20));
    if (sum > (std::uint64_t{1} << 40)) return sum;
  }
  return sum;
}

}  // namespace

std::optional<std::string> unsupported(const trace::Program& program) {
  for (Node n : ir::topological(program.root)) {
    if (n->is(Op::CONST)) continue;  // the cast over it has the type
    if (!taken(n->dtype.scalar))
      return fmt::format("it computes with {}, which the cpu tier does not have", ir::to_string(n->dtype));
    if (!taken(n->op)) return fmt::format("it holds {}, which the cpu tier does not render", name(n->op));
  }
  return std::nullopt;
}

std::uint64_t cost(const trace::Program& program) {
  const ir::Schedule schedule = ir::schedule(program.root);
  return std::max<std::uint64_t>(1, cost_of((*program.root)[1], schedule));
}

}  // namespace weft::cpu
