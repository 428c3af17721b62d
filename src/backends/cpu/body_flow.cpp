// The loops and branches of a program, the grid's own loop around them.
#include <llvm/IR/MDBuilder.h>

#include <algorithm>

#include "backends/cpu/arithmetic.hpp"
#include "backends/cpu/body.hpp"

namespace weft::cpu {

using ir::Node;
using ir::Op;
using llvm::Value;

namespace {

// What an unrolled loop may grow to: a 5 x 5 stencil of a few operations does, a long loop does not.
constexpr std::int64_t most_turns = 64, most_unrolled = 640;

llvm::MDNode* option(llvm::LLVMContext& c, const char* name, llvm::Type* type, unsigned value) {
  return llvm::MDNode::get(
      c, {llvm::MDString::get(c, name), llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(type, value))});
}

/// Vectorise at this width and once only: the vectoriser's own choice at 512 bits makes a second loop for the rest, which
/// takes as long to compile and gains nothing.
llvm::MDNode* at_width(llvm::LLVMContext& c, unsigned width) {
  llvm::Type *i1 = llvm::Type::getInt1Ty(c), *i32 = llvm::Type::getInt32Ty(c);
  llvm::SmallVector<llvm::Metadata*, 4> parts{nullptr, option(c, "llvm.loop.vectorize.enable", i1, 1),
                                              option(c, "llvm.loop.vectorize.width", i32, width),
                                              option(c, "llvm.loop.interleave.count", i32, 1)};
  auto* id = llvm::MDNode::getDistinct(c, parts);
  id->replaceOperandWith(0, id);
  return id;
}

unsigned widest_bits(const trace::Program& program) {
  unsigned bits = 32;
  for (const trace::Slot& s : program.slots)
    bits = std::max<unsigned>(bits, static_cast<unsigned>(bit_size(s.element.scalar)));
  for (const trace::ProgramFold& f : program.folds)
    bits = std::max<unsigned>(bits, static_cast<unsigned>(bit_size(f.dtype.scalar)));
  return bits;
}

}  // namespace

Body::Body(const trace::Program& program, const Split& split, Variant variant, unsigned vector_bits, llvm::Function& f)
    : program_(program),
      split_(split),
      variant_(variant),
      vector_bits_(vector_bits),
      f_(f),
      values_(program, f, f.getArg(3)),
      b_(values_.builder()),
      schedule_(ir::schedule(program.root)),
      budget_(most_unrolled) {}

llvm::BasicBlock* Body::new_block(const char* name) { return llvm::BasicBlock::Create(b_.getContext(), name, &f_); }

void Body::emit() {
  make_locals();
  share_indices();
  values_.share_known();
  llvm::BasicBlock *before = b_.GetInsertBlock(), *turn = new_block("turn"), *next = new_block("next"),
                   *done = new_block("done");
  Value *begin = f_.getArg(0), *end = f_.getArg(1);
  b_.CreateCondBr(b_.CreateICmpSLT(begin, end), turn, done);
  b_.SetInsertPoint(turn);
  auto* i = b_.CreatePHI(b_.getInt64Ty(), 2, "i");
  i->addIncoming(begin, before);
  counters_[split_.counter()] = i;
  values_.set(split_.counter(), {b_.CreateZExtOrTrunc(i, llvm_type(b_.getContext(), split_.counter()->dtype.scalar))});
  begin_iteration();
  targets_.push_back({done, next});
  block((*program_.root)[1]);
  b_.CreateBr(next);

  b_.SetInsertPoint(next);
  end_iteration();
  Value* following = b_.CreateAdd(i, b_.getInt64(1), "", true, true);
  i->addIncoming(following, next);
  auto* back = b_.CreateCondBr(b_.CreateICmpSLT(following, end), turn, done);
  // Being told to vectorise also allows a vectoriser to reorder a float sum that it finds across iterations. A proved loop
  // has none; one that is not proved (a[0] += x[i]) may.
  if (!inner_loops_ && !program_.serial)
    back->setMetadata(llvm::LLVMContext::MD_loop, at_width(b_.getContext(), vector_bits_ / widest_bits(program_)));
  b_.SetInsertPoint(done);
  b_.CreateRetVoid();
}

void Body::begin_iteration() {
  const auto folds = program_.root->src().subspan(2);
  for (Node local : local_order_) {
    const auto fold = std::find(folds.begin(), folds.end(), local);
    const Scalar t = local->dtype.scalar;
    llvm::Constant* first = llvm::Constant::getNullValue(llvm_type(b_.getContext(), t));
    if (fold != folds.end())
      first = identity(b_.getContext(), program_.folds[static_cast<std::size_t>(fold - folds.begin())].op, t);
    for (Value* place : locals_.at(local)) b_.CreateStore(first, place);
  }
}

void Body::block(Node n) {
  for (Node s : schedule_.blocks.at(n)) statement(s);
}

