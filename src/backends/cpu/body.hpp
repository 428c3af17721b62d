// The loop of a program: its statements, one iteration after the other, as plain scalar code that a vectoriser takes.
#pragma once

#include <unordered_map>
#include <vector>

#include "backends/cpu/expressions.hpp"
#include "backends/cpu/object.hpp"
#include "backends/cpu/split.hpp"
#include "ir/schedule.hpp"

namespace weft::cpu {

class Body {
 public:
  /// The function's parameters are begin, end, base, uniforms, the slots, the folds; its entry block is empty.
  Body(const trace::Program&, const Split&, Variant, unsigned vector_bits, llvm::Function&);
  void emit();

 private:
  // body_flow.cpp
  void block(ir::Node);
  void statement(ir::Node);
  void branch(ir::Node);
  void loop(ir::Node);
  void unrolled(ir::Node, std::int64_t turns);
  void endless(ir::Node);
  void leave_if(ir::Node condition, llvm::BasicBlock* to);
  std::int64_t turns_to_unroll(ir::Node) const;
  llvm::BasicBlock* new_block(const char* name);
  void begin_iteration();
  void end_iteration();

  // body_memory.cpp
  void make_locals();
  void share_indices();
  void load(ir::Node);
  void store(ir::Node);
  void atomic(ir::Node);
  llvm::Value* gate(ir::Node access, std::size_t position);  // null: open
  llvm::Value* element(ir::Node place, std::size_t lane);
  llvm::Value* position(ir::Node index);

  struct Targets {
    llvm::BasicBlock *leave, *next;
  };  // of BREAK_IF and CONTINUE_IF

  const trace::Program& program_;
  const Split& split_;
  const Variant variant_;
  const unsigned vector_bits_;
  llvm::Function& f_;
  Expressions values_;
  llvm::IRBuilder<>& b_;
  const ir::Schedule schedule_;
  std::vector<ir::Node> local_order_;
  std::unordered_map<ir::Node, Lanes> locals_;                   // their places on the stack
  std::unordered_map<ir::Node, llvm::Value*> counters_;          // RANGE -> 64 bits
  std::unordered_map<const Linear*, llvm::Value*> shared_part_;  // of an affine index: what all iterations share
  std::vector<Targets> targets_;
  std::int64_t budget_;  // of operations that unrolling may add
  bool inner_loops_ = false;
};

}  // namespace weft::cpu
