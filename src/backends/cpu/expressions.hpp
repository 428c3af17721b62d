// Pure values as LLVM IR, in one function. A vector of the IR is as many values as it has lanes, so that the vectoriser
// sees plain loops over scalars. Several iterations may be computed at once: then each value is an LLVM vector of them.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/IRBuilder.h>

#include <unordered_map>
#include <unordered_set>

#include "kernel/lower.hpp"

namespace weft::cpu {

using Lanes = llvm::SmallVector<llvm::Value*, 4>;

class Expressions {
 public:
  /// Instructions go into `function`, whose entry block exists; uniforms are loaded there, at its end so far.
  Expressions(const trace::Program&, llvm::Function& function, llvm::Value* uniforms, unsigned iterations = 1);

  llvm::IRBuilder<>& builder() { return b_; }
  /// The value of a node: known, or spelled in place (a literal or a uniform).
  Lanes value(ir::Node);
  llvm::Value* scalar(ir::Node n) { return value(n)[0]; }
  void set(ir::Node n, Lanes v) { known_[n] = std::move(v); }
  bool known(ir::Node n) const { return known_.contains(n); }
  /// What is known now is known wherever an instruction may come.
  void share_known() {
    for (const auto& [n, v] : known_) shared_.insert(n);
  }
  bool shared(ir::Node n) const { return shared_.contains(n); }
  /// Emits a pure operation whose operands have values.
  void compute(ir::Node);
  /// Emits a pure value and what it needs, where these are not known yet.
  llvm::Value* compute_all(ir::Node);
  /// The exact integer as 64 bits.
  llvm::Value* widened(ir::Node);

 private:
  Lanes operation(ir::Node);
  Lanes literal(ir::Node);
  Lanes uniform(ir::Node);
  llvm::Value* lane(ir::Node, std::size_t k, Scalar as);
  llvm::Value* for_all(llvm::IRBuilder<>&, llvm::Value*) const;

  const unsigned iterations_;
  const trace::Program& program_;
  llvm::IRBuilder<> b_;
  llvm::BasicBlock* entry_;
  llvm::Value* uniforms_;
  std::unordered_map<ir::Node, Lanes> known_;
  std::unordered_set<ir::Node> shared_;
};

}  // namespace weft::cpu
