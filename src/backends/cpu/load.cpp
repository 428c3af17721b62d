#include "backends/cpu/load.hpp"

#include <fmt/format.h>
#include <llvm/ExecutionEngine/JITLink/JITLinkMemoryManager.h>
#include <llvm/ExecutionEngine/Orc/ExecutionUtils.h>
#include <llvm/ExecutionEngine/Orc/Mangling.h>
#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>
#include <llvm/Support/MemoryBuffer.h>

#include <atomic>
#include <cstring>

#include "backends/cpu/math.hpp"

namespace weft::cpu {

namespace {

namespace orc = llvm::orc;

class Loader {
 public:
  static llvm::Expected<Loader*> get() {
    // Never destroyed: kernels may run until the process ends.
    static llvm::Expected<Loader*>* loader = new llvm::Expected<Loader*>(make());
    if (!*loader) return llvm::createStringError(llvm::toString(loader->takeError()));
    return **loader;
  }

  llvm::Expected<std::vector<void*>> load(const Object& object, std::span<const char* const> symbols) {
    // Every object has a library of its own, so that all may use the same names.
    auto library = session_.createJITDylib("kernel" + std::to_string(++count_));
    if (!library) return library.takeError();
    library->addToLinkOrder(*functions_);
    if (auto error = layer_.add(*library, llvm::MemoryBuffer::getMemBufferCopy(object.bytes))) return error;
    std::vector<void*> out;
    for (const char* name : symbols) {
      auto found = session_.lookup(orc::makeJITDylibSearchOrder(&*library), session_.intern(name));
      if (!found) return found.takeError();
      out.push_back(found->getAddress().toPtr<void*>());
    }
    return out;
  }

 private:
  Loader(std::unique_ptr<orc::ExecutorProcessControl> control,
         std::unique_ptr<llvm::jitlink::JITLinkMemoryManager> memory)
      : session_(std::move(control)),
        layer_(session_, std::move(memory)),
        functions_(&session_.createBareJITDylib("functions")) {
    orc::SymbolMap map;
    const auto add = [&](const char* name, auto* function) {
      map[session_.intern(name)] = {orc::ExecutorAddr::fromPtr(function),
                                    llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
    };
    for (const MathFunction& f : math_functions()) add(f.name, f.address);
    // A code generator may call these of its own accord.
    add("memcpy", reinterpret_cast<void*>(&std::memcpy));
    add("memmove", reinterpret_cast<void*>(&std::memmove));
    add("memset", reinterpret_cast<void*>(&std::memset));
    llvm::cantFail(functions_->define(orc::absoluteSymbols(std::move(map))));
  }

  static llvm::Expected<Loader*> make() {
    auto control = orc::SelfExecutorProcessControl::Create();
    if (!control) return control.takeError();
    auto memory = llvm::jitlink::InProcessMemoryManager::Create();
    if (!memory) return memory.takeError();
    return new Loader(std::move(*control), std::move(*memory));
  }

  orc::ExecutionSession session_;
  orc::ObjectLinkingLayer layer_;
  orc::JITDylib* functions_;
  std::atomic<std::uint64_t> count_{0};
};

}  // namespace

backend::Expected<std::vector<void*>> load(const Object& object, std::span<const char* const> symbols,
                                           const std::string& label) {
  const auto failed = [&](llvm::Error e) {
    return backend::ErrorRecord{
        backend::ErrorKind::compile,
        fmt::format("{} cannot be loaded on the cpu tier: {}.", label, llvm::toString(std::move(e))),
        {}};
  };
  auto loader = Loader::get();
  if (!loader) return failed(loader.takeError());
  auto found = (*loader)->load(object, symbols);
  if (!found) return failed(found.takeError());
  return std::move(*found);
}

}  // namespace weft::cpu
