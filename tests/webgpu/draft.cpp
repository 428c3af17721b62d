#include "draft.hpp"

#include <atomic>

namespace weft::webgpu::test {

Draft::Draft(std::string label, Scalar counter) {
  p_.label = std::move(label);
  p_.uniforms.push_back({ir::Source::zero, 0, 0, Scalar::uint32, 0});
  p_.uniforms.push_back({ir::Source::trip, 0, 0, counter, 4});
  p_.uniform_bytes = 8;
  ir::Storage trip;
  trip.slot = 1;
  trip.dtype = counter;
  trip.space = ir::Space::alu;
  trip.source = ir::Source::trip;
  range_ = i = g.range(g.storage(Op::PARAM, trip), g.next_number());
  begin();
}

Node Draft::array(DType type, bool written, const std::string& name) {
  ir::Storage s;
  s.slot = static_cast<std::uint32_t>(p_.slots.size());
  s.dtype = type;
  s.space = ir::Space::global;
  s.source = ir::Source::array;
  s.index = s.slot;
  s.name = name;
  p_.slots.push_back({type, true, written, name});
  return g.storage(Op::PARAM, s);
}

Node Draft::scalar(DType type, const std::string& name) {
  ir::Storage s;
  s.slot = static_cast<std::uint32_t>(p_.uniforms.size());
  s.dtype = type;
  s.space = ir::Space::alu;
  s.source = ir::Source::scalar;
  s.index = s.slot;
  s.name = name;
  p_.uniforms.push_back({s.source, s.index, 0, type, p_.uniform_bytes});
  p_.uniform_bytes += static_cast<std::uint32_t>(type.bytes());
  return g.storage(Op::PARAM, s);
}

Node Draft::local(DType type) { return g.local(type, g.next_number()); }

Node Draft::fold(Op op, DType type) {
  p_.folds.push_back({op, type});
  fold_locals_.push_back(local(type));
  return fold_locals_.back();
}

Node Draft::bits(std::uint32_t b) {
  float value;
  static_assert(sizeof value == sizeof b);
  __builtin_memcpy(&value, &b, sizeof b);
  return f(value);
}

Node Draft::load(Node place, Node index, Node gate) {
  if (index) place = g.make(Op::INDEX, {place, index});
  return gate ? effect(Op::LOAD, {place, gate}) : effect(Op::LOAD, {place});
}

void Draft::store(Node place, Node index, Node value, Node gate) {
  if (index) place = g.make(Op::INDEX, {place, index});
  if (gate) effect(Op::STORE, {place, value, gate});
  else effect(Op::STORE, {place, value});
}

Node Draft::effect(Op op, std::initializer_list<Node> src) {
  Node made = g.make(op, src, ir::Graph::number(g.next_number()));
  blocks_.back().push_back(made);
  return made;
}

Node Draft::end() {
  Node block = g.make(Op::BLOCK, std::span<const Node>(blocks_.back()), ir::Graph::number(g.next_number()));
  blocks_.pop_back();
  return block;
}

std::shared_ptr<trace::Program> Draft::finish(std::uint32_t workgroup) {
  static std::atomic<int> made{0};
  std::vector<Node> grid{range_, end()};
  grid.insert(grid.end(), fold_locals_.begin(), fold_locals_.end());
  auto program = std::make_shared<trace::Program>(std::move(p_));
  program->root = g.make(Op::GRID, std::span<const Node>(grid), ir::Graph::number(g.next_number()));
  program->graph = std::move(g);
  program->workgroup = workgroup;
  program->key = "test " + std::to_string(made++);
  return program;
}

}  // namespace weft::webgpu::test
