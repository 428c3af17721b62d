// Making a kernel: the signature and options are checked, the lambda runs once in a trace of its own, and the trace is
// finished. Nothing of a lambda that throws is kept.
#include <weft/kernel.hpp>

#include "kernel/finish.hpp"
#include "kernel/signature.hpp"

namespace weft::detail {

using trace::Tracer;

namespace {

void describe(Tracer& t, std::string_view text, const KernelOptions& options, std::span<const ParamSpec> specs) {
  trace::Signature s = trace::parse_signature(text);
  t.facts.name = std::move(s.name);
  const auto count = [](std::size_t n) { return std::to_string(n) + (n == 1 ? " parameter" : " parameters"); };
  if (s.params.size() != specs.size())
    throw TypeError(t.name() + ": its signature names " + count(s.params.size()) + " and its lambda takes " +
                    std::to_string(specs.size()) + ".");
  for (std::size_t k = 0; k < specs.size(); ++k)
    t.facts.params.push_back({std::move(s.params[k]),
                              specs[k].array ? trace::ParamKind::array : trace::ParamKind::scalar, specs[k].dtype,
                              specs[k].writable, specs[k].length});
  if (options.workgroup) {
    const std::uint32_t n = *options.workgroup;
    if (n == 0 || n > 1024 || (n & (n - 1)) != 0)
      throw TypeError(t.name() + ": a workgroup size is a power of two from 1 to 1024 (" + std::to_string(n) +
                      " is given).");
  }
  t.facts.workgroup = options.workgroup;
  t.facts.fusible = options.fusible;
  t.bits = options.bits;
}

Expr param(Tracer& t, std::size_t k) {
  const trace::ParamFact& p = t.facts.params[k];
  ir::Storage s;
  s.slot = static_cast<std::uint32_t>(k);
  s.index = s.slot;
  s.dtype = p.dtype;
  s.name = p.name;
  const bool array = p.kind == trace::ParamKind::array;
  s.space = array ? ir::Space::global : ir::Space::alu;
  s.source = array ? ir::Source::array : ir::Source::scalar;
  return t.expr(t.graph.storage(ir::Op::PARAM, std::move(s)));
}

}  // namespace

Shared<const trace::KernelCore> trace_kernel(std::string_view signature, const KernelOptions& options,
                                             std::span<const ParamSpec> specs, KernelBody body) {
  Tracer t;
  describe(t, signature, options, specs);
  std::vector<Expr> params;
  for (std::size_t k = 0; k < specs.size(); ++k) params.push_back(param(t, k));
  const trace::TracerScope scope(t);
  try {
    body.run(body.self, params);
    return trace::finish(t);
  } catch (const ir::ConstructError& e) { throw TypeError(t.name() + ": " + e.what()); }
}

void give_result(const Operand& o, DType type) {
  Tracer& t = trace::current("The result of a kernel");
  if (t.in_loop()) throw StateError(t.name() + ": it returns from inside a loop.");
  const ir::Node n = t.check(convert(o, type));
  for (unsigned k = 0; k < type.lanes; ++k) t.results.push_back(trace::lane(t.graph, n, k));
}

const std::string& kernel_name(const trace::KernelCore& core) { return core.facts.name; }

}  // namespace weft::detail