void Body::statement(Node n) {
  switch (n->op) {
    case Op::BLOCK: return block(n);
    case Op::LOAD: return load(n);
    case Op::STORE: return store(n);
    case Op::ATOMIC: return atomic(n);
    case Op::IF: return branch(n);
    case Op::LOOP: return loop(n);
    case Op::WHILE: return endless(n);
    case Op::BREAK_IF: return leave_if((*n)[0], targets_.back().leave);
    case Op::CONTINUE_IF: return leave_if((*n)[0], targets_.back().next);
    default:
      // What stands in front of the loop is known; the rest is computed again where its block comes again, unrolled.
      if (!values_.shared(n)) values_.compute(n);
  }
}

void Body::branch(Node n) {
  const bool has_else = n->count > 2;
  llvm::BasicBlock *then = new_block("then"), *otherwise = has_else ? new_block("else") : nullptr,
                   *after = new_block("after");
  b_.CreateCondBr(values_.scalar((*n)[0]), then, has_else ? otherwise : after);
  b_.SetInsertPoint(then);
  block((*n)[1]);
  b_.CreateBr(after);
  if (has_else) {
    b_.SetInsertPoint(otherwise);
    block((*n)[2]);
    b_.CreateBr(after);
  }
  b_.SetInsertPoint(after);
}

void Body::leave_if(Node condition, llvm::BasicBlock* to) {
  llvm::BasicBlock* stay = new_block("stay");
  b_.CreateCondBr(values_.scalar(condition), to, stay);
  b_.SetInsertPoint(stay);
}

std::int64_t Body::turns_to_unroll(Node n) const {
  const auto end = ir::int_value((*(*n)[0])[0]);
  if (!end || *end > most_turns) return -1;
  std::int64_t size = 0;
  std::vector<Node> todo{(*n)[1]};
  while (!todo.empty()) {
    const Node at = todo.back();
    todo.pop_back();
    for (Node s : schedule_.blocks.at(at)) {
      ++size;
      for (Node inner : s->src())
        if (inner->is(Op::BLOCK)) todo.push_back(inner);
    }
  }
  return size * *end <= budget_ ? std::max<std::int64_t>(*end, 0) : -1;
}

void Body::loop(Node n) {
  if (const std::int64_t turns = turns_to_unroll(n); turns >= 0) return unrolled(n, turns);
  inner_loops_ = true;
  const Node range = (*n)[0];
  const Scalar t = range->dtype.scalar;
  Value* end = values_.widened((*range)[0]);
  llvm::BasicBlock *before = b_.GetInsertBlock(), *turn = new_block("turn"), *next = new_block("next"),
                   *done = new_block("done");
  b_.CreateCondBr(b_.CreateICmpSGT(end, b_.getInt64(0)), turn, done);
  b_.SetInsertPoint(turn);
  auto* j = b_.CreatePHI(b_.getInt64Ty(), 2, "j");
  j->addIncoming(b_.getInt64(0), before);
  counters_[range] = j;
  values_.set(range, {b_.CreateZExtOrTrunc(j, llvm_type(b_.getContext(), t))});
  targets_.push_back({done, next});
  block((*n)[1]);
  targets_.pop_back();
  b_.CreateBr(next);
  b_.SetInsertPoint(next);
  Value* following = b_.CreateAdd(j, b_.getInt64(1), "", true, true);
  j->addIncoming(following, next);
  b_.CreateCondBr(b_.CreateICmpSLT(following, end), turn, done);
  b_.SetInsertPoint(done);
}

void Body::unrolled(Node n, std::int64_t turns) {
  const Node range = (*n)[0];
  llvm::BasicBlock* done = new_block("done");
  const std::int64_t outside = budget_;
  budget_ = turns ? budget_ / turns : budget_;  // a loop inside is repeated with this one
  for (std::int64_t k = 0; k < turns; ++k) {
    llvm::BasicBlock* next = k + 1 < turns ? new_block("next") : done;
    counters_[range] = b_.getInt64(static_cast<std::uint64_t>(k));
    values_.set(range, {llvm::ConstantInt::get(llvm_type(b_.getContext(), range->dtype.scalar),
                                               static_cast<std::uint64_t>(k))});
    targets_.push_back({done, next});
    block((*n)[1]);
    targets_.pop_back();
    b_.CreateBr(next);
    b_.SetInsertPoint(next);
  }
  budget_ = outside;
  if (turns == 0) {
    b_.CreateBr(done);
    b_.SetInsertPoint(done);
  }
}

void Body::endless(Node n) {
  inner_loops_ = true;
  llvm::BasicBlock *turn = new_block("turn"), *done = new_block("done");
  b_.CreateBr(turn);
  b_.SetInsertPoint(turn);
  targets_.push_back({done, turn});
  block((*n)[0]);
  targets_.pop_back();
  b_.CreateBr(turn);
  b_.SetInsertPoint(done);
}

}  // namespace weft::cpu
