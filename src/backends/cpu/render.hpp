// A program as LLVM IR. Each function fills an empty module with the symbols that object.hpp names.
#pragma once

#include <llvm/IR/Module.h>

#include "backends/cpu/object.hpp"
#include "backends/cpu/split.hpp"
#include "kernel/lower.hpp"

namespace weft::cpu {

/// `body_symbol`: the iterations of a program. `vector_bits` is the widest vector worth using on the host.
void render_body(const trace::Program&, const Split&, Variant, unsigned vector_bits, llvm::Module&);

/// `range_symbol`: where the interior is.
void render_range(const trace::Program&, const Split&, llvm::Module&);

/// `fold_block_symbol` and `fold_blocks_symbol` of one operator and type.
void render_fold(ir::Op, Scalar, llvm::Module&);

}  // namespace weft::cpu
