#include "backends/cpu/batch.hpp"

#include <fmt/format.h>

#include <cstring>

#include "backends/cpu/run.hpp"

namespace weft::cpu {

using backend::ErrorKind;
using backend::ErrorRecord;
using backend::Region;

namespace {

/// A pass with its places found: what it needs of them is held until the batch is done.
struct Ready {
  const backend::Pass* pass;
  std::shared_ptr<Kernel> kernel;
  std::vector<void*> places;  // bound arrays, or the one or two regions of another pass
  std::vector<std::byte*> folded;
};

class Preparation {
 public:
  Preparation(const backend::Batch& batch, const MemoryTable& memory) : batch_(batch), memory_(memory) {}

  std::optional<ErrorRecord> prepare(const backend::Pass& pass, Ready& out) {
    out.pass = &pass;
    label_ = pass.label.empty() ? batch_.label : pass.label;
    std::visit([&](const auto& what) { look_up(what, out); }, pass.what);
    return std::move(error_);
  }
  const std::vector<std::shared_ptr<Memory>>& held() const { return held_; }

 private:
  std::byte* place(const Region& r, const char* what) {
    std::shared_ptr<Memory> m = memory_.find(r.memory);
    if (!m) {
      fail(ErrorKind::state,
           fmt::format("{} is memory {} of the cpu tier, which does not exist (any more)", what, r.memory));
      return nullptr;
    }
    if (r.offset > m->size() || r.size > m->size() - r.offset) {
      fail(ErrorKind::range,
           fmt::format("{} is {} bytes at {} of memory that has {}", what, r.size, r.offset, m->size()));
      return nullptr;
    }
    held_.push_back(std::move(m));
    return held_.back()->data() + r.offset;
  }

  void look_up(const backend::Run& run, Ready& out) {
    out.kernel = KernelStore::all().find(run.program);
    if (!out.kernel)
      return fail(ErrorKind::state, fmt::format("program {} has not been compiled on the cpu tier", run.program));
    const trace::Program& p = out.kernel->program();
    if (run.bound.size() != p.slots.size() || run.folded.size() != p.folds.size() ||
        run.uniforms.size() < p.uniform_bytes)
      return fail(
          ErrorKind::state,
          fmt::format("the run binds {} arrays, {} folds and {} bytes of uniforms, and its program has {}, {} and {}",
                      run.bound.size(), run.folded.size(), run.uniforms.size(), p.slots.size(), p.folds.size(),
                      p.uniform_bytes));
    if (run.n > 0xFFFFFFFFu)
      return fail(ErrorKind::range, fmt::format("{} iterations are more than a loop may have (4294967295)", run.n));
    for (std::size_t s = 0; s < run.bound.size(); ++s)
      out.places.push_back(place(run.bound[s], p.slots[s].name.c_str()));
    for (std::size_t k = 0; k < run.folded.size(); ++k) {
      if (run.folded[k].size < p.folds[k].dtype.bytes())
        fail(ErrorKind::range, "the place of a folded value is too small for it");
      out.folded.push_back(place(run.folded[k], "the place of a folded value"));
    }
  }
  void look_up(const backend::Upload& u, Ready& out) {
    same(u.to.size, u.from.size());
    out.places = {place(u.to, "what is written")};
  }
  void look_up(const backend::Copy& c, Ready& out) {
    same(c.to.size, c.from.size);
    out.places = {place(c.to, "what is written"), place(c.from, "what is copied")};
  }
  void look_up(const backend::Fill& f, Ready& out) { out.places = {place(f.to, "what is cleared")}; }
  void look_up(const backend::Read& r, Ready& out) {
    same(r.from.size, r.into.size());
    out.places = {place(r.from, "what is read")};
  }

  void same(std::uint64_t a, std::uint64_t b) {
    if (a != b) fail(ErrorKind::range, fmt::format("{} bytes cannot go to or come from {} bytes", b, a));
  }
  void fail(ErrorKind kind, const std::string& why) {
    if (!error_) error_ = ErrorRecord{kind, fmt::format("{}: {}.", label_.empty() ? "A pass" : label_, why), {}};
  }

  const backend::Batch& batch_;
  const MemoryTable& memory_;
  std::string label_;
  std::optional<ErrorRecord> error_;
  std::vector<std::shared_ptr<Memory>> held_;
};

std::optional<ErrorRecord> execute(const Ready& r, Workers& workers) {
  const auto& what = r.pass->what;
  if (const auto* run_pass = std::get_if<backend::Run>(&what))
    return run(*r.kernel, workers, r.places, run_pass->uniforms.data(), run_pass->n, r.folded);
  if (const auto* u = std::get_if<backend::Upload>(&what)) {
    if (r.places[0] != u->from.data()) copy(workers, r.places[0], u->from.data(), u->from.size());
  } else if (const auto* c = std::get_if<backend::Copy>(&what)) {
    const auto *to = static_cast<const std::byte*>(r.places[0]), *from = static_cast<const std::byte*>(r.places[1]);
    if (to + c->to.size <= from || from + c->to.size <= to) copy(workers, r.places[0], r.places[1], c->to.size);
    else std::memmove(r.places[0], r.places[1], c->to.size);
  } else if (const auto* f = std::get_if<backend::Fill>(&what)) {
    zero(workers, r.places[0], f->to.size);
  } else if (const auto* into = std::get_if<backend::Read>(&what)) {
    if (r.places[0] != into->into.data()) copy(workers, into->into.data(), r.places[0], into->into.size());
  }
  return std::nullopt;
}

}  // namespace

backend::Expected<backend::Outcome> run_batch(const backend::Batch& batch, const MemoryTable& memory,
                                              Workers& workers) {
  Preparation preparation(batch, memory);
  std::vector<Ready> ready(batch.passes.size());
  for (std::size_t k = 0; k < ready.size(); ++k)
    if (auto error = preparation.prepare(batch.passes[k], ready[k])) return std::move(*error);
  for (const Ready& r : ready)
    if (auto error = execute(r, workers)) return std::move(*error);
  backend::Outcome outcome;
  outcome.passes.resize(ready.size());  // no dispatch and no GPU time: this is the host (FUSE-REP-04)
  return outcome;
}

}  // namespace weft::cpu
