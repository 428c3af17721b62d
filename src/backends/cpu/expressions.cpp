#include "backends/cpu/expressions.hpp"

#include <bit>

#include "backends/cpu/arithmetic.hpp"

namespace weft::cpu {

using ir::Node;
using ir::Op;
using llvm::Value;

Expressions::Expressions(const trace::Program& program, llvm::Function& function, Value* uniforms, unsigned iterations)
    : iterations_(iterations),
      program_(program),
      b_(&function.getEntryBlock()),
      entry_(&function.getEntryBlock()),
      uniforms_(uniforms) {}

Value* Expressions::for_all(llvm::IRBuilder<>& b, Value* v) const {
  return iterations_ == 1 ? v : b.CreateVectorSplat(iterations_, v);
}

Lanes Expressions::value(Node n) {
  if (const auto it = known_.find(n); it != known_.end()) return it->second;
  if (ir::is_literal(n)) return literal(n);
  if (n->is(Op::PARAM)) return known_[n] = uniform(n);
  compute(n);  // what a schedule leaves out because it may be spelled where it is used
  return known_.at(n);
}

void Expressions::compute(Node n) {
  if (!ir::is_literal(n)) known_[n] = operation(n);
}

Value* Expressions::compute_all(Node root) {
  for (Node n : ir::topological(root))
    if (n->count != 0 && !known(n) && !ir::is_literal(n)) compute(n);
  return scalar(root);
}

Value* Expressions::widened(Node n) {
  Value* v = scalar(n);
  return is_unsigned(n->dtype.scalar) ? b_.CreateZExt(v, b_.getInt64Ty()) : b_.CreateSExt(v, b_.getInt64Ty());
}

Lanes Expressions::literal(Node n) {
  const Node c = n->is(Op::CONST) ? n : (*n)[0];
  const Scalar t = n->dtype.scalar;
  llvm::Type* type = llvm_type(b_.getContext(), t);
  const unsigned width = type->getScalarSizeInBits();
  double real = 0;
  std::uint64_t bits = 0;
  switch (c->arg.tag) {
    case ir::Arg::Tag::boolean: bits = c->arg.boolean, real = static_cast<double>(bits); break;
    case ir::Arg::Tag::real:
      real = c->arg.real;
      if (!is_float(t))
        bits = static_cast<std::uint64_t>(ir::Integer::from_double(real).value_or(0).to_int64().value_or(0));
      break;
    case ir::Arg::Tag::integer:
      bits = (*c->arg.integer & (ir::Integer::power_of_two(64) - 1)).to_uint64().value_or(0);
      real = c->arg.integer->to_double();
      break;
    default: break;  // invalid: any value will do
  }
  Value* v = nullptr;
  if (t == Scalar::float32)
    v = b_.CreateBitCast(b_.getInt32(std::bit_cast<std::uint32_t>(static_cast<float>(real))), type);
  else if (t == Scalar::float64) v = b_.CreateBitCast(b_.getInt64(std::bit_cast<std::uint64_t>(real)), type);
  else v = llvm::ConstantInt::get(b_.getContext(), llvm::APInt(64, is_bool(t) ? bits != 0 : bits).zextOrTrunc(width));
  return Lanes(n->dtype.lanes, for_all(b_, v));
}

Lanes Expressions::uniform(Node n) {
  // In the entry block, so that it is known wherever it is used.
  llvm::IRBuilder<> b(entry_);
  if (llvm::Instruction* end = entry_->getTerminator()) b.SetInsertPoint(end);
  const trace::Uniform& u = program_.uniforms[n->arg.storage->slot];
  const Scalar t = n->dtype.scalar;
  llvm::Type* type = memory_type(b.getContext(), t);
  Lanes lanes;
  for (std::size_t k = 0; k < n->dtype.lanes; ++k) {
    const std::size_t offset = u.offset + k * type->getScalarSizeInBits() / 8;
    auto* load = b.CreateAlignedLoad(type, b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), uniforms_, offset),
                                     llvm::Align(4), n->arg.storage->name);
    lanes.push_back(for_all(b, is_bool(t) ? b.CreateIsNotNull(load) : static_cast<Value*>(load)));
  }
  return lanes;
}

Value* Expressions::lane(Node n, std::size_t k, Scalar as) {
  const Lanes all = value(n);
  return convert(b_, all[all.size() == 1 ? 0 : k], n->dtype.scalar, as);  // one lane stands for all
}

Lanes Expressions::operation(Node n) {
  const Scalar t = n->dtype.scalar;
  Lanes out;
  switch (n->op) {
    case Op::FENCE: return value((*n)[0]);  // LLVM without fast-math flags rounds every operation
    case Op::VECTOR:
      for (Node s : n->src()) out.push_back(lane(s, 0, t));
      return out;
    case Op::EXTRACT: return {value((*n)[0])[static_cast<std::size_t>(n->arg.number)]};
    default: break;
  }
  for (std::size_t k = 0; k < n->dtype.lanes; ++k) {
    const auto operand = [&](std::size_t i, Scalar as) { return lane((*n)[i], k, as); };
    Value* v = nullptr;
    if (n->is(Op::CAST)) v = operand(0, t);
    else if (n->is(Op::BITCAST)) {
      Value* bits = operand(0, (*n)[0]->dtype.scalar);
      v = b_.CreateBitCast(bits, shaped(llvm_type(b_.getContext(), t), bits));
    } else if (n->is(Op::WHERE)) v = b_.CreateSelect(operand(0, Scalar::boolean), operand(1, t), operand(2, t));
    else if (n->is(Op::MULACC) || n->is(Op::FMA))
      v = multiply_add(b_, n->op, t, operand(0, t), operand(1, t), operand(2, t));
    else if (ir::is_comparison(n->op)) {
      const Scalar common = least_upper((*n)[0]->dtype.scalar, (*n)[1]->dtype.scalar);
      v = compare(b_, n->op, common, operand(0, common), operand(1, common));
    } else if (ir::is_unary(n->op)) v = unary(b_, n->op, t, operand(0, t));
    else v = binary(b_, n->op, t, operand(0, t), operand(1, t));
    out.push_back(v);
  }
  return out;
}

}  // namespace weft::cpu
