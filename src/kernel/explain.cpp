#include "kernel/explain.hpp"

#include <weft/kernel.hpp>

#include <atomic>

#include "kernel/text.hpp"

namespace weft::trace {

namespace {

std::atomic<ExplainHook> hook{nullptr};

std::string operator_name(ir::Op op) {
  switch (op) {
    case ir::Op::ADD: return "+";
    case ir::Op::MUL: return "*";
    case ir::Op::AND: return "&";
    case ir::Op::OR: return "|";
    case ir::Op::XOR: return "^";
    case ir::Op::MIN: return "min";
    default: return "max";
  }
}

std::string parameter(const ParamFact& p) {
  if (p.kind == ParamKind::scalar) return "Scalar<" + cpp_name(p.dtype) + "> " + p.name;
  if (p.length)
    return std::string("Tensor<") + (p.writable ? "" : "const ") + cpp_name(p.dtype) + ", " +
           std::to_string(*p.length) + " positions> " + p.name;
  return std::string("Array<") + (p.writable ? "" : "const ") + cpp_name(p.dtype) + "> " + p.name;
}

std::string at(const Affine& a) {
  switch (a.form) {
    case Affine::Form::constant:
      return a.exactly_i() ? "exactly i" : std::to_string(a.a) + "*i + " + std::to_string(a.c);
    case Affine::Form::scaled: return "k*i + " + std::to_string(a.c) + ", k fixed by the call";
    case Affine::Form::block:
      return a.coefficient ? "a block of each iteration" : "a block of " + std::to_string(a.a) + " each iteration";
    case Affine::Form::opaque: break;
  }
  return "an index of no fixed form";
}

}  // namespace

std::string describe(const KernelCore& core) {
  const Facts& f = core.facts;
  std::string s = f.name + "(";
  for (std::size_t k = 0; k < f.params.size(); ++k) s += (k ? ", " : "") + parameter(f.params[k]);
  s += ")";
  if (f.fusible) s += ", fusible";
  if (f.workgroup) s += ", workgroups of " + std::to_string(*f.workgroup);
  s += "\n";
  for (std::size_t k = 0; k < f.loops.size(); ++k) {
    const LoopFacts& l = f.loops[k];
    s += "loop " + std::to_string(k + 1) + ": ";
    s += l.not_parallel ? "runs in order on the cpu tier, because it " + text(*l.not_parallel, f, l) + "\n"
                        : "its iterations may run in any order\n";
    for (const Access& a : l.accesses)
      s += std::string("  ") + (a.write ? "writes " : "reads ") + a.text + " (line " + std::to_string(a.line) +
           "): " + at(a.at) + (a.conditional ? ", not in every iteration" : "") + "\n";
    for (const Fold& fold : l.folds)
      if (!core.loops[k].whole) s += "  folds " + cpp_name(fold.dtype) + " by " + operator_name(fold.op) + "\n";
    if (l.own_continue) s += "  ends iterations early (line " + std::to_string(*l.own_continue) + ")\n";
  }
  if (f.no_gpu) s += f.name + " runs on the CPU, " + *f.no_gpu + "\n";
  return s;
}

void set_explain_hook(ExplainHook h) { hook.store(h); }

}  // namespace weft::trace

namespace weft::detail {

std::string explain(const Shared<const trace::KernelCore>& core) {
  std::string s = trace::describe(*core);
  if (const auto h = trace::hook.load()) s += h(core);
  return s;
}

}  // namespace weft::detail
