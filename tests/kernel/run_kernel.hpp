// Runs a traced kernel without a device: its straight code by the HostFrame, each loop lowered and interpreted. What tests of
// tracing need to see that a graph means what its author wrote.
#pragma once

#include <weft/kernel.hpp>

#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "kernel/core.hpp"
#include "kernel/lower.hpp"
#include "support/program_interpreter.hpp"

namespace weft::test {

inline void run_core(const std::shared_ptr<const trace::KernelCore>& core, const std::vector<detail::CallArg>& args,
                     std::vector<detail::ScalarValue>& results, trace::Config config = {}) {
  std::vector<detail::ScalarValue> scalars(args.size());
  std::vector<std::uint64_t> lengths(args.size());
  std::vector<std::span<std::byte>> memory(args.size());
  for (std::size_t p = 0; p < args.size(); ++p) {
    if (const auto* s = args[p].scalar()) scalars[p] = *s;
    else {
      const auto& a = *args[p].array();
      lengths[p] = a.length;
      memory[p] = {static_cast<std::byte*>(a.host), a.length * a.dtype.bytes()};
    }
  }
  trace::HostFrame frame(core, scalars, lengths);
  while (const auto loop = frame.advance()) {
    const trace::LoopHeader header = frame.header();
    if (header.trip == 0) continue;
    const auto lone = trace::lone_program(trace::lower_loop(core, *loop, config));
    std::vector<std::span<std::byte>> bound;
    for (std::uint16_t p : lone.params) bound.push_back(memory[p]);
    const auto uniforms = pack_uniforms(*lone.program, header.trip, [&](const trace::Uniform& u) -> std::uint64_t {
      switch (u.source) {
        case ir::Source::scalar: return frame.scalar(u.index).bits;
        case ir::Source::length: return frame.length(u.index);
        case ir::Source::start: return static_cast<std::uint64_t>(header.start);
        case ir::Source::step: return static_cast<std::uint64_t>(header.step);
        case ir::Source::captured: return frame.captured(u.index).bits;
        default: return 0;
      }
    });
    const auto folded = ProgramInterpreter(lone.program).run(bound, uniforms, header.trip);
    for (std::size_t k = 0; k < folded.size(); ++k) frame.fold(k, folded[k]);
  }
  results = frame.results();
}

template <class R, class... P> auto run(const Kernel<R(P...)>& kernel, detail::Arg<std::type_identity_t<P>>... args) {
  std::vector<detail::ScalarValue> results;
  run_core(kernel.core(), {args.call_arg()...}, results);
  using Result = typename Kernel<R(P...)>::Result;
  if constexpr (!std::is_void_v<Result>) return detail::take_result<Result>(results);
}

template <class K> const trace::LoopFacts& loop_facts(const K& kernel, std::size_t loop = 0) {
  return kernel.core()->facts.loops.at(loop);
}
/// The accesses as "reads t[i - 1]@9" lines, in their order.
template <class K> std::string accesses(const K& kernel, std::size_t loop = 0, bool lines = false) {
  std::string s;
  for (const trace::Access& a : loop_facts(kernel, loop).accesses)
    s += std::string(s.empty() ? "" : "; ") + (a.write ? "writes " : "reads ") + a.text +
         (lines ? "@" + std::to_string(a.line) : "");
  return s;
}
/// A message with its line numbers left out: "(line 9)" is "(line)". Lines have a test of their own.
inline std::string without_lines(std::string s) {
  for (std::size_t at = 0; (at = s.find("(line ", at)) != std::string::npos; at += 6)
    s.erase(at + 5, s.find(')', at) - at - 5);
  return s;
}
/// Why a loop was not proved parallel, or "parallel".
template <class K> std::string proof(const K& kernel, std::size_t loop = 0) {
  const auto& f = loop_facts(kernel, loop);
  return f.not_parallel ? without_lines(trace::text(*f.not_parallel, kernel.core()->facts, f)) : "parallel";
}

/// The message of the weft::Error that `f` throws, lines left out, and its type's name before it: "TypeError: ...".
template <class F> std::string thrown(F&& f) {
  try {
    f();
  } catch (const TypeError& e) { return "TypeError: " + without_lines(e.what()); } catch (const RangeError& e) {
    return "RangeError: " + without_lines(e.what());
  } catch (const StateError& e) { return "StateError: " + without_lines(e.what()); } catch (const UnsupportedError& e) {
    return "UnsupportedError: " + without_lines(e.what());
  } catch (const std::exception& e) { return "exception: " + without_lines(e.what()); }
  return "nothing thrown";
}

}  // namespace weft::test
