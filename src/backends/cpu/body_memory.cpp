// Loads, stores and variables of an iteration. A closed gate is a branch around the access, so that nothing out of bounds
// is ever touched; the vectoriser makes masks of such branches.
#include <llvm/IR/Module.h>

#include "backends/cpu/arithmetic.hpp"
#include "backends/cpu/body.hpp"

namespace weft::cpu {

using ir::Node;
using ir::Op;
using llvm::Value;

namespace {

const llvm::Align element_alignment(4);  // of all element types: a caller's memory promises no more

Value* from_memory(llvm::IRBuilder<>& b, Scalar t, Value* place) {
  Value* v = b.CreateAlignedLoad(memory_type(b.getContext(), t), place, element_alignment);
  return is_bool(t) ? b.CreateIsNotNull(v) : v;
}

void to_memory(llvm::IRBuilder<>& b, Scalar t, Value* v, Value* place) {
  if (is_bool(t)) v = b.CreateZExt(v, b.getInt32Ty());
  b.CreateAlignedStore(v, place, element_alignment);
}

}  // namespace

void Body::make_locals() {
  for (Node n : ir::topological(program_.root)) {
    if (!n->is(Op::LOCAL)) continue;
    Lanes places;
    for (std::size_t k = 0; k < n->dtype.lanes; ++k)
      places.push_back(b_.CreateAlloca(llvm_type(b_.getContext(), n->dtype.scalar)));
    locals_.emplace(n, std::move(places));
    local_order_.push_back(n);
  }
}

void Body::share_indices() {
  if (variant_ == Variant::edge) return;
  for (Node n : ir::topological(program_.root)) {
    const Linear* linear = n->is(Op::INDEX) && n->count == 2 ? split_.index((*n)[1]) : nullptr;
    if (!linear || shared_part_.contains(linear)) continue;
    Value* sum = b_.getInt64(static_cast<std::uint64_t>(linear->constant));
    for (auto& [symbol, k] : linear->terms) {
      if (symbol->is(Op::RANGE)) continue;
      values_.compute_all(symbol);
      sum = b_.CreateNSWAdd(sum, b_.CreateNSWMul(values_.widened(symbol), b_.getInt64(static_cast<std::uint64_t>(k))));
    }
    shared_part_.emplace(linear, sum);
  }
}

Value* Body::position(Node index) {
  const Linear* linear = variant_ == Variant::interior ? split_.index(index) : nullptr;
  if (!linear) return values_.widened(index);
  Value* sum = shared_part_.at(linear);
  for (auto& [symbol, k] : linear->terms)
    if (symbol->is(Op::RANGE))
      sum = b_.CreateNSWAdd(b_.CreateNSWMul(counters_.at(symbol), b_.getInt64(static_cast<std::uint64_t>(k))), sum);
  return sum;
}

Value* Body::element(Node place, std::size_t lane) {
  const Node array = (*place)[0];
  Value* base = f_.getArg(static_cast<unsigned>(4 + array->arg.storage->slot));
  Value* at = place->count == 2 ? position((*place)[1]) : b_.getInt64(0);
  const std::size_t lanes = array->dtype.lanes;
  if (lanes != 1) at = b_.CreateNSWAdd(b_.CreateNSWMul(at, b_.getInt64(lanes)), b_.getInt64(lane));
  return b_.CreateInBoundsGEP(memory_type(b_.getContext(), array->dtype.scalar), base, at);
}

Value* Body::gate(Node access, std::size_t position) {
  if (access->count <= position) return nullptr;
  Value* open = nullptr;
  for (Node part : Split::parts((*access)[position])) {
    if (variant_ == Variant::interior && split_.holds(part)) continue;
    Value* v = values_.scalar(part);
    open = open ? b_.CreateAnd(open, v) : v;
  }
  return open;
}

void Body::load(Node n) {
  const Node place = (*n)[0];
  const Scalar t = n->dtype.scalar;
  Lanes lanes;
  if (place->is(Op::LOCAL)) {
    for (Value* p : locals_.at(place)) lanes.push_back(b_.CreateLoad(llvm_type(b_.getContext(), t), p));
    return values_.set(n, std::move(lanes));
  }
  const auto read = [&] {
    for (std::size_t k = 0; k < n->dtype.lanes; ++k) lanes.push_back(from_memory(b_, t, element(place, k)));
  };
  Value* open = gate(n, 1);
  if (!open) {
    read();
    return values_.set(n, std::move(lanes));
  }
  llvm::BasicBlock *before = b_.GetInsertBlock(), *inside = new_block("inside"), *after = new_block("read");
  b_.CreateCondBr(open, inside, after);
  b_.SetInsertPoint(inside);
  read();
  b_.CreateBr(after);
  b_.SetInsertPoint(after);
  for (Value*& v : lanes) {
    auto* both = b_.CreatePHI(v->getType(), 2);
    both->addIncoming(v, inside);
    both->addIncoming(llvm::Constant::getNullValue(v->getType()), before);
    v = both;
  }
  values_.set(n, std::move(lanes));
}

void Body::store(Node n) {
  const Node place = (*n)[0];
  const Lanes given = values_.value((*n)[1]);
  const Scalar from = (*n)[1]->dtype.scalar, t = place->dtype.scalar;
  const auto lane = [&](std::size_t k) { return convert(b_, given[given.size() == 1 ? 0 : k], from, t); };
  Value* open = gate(n, 2);
  llvm::BasicBlock* after = nullptr;
  if (open) {
    llvm::BasicBlock* inside = new_block("inside");
    after = new_block("written");
    b_.CreateCondBr(open, inside, after);
    b_.SetInsertPoint(inside);
  }
  for (std::size_t k = 0; k < place->dtype.lanes; ++k) {
    if (place->is(Op::LOCAL)) b_.CreateStore(lane(k), locals_.at(place)[k]);
    else to_memory(b_, t, lane(k), element(place, k));
  }
  if (!after) return;
  b_.CreateBr(after);
  b_.SetInsertPoint(after);
}

void Body::atomic(Node n) {
  const Node place = (*n)[0];
  const bool without_sign = is_unsigned(place->dtype.scalar);
  const auto op = [&] {
    using Rmw = llvm::AtomicRMWInst;
    switch (static_cast<Op>(n->arg.number % 256)) {
      case Op::MIN: return without_sign ? Rmw::UMin : Rmw::Min;
      case Op::MAX: return without_sign ? Rmw::UMax : Rmw::Max;
      case Op::AND: return Rmw::And;
      case Op::OR: return Rmw::Or;
      case Op::XOR: return Rmw::Xor;
      default: return Rmw::Add;
    }
  }();
  llvm::BasicBlock *before = b_.GetInsertBlock(), *inside = nullptr, *after = nullptr;
  Value* open = gate(n, 2);
  Value* v = values_.scalar((*n)[1]);
  if (open) {
    inside = new_block("inside");
    after = new_block("counted");
    b_.CreateCondBr(open, inside, after);
    b_.SetInsertPoint(inside);
  }
  Value* old = b_.CreateAtomicRMW(op, element(place, 0), v, llvm::MaybeAlign(4), llvm::AtomicOrdering::Monotonic);
  if (after) {
    b_.CreateBr(after);
    b_.SetInsertPoint(after);
    auto* both = b_.CreatePHI(old->getType(), 2);
    both->addIncoming(old, inside);
    both->addIncoming(llvm::Constant::getNullValue(old->getType()), before);
    old = both;
  }
  values_.set(n, {old});
}

void Body::end_iteration() {
  // What the fold variables hold now is the iteration's value (KER-RED-02).
  const std::size_t first = 4 + program_.slots.size();
  std::size_t k = 0;
  for (Node fold : program_.root->src().subspan(2)) {
    for (Value* place : locals_.at(fold)) {
      llvm::Type* type = llvm_type(b_.getContext(), fold->dtype.scalar);
      Value* at = b_.CreateNSWSub(counters_.at(split_.counter()), f_.getArg(2));
      b_.CreateStore(b_.CreateLoad(type, place),
                     b_.CreateInBoundsGEP(type, f_.getArg(static_cast<unsigned>(first + k++)), at));
    }
  }
}

}  // namespace weft::cpu
