#include "support/lowered_call.hpp"

#include <cstring>
#include <stdexcept>
#include <unordered_map>

#include "support/lane_ops.hpp"
#include "support/program_interpreter.hpp"

namespace weft::test {
namespace {

using ir::Node;
using ir::Op;

/// Loop headers and initial values of generated kernels: literals, lengths, scalars, and sums of them.
std::int64_t host_value(Node n, const Arguments& args) {
  if (const auto v = ir::int_value(n)) return *v;
  if (n->is(Op::PARAM)) {
    const ir::Storage& s = *n->arg.storage;
    if (s.source == ir::Source::length) return static_cast<std::int64_t>(args.arrays[s.index].length());
    const std::uint64_t bits = args.scalars[s.index].bits;
    return s.dtype == Scalar::int32 ? static_cast<std::int32_t>(bits) : static_cast<std::int64_t>(bits);
  }
  const auto in = [&](std::size_t i) { return host_value((*n)[i], args); };
  switch (n->op) {
    case Op::CAST: return in(0);
    case Op::ADD: return in(0) + in(1);
    case Op::SUB: return in(0) - in(1);
    case Op::MUL: return in(0) * in(1);
    case Op::MIN: return std::min(in(0), in(1));
    case Op::MAX: return std::max(in(0), in(1));
    default: throw std::logic_error("lowered_call: no loop header of a generated kernel");
  }
}

std::uint64_t literal_bits(Node n, Scalar type) {
  if (is_float(type)) {
    const double v = ir::float_value(n).value_or(static_cast<double>(ir::int_value(n).value_or(0)));
    if (type == Scalar::float32) return std::bit_cast<std::uint32_t>(static_cast<float>(v));
    return std::bit_cast<std::uint64_t>(v);
  }
  const auto v = static_cast<std::uint64_t>(ir::int_value(n).value());
  return bit_size(type) == 64 ? v : v & 0xFFFFFFFFu;
}

}  // namespace

std::vector<std::byte> uniforms_for(const trace::Program& p, const Arguments& args, std::int64_t start, std::int64_t step, std::uint64_t trip) {
  return pack_uniforms(p, trip, [&](const trace::Uniform& u) -> std::uint64_t {
    switch (u.source) {
      case ir::Source::length: return args.arrays[u.index].length();
      case ir::Source::scalar: return args.scalars[u.index].bits;
      case ir::Source::start: return static_cast<std::uint64_t>(start);
      case ir::Source::step: return static_cast<std::uint64_t>(step);
      default: throw std::logic_error("lowered_call: no such uniform in a generated kernel");
    }
  });
}

std::vector<detail::ScalarValue> lowered_call(const std::shared_ptr<const trace::KernelCore>& core, Arguments& args, const trace::Config& config) {
  std::unordered_map<Node, std::uint64_t> variables;
  for (const trace::Step& step : core->steps) {
    if (const auto* store = std::get_if<trace::HostStore>(&step)) {
      variables[store->local] = literal_bits(store->value, store->local->dtype.scalar);
      continue;
    }
    const std::size_t number = std::get<std::size_t>(step);
    const trace::LoopIR& l = core->loops[number];
    const std::int64_t start = host_value(l.start, args), stop = host_value(l.stop, args), by = host_value(l.step, args);
    const std::int64_t span = by > 0 ? stop - start : start - stop, stride = by > 0 ? by : -by;
    const auto trip = static_cast<std::uint64_t>(span <= 0 ? 0 : (span + stride - 1) / stride);
    if (trip == 0) continue;
    const trace::LoneProgram lone = trace::lone_program(trace::lower_loop(core, number, config));
    std::vector<std::span<std::byte>> bound;
    for (std::uint16_t p : lone.params) bound.push_back(args.arrays[p].bytes);
    const auto folded = ProgramInterpreter(lone.program).run(bound, uniforms_for(*lone.program, args, start, by, trip), trip);
    for (std::size_t k = 0; k < folded.size(); ++k) {
      std::uint64_t& v = variables[l.folds[k].target];
      v = fold_lane(l.folds[k].op, folded[k].dtype.scalar, v, folded[k].bits);
    }
  }
  std::vector<detail::ScalarValue> results;
  for (Node r : core->results) {
    const Node local = r->is(Op::LOAD) ? (*r)[0] : r;
    results.push_back({local->dtype, variables.at(local)});
  }
  return results;
}

}  // namespace weft::test
