#include "runtime/scope.hpp"

#include <weft/error.hpp>
#include <weft/fuse.hpp>

#include <algorithm>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "kernel/core.hpp"
#include "runtime/device_state.hpp"
#include "runtime/element_name.hpp"
#include "runtime/execute.hpp"
#include "runtime/module.hpp"

namespace weft::runtime {

/// One open scope. Only its thread touches it; a scratch array keeps it alive as the mark of where it belongs.
struct ScopeState : std::enable_shared_from_this<ScopeState> {
  std::shared_ptr<DeviceState> device;
  PlanRequest plan;
};

namespace {

thread_local ScopeState* open_scope = nullptr;

/// An address that only one thread has.
const void* this_thread() { return &open_scope; }

const std::string& name_of(const detail::CallRequest& call) { return call.kernel->facts.name; }

/// Whether the call writes this parameter: writable ones that it only reads do not count.
bool writes(const trace::Facts& facts, std::size_t param) {
  for (const trace::LoopFacts& loop : facts.loops)
    for (const trace::Access& at : loop.accesses)
      if (at.write && at.param == param) return true;
  return false;
}

void check_resident(const ScopeState& scope, const detail::CallRequest& call, const std::string& param,
                    const ResidentState& r) {
  if (r.scratch != nullptr && r.scratch.get() != &scope)
    throw TypeError(
        fmt::format("{}: its parameter `{}` is scratch of another fuse scope, and only a call in the body of that "
                    "scope takes it; make a scratch array of this scope",
                    name_of(call), param));
  if (r.owner.lock() != scope.device)
    throw TypeError(
        fmt::format("{}: its parameter `{}` is {} of {}, but this fuse scope runs on {}; make the resident on {}",
                    name_of(call), param, shown(r), r.owner_name, scope.device->name, scope.device->name));
  if (r.destroyed)
    throw TypeError(fmt::format("{}: its parameter `{}` is {}, which was destroyed", name_of(call), param, shown(r)));
}

void give_back(std::vector<std::shared_ptr<ResidentState>>& scratch) {
  for (const auto& s : scratch) release_memory(*s);
  scratch.clear();
}

std::mutex source_mutex;
std::function<FuseExecutor*()> executor_source;

FuseExecutor* find_executor() {
  std::function<FuseExecutor*()> source;
  {
    std::lock_guard lock(source_mutex);
    source = executor_source;
  }
  return source ? source() : static_cast<FuseExecutor*>(load_module("weft-fuse"));
}

/// A plan in the queue: it finds its executor when its turn comes (FUSE-QUE-01, -04, -07).
class PlanItem final : public QueueItem {
 public:
  explicit PlanItem(std::shared_ptr<PlanRequest> plan) : plan_(std::move(plan)) {}

  bool advance(DeviceState& device) override {
    if (running_) return running_->advance(device);
    if (plan_->calls.empty()) {
      plan_->resolve(FuseReport{});
      return true;
    }
    try {
      FuseExecutor* executor = find_executor();
      running_ = executor->run(device, std::move(*plan_));
    } catch (...) {
      plan_->reject(std::current_exception());
      return true;
    }
    return running_->advance(device);
  }

  void abandon(std::exception_ptr error) override {
    if (running_) running_->abandon(error);
    else plan_->reject(error);
  }

