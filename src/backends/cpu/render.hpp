// A program as LLVM IR. Each function fills an empty module with the symbols that object.hpp names.
#pragma once

#include <llvm/IR/Module.h>

#include "backends/cpu/object.hpp"
#include "backends/cpu/split.hpp"
#include "kernel/lower.hpp"

namespace weft::cpu {

/// `body_symbol`: the iterations of a program. `vector_bits` is the widest vector worth using on the host.
void render_body(const trace::Program&, const Split&, Variant, unsigned vector_bits, llvm::Module&);

/// Whether `render_direct` takes a program: folds, and straight code of a few operations on 4-byte values.
bool is_direct(const trace::Program&, const Split&);
/// `direct_symbol`.
void render_direct(const trace::Program&, const Split&, llvm::Module&);

/// `range_symbol`: where the interior is.
void render_range(const trace::Program&, const Split&, llvm::Module&);

/// The three fold symbols, of one operator and type.
void render_fold(ir::Op, Scalar, llvm::Module&);

}  // namespace weft::cpu
