#include "plan.hpp"

#include <fmt/format.h>

#include <unordered_set>

namespace weft::webgpu {
namespace {

using backend::ErrorKind;
using backend::ErrorRecord;
using backend::Region;

class Planner {
 public:
  Planner(const Workshop& shop, const backend::Batch& batch) : shop_(shop), batch_(batch) {}

  backend::Expected<Plan> run() {
    for (const backend::Pass& pass : batch_.passes) {
      pass_ = &pass;
      plan_.staged_upload.push_back(false);
      std::visit([this](const auto& what) { look(what); }, pass.what);
      if (error_) return *error_;
    }
    return std::move(plan_);
  }

 private:
  void fail(ErrorKind kind, std::string what) {
    if (error_) return;
    const std::string name = !pass_->label.empty()   ? label(pass_->label)
                             : !batch_.label.empty() ? label(batch_.label)
                                                     : "A pass";
    error_ = ErrorRecord{kind, fmt::format("{} {}.", name, what), {}};
  }

  /// The memory of a region that lies within it, on whole words.
  const Memory* find(const Region& r, const char* does) {
    const Memory* memory = shop_.memories.find(r.memory);
    if (!memory) {
      fail(ErrorKind::state, fmt::format("{} a buffer that does not exist or was destroyed", does));
      return nullptr;
    }
    if (r.offset > memory->bytes || r.size > memory->bytes - r.offset) {
      fail(ErrorKind::range, fmt::format("{} bytes {}..{} of {}, which has {}", does, r.offset, r.offset + r.size,
                                         memory->label.empty() ? "a buffer" : memory->label, memory->bytes));
      return nullptr;
    }
    if (r.offset % 4 != 0 || r.size % 4 != 0) {
      fail(ErrorKind::range,
           fmt::format("{} {} bytes at offset {}, and WebGPU moves whole words of 4 bytes", does, r.size, r.offset));
      return nullptr;
    }
    return memory;
  }

  void touch(const Region& r) { touched_.insert(r.memory); }

  void look(const backend::Run& run) {
    if (run.program == 0 || run.program > shop_.programs.size())
      return fail(ErrorKind::state, "runs a program that was not compiled on this device");
    const Compiled& compiled = *shop_.programs[run.program - 1];
    const trace::Program& program = *compiled.program;
    if (run.bound.size() != program.slots.size() || run.folded.size() != program.folds.size())
      return fail(ErrorKind::type,
                  fmt::format("binds {} arrays and {} results where its program has {} and {}", run.bound.size(),
                              run.folded.size(), program.slots.size(), program.folds.size()));
    if (run.uniforms.size() < program.uniform_bytes || run.uniforms.size() > compiled.uniform_bytes)
      return fail(ErrorKind::range, fmt::format("gives {} bytes of scalars where its program has {}",
                                                run.uniforms.size(), program.uniform_bytes));
    if (run.n == 0) return;
    if (run.n > 0xffffffffu)
      return fail(ErrorKind::range,
                  fmt::format("has {} iterations, and the webgpu tier runs at most 4294967295", run.n));
    PlannedRun planned;
    planned.program = &compiled;
    const std::uint32_t most = shop_.gpu.limits().maxComputeWorkgroupsPerDimension;
    const auto groups = dispatch_shape(run.n, compiled.iterations, most);
    if (!groups)
      return fail(ErrorKind::range,
                  fmt::format("has {} iterations, too many for workgroups of {} in grids of {} a side", run.n,
                              compiled.iterations, most));
    planned.groups = *groups;
    for (const Region& r : run.bound) planned.bound.push_back(find(r, "binds"));
    for (std::size_t f = 0; f < run.folded.size(); ++f) {
      planned.folded.push_back(find(run.folded[f], "gives its result to"));
      if (!error_ && run.folded[f].size < program.folds[f].dtype.bytes())
        fail(ErrorKind::range, fmt::format("gives its result of {} bytes to a place of {}",
                                           program.folds[f].dtype.bytes(), run.folded[f].size));
    }
    check_bindings(run, program);
    if (error_) return;
    if (!run.folded.empty()) planned.tree = fold_levels(run.n);
    check_partials(planned);
    const std::uint64_t step = shop_.gpu.limits().minUniformBufferOffsetAlignment;
    plan_.uniform_bytes += align(compiled.uniform_bytes, step) + planned.tree.levels.size() * align(16, step);
    plan_.dispatches += 1 + static_cast<std::uint32_t>(planned.tree.levels.size());
    plan_.commands = true;
    for (const Region& r : run.bound) touch(r);
    for (const Region& r : run.folded) touch(r);
    plan_.runs.push_back(std::move(planned));
  }

