#include "support/backend_call.hpp"

#include <stdexcept>

#include "support/lowered_call.hpp"

namespace weft::test {
namespace {

using backend::Expected;
using backend::MemoryId;
using backend::Region;

template <class T>
T wait(backend::Backend& b, const std::shared_ptr<std::optional<Expected<T>>>& answer, const char* what) {
  while (!*answer && b.pump(std::chrono::milliseconds(50))) {}
  if (!*answer) throw std::runtime_error(std::string("the backend never answers: ") + what);
  if (!**answer) throw std::runtime_error((**answer).error().message + "\n" + (**answer).error().source);
  return ***answer;
}

backend::CompiledId compile(backend::Backend& b, std::shared_ptr<const trace::Program> p) {
  if (const auto why = b.refuses(*p)) throw std::runtime_error(p->label + ": " + *why);
  auto answer = std::make_shared<std::optional<Expected<backend::CompiledId>>>();
  b.compile(std::move(p), [answer](Expected<backend::CompiledId> id) { *answer = std::move(id); });
  return wait(b, answer, "compile");
}

/// A memory that goes when the call is done. A binding of no bytes is not one on every tier, so an empty array has a word.
struct Owned {
  backend::Backend& where;
  MemoryId id;
  std::uint64_t bytes;
  Owned(backend::Backend& b, std::uint64_t size) : where(b), id(0), bytes(size) {
    auto made = b.create({(size + 3) / 4 * 4 + (size == 0 ? 4 : 0), "test"});
    if (!made) throw std::runtime_error(made.error().message);
    id = *made;
  }
  Owned(const Owned&) = delete;
  ~Owned() { where.destroy(id); }
  Region all() const { return {id, 0, bytes}; }
};

}  // namespace

std::vector<detail::ScalarValue> backend_call(backend::Backend& b, const std::shared_ptr<const trace::KernelCore>& core,
                                              Arguments& args, const trace::Config& config) {
  std::vector<std::unique_ptr<Owned>> memory(args.arrays.size());
  std::vector<std::uint64_t> lengths;
  for (std::size_t p = 0; p < args.arrays.size(); ++p) {
    lengths.push_back(args.arrays[p].length());
    if (core->facts.params[p].kind == trace::ParamKind::array)
      memory[p] = std::make_unique<Owned>(b, args.arrays[p].bytes.size());
  }
  const auto run = [&](backend::Batch batch) {
    auto answer = std::make_shared<std::optional<Expected<backend::Outcome>>>();
    b.submit(std::move(batch), [answer](Expected<backend::Outcome> o) { *answer = std::move(o); });
    wait(b, answer, "submit");
  };
  // Every pass on its own array; empty ones move nothing.
  const auto transfer = [&](bool up) {
    backend::Batch batch;
    batch.label = up ? "upload" : "read";
    for (std::size_t p = 0; p < memory.size(); ++p) {
      if (!memory[p] || memory[p]->bytes == 0) continue;
      if (up) batch.passes.push_back({backend::Upload{memory[p]->all(), args.arrays[p].bytes}, 0, "upload"});
      else batch.passes.push_back({backend::Read{memory[p]->all(), args.arrays[p].bytes}, 0, "read"});
    }
    if (!batch.passes.empty()) run(std::move(batch));
  };

  transfer(true);
  trace::HostFrame frame(core, args.scalars, lengths);
  while (const auto loop = frame.advance()) {
    const std::uint64_t trip = frame.header().trip;
    if (trip == 0) continue;
    const trace::LoneProgram lone = trace::lone_program(trace::lower_loop(core, *loop, config));
    const trace::Program& p = *lone.program;
    backend::Run pass{compile(b, lone.program), {}, uniforms_for(p, frame), trip, {}};
    for (std::uint16_t param : lone.params) pass.bound.push_back(memory[param]->all());
    std::vector<std::unique_ptr<Owned>> folded;
    std::vector<std::vector<std::byte>> values;
    for (const trace::ProgramFold& f : p.folds) {
      folded.push_back(std::make_unique<Owned>(b, f.dtype.bytes()));
      values.emplace_back(f.dtype.bytes());
      pass.folded.push_back(folded.back()->all());
    }
    backend::Batch batch;
    batch.label = p.label;
    batch.passes.push_back({std::move(pass), 0, p.label});
    for (std::size_t k = 0; k < folded.size(); ++k)
      batch.passes.push_back({backend::Read{folded[k]->all(), values[k]}, 0, "fold"});
    run(std::move(batch));
    for (std::size_t k = 0; k < values.size(); ++k) {
      detail::ScalarValue v{p.folds[k].dtype, 0};
      std::memcpy(&v.bits, values[k].data(), values[k].size());
      frame.fold(k, v);
    }
  }
  transfer(false);
  return frame.results();
}

}  // namespace weft::test
