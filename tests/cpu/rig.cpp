#include "cpu/rig.hpp"

#include <stdexcept>

#include "kernel/lower.hpp"
#include "support/program_interpreter.hpp"

namespace weft::cpu::test {

namespace {

backend::OpenOptions with_threads(unsigned n) {
  backend::OpenOptions o;
  if (n) o.limits = {{"threads", n}};
  return o;
}

template <class T> T& value_of(backend::Expected<T>& e) {
  if (!e) throw std::runtime_error(e.error().message + "\n" + e.error().source);
  return *e;
}

}  // namespace

Rig::Rig(unsigned threads) : backend_(with_threads(threads)) {}

backend::Expected<backend::CompiledId> Rig::compile(const std::shared_ptr<const trace::Program>& p) {
  std::optional<backend::Expected<backend::CompiledId>> out;
  backend_.compile(p, [&](auto r) { out = std::move(r); });
  return std::move(out.value());
}

backend::Expected<backend::Outcome> Rig::submit(backend::Batch batch) {
  std::optional<backend::Expected<backend::Outcome>> out;
  backend_.submit(std::move(batch), [&](auto r) { out = std::move(r); });
  return std::move(out.value());
}

std::vector<detail::ScalarValue> Rig::call(const std::shared_ptr<const trace::KernelCore>& core,
                                           const std::vector<detail::CallArg>& args, trace::Config config) {
  std::vector<detail::ScalarValue> scalars(args.size());
  std::vector<std::uint64_t> lengths(args.size());
  std::vector<backend::Region> memory(args.size());
  for (std::size_t p = 0; p < args.size(); ++p) {
    if (const auto* s = args[p].scalar()) {
      scalars[p] = *s;
      continue;
    }
    const auto& a = *args[p].array();
    lengths[p] = a.length;
    const std::uint64_t bytes = a.length * a.dtype.bytes();
    auto id = backend_.import({static_cast<std::byte*>(a.host), bytes});
    memory[p] = {value_of(id), 0, bytes};
  }
  trace::HostFrame frame(core, scalars, lengths);
  while (const auto loop = frame.advance()) {
    const trace::LoopHeader header = frame.header();
    if (header.trip == 0) continue;
    const auto lone = trace::lone_program(trace::lower_loop(core, *loop, config));
    const trace::Program& p = *lone.program;
    auto id = compile(lone.program);
    backend::Run run;
    run.program = value_of(id);
    for (std::uint16_t slot : lone.params) run.bound.push_back(memory[slot]);
    run.uniforms = weft::test::pack_uniforms(p, header.trip, [&](const trace::Uniform& u) -> std::uint64_t {
      switch (u.source) {
        case ir::Source::scalar: return frame.scalar(u.index).bits;
        case ir::Source::length: return frame.length(u.index);
        case ir::Source::start: return static_cast<std::uint64_t>(header.start);
        case ir::Source::step: return static_cast<std::uint64_t>(header.step);
        case ir::Source::captured: return frame.captured(u.index).bits;
        default: return 0;
      }
    });
    run.n = header.trip;
    std::vector<backend::MemoryId> folded;
    for (const trace::ProgramFold& f : p.folds) {
      auto m = backend_.create({f.dtype.bytes(), "a fold"});
      folded.push_back(value_of(m));
      run.folded.push_back({folded.back(), 0, f.dtype.bytes()});
    }
    auto outcome = submit({std::move(run), 0, p.label});
    value_of(outcome);
    for (std::size_t k = 0; k < folded.size(); ++k) {
      detail::ScalarValue v{p.folds[k].dtype, 0};
      std::memcpy(&v.bits, backend_.host_pointer(folded[k]), p.folds[k].dtype.bytes());
      if (v.dtype == ScalarType::int32)
        v.bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(v.bits)));
      frame.fold(k, v);
      backend_.destroy(folded[k]);
    }
  }
  for (const backend::Region& m : memory) backend_.destroy(m.memory);
  return frame.results();
}

}  // namespace weft::cpu::test
