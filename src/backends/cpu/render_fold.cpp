// The fold of blocks of 256 values (KER-RED-02), on vectors of 16 lanes whatever the host has: LLVM splits them. Strides
// 128 to 16 fold whole vectors with each other. Strides 8 to 1 would leave most lanes idle, so 16 blocks are folded
// together: of each pair of vectors the lower halves of every group go to one operand and the upper halves to the other,
// and after four such steps one vector holds the 16 results, in block order.
#include <numeric>

#include "backends/cpu/arithmetic.hpp"
#include "backends/cpu/render.hpp"

namespace weft::cpu {

using llvm::Value;
using Vectors = llvm::SmallVector<Value*, 16>;

namespace {

class Fold {
 public:
  Fold(ir::Op op, Scalar t, llvm::Module& module)
      : op_(op),
        t_(t),
        module_(module),
        b_(module.getContext()),
        element_(llvm_type(module.getContext(), t)),
        vector_(llvm::FixedVectorType::get(element_, 16)),
        alignment_(element_->getScalarSizeInBits() / 8) {}

  void one_block() {
    llvm::Function* f = function(fold_block_symbol);
    Value* v = block_to_vector(f->getArg(0));
    for (int stride : {8, 4, 2, 1}) {
      llvm::SmallVector<int, 16> upper(16, -1);  // lanes past the stride are never looked at again
      std::iota(upper.begin(), upper.begin() + stride, stride);
      v = step(v, b_.CreateShuffleVector(v, upper));
    }
    b_.CreateAlignedStore(b_.CreateExtractElement(v, std::uint64_t{0}), f->getArg(1), alignment_);
    b_.CreateRetVoid();
  }

  void four_blocks() {
    llvm::Function* f = function(fold_blocks_symbol);
    llvm::BasicBlock* entry = b_.GetInsertBlock();
    auto* turn = llvm::BasicBlock::Create(b_.getContext(), "turn", f);
    auto* done = llvm::BasicBlock::Create(b_.getContext(), "done", f);
    b_.CreateBr(turn);
    b_.SetInsertPoint(turn);
    auto* k = b_.CreatePHI(b_.getInt64Ty(), 2);
    k->addIncoming(b_.getInt64(0), entry);
    Value* block = b_.CreateInBoundsGEP(element_, f->getArg(0), b_.CreateNSWMul(k, b_.getInt64(256)));
    b_.CreateAlignedStore(block_to_vector(block), b_.CreateInBoundsGEP(vector_, f->getArg(1), k), alignment_);
    Value* following = b_.CreateAdd(k, b_.getInt64(1), "", true, true);
    k->addIncoming(following, turn);
    b_.CreateCondBr(b_.CreateICmpEQ(following, b_.getInt64(4)), done, turn);
    b_.SetInsertPoint(done);
    b_.CreateRetVoid();
  }

  void sixteen_lanes() {
    llvm::Function* f = function(fold_lanes_symbol);
    Vectors v;
    for (unsigned j = 0; j < 16; ++j) v.push_back(vector_at(f->getArg(0), j));
    for (int stride : {8, 4, 2, 1}) {
      llvm::SmallVector<int, 16> lower, upper;
      for (int source : {0, 16})
        for (int group = 0; group < 16; group += 2 * stride)
          for (int lane = 0; lane < stride; ++lane) {
            lower.push_back(source + group + lane);
            upper.push_back(source + group + stride + lane);
          }
      Vectors halves;
      for (std::size_t j = 0; j < v.size(); j += 2)
        halves.push_back(
            step(b_.CreateShuffleVector(v[j], v[j + 1], lower), b_.CreateShuffleVector(v[j], v[j + 1], upper)));
      v = std::move(halves);
    }
    b_.CreateAlignedStore(v[0], f->getArg(1), alignment_);
    b_.CreateRetVoid();
  }

 private:
  llvm::Function* function(const char* name) {
    llvm::Type* ptr = llvm::PointerType::getUnqual(b_.getContext());
    auto* f = llvm::Function::Create(llvm::FunctionType::get(b_.getVoidTy(), {ptr, ptr}, false),
                                     llvm::Function::ExternalLinkage, name, module_);
    f->setDoesNotThrow();
    for (unsigned k : {0u, 1u}) f->getArg(k)->addAttr(llvm::Attribute::NoAlias);
    b_.SetInsertPoint(llvm::BasicBlock::Create(b_.getContext(), "entry", f));
    return f;
  }

  Value* vector_at(Value* base, unsigned k) {
    return b_.CreateAlignedLoad(vector_, b_.CreateConstInBoundsGEP1_64(vector_, base, k), alignment_);
  }

  Value* step(Value* a, Value* b) { return binary(b_, op_, t_, a, b); }

  // Strides 128, 64, 32, 16: vector j with vectors j + 8, 4, 2, 1.
  Value* block_to_vector(Value* block) {
    Vectors v;
    for (unsigned j = 0; j < 16; ++j) v.push_back(vector_at(block, j));
    for (std::size_t stride : {8, 4, 2, 1})
      for (std::size_t j = 0; j < stride; ++j) v[j] = step(v[j], v[j + stride]);
    return v[0];
  }

  ir::Op op_;
  Scalar t_;
  llvm::Module& module_;
  llvm::IRBuilder<> b_;
  llvm::Type* element_;
  llvm::Type* vector_;
  llvm::Align alignment_;
};

}  // namespace

void render_fold(ir::Op op, Scalar t, llvm::Module& module) {
  Fold fold(op, t, module);
  fold.one_block();
  fold.four_blocks();
  fold.sixteen_lanes();
}

}  // namespace weft::cpu
