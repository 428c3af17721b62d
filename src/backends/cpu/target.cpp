#include "backends/cpu/target.hpp"

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Host.h>

#include <algorithm>
#include <mutex>
#include <stdexcept>

namespace weft::cpu {

namespace {

void initialise_llvm() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
}

std::string host_features() {
  // Sorted, so that one host always gives one text.
  llvm::StringMap<bool> map = llvm::sys::getHostCPUFeatures();
  std::vector<std::string> list;
  for (auto& f : map) list.push_back((f.getValue() ? "+" : "-") + f.getKey().str());
  std::sort(list.begin(), list.end());
  std::string all;
  for (const std::string& f : list) all += (all.empty() ? "" : ",") + f;
  return all;
}

}  // namespace

Target::Target(const CompileOptions& options) : features_(host_features()) {
  initialise_llvm();
  const std::string triple = llvm::sys::getProcessTriple();
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target) throw std::runtime_error("LLVM has no code generator for " + triple + ": " + error);
  llvm::TargetOptions t;
  t.AllowFPOpFusion = options.contract ? llvm::FPOpFusion::Fast : llvm::FPOpFusion::Strict;
  machine_.reset(target->createTargetMachine(triple, llvm::sys::getHostCPUName(), features_, t, llvm::Reloc::PIC_,
                                             llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default));

  // The tuning of the detected processor knows whether its widest vectors pay.
  llvm::LLVMContext context;
  llvm::Module probe("probe", context);
  auto* f = llvm::Function::Create(llvm::FunctionType::get(llvm::Type::getVoidTy(context), false),
                                   llvm::Function::ExternalLinkage, "probe", probe);
  f->addFnAttr("target-cpu", machine_->getTargetCPU());
  f->addFnAttr("target-features", features_);
  const auto width =
      machine_->getTargetTransformInfo(*f).getRegisterBitWidth(llvm::TargetTransformInfo::RGK_FixedWidthVector);
  vector_bits_ = std::max(64u, static_cast<unsigned>(width.getFixedValue()));
}

void Target::prepare(llvm::Module& module) const {
  module.setTargetTriple(machine_->getTargetTriple().str());
  module.setDataLayout(machine_->createDataLayout());
  for (llvm::Function& f : module) {
    if (f.isDeclaration()) continue;
    f.addFnAttr("target-cpu", machine_->getTargetCPU());
    f.addFnAttr("target-features", features_);
    f.addFnAttr("prefer-vector-width", std::to_string(vector_bits_));
    f.addFnAttr("min-legal-vector-width", "0");
  }
}

std::string Target::object(llvm::Module& module) const {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  if (machine_->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile))
    throw std::runtime_error("LLVM cannot write object files for this machine");
  passes.run(module);
  return {bytes.begin(), bytes.end()};
}

}  // namespace weft::cpu
