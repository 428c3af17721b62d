// The functions that kernels call in this process. Compiled code knows them as weft_<name>_f32, _f64, _i32 and so on; LLVM
// knows none of these names, so it neither folds nor replaces a call (KER-BIT-01).
#pragma once

#include <span>

namespace weft::cpu {

struct MathFunction {
  const char* name;
  void* address;
};
std::span<const MathFunction> math_functions();

}  // namespace weft::cpu
