// A prepared call as passes of a batch, and its results.
#include <cstring>

#include <fmt/format.h>

#include "runtime/check_call.hpp"
#include "runtime/device_state.hpp"
#include "runtime/execute.hpp"

namespace weft::runtime {
namespace {

void put(std::vector<std::byte>& bytes, const trace::Uniform& u, std::uint64_t bits) {
  std::memcpy(bytes.data() + u.offset, &bits, u.dtype.bytes() <= 8 ? u.dtype.bytes() : 8);
}

std::uint64_t value(const trace::Uniform& u, const Prepared& p) {
  switch (u.source) {
    case ir::Source::trip: return p.header.trip;
    case ir::Source::start: return static_cast<std::uint64_t>(p.header.start);
    case ir::Source::step: return static_cast<std::uint64_t>(p.header.step);
    case ir::Source::length: return p.frame->length(u.index);
    case ir::Source::scalar: return p.frame->scalar(u.index).bits;
    case ir::Source::captured: return p.frame->captured(u.index).bits;
    case ir::Source::zero:
    case ir::Source::none:
    case ir::Source::array: break;
  }
  return 0;
}

/// The loop at which the call stands, as one pass.
void encode_loop(Builder& builder, Prepared& p, std::uint32_t group, Encoded& encoded) {
  const trace::KernelCore& core = *p.request.kernel;
  LoopProgram& program = *p.programs[*p.loop];
  const trace::Program& code = *program.lone.program;
  auto known = program.compiled.find(&builder.backend());
  if (known == program.compiled.end()) {
    known = program.compiled.emplace(&builder.backend(), compile(builder.backend(), program.lone.program)).first;
    ++builder.device().counters.programs;
  }

  backend::Run run;
  run.program = known->second;
  run.n = p.header.trip;
  for (const std::uint16_t param : program.lone.params)
    run.bound.push_back(builder.bring(p.arrays[param], core.facts.params[param].name));
  for (std::size_t s = 0; s < code.slots.size(); ++s)
    if (code.slots[s].written) builder.writes(p.arrays[program.lone.params[s]]);
  const Prepared* const calls[] = {&p};
  run.uniforms = uniforms(code, calls);
  for (const auto& fold : code.folds) {
    encoded.folds.push_back(builder.fold_value(fold.dtype));
    run.folded.push_back(encoded.folds.back().region);
  }
  encoded.workgroup_shapes.push_back({code.workgroup, 1, 1});
  encoded.passes.push_back(builder.batch().passes.size());
  std::string label = core.facts.name;
  if (core.loops.size() > 1) label += fmt::format(" loop {}", *p.loop + 1);
  builder.batch().passes.push_back({std::move(run), group, std::move(label)});
}

detail::ScalarValue scalar_of(DType dtype, const std::vector<std::byte>& bytes) {
  detail::ScalarValue v;
  v.dtype = dtype;
  std::memcpy(&v.bits, bytes.data(), std::min(bytes.size(), sizeof v.bits));
  // As ScalarValue has it: an int32 sign-extended.
  if (dtype.scalar == ScalarType::int32)
    v.bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(v.bits)));
  return v;
}

}  // namespace

std::vector<std::byte> uniforms(const trace::Program& program, std::span<const Prepared* const> calls) {
  std::vector<std::byte> bytes(program.uniform_bytes);
  for (const trace::Uniform& u : program.uniforms) put(bytes, u, value(u, *calls[u.call]));
  return bytes;
}

void take_folds(Prepared& p, trace::HostFrame& frame, std::size_t loop, std::span<const Builder::FoldValue> folds) {
  const auto& program = *p.programs[loop]->lone.program;
  for (std::size_t k = 0; k < program.folds.size(); ++k)
    frame.fold(k, scalar_of(program.folds[k].dtype, *folds[k].bytes));
}

Encoded encode_next(Builder& builder, Prepared& p, std::uint32_t group) {
  Encoded encoded;
  if (p.header.trip > 0) encode_loop(builder, p, group, encoded);
  return encoded;
}

Encoded encode(Builder& builder, Prepared& p, std::uint32_t group) {
  Encoded encoded;
  for (; p.loop; next_loop(p))
    if (p.header.trip > 0) encode_loop(builder, p, group, encoded);
  return encoded;
}

void clear_errors(const Prepared& p) {
  const auto written = written_params(p.request.kernel->facts);
  for (std::size_t i = 0; i < written.size(); ++i)
    if (written[i] && p.arrays[i].resident) p.arrays[i].resident->error = nullptr;
}

void deliver(DeviceState& device, const Prepared& p, const trace::HostFrame& ended) {
  auto results = ended.results();
  clear_errors(p);
  ++device.counters.calls;
  if (p.request.future) p.request.future->set_call({p.request.kernel->facts.name, p.backend->info().tier, p.reason});
  if (p.request.deliver) p.request.deliver(results);
}

void complete(DeviceState& device, Prepared& p, const Encoded& encoded) {
  // The straight code ran past the loops without their folded values: now it runs with them.
  auto frame = fresh_frame(p);
  std::span<const Builder::FoldValue> folds = encoded.folds;
  while (const auto loop = frame->advance()) {
    if (frame->header().trip == 0) continue;
    const std::size_t count = p.programs[*loop]->lone.program->folds.size();
    if (count > folds.size()) break;  // not among the calls that were encoded for their results
    take_folds(p, *frame, *loop, folds.subspan(0, count));
    folds = folds.subspan(count);
  }
  deliver(device, p, *frame);
}

void complete(Prepared& p, const Encoded& encoded) {
  for (const Bound& b : p.arrays)
    if (b.resident)
      if (auto device = b.resident->owner.lock()) return complete(*device, p, encoded);
}

void fail(const detail::CallRequest& request, std::exception_ptr error) {
  const auto written = written_params(request.kernel->facts);
  for (std::size_t i = 0; i < request.args.size() && i < written.size(); ++i)
    if (const auto* a = request.args[i].array(); a && written[i] && a->resident) a->resident->error = error;
  if (request.future) request.future->reject(error);
}

}  // namespace weft::runtime
