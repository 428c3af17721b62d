// The compiler of the cpu tier: programs and folds to object files. Thread-safe; several threads compile at once.
#pragma once

#include <string>

#include "backends/cpu/object.hpp"
#include "kernel/lower.hpp"
#include "runtime/backend.hpp"

namespace weft::cpu {

struct CompileOptions {
  /// Allows a*b + c to be rounded once. Never set by the tier; tests of bits prove with it that they can fail.
  bool contract = false;
};

/// Whether the interior variant has `direct_symbol`.
bool has_direct(const trace::Program&);
/// `body_symbol`, and in the interior variant `range_symbol`.
backend::Expected<Object> compile(const trace::Program&, Variant, const CompileOptions& = {});
/// The three fold symbols.
backend::Expected<Object> compile_fold(ir::Op, Scalar);
/// The LLVM IR of a variant, before optimisation.
backend::Expected<std::string> llvm_text(const trace::Program&, Variant);

struct Host {
  std::string cpu;       // LLVM's name of it: "znver3"
  std::string compiler;  // "LLVM 19.1.7"
  unsigned vector_bits;  // of the vectors that kernels use
};
const Host& host();

}  // namespace weft::cpu