 private:
  std::shared_ptr<PlanRequest> plan_;
  std::unique_ptr<QueueItem> running_;
};

void refuse_wait(const ScopeState* scope, const std::string& name) {
  if (scope != open_scope) return;
  throw TypeError(
      fmt::format("{}: its Future was waited for in the body of the fuse scope that recorded it, where it cannot "
                  "become ready; wait after fuse has returned",
                  name));
}

}  // namespace

void PlanRequest::resolve(const FuseReport& report) {
  give_back(scratch);
  for (const auto& r : reports) r->resolve(report);
}

void PlanRequest::reject(std::exception_ptr error) {
  give_back(scratch);
  for (const auto& c : calls) fail(c, error);
  for (const auto& r : reports) r->reject(error);
}

bool record(detail::CallRequest& call) {
  ScopeState* scope = open_scope;
  const auto& params = call.kernel->facts.params;
  for (std::size_t i = 0; i < call.args.size(); ++i) {
    const auto* array = call.args[i].array();
    if (array == nullptr) continue;
    const std::string& param = params[i].name;
    if (scope == nullptr) {
      if (array->resident && array->resident->scratch)
        throw TypeError(
            fmt::format("{}: its parameter `{}` is scratch, which only a call in the body of its own fuse scope "
                        "takes",
                        name_of(call), param));
    } else if (array->resident) {
      check_resident(*scope, call, param, *array->resident);
    } else if (writes(call.kernel->facts, i)) {
      throw TypeError(
          fmt::format("{}: its parameter `{}` is written and bound to host memory, which a fuse scope does not "
                      "take; pass a resident, or call {} outside the scope",
                      name_of(call), param, name_of(call)));
    }
  }
  if (scope == nullptr) return false;
  call.future->set_guard([scope, name = name_of(call)] { refuse_wait(scope, name); });
  scope->plan.calls.push_back(std::move(call));
  return true;
}

void refuse_in_scope(const std::string& what) {
  if (open_scope != nullptr)
    throw TypeError(what +
                    ": the body of a fuse scope may not do this, since it would overtake the calls recorded before "
                    "it; do it before or after the scope");
}

std::exception_ptr scratch_refusal(const std::string& use) {
  return std::make_exception_ptr(TypeError(
      use + ": the array is scratch of a fuse scope, which the host neither reads nor writes; use a resident"));
}

void set_executor_source(std::function<FuseExecutor*()> source) {
  std::lock_guard lock(source_mutex);
  executor_source = std::move(source);
}

}  // namespace weft::runtime

namespace weft::detail {

struct ScopeThread {
  std::atomic<const void*> mark = runtime::this_thread();
};

struct ScopeAccess {
  static Scope* make() { return new Scope(share<ScopeThread>()); }
  static void own(Scope& s) { s.thread_->mark = runtime::this_thread(); }
};

namespace {

// The Scope of a thread outlives every body, since a body may have kept its address; when the thread ends another takes
// it over. So a kept one refuses instead of dangling, and their number is that of the threads that fused at one time.
struct Scopes {
  std::mutex mutex;
  std::vector<Scope*> free;
};
Scopes& scopes() {
  static Scopes* all = new Scopes;  // outlives the threads that give theirs back
  return *all;
}

struct ThreadScope {
  Scope* scope = nullptr;
  ThreadScope() {
    std::lock_guard lock(scopes().mutex);
    if (scopes().free.empty()) {
      scope = ScopeAccess::make();
      return;
    }
    scope = scopes().free.back();
    scopes().free.pop_back();
    ScopeAccess::own(*scope);
  }
  ~ThreadScope() {
    std::lock_guard lock(scopes().mutex);
    scopes().free.push_back(scope);
  }
};

}  // namespace

struct OpenScope::Impl {
  std::shared_ptr<runtime::ScopeState> state;
  bool outermost = false, ended = false;
  std::size_t first_call = 0;  // what this body recorded begins here

