#include "support/lowered_call.hpp"

#include <stdexcept>

#include "support/program_interpreter.hpp"

namespace weft::test {

std::vector<std::byte> uniforms_for(const trace::Program& p, const trace::HostFrame& frame) {
  const trace::LoopHeader h = frame.header();
  return pack_uniforms(p, h.trip, [&](const trace::Uniform& u) -> std::uint64_t {
    switch (u.source) {
      case ir::Source::length: return frame.length(u.index);
      case ir::Source::scalar: return frame.scalar(u.index).bits;
      case ir::Source::captured: return frame.captured(u.index).bits;
      case ir::Source::start: return static_cast<std::uint64_t>(h.start);
      case ir::Source::step: return static_cast<std::uint64_t>(h.step);
      default:
        throw std::logic_error("lowered_call: no such uniform in a program of one call: " +
                               std::to_string(static_cast<int>(u.source)));
    }
  });
}

std::vector<detail::ScalarValue> lowered_call(const std::shared_ptr<const trace::KernelCore>& core, Arguments& args,
                                              const trace::Config& config) {
  std::vector<std::uint64_t> lengths;
  for (const HostArray& a : args.arrays) lengths.push_back(a.length());
  trace::HostFrame frame(core, args.scalars, lengths);
  while (const auto loop = frame.advance()) {
    const std::uint64_t trip = frame.header().trip;
    if (trip == 0) continue;
    const trace::LoneProgram lone = trace::lone_program(trace::lower_loop(core, *loop, config));
    std::vector<std::span<std::byte>> bound;
    for (std::uint16_t p : lone.params) bound.push_back(args.arrays[p].bytes);
    const auto folded = ProgramInterpreter(lone.program).run(bound, uniforms_for(*lone.program, frame), trip);
    for (std::size_t k = 0; k < folded.size(); ++k) frame.fold(k, folded[k]);
  }
  return frame.results();
}

}  // namespace weft::test
