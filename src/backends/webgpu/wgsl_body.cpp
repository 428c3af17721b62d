#include "wgsl_body.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "wgsl_fold.hpp"
#include "wgsl_ops.hpp"
#include "wgsl_value.hpp"

namespace weft::webgpu {
namespace {

using ir::Op;

std::string zero_of(DType t) { return fmt::format("{}()", type_name(t)); }

/// Operations whose compile-time form WGSL refuses for some operands (overflow, division by 0, shifts past the width).
bool has_const_errors(Op op) {
  switch (op) {
    case Op::VECTOR:
    case Op::EXTRACT:
    case Op::WHERE:
    case Op::FENCE: return false;
    default: return true;
  }
}

}  // namespace

BodyWriter::BodyWriter(const trace::Program& program, std::string leave)
    : program_(program), schedule_(ir::schedule(program.root)), leave_(std::move(leave)) {}

std::string BodyWriter::write(const std::string& number, int indent) {
  indent_ = static_cast<std::size_t>(indent);
  declare(number);
  open_.push_back({(*program_.root)[1], nullptr});
  while (!open_.empty()) {
    Open& top = open_.back();
    const auto& nodes = schedule_.blocks[top.block];
    if (top.next < nodes.size()) {
      statement(nodes[top.next++]);
      continue;
    }
    const char* close = top.close;
    open_.pop_back();
    if (close) close_block(close);
  }
  return std::move(out_);
}

std::string BodyWriter::local(ir::Node n) const { return fmt::format("l{}", n->arg.number); }

void BodyWriter::declare(const std::string& number) {
  const ir::Node range = (*program_.root)[0];
  names_[range] = "i";
  line(fmt::format("let i = {};", range->dtype.scalar == Scalar::uint32
                                      ? number
                                      : fmt::format("{}({})", type_name(range->dtype), number)));
  std::vector<ir::Node> locals;
  for (ir::Node n : ir::topological(program_.root)) {
    if (n->is(Op::LOCAL)) locals.push_back(n);
    // The end of the GRID's range is a use that the body does not see.
    if (n->is(Op::PARAM) && n->arg.storage->space == ir::Space::alu &&
        schedule_.uses[n] > (n == (*range)[0] ? 1u : 0u)) {
      const std::uint32_t slot = n->arg.storage->slot;
      if (slot >= program_.uniforms.size())
        throw ir::ConstructError(fmt::format("a scalar has no place among the {} uniforms", program_.uniforms.size()));
      names_[n] = fmt::format("s{}", slot);  // not u: the 32nd would be named u32
      line(fmt::format("let s{} = {};", slot, uniform(program_.uniforms[slot])));
    }
  }
  for (ir::Node n : locals) {
    const auto folds = program_.root->src().subspan(2);
    if (std::find(folds.begin(), folds.end(), n) == folds.end()) {
      line(fmt::format("var {}: {};", local(n), type_name(n->dtype)));
      continue;
    }
    const std::size_t f = static_cast<std::size_t>(std::find(folds.begin(), folds.end(), n) - folds.begin());
    const std::string identity = spell(n->dtype.scalar, identity_bits(program_.folds[f].op, n->dtype.scalar));
    line(fmt::format("var {} = {}({});", local(n), type_name(n->dtype), identity));
  }
}

std::string BodyWriter::uniform(const trace::Uniform& u) const {
  const auto word = [&](std::size_t lane) {
    const std::size_t w = u.offset / 4 + lane;
    return from_bits(u.dtype.scalar, fmt::format("u[{}].{}", w / 4, "xyzw"[w % 4]));
  };
  if (u.dtype.lanes == 1) return word(0);
  std::string lanes;
  for (std::size_t i = 0; i < u.dtype.lanes; ++i) lanes += (i ? ", " : "") + word(i);
  return fmt::format("{}({})", type_name(u.dtype), lanes);
}

void BodyWriter::line(std::string_view text) {
  out_.append(2 * indent_, ' ');
  out_.append(text);
  out_ += '\n';
}

void BodyWriter::open_block(std::string_view head, Open block) {
  line(head);
  ++indent_;
  open_.push_back(block);
}

void BodyWriter::close_block(std::string_view tail) {
  --indent_;
  line(tail);
  if (tail.back() == '{') ++indent_;
}

std::string BodyWriter::let(const std::string& text) {
  std::string name = fmt::format("v{}", next_value_++);
  line(fmt::format("let {} = {};", name, text));
  return name;
}

std::string BodyWriter::operand(ir::Node n) {
  if (ir::is_literal(n)) return spell(n);
  if (auto found = names_.find(n); found != names_.end()) return found->second;
  throw ir::ConstructError(fmt::format("{} has no value where it is used", ir::name(n->op)));
}

void BodyWriter::statement(ir::Node n) {
  switch (n->op) {
    case Op::LOAD: return load(n);
    case Op::STORE: return store(n);
    case Op::BLOCK: return open_block("{", {n, "}"});
    case Op::IF: {
      const bool has_else = n->count == 3 && (*n)[2]->count != 0;
      if (has_else) open_.push_back({(*n)[2], "}"});
      return open_block(fmt::format("if ({}) {{", operand((*n)[0])), {(*n)[1], has_else ? "} else {" : "}"});
    }
    case Op::LOOP: {
      const ir::Node range = (*n)[0];
      const std::string name = fmt::format("r{}", range->arg.number);
      const std::string type = type_name(range->dtype);
      const std::string end = operand((*range)[0]);
      names_[range] = name;
      return open_block(fmt::format("for (var {0}: {1} = {1}(0); {0} < {2}; {0} = {0} + {1}(1)) {{", name, type, end),
                        {(*n)[1], "}", true});
    }
    case Op::WHILE: return open_block("loop {", {(*n)[0], "}", true});
    case Op::BREAK_IF: return line(fmt::format("if ({}) {{ break; }}", operand((*n)[0])));
    case Op::CONTINUE_IF: {
      // Of the innermost loop that is open here; of the GRID itself where there is none.
      const bool inner = std::any_of(open_.begin(), open_.end(), [](const Open& o) { return o.loop; });
      return line(fmt::format("if ({}) {{ {} }}", operand((*n)[0]), inner ? "continue;" : leave_));
    }
    case Op::BARRIER: return line("workgroupBarrier();");
    default: return value(n);
  }
}

void BodyWriter::value(ir::Node n) {
  std::vector<std::string> operands;
  bool all_literal = n->count > 0;
  for (ir::Node s : n->src()) {
    operands.push_back(operand(s));
    all_literal = all_literal && ir::is_literal(s);
  }
  if (has_const_errors(n->op)) {
    if (all_literal) operands[0] = let(operands[0]);
    const bool divides = n->is(Op::CDIV) || n->is(Op::CMOD) || n->is(Op::SHL) || n->is(Op::SHR);
    if (divides && ir::is_literal((*n)[1])) operands[1] = let(operands[1]);
  }
  const auto text = spell_operation(n, operands);
  if (!text) throw ir::ConstructError(fmt::format("{} has no form in WGSL", ir::name(n->op)));
  names_[n] = let(*text);
}

void BodyWriter::load(ir::Node n) {
  const ir::Node place = (*n)[0];
  if (place->is(Op::LOCAL)) {
    names_[n] = let(local(place));
    return;
  }
  const std::uint32_t slot = (*place)[0]->arg.storage->slot;
  const DType type = n->dtype;
  std::string index = operand((*place)[1]);
  std::string gate;
  if (n->count > 1) {
    gate = operand((*n)[1]);
    // Element 0 is always there (the smallest binding holds one), so nothing is read out of bounds.
    const std::string first = (*place)[1]->dtype.scalar == Scalar::uint32 ? "0u" : "0i";
    index = let(fmt::format("select({}, {}, {})", first, index, gate));
  }
  std::string text;
  if (type.lanes == 3) {
    index = let(fmt::format("u32({}) * 3u", index));
    text = fmt::format("{0}(b{1}[{2}], b{1}[{2} + 1u], b{1}[{2} + 2u])", type_name(type), slot, index);
  } else {
    text = fmt::format("b{}[{}]", slot, index);
  }
  if (type.is_bool()) text = from_bits(Scalar::boolean, text);
  names_[n] = let(gate.empty() ? text : fmt::format("select({}, {}, {})", zero_of(type), text, gate));
}

void BodyWriter::store(ir::Node n) {
  const ir::Node place = (*n)[0];
  std::string stored = operand((*n)[1]);
  std::string text;
  if (place->is(Op::LOCAL)) {
    text = fmt::format("{} = {};", local(place), stored);
  } else {
    const std::uint32_t slot = (*place)[0]->arg.storage->slot;
    const std::string index = operand((*place)[1]);
    const DType type = (*n)[1]->dtype;
    if (type.is_bool()) stored = to_bits(Scalar::boolean, stored);
    if (type.lanes == 3)
      for (int i = 0; i < 3; ++i)
        text += fmt::format("{}b{}[u32({}) * 3u + {}u] = {}.{};", i ? " " : "", slot, index, i, stored, "xyz"[i]);
    else text = fmt::format("b{}[{}] = {};", slot, index, stored);
  }
  line(n->count > 2 ? fmt::format("if ({}) {{ {} }}", operand((*n)[2]), text) : text);
}

}  // namespace weft::webgpu
