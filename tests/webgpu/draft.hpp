// Programs built by hand, as the lowering would give them: committed types, gates explicit, literals CAST over CONST.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ir/scalar_name.hpp"
#include "kernel/lower.hpp"

namespace weft::webgpu::test {

using ir::Node;
using ir::Op;

class Draft {
 public:
  explicit Draft(std::string label, Scalar counter = Scalar::int32);

  ir::Graph g;
  Node i;  // the number of the iteration

  Node array(DType, bool written, const std::string& name = "a");
  Node scalar(DType, const std::string& name = "s");
  Node local(DType);
  Node fold(Op, DType);  // a LOCAL that starts at the identity

  Node f(double v) { return g.cast(g.constant(v), Scalar::float32); }
  Node n(std::int64_t v) { return g.cast(g.constant(v), Scalar::int32); }
  Node u(std::int64_t v) { return g.cast(g.constant(v), Scalar::uint32); }
  Node bits(std::uint32_t b);  // a float literal by its bits

  Node op(Op o, std::initializer_list<Node> src) { return g.make(o, src); }
  Node add(Node a, Node b) { return g.make(Op::ADD, {a, b}); }
  Node mul(Node a, Node b) { return g.make(Op::MUL, {a, b}); }
  Node fence(Node a) { return g.make(Op::FENCE, {a}); }
  Node less(Node a, Node b) { return g.make(Op::CMPLT, {a, b}); }
  Node extract(Node v, int lane) { return g.make(Op::EXTRACT, {v}, ir::Graph::number(lane)); }

  // Statements, appended to the open block.
  Node load(Node array_or_local, Node index = nullptr, Node gate = nullptr);
  void store(Node array_or_local, Node index, Node value, Node gate = nullptr);
  void set(Node local, Node value) { store(local, nullptr, value); }
  void continue_if(Node condition) { effect(Op::CONTINUE_IF, {condition}); }
  void break_if(Node condition) { effect(Op::BREAK_IF, {condition}); }
  template <class Then> void if_(Node condition, Then then) {
    begin();
    then();
    Node block = end();
    effect(Op::IF, {condition, block});
  }
  template <class Then, class Else> void if_(Node condition, Then then, Else otherwise) {
    begin();
    then();
    Node yes = end();
    begin();
    otherwise();
    Node no = end();
    effect(Op::IF, {condition, yes, no});
  }
  template <class Body> void for_(Node count, Body body) {
    Node range = g.range(count, g.next_number());
    begin();
    body(range);
    Node block = end();
    effect(Op::LOOP, {range, block});
  }
  template <class Body> void while_(Body body) {
    begin();
    body();
    Node block = end();
    effect(Op::WHILE, {block});
  }

  /// The program; the draft is empty afterwards.
  std::shared_ptr<trace::Program> finish(std::uint32_t workgroup = 64);

 private:
  void begin() { blocks_.emplace_back(); }
  Node end();
  Node effect(Op, std::initializer_list<Node>);

  trace::Program p_;
  Node range_;
  std::vector<Node> fold_locals_;
  std::vector<std::vector<Node>> blocks_;
};

}  // namespace weft::webgpu::test
