// One operation on LLVM values: scalars, or vectors of them (the folds). Lowering has made shift counts, conversions and
// divisors legal; what is left open then is spelled out here: the minimum and maximum of floats, and that no division
// traps.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "ir/op.hpp"
#include "ir/scalar_name.hpp"

namespace weft::cpu {

/// float, i32, i1 and so on; null for a type that no renderer takes (KER-NUM-10).
llvm::Type* llvm_type(llvm::LLVMContext&, Scalar);
/// The type in memory: a bool takes 4 bytes.
llvm::Type* memory_type(llvm::LLVMContext&, Scalar);

/// The type, or a vector of it where the value is a vector.
llvm::Type* shaped(llvm::Type* scalar, llvm::Value* like);

/// A value of one scalar type as another one (CAST).
llvm::Value* convert(llvm::IRBuilder<>&, llvm::Value*, Scalar from, Scalar to);

/// Operands and result have the type `t`.
llvm::Value* unary(llvm::IRBuilder<>&, ir::Op, Scalar t, llvm::Value*);
llvm::Value* binary(llvm::IRBuilder<>&, ir::Op, Scalar t, llvm::Value* a, llvm::Value* b);
/// Operands of type `t` give a bool.
llvm::Value* compare(llvm::IRBuilder<>&, ir::Op, Scalar t, llvm::Value* a, llvm::Value* b);
/// a*b + c, rounded once for FMA and twice for MULACC.
llvm::Value* multiply_add(llvm::IRBuilder<>&, ir::Op, Scalar t, llvm::Value* a, llvm::Value* b, llvm::Value* c);

/// The identity of a fold (KER-RED-03).
llvm::Constant* identity(llvm::LLVMContext&, ir::Op, Scalar);

}  // namespace weft::cpu
