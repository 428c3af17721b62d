#include "fuse/plan_run.hpp"

#include <weft/error.hpp>
#include <weft/fuse.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "fuse/checks.hpp"
#include "runtime/device_state.hpp"
#include "runtime/homes.hpp"

namespace weft::fusion {

namespace {

/// What leaves the module is one of the library's errors (FUSE-LIM-07).
std::exception_ptr as_weft_error() {
  try {
    throw;
  } catch (const Error&) { return std::current_exception(); } catch (const std::bad_alloc&) {
    return std::make_exception_ptr(OutOfMemory("fuse: the host has no memory left for the plan"));
  } catch (const std::exception& e) { return std::make_exception_ptr(Error(std::string("fuse: ") + e.what())); }
}

bool is_gpu(const backend::Backend& b) { return b.info().tier != Tier::cpu; }

/// A later loop of the kernel needs what an earlier one folded.
bool needs_folded(const runtime::Prepared& call) {
  const auto& loops = call.request.kernel->facts.loops;
  return std::any_of(loops.begin(), loops.end(), [](const auto& l) { return l.needs_folded; });
}

/// Whether a call reads one array through two parameters. Called alone it binds the array twice, and the driver knows
/// nothing of it; in an entry it is one slot, and a driver that may rearrange would turn a - b into 0.
bool reads_one_array_twice(const PlannedCall& call) {
  const auto& params = call.facts->params;  // one that is written is bound once, alone too (KER-ACC-04)
  for (std::size_t p = 0; p < call.bindings.size(); ++p)
    for (std::size_t q = 0; q < p; ++q)
      if (call.bindings[p].array != Binding::none && call.bindings[p].array == call.bindings[q].array &&
          !params[p].writable && !params[q].writable)
        return true;
  return false;
}

/// W26 says that an entry could not be built; the cause is a fault of ours or of a driver, and is for whoever looks for it:
/// with WEFT_DEBUG set it goes to stderr.
void tell_not_built(std::span<const runtime::Prepared> calls, const std::string& why) {
  if (const char* wanted = std::getenv("WEFT_DEBUG"); !wanted || !*wanted) return;
  std::string names;
  for (const runtime::Prepared& c : calls) names += (names.empty() ? "" : "+") + c.request.kernel->facts.name;
  std::fprintf(stderr, "weft: the fused entry of %s cannot be built: %s\n", names.c_str(), why.c_str());
}

trace::Config config_of(const runtime::Prepared& call, const runtime::DeviceState& device, bool fences) {
  return {.bits = call.request.kernel->bits.value_or(device.options.bits), .wide = call.wide, .fences = fences};
}

}  // namespace

bool PlanRun::advance(runtime::DeviceState& device) {
  try {
    if (!begun_) begin(device), begun_ = true;
    for (;;) {
      if (builder_) {
        if (!builder_->done()) return false;
        if (stepping_) land_step();
        else land();
      }
      if (next_ == works_.size()) break;
      if (step_by_step(works_[next_])) encode_step(device);
      else encode_stretch(device);
    }
    end(device);
  } catch (...) {
    builder_.reset();
    request_.reject(as_weft_error());
  }
  return true;
}

/// Checks every call before the first runs (FUSE-CHK-01..03), groups them and builds the groups' entries.
void PlanRun::begin(runtime::DeviceState& device) {
  calls_.reserve(request_.calls.size());
  for (const detail::CallRequest& call : request_.calls) {
    check_scratch(call, device.tiers.first_info());
    calls_.push_back(runtime::prepare(device, call));
  }
  description_ = describe(calls_);
  for (std::size_t i = 0; i < calls_.size(); ++i)
    description_.calls[i].alone =
        config_of(calls_[i], device, true).bits == Bits::fast && reads_one_array_twice(description_.calls[i]);
  Limits limits;
  for (const runtime::Prepared& c : calls_)
    if (c.backend->info().tier == Tier::webgpu) {
      limits.storage_buffers = c.backend->info().limit("maxStorageBuffersPerShaderStage", limits.storage_buffers);
      break;
    }
  for (Group& g : plan(description_.calls, limits)) works_.emplace_back().group = std::move(g);
  build(device);
}

void PlanRun::build(runtime::DeviceState& device) {
  std::vector<Work> works;
  works.reserve(works_.size());
  for (Work& w : works_) {
    if (w.group.fused() && !build(device, w)) split(std::move(w), works);
    else works.push_back(std::move(w));
  }
  works_ = std::move(works);
}

/// Finds or makes the entry of a fused group and compiles it. False: its calls run apart (FUSE-CAC-06).
bool PlanRun::build(runtime::DeviceState& device, Work& w) {
  const Group& g = w.group;
  w.placement = place(description_, g);
  Shape shape{.faces = {},
              .places = w.placement.places,
              .workgroup = g.workgroup,
              .config = config_of(calls_[g.first], device, executor_.options().fences)};
  for (std::size_t i = g.first; i < g.first + g.count; ++i) {
    const trace::Config config = config_of(calls_[i], device, executor_.options().fences);
    if (config.bits != shape.config.bits) return false;  // one entry gives one kind of bits
    shape.config.wide |= config.wide;
    shape.faces.push_back(calls_[i].request.kernel);
  }
  const std::shared_ptr<runtime::DeviceState> owner = device.shared_from_this();
  const std::shared_ptr<Entry> entry = executor_.entries().get(shape);
  const auto members = std::span(calls_).subspan(g.first, g.count);
  if (!entry->program()) return tell_not_built(members, entry->fault()), false;
  if (entry->failed_on(owner)) return false;
  try {
    if (auto why = backend_of(w).refuses(*entry->program())) throw UnsupportedError(*why);
    w.compiled = runtime::compile(backend_of(w), entry->program());
    w.program = entry->program();
    return true;
  } catch (const DeviceLost&) { throw; } catch (const Error& e) {
    if (backend_of(w).lost()) throw;
    tell_not_built(members, e.what());
    entry->fails_on(owner);
    return false;
  }
}

bool PlanRun::step_by_step(const Work& w) const {
  return calls_[w.group.first].loop && needs_folded(calls_[w.group.first]);
}

void PlanRun::split(Work&& w, std::vector<Work>& into) const {
  for (std::size_t i = 0; i < w.group.count; ++i) {
    Work& one = into.emplace_back();
    const std::size_t call = w.group.first + i;
    one.group.first = call, one.group.count = 1;
    if (i == 0) one.group.why = w.group.why;
    else one.group.why = Reason{.kind = Reason::Kind::not_built, .a = call - 1, .b = call};
  }
}

/// Consecutive groups on one backend are one batch, so one submission (FUSE-GRP-08, REP-07).
void PlanRun::encode_stretch(runtime::DeviceState& device) {
  backend::Backend& backend = backend_of(works_[next_]);
  stretch_ = next_;
  owner_of_pass_.clear();
  builder_.emplace(device, backend, "plan", is_gpu(backend));
  for (; next_ < works_.size() && &backend_of(works_[next_]) == &backend && !step_by_step(works_[next_]); ++next_) {
    Work& w = works_[next_];
    bring_home(device, w);
    if (w.group.fused()) encode_fused(w);
    else encode_lone(w);
    owner_of_pass_.resize(builder_->batch().passes.size(), next_);
  }
  builder_->submit();
}

/// What another device holds newest comes to the host first: a device read (FUSE-REP-05).
void PlanRun::bring_home(runtime::DeviceState& device, const Work& w) {
  for (std::size_t i = w.group.first; i < w.group.first + w.group.count; ++i)
    for (const runtime::Bound& bound : calls_[i].arrays) {
      if (!bound.resident) continue;
      const runtime::Home* home = runtime::newest(*bound.resident);
      if (home == nullptr || home->address != nullptr || home->where == &backend_of(w)) continue;
      const bool from_gpu = is_gpu(*home->where);
      if (runtime::fetch(device, *bound.resident) && from_gpu) ++submissions_;
    }
}

void PlanRun::encode_fused(Work& w) {
  const Group& g = w.group;
  std::vector<const runtime::Prepared*> calls;
  for (std::size_t i = g.first; i < g.first + g.count; ++i) calls.push_back(&calls_[i]);

  backend::Run run;
  run.program = w.compiled;
  for (std::size_t s = 0; s < w.placement.slots.size(); ++s) {
    const runtime::Bound& bound = *description_.arrays[w.placement.slots[s]];
    run.bound.push_back(builder_->bring(bound, w.program->slots[s].name));
    if (w.placement.written[s]) builder_->writes(bound);
  }
  run.uniforms = runtime::uniforms(*w.program, calls);
  run.n = calls.front()->header.trip;
  for (const trace::ProgramFold& f : w.program->folds) {
    w.encoded.folds.push_back(builder_->fold_value(f.dtype));
    run.folded.push_back(w.encoded.folds.back().region);
  }
  w.encoded.workgroup_shapes = {{w.program->workgroup, 1, 1}};
  w.encoded.passes = {builder_->batch().passes.size()};
  builder_->batch().passes.push_back({std::move(run), static_cast<std::uint32_t>(next_), w.program->label});
}

void PlanRun::encode_lone(Work& w) {
  w.encoded = runtime::encode(*builder_, calls_[w.group.first], static_cast<std::uint32_t>(next_));
  // A reducing loop runs at 256 whatever it declares (FUSE-F7-05).
  for (std::size_t k = 0; k < w.encoded.passes.size(); ++k)
    if (!std::get<backend::Run>(builder_->batch().passes[w.encoded.passes[k]].what).folded.empty())
      w.encoded.workgroup_shapes[k] = {256, 1, 1};
}

/// A kernel whose later loops need what earlier ones folded: each loop is a batch of its own. Only the cpu tier runs them.
void PlanRun::encode_step(runtime::DeviceState& device) {
  Work& w = works_[next_];
  runtime::Prepared& call = calls_[w.group.first];
  if (!stepping_) bring_home(device, w);
  stepping_ = true;
  runtime::check_loop(call, *call.loop, call.header);
  builder_.emplace(device, backend_of(w), call.request.kernel->facts.name);
  w.encoded = runtime::encode_next(*builder_, call, static_cast<std::uint32_t>(next_));
  builder_->submit();
}

void PlanRun::land_step() {
  Work& w = works_[next_];
  runtime::Prepared& call = calls_[w.group.first];
  builder_->finish();
  if (call.header.trip > 0) runtime::take_folds(call, *call.frame, *call.loop, w.encoded.folds);
  builder_.reset();
  runtime::next_loop(call);
  if (call.loop) return;
  stepping_ = false;
  ++next_;
}

/// The batch is done: what its passes took goes to their groups.
void PlanRun::land() {
  const backend::Outcome outcome = builder_->finish();
  const bool gpu = is_gpu(builder_->backend());
  builder_.reset();
  if (!gpu) return;
  submissions_ += outcome.submissions;
  for (std::size_t k = 0; k < outcome.passes.size() && k < owner_of_pass_.size(); ++k) {
    const backend::PassResult& pass = outcome.passes[k];
    if (pass.dispatches == 0) continue;
    Work& w = works_[owner_of_pass_[k]];
    w.dispatches += pass.dispatches;
    ++w.passes;
    if (pass.ns && *pass.ns >= 0) w.ns += *pass.ns, ++w.timed;
  }
}

void PlanRun::end(runtime::DeviceState& device) {
  FuseReport report;
  report.submissions = submissions_;
  for (Work& w : works_) {
    const Tier tier = backend_of(w).info().tier;
    report.tier = std::min(report.tier, tier);
    report.dispatches += w.dispatches;
    FuseGroup& group = report.groups.emplace_back();
    group.fused = w.group.fused();
    if (w.group.why) group.why = text(*w.group.why, description_.calls);
    if (tier == Tier::webgpu) group.workgroup_shapes = w.encoded.workgroup_shapes;
    if (w.passes != 0 && w.timed == w.passes) group.gpu_time = w.ns;
    for (std::size_t i = w.group.first; i < w.group.first + w.group.count; ++i) {
      group.calls.push_back(calls_[i].request.kernel->facts.name);
      const bool last = i + 1 == w.group.first + w.group.count;
      if (needs_folded(calls_[i])) runtime::deliver(device, calls_[i], *calls_[i].frame);
      else runtime::complete(device, calls_[i], last ? w.encoded : runtime::Encoded{});
    }
  }
  request_.resolve(report);
}

std::unique_ptr<runtime::QueueItem> Executor::run(runtime::DeviceState&, runtime::PlanRequest request) {
  return std::make_unique<PlanRun>(*this, std::move(request));
}

}  // namespace weft::fusion