  void leave() {
    ended = true;
    if (outermost) runtime::open_scope = nullptr;
  }
};

OpenScope::OpenScope(Shared<runtime::DeviceState> device) : impl_(share<Impl>()) {
  if (runtime::open_scope != nullptr) {
    impl_->state = runtime::open_scope->shared_from_this();
    impl_->first_call = impl_->state->plan.calls.size();
    return;
  }
  impl_->state = std::make_shared<runtime::ScopeState>();
  impl_->state->device = device ? std::move(device) : default_device().state();
  impl_->outermost = true;
  runtime::open_scope = impl_->state.get();
}

OpenScope::~OpenScope() {
  if (!impl_->ended) drop(std::make_exception_ptr(StateError("fuse: its body was left without returning")));
}

Scope& OpenScope::scope() {
  thread_local ThreadScope mine;
  return *mine.scope;
}

Future<FuseReport> OpenScope::close() {
  auto report = std::make_shared<FutureState<FuseReport>>();
  report->set_name("fuse");
  runtime::ScopeState& scope = *impl_->state;
  scope.plan.reports.push_back(report);
  impl_->leave();
  if (!impl_->outermost) {
    report->set_guard([scope = &scope] { runtime::refuse_wait(scope, "fuse"); });
    return Future<FuseReport>(std::move(report));
  }
  for (const auto& c : scope.plan.calls) c.future->set_guard(nullptr);
  for (const auto& r : scope.plan.reports) r->set_guard(nullptr);
  auto plan = std::make_shared<runtime::PlanRequest>(std::exchange(scope.plan, {}));
  try {
    runtime::push(*scope.device, std::make_unique<runtime::PlanItem>(plan));
  } catch (...) {  // the device is closed: nothing of the plan has begun
    for (const auto& c : plan->calls) c.future->reject(std::current_exception());
    for (const auto& r : plan->reports) r->reject(std::current_exception());  // of scopes that joined this one
    throw;
  }
  return Future<FuseReport>(std::move(report));
}

void OpenScope::drop(std::exception_ptr error) {
  impl_->leave();
  runtime::PlanRequest& plan = impl_->state->plan;
  // Nothing ran, so nothing is left on the residents: only the futures learn of it (FUSE-REF-12).
  for (std::size_t i = impl_->first_call; i < plan.calls.size(); ++i) plan.calls[i].future->reject(error);
  plan.calls.erase(plan.calls.begin() + static_cast<std::ptrdiff_t>(impl_->first_call), plan.calls.end());
  if (!impl_->outermost) return;
  for (const auto& r : plan.reports) r->reject(error);
  plan = {};
}

}  // namespace weft::detail

namespace weft {

namespace {

constexpr std::uint64_t longest = 4294967295;

template <class N> [[noreturn]] void bad_length(N given) {
  throw TypeError(fmt::format("scratch: length must be a whole number from 0 to {}, and is {}", longest, given));
}

}  // namespace

std::uint64_t Scope::whole(long double n) {
  if (!(n >= 0 && n <= static_cast<long double>(longest))) bad_length(static_cast<double>(n));
  const auto v = static_cast<std::uint64_t>(n);
  if (static_cast<long double>(v) != n) bad_length(static_cast<double>(n));
  return v;
}
std::uint64_t Scope::whole(std::int64_t n) {
  if (n < 0 || static_cast<std::uint64_t>(n) > longest) bad_length(n);
  return static_cast<std::uint64_t>(n);
}
std::uint64_t Scope::whole(std::uint64_t n) {
  if (n > longest) bad_length(n);
  return n;
}

DType Scope::element_named(std::string_view element) {
  for (DType t : {dtype_of<float>, dtype_of<std::int32_t>, dtype_of<std::uint32_t>, dtype_of<vec4f>})
    if (element == runtime::element_name(t)) return t;
  throw TypeError(
      fmt::format("scratch: element must be \"f32\", \"i32\", \"u32\" or \"vec4f\", and is \"{}\"", element));
}

detail::Shared<runtime::ResidentState> Scope::make(DType element, std::uint64_t length) {
  if (thread_->mark != runtime::this_thread())
    throw TypeError("scratch: it was called on another thread than the one whose fuse scope is open");
  runtime::ScopeState* scope = runtime::open_scope;
  if (scope == nullptr) throw TypeError("scratch: the body of the fuse scope has returned");
  auto state = std::make_shared<runtime::ResidentState>();
  state->owner = scope->device;
  state->owner_name = scope->device->name;
  state->element = element;
  state->length = length;
  state->scratch = scope->shared_from_this();
  scope->plan.scratch.push_back(state);
  return state;
}

}  // namespace weft
