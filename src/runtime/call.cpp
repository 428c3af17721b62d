// A kernel's call as an item of its device's queue.
#include <weft/detail/call.hpp>
#include <weft/device.hpp>
#include <weft/error.hpp>

#include <optional>

#include <fmt/format.h>

#include "runtime/device_state.hpp"
#include "runtime/emitted.hpp"
#include "runtime/execute.hpp"
#include "runtime/scope.hpp"

namespace weft::runtime {
namespace {

class CallItem final : public QueueItem {
 public:
  explicit CallItem(detail::CallRequest request) : request_(std::move(request)) {}

  bool overlaps() const override { return true; }

  bool advance(DeviceState& device) override {
    try {
      if (!call_) begin(device);
      return step_by_step_ ? go_on(device) : true;
    } catch (...) {
      error_ = std::current_exception();  // made known when its turn to settle has come
      return true;
    }
  }

  bool settle(DeviceState& device) override {
    try {
      if (error_) std::rethrow_exception(error_);
      if (builder_) {
        if (!builder_->done()) return false;
        builder_->finish();
        complete(device, *call_, encoded_);
      } else {
        deliver(device, *call_, *call_->frame);
      }
    } catch (...) { abandon(std::current_exception()); }
    return true;
  }

  void abandon(std::exception_ptr error) override {
    if (call_ && call_->backend && request_.future)
      request_.future->set_call({request_.kernel->facts.name, call_->backend->info().tier, call_->reason});
    builder_.reset();  // before the caller's memory may go
    fail(request_, error);
  }

 private:
  void begin(DeviceState& device) {
    call_.emplace(prepare(device, request_));
    for (const auto& loop : request_.kernel->facts.loops) step_by_step_ |= loop.needs_folded;
    for (const Bound& b : call_->arrays)
      if (b.resident) bring_home(device, *b.resident);
    if (step_by_step_) return;
    builder_.emplace(device, *call_->backend, request_.kernel->facts.name);
    encoded_ = encode(*builder_, *call_, 0);
    builder_->submit();
  }

  void bring_home(DeviceState& device, ResidentState& r) {
    for (const Home& h : r.homes)
      if (h.where == call_->backend && h.version == r.version) return;
    fetch(device, r);
  }

  /// Loops whose header or body needs what an earlier one folded: each is a batch of its own.
  bool go_on(DeviceState& device) {
    for (;;) {
      if (builder_) {
        if (!builder_->done()) return false;
        builder_->finish();
        if (call_->header.trip > 0) take_folds(*call_, *call_->frame, *call_->loop, encoded_.folds);
        builder_.reset();
        next_loop(*call_);
      }
      if (!call_->loop) return true;
      check_loop(*call_, *call_->loop, call_->frame->iterations());
      builder_.emplace(device, *call_->backend, request_.kernel->facts.name);
      encoded_ = encode_next(*builder_, *call_, 0);
      builder_->submit();
    }
  }

  detail::CallRequest request_;
  std::optional<Prepared> call_;
  std::optional<Builder> builder_;
  Encoded encoded_;
  bool step_by_step_ = false;
  std::exception_ptr error_;
};

/// The device of a call: that of its residents, or the default one (KER-CALL-01, -03).
std::shared_ptr<DeviceState> owner_of(const detail::CallRequest& request) {
  const auto& f = request.kernel->facts;
  const ResidentState* first = nullptr;
  std::size_t first_param = 0;
  for (std::size_t i = 0; i < request.args.size() && i < f.params.size(); ++i) {
    const auto* a = request.args[i].array();
    if (!a || !a->resident) continue;
    const ResidentState& r = *a->resident;
    if (r.destroyed)
      throw TypeError(
          fmt::format("{}: its parameter `{}` was given {}, which was destroyed", f.name, f.params[i].name, shown(r)));
    if (!first) first = &r, first_param = i;
    else if (r.owner_name != first->owner_name)
      throw TypeError(
          fmt::format("{}: its parameter `{}` was given {} of {}, and `{}` {} of {}; a call takes residents of one "
                      "device",
                      f.name, f.params[first_param].name, shown(*first), first->owner_name, f.params[i].name, shown(r),
                      r.owner_name));
  }
  if (!first) return default_device().state();
  auto owner = first->owner.lock();
  if (!owner)
    throw StateError(fmt::format("{}: its parameter `{}` was given {} of {}, a device that is no more", f.name,
                                 f.params[first_param].name, shown(*first), first->owner_name));
  return owner;
}

}  // namespace
}  // namespace weft::runtime

namespace weft::detail {

CallRequest::CallRequest(Shared<const trace::KernelCore> k, Shared<FutureBase> f)
    : kernel(std::move(k)), future(std::move(f)) {
  args.reserve(kernel->facts.params.size());
}

void CallRequest::add(CallArg a) { args.push_back(std::move(a)); }

void enqueue(CallRequest request) {
  static_cast<void>(runtime::explain_hooked);  // links emitted.cpp into static builds
  if (request.future) request.future->set_name(request.kernel->facts.name);
  if (runtime::record(request)) return;
  auto device = runtime::owner_of(request);
  runtime::push(*device, std::make_unique<runtime::CallItem>(std::move(request)));
}

}  // namespace weft::detail
