#include "backends/cpu/compile.hpp"

#include <fmt/format.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Host.h>

#include <mutex>
#include <vector>

#include "backends/cpu/render.hpp"
#include "backends/cpu/target.hpp"

namespace weft::cpu {

namespace {

// A target machine takes a while to make and serves one thread at a time; as many stay as ever compiled at once.
class Targets {
 public:
  static Targets& all() {
    static Targets* targets = new Targets;  // lives as long as the process: a late thread may still compile
    return *targets;
  }
  std::unique_ptr<Target> take() {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        std::unique_ptr<Target> t = std::move(idle_.back());
        idle_.pop_back();
        return t;
      }
    }
    return std::make_unique<Target>(CompileOptions{});
  }
  void give_back(std::unique_ptr<Target> t) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(t));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Target>> idle_;
};

std::string text(const llvm::Module& module) {
  std::string s;
  llvm::raw_string_ostream stream(s);
  module.print(stream, nullptr);
  return s;
}

// Our own mistakes in the IR would crash a later pass, or pass unseen; as they are looked for, they are an error with the text.
std::optional<backend::ErrorRecord> broken(const llvm::Module& module, const std::string& label) {
  std::string why;
  llvm::raw_string_ostream stream(why);
  if (llvm::verifyModule(module, &stream))
    return backend::ErrorRecord{backend::ErrorKind::compile,
                                fmt::format("{} became LLVM IR that is not valid: {}", label, why), text(module)};
  return std::nullopt;
}

template <class Render>
backend::Expected<Object> to_object(const std::string& label, const CompileOptions& options, Render render) {
  try {
    std::unique_ptr<Target> target = options.contract ? std::make_unique<Target>(options) : Targets::all().take();
    llvm::LLVMContext context;
    // A loop that cannot be vectorised is no news for anyone's terminal.
    context.setDiagnosticHandlerCallBack([](const llvm::DiagnosticInfo*, void*) {});
    llvm::Module module(label, context);
    render(*target, module);
    target->prepare(module);
    if (auto error = broken(module, label)) return *error;
    target->optimise(module);
    Object object{target->object(module)};
    if (!options.contract) Targets::all().give_back(std::move(target));
    return object;
  } catch (const std::exception& e) {
    return backend::ErrorRecord{
        backend::ErrorKind::compile, fmt::format("{} cannot be compiled for the cpu tier: {}.", label, e.what()), {}};
  }
}

}  // namespace

backend::Expected<Object> compile(const trace::Program& program, Variant variant, const CompileOptions& options) {
  return to_object(program.label, options, [&](const Target& target, llvm::Module& module) {
    const Split split(program);
    render_body(program, split, variant, target.vector_bits(), module);
    if (variant == Variant::interior) render_range(program, split, module);
    if (variant == Variant::interior && is_direct(program, split)) render_direct(program, split, module);
  });
}

bool has_direct(const trace::Program& program) { return is_direct(program, Split(program)); }

backend::Expected<Object> compile_fold(ir::Op op, Scalar t) {
  return to_object(fmt::format("the fold by {} of {}", name(op), name(t)), {},
                   [&](const Target&, llvm::Module& module) { render_fold(op, t, module); });
}

backend::Expected<std::string> llvm_text(const trace::Program& program, Variant variant) {
  std::string out;
  auto done = to_object(program.label, {}, [&](const Target& target, llvm::Module& module) {
    const Split split(program);
    render_body(program, split, variant, target.vector_bits(), module);
    if (variant == Variant::interior) render_range(program, split, module);
    out = text(module);
  });
  if (!done) return done.error();
  return out;
}

const Host& host() {
  static const Host* h = [] {
    std::unique_ptr<Target> target = Targets::all().take();
    auto* found = new Host{llvm::sys::getHostCPUName().str(), "LLVM " LLVM_VERSION_STRING, target->vector_bits()};
    Targets::all().give_back(std::move(target));
    return found;
  }();
  return *h;
}

}  // namespace weft::cpu
