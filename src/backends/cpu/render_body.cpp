// The outer shape of a program's code: the exported function takes its arrays out of a table and passes them on as
// parameters of their own, because only a parameter can say that it overlaps no other.
#include "backends/cpu/body.hpp"
#include "backends/cpu/render.hpp"

namespace weft::cpu {

namespace {

llvm::Function* make_function(llvm::Module& module, const char* name, llvm::ArrayRef<llvm::Type*> types,
                              bool exported) {
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(module.getContext()), types, false);
  auto* f = llvm::Function::Create(type, exported ? llvm::Function::ExternalLinkage : llvm::Function::InternalLinkage,
                                   name, module);
  f->setDoesNotThrow();
  llvm::BasicBlock::Create(module.getContext(), "entry", f);
  return f;
}

llvm::StringRef spelled(const std::string& name, llvm::StringRef otherwise) {
  return name.empty() ? otherwise : llvm::StringRef(name);
}

}  // namespace

void render_body(const trace::Program& program, const Split& split, Variant variant, unsigned vector_bits,
                 llvm::Module& module) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Type *i64 = llvm::Type::getInt64Ty(context), *ptr = llvm::PointerType::getUnqual(context);
  std::size_t folds = 0;
  for (const trace::ProgramFold& f : program.folds) folds += f.dtype.lanes;

  // begin, end, base, uniforms, slots..., folds...
  std::vector<llvm::Type*> inner_types{i64, i64, i64, ptr};
  inner_types.resize(4 + program.slots.size() + folds, ptr);
  llvm::Function* inner = make_function(module, "loop", inner_types, false);
  const char* names[] = {"begin", "end", "base", "uniforms"};
  for (unsigned k = 0; k < inner_types.size(); ++k) {
    llvm::Argument* a = inner->getArg(k);
    if (k < 4) a->setName(names[k]);
    if (k < 3) continue;
    a->addAttr(llvm::Attribute::NoAlias);
    a->addAttr(llvm::Attribute::NoCapture);
    const std::size_t slot = k - 4;
    if (k == 3) a->addAttr(llvm::Attribute::ReadOnly);
    else if (slot < program.slots.size()) {
      a->setName(spelled(program.slots[slot].name, "array"));
      if (!program.slots[slot].written) a->addAttr(llvm::Attribute::ReadOnly);
    } else {
      a->setName("fold");
    }
  }
  Body(program, split, variant, vector_bits, *inner).emit();

  llvm::Function* outer = make_function(module, body_symbol, {i64, i64, ptr, ptr, ptr, i64}, true);
  llvm::IRBuilder<> b(&outer->getEntryBlock());
  std::vector<llvm::Value*> args{outer->getArg(0), outer->getArg(1), outer->getArg(5), outer->getArg(3)};
  const auto table = [&](unsigned argument, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k)
      args.push_back(b.CreateLoad(ptr, b.CreateConstInBoundsGEP1_64(ptr, outer->getArg(argument), k)));
  };
  table(2, program.slots.size());
  table(4, folds);
  b.CreateCall(inner, args);
  b.CreateRetVoid();
}

}  // namespace weft::cpu
