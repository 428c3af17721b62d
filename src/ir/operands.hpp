// A list of nodes to build a node from, without an allocation for the usual few.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "ir/graph.hpp"

namespace weft::ir {

class Operands {
 public:
  explicit Operands(std::span<const Node> nodes) : size_(nodes.size()) {
    if (size_ > few_.size()) many_.assign(nodes.begin(), nodes.end());
    else std::copy(nodes.begin(), nodes.end(), few_.begin());
  }
  Node* begin() { return size_ > few_.size() ? many_.data() : few_.data(); }
  Node* end() { return begin() + size_; }
  std::size_t size() const { return size_; }
  Node& operator[](std::size_t i) { return begin()[i]; }
  operator std::span<const Node>() { return {begin(), size_}; }

 private:
  std::size_t size_;
  std::array<Node, 4> few_{};
  std::vector<Node> many_;
};

}  // namespace weft::ir
