// The host as LLVM sees it, and the way from LLVM IR to an object file for it.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <memory>
#include <string>

#include "backends/cpu/compile.hpp"

namespace weft::cpu {

/// One at a time uses it; `borrow_target` gives an idle one or makes one.
class Target {
 public:
  explicit Target(const CompileOptions&);

  unsigned vector_bits() const {
    return vector_bits_;
  }  // the widest that is worth using, 64 where there are no vectors
  /// Gives the module the host's layout, and its functions the host's instructions.
  void prepare(llvm::Module&) const;
  /// The short list of passes that vectorises our IR.
  void optimise(llvm::Module&) const;
  std::string object(llvm::Module&) const;

 private:
  std::unique_ptr<llvm::TargetMachine> machine_;
  unsigned vector_bits_ = 64;
  std::string features_;
};

}  // namespace weft::cpu
