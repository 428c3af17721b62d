#include "backends/cpu/arithmetic.hpp"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>

#include <string>

#include "kernel/core.hpp"

namespace weft::cpu {

using ir::Op;
using llvm::CmpInst;
using llvm::Value;
using Builder = llvm::IRBuilder<>;
namespace Intrinsic = llvm::Intrinsic;

llvm::Type* llvm_type(llvm::LLVMContext& context, Scalar t) {
  switch (t) {
    case Scalar::boolean: return llvm::Type::getInt1Ty(context);
    case Scalar::int32:
    case Scalar::uint32: return llvm::Type::getInt32Ty(context);
    case Scalar::int64:
    case Scalar::uint64: return llvm::Type::getInt64Ty(context);
    case Scalar::float32: return llvm::Type::getFloatTy(context);
    case Scalar::float64: return llvm::Type::getDoubleTy(context);
    default: return nullptr;
  }
}

llvm::Type* memory_type(llvm::LLVMContext& context, Scalar t) {
  return is_bool(t) ? llvm::Type::getInt32Ty(context) : llvm_type(context, t);
}

llvm::Type* shaped(llvm::Type* scalar, Value* like) {
  auto* vector = llvm::dyn_cast<llvm::VectorType>(like->getType());
  return vector ? llvm::VectorType::get(scalar, vector) : scalar;
}

Value* convert(Builder& b, Value* v, Scalar from, Scalar to) {
  if (from == to) return v;
  llvm::Type* type = shaped(llvm_type(b.getContext(), to), v);
  if (is_bool(to))
    return is_float(from) ? b.CreateFCmpUNE(v, llvm::ConstantFP::get(v->getType(), 0.0)) : b.CreateIsNotNull(v);
  if (is_float(from)) {
    if (is_float(to)) return b.CreateFPCast(v, type);
    return is_unsigned(to) ? b.CreateFPToUI(v, type) : b.CreateFPToSI(v, type);
  }
  const bool zero_extends = is_bool(from) || is_unsigned(from);
  if (is_float(to)) return zero_extends ? b.CreateUIToFP(v, type) : b.CreateSIToFP(v, type);
  return zero_extends ? b.CreateZExtOrTrunc(v, type) : b.CreateSExtOrTrunc(v, type);
}

namespace {

const char* suffix(Scalar t) {
  switch (t) {
    case Scalar::float32: return "_f32";
    case Scalar::float64: return "_f64";
    case Scalar::int32: return "_i32";
    case Scalar::uint32: return "_u32";
    case Scalar::int64: return "_i64";
    default: return "_u64";
  }
}

Value* call(Builder& b, const char* name, Scalar t, std::initializer_list<Value*> operands) {
  llvm::Type* type = (*operands.begin())->getType();
  llvm::Module& module = *b.GetInsertBlock()->getModule();
  const llvm::SmallVector<llvm::Type*, 2> types(operands.size(), type);
  auto callee =
      module.getOrInsertFunction("weft_" + std::string(name) + suffix(t), llvm::FunctionType::get(type, types, false));
  auto* function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setDoesNotThrow();
  function->setDoesNotAccessMemory();
  function->setWillReturn();
  return b.CreateCall(callee, llvm::ArrayRef<Value*>(operands.begin(), operands.size()));
}

const char* math_name(Op op) {
  switch (op) {
    case Op::SIN: return "sin";
    case Op::COS: return "cos";
    case Op::TAN: return "tan";
    case Op::ASIN: return "asin";
    case Op::ACOS: return "acos";
    case Op::ATAN: return "atan";
    case Op::SINH: return "sinh";
    case Op::COSH: return "cosh";
    case Op::TANH: return "tanh";
    case Op::EXP: return "exp";
    case Op::EXP2: return "exp2";
    case Op::LOG: return "log";
    case Op::LOG2: return "log2";
    default: return nullptr;
  }
}

// IEEE 754-2019 minimumNumber and maximumNumber (KER-NUM-03). The select of an ordered comparison is one instruction
// (minps); it gives b for equal operands and for a NaN on either side. Equal operands differ in the sign of zero alone, so
// OR finds the -0 for the minimum, AND the +0 for the maximum.
Value* float_extreme(Builder& b, bool least, Value* x, Value* y) {
  Value* r = b.CreateSelect(least ? b.CreateFCmpOLT(x, y) : b.CreateFCmpOGT(x, y), x, y);
  llvm::Type* type = x->getType();
  llvm::Type* bits = shaped(b.getIntNTy(type->getScalarSizeInBits()), x);
  Value *xi = b.CreateBitCast(x, bits), *yi = b.CreateBitCast(y, bits);
  Value* both = b.CreateBitCast(least ? b.CreateOr(xi, yi) : b.CreateAnd(xi, yi), type);
  r = b.CreateSelect(b.CreateFCmpOEQ(x, y), both, r);
  return b.CreateSelect(b.CreateFCmpUNO(y, y), x, r);
}

bool safe_divisor(Value* d) {
  auto* c = llvm::dyn_cast<llvm::ConstantInt>(d);
  return c && !c->isZero() && !c->isMinusOne();
}

// x / 0 = x, x % 0 = 0, MIN / -1 = MIN, MIN % -1 = 0 (KER-NUM-02): all four are what the divisor 1 gives. Lowering spells
// this out for the tiers that need it; here a division that it missed would end the process.
Value* divisor(Builder& b, Scalar t, Value* x, Value* d) {
  if (safe_divisor(d)) return d;
  Value* bad = b.CreateIsNull(d);
  if (!is_unsigned(t)) {
    llvm::Type* type = x->getType();
    Value* least = llvm::ConstantInt::get(type, llvm::APInt::getSignedMinValue(type->getScalarSizeInBits()));
    Value* overflows = b.CreateAnd(b.CreateICmpEQ(x, least), b.CreateICmpEQ(d, llvm::Constant::getAllOnesValue(type)));
    bad = b.CreateOr(bad, overflows);
  }
  return b.CreateSelect(bad, llvm::ConstantInt::get(d->getType(), 1), d);
}

Value* divide(Builder& b, Op op, Scalar t, Value* x, Value* given) {
  Value* d = divisor(b, t, x, given);
  if (is_unsigned(t)) return op == Op::CDIV || op == Op::FLOORDIV ? b.CreateUDiv(x, d) : b.CreateURem(x, d);
  Value* quotient = b.CreateSDiv(x, d);
  if (op == Op::CDIV) return quotient;
  Value* rest = b.CreateSub(x, b.CreateMul(quotient, d));
  if (op == Op::CMOD) return rest;
  // Toward negative infinity: one less where something is left over and its sign is not the divisor's.
  Value* zero = llvm::Constant::getNullValue(x->getType());
  Value* low = b.CreateAnd(b.CreateICmpNE(rest, zero), b.CreateICmpSLT(b.CreateXor(rest, d), zero));
  if (op == Op::FLOORMOD) return b.CreateSelect(low, b.CreateAdd(rest, d), rest);
  return b.CreateAdd(quotient, b.CreateSExt(low, x->getType()));
}

}  // namespace

Value* unary(Builder& b, Op op, Scalar t, Value* v) {
  const bool real = is_float(t);
  const auto intrinsic = [&](Intrinsic::ID id) { return b.CreateUnaryIntrinsic(id, v); };
  switch (op) {
    case Op::NEG: return real ? b.CreateFNeg(v) : is_bool(t) ? v : b.CreateNeg(v);
    case Op::TRUNC: return real ? intrinsic(Intrinsic::trunc) : v;
    case Op::FLOOR: return real ? intrinsic(Intrinsic::floor) : v;
    case Op::CEIL: return real ? intrinsic(Intrinsic::ceil) : v;
    case Op::ROUND: return real ? intrinsic(Intrinsic::roundeven) : v;
    case Op::ABS:
      if (real) return intrinsic(Intrinsic::fabs);
      return is_unsigned(t) || is_bool(t) ? v : b.CreateBinaryIntrinsic(Intrinsic::abs, v, b.getFalse());
    case Op::SQRT: return intrinsic(Intrinsic::sqrt);
    case Op::RECIPROCAL: return b.CreateFDiv(llvm::ConstantFP::get(v->getType(), 1.0), v);
    case Op::POPCOUNT: return intrinsic(Intrinsic::ctpop);
    case Op::REVBITS: return intrinsic(Intrinsic::bitreverse);
    default: return call(b, math_name(op), t, {v});
  }
}

Value* binary(Builder& b, Op op, Scalar t, Value* x, Value* y) {
  const bool real = is_float(t);
  switch (op) {
    case Op::ADD: return real ? b.CreateFAdd(x, y) : is_bool(t) ? b.CreateOr(x, y) : b.CreateAdd(x, y);
    case Op::SUB: return real ? b.CreateFSub(x, y) : b.CreateSub(x, y);
    case Op::MUL: return real ? b.CreateFMul(x, y) : b.CreateMul(x, y);
    case Op::MIN:
    case Op::MAX: {
      const bool least = op == Op::MIN;
      if (real) return float_extreme(b, least, x, y);
      const auto id = is_unsigned(t) || is_bool(t) ? (least ? Intrinsic::umin : Intrinsic::umax)
                                                   : (least ? Intrinsic::smin : Intrinsic::smax);
      return b.CreateBinaryIntrinsic(id, x, y);
    }
    case Op::AND: return b.CreateAnd(x, y);
    case Op::OR: return b.CreateOr(x, y);
    case Op::XOR: return b.CreateXor(x, y);
    case Op::SHL: return b.CreateShl(x, y);
    case Op::SHR: return is_unsigned(t) ? b.CreateLShr(x, y) : b.CreateAShr(x, y);
    case Op::CDIV:
    case Op::CMOD:
    case Op::FLOORDIV:
    case Op::FLOORMOD: return divide(b, op, t, x, y);
    case Op::FDIV: return b.CreateFDiv(x, y);
    case Op::POW: return call(b, "pow", t, {x, y});
    case Op::ATAN2: return call(b, "atan2", t, {x, y});
    default: return nullptr;
  }
}

Value* compare(Builder& b, Op op, Scalar t, Value* x, Value* y) {
  // A comparison with NaN is false, but for "not equal".
  if (is_float(t))
    return b.CreateFCmp(op == Op::CMPLT   ? CmpInst::FCMP_OLT
                        : op == Op::CMPEQ ? CmpInst::FCMP_OEQ
                                          : CmpInst::FCMP_UNE,
                        x, y);
  const auto less = is_unsigned(t) || is_bool(t) ? CmpInst::ICMP_ULT : CmpInst::ICMP_SLT;
  return b.CreateICmp(op == Op::CMPLT ? less : op == Op::CMPEQ ? CmpInst::ICMP_EQ : CmpInst::ICMP_NE, x, y);
}

Value* multiply_add(Builder& b, Op op, Scalar t, Value* x, Value* y, Value* z) {
  if (op == Op::FMA && is_float(t)) return b.CreateIntrinsic(Intrinsic::fma, {x->getType()}, {x, y, z});
  return binary(b, Op::ADD, t, binary(b, Op::MUL, t, x, y), z);
}

llvm::Constant* identity(llvm::LLVMContext& context, Op op, Scalar t) {
  const std::uint64_t bits = trace::fold_identity(op, t).bits;
  llvm::Type* type = llvm_type(context, t);
  const unsigned width = type->getScalarSizeInBits();
  const llvm::APInt value(width, bits);
  if (!is_float(t)) return llvm::ConstantInt::get(context, value);
  return llvm::ConstantFP::get(context, llvm::APFloat(type->getFltSemantics(), value));
}

}  // namespace weft::cpu