  void check_bindings(const backend::Run& run, const trace::Program& program) {
    const WGPULimits& limits = shop_.gpu.limits();
    for (std::size_t a = 0; a < run.bound.size() && !error_; ++a) {
      if (run.bound[a].offset % limits.minStorageBufferOffsetAlignment != 0)
        fail(ErrorKind::range, fmt::format("binds an array at offset {}, which is no multiple of the device's {}",
                                           run.bound[a].offset, limits.minStorageBufferOffsetAlignment));
      if (run.bound[a].size > limits.maxStorageBufferBindingSize)
        fail(ErrorKind::range, fmt::format("binds an array of {} bytes and the device allows {}", run.bound[a].size,
                                           limits.maxStorageBufferBindingSize));
      for (std::size_t b = 0; b < a; ++b)
        if (run.bound[a].memory == run.bound[b].memory && (program.slots[a].written || program.slots[b].written))
          fail(ErrorKind::state, "binds one buffer twice and writes it");
    }
  }

  void check_partials(const PlannedRun& run) {
    const WGPULimits& limits = shop_.gpu.limits();
    const std::uint64_t most = std::min(limits.maxBufferSize, limits.maxStorageBufferBindingSize);
    for (const auto& fold : run.program->program->folds)
      if (const std::uint64_t bytes = std::uint64_t{run.tree.elements} * fold.dtype.bytes(); bytes > most)
        fail(ErrorKind::memory, fmt::format("takes {} bytes of partial results and the device allows {}", bytes, most));
  }

  void look(const backend::Upload& up) {
    if (up.from.size() != up.to.size)
      return fail(ErrorKind::range, fmt::format("uploads {} bytes to a place of {}", up.from.size(), up.to.size));
    if (!find(up.to, "uploads to") || up.to.size == 0) return;
    // A write from the host comes before every command of the submission; where the batch has used the memory by then,
    // the bytes wait in a buffer and are copied in their turn.
    if (touched_.contains(up.to.memory)) {
      plan_.staged_upload.back() = true;
      plan_.transfer_bytes += up.to.size;
      plan_.commands = true;
    }
  }

  void look(const backend::Copy& copy) {
    if (copy.from.size != copy.to.size)
      return fail(ErrorKind::range, fmt::format("copies {} bytes to a place of {}", copy.from.size, copy.to.size));
    if (!find(copy.from, "copies from") || !find(copy.to, "copies to") || copy.to.size == 0) return;
    touch(copy.from);
    touch(copy.to);
    plan_.commands = true;
  }

  void look(const backend::Fill& fill) {
    if (!find(fill.to, "clears") || fill.to.size == 0) return;
    touch(fill.to);
    plan_.commands = true;
  }

  void look(const backend::Read& read) {
    if (read.into.size() != read.from.size)
      return fail(ErrorKind::range, fmt::format("reads {} bytes into a place of {}", read.from.size, read.into.size()));
    if (!find(read.from, "reads") || read.from.size == 0) return;
    touch(read.from);
    plan_.read_bytes += align(read.from.size, 8);
    plan_.commands = true;
  }

  const Workshop& shop_;
  const backend::Batch& batch_;
  const backend::Pass* pass_ = nullptr;
  Plan plan_;
  std::unordered_set<backend::MemoryId> touched_;
  std::optional<ErrorRecord> error_;
};

}  // namespace

backend::Expected<Plan> plan(const Workshop& shop, const backend::Batch& batch) { return Planner(shop, batch).run(); }

}  // namespace weft::webgpu
