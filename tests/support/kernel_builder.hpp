// Builds a traced kernel by hand: for tests of what comes after tracing, and for generators that want a graph, not C++.
// Blocks, access facts and reductions are as the tracer makes them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernel/core.hpp"

namespace weft::test {

class KernelBuilder {
 public:
  using Node = ir::Node;
  using Op = ir::Op;

  explicit KernelBuilder(std::string name);

  // Parameters, by number in the order of these calls.
  std::uint16_t array(std::string name, DType element, bool writable = true);
  std::uint16_t scalar(std::string name, DType);

  ir::Graph& graph() { return core_->graph; }
  Node make(Op op, std::initializer_list<Node> src) { return graph().make(op, src); }
  Node lit(std::int64_t v) { return graph().constant(v); }
  Node lit(int v) { return graph().constant(v); }
  Node lit(double v) { return graph().constant(v); }
  Node length(std::uint16_t array);
  Node value(std::uint16_t scalar);

  /// A top-level loop from 0 to `stop`, or as given.
  void loop(Node stop, const std::function<void(Node i)>& body);
  void loop(Node start, Node stop, Node step, const std::function<void(Node i)>& body);

  // In a loop's body.
  Node load(std::uint16_t array, Node index);
  void store(std::uint16_t array, Node index, Node value);
  void if_(Node condition, const std::function<void()>& then, const std::function<void()>& otherwise = {});
  void for_(Node count, const std::function<void(Node j)>& body);
  void while_(const std::function<void()>& body);
  void break_if(Node condition);
  void continue_if(Node condition);
  Node variable(Node initial, DType);  // a LOCAL
  Node read(Node variable);
  void assign(Node variable, Node value);

  /// A variable before the loops; `fold` in a loop makes it a reduction, and `result` returns it.
  Node reduction(DType, Node initial);
  void fold(Op, Node reduction, Node value);
  void result(Node reduction);

  trace::LoopFacts& facts() { return core_->facts.loops.back(); }
  std::shared_ptr<trace::KernelCore> finish();

 private:
  Node scalar_param(ir::Source, std::uint32_t index, DType, std::string name);
  Node statement(Op, std::initializer_list<Node>);
  void add(Node effect) { blocks_.back().push_back(effect); }
  Node block(const std::function<void()>& fill);
  void note(std::uint16_t array, Node index, bool write, std::int64_t number);
  trace::Affine affine(Node index) const;

  std::shared_ptr<trace::KernelCore> core_ = std::make_shared<trace::KernelCore>();
  std::vector<std::vector<Node>> blocks_;
  Node counter_ = nullptr;
  int conditional_ = 0;  // inside If, For, While, or after a continue_if
};

}  // namespace weft::test
