#include <weft/device.hpp>

#include <weft/error.hpp>

#include <cstdlib>
#include <mutex>

#include "runtime/device_state.hpp"
#include "runtime/exit.hpp"
#include "runtime/scope.hpp"

namespace weft {
namespace runtime {
namespace {

class WaitItem final : public QueueItem {
 public:
  explicit WaitItem(std::shared_ptr<detail::FutureState<void>> f) : future_(std::move(f)) {}
  bool advance(DeviceState&) override { return true; }
  bool settle(DeviceState&) override {
    future_->resolve();
    return true;
  }
  void abandon(std::exception_ptr) override { future_->resolve(); }  // nothing before it is left to wait for

 private:
  std::shared_ptr<detail::FutureState<void>> future_;
};

const DeviceState& checked(const std::shared_ptr<DeviceState>& s) {
  if (!s) throw StateError("a Device that was moved from was used");
  return *s;
}

std::atomic<DeviceState*> default_state{nullptr};

}  // namespace

void stop_default_device() {
  if (DeviceState* s = default_state.load()) s->queue.stop();
}

Device make_device(const DeviceOptions& options, DriverSource source) {
  return Device(std::make_shared<DeviceState>(options, std::move(source)));
}

}  // namespace runtime

TierList::TierList(std::initializer_list<Tier> t) : tiers_(t) {}
TierList::TierList(std::vector<Tier> t) : tiers_(std::move(t)) {}
TierList TierList::best() {
  TierList t(std::vector<Tier>{});
  t.best_ = true;
  return t;
}

Device::Device(DeviceOptions options)
    : state_(std::make_shared<runtime::DeviceState>(std::move(options), runtime::driver_source())) {}

Device::~Device() {
  if (state_) state_->queue.stop();
}
Device::Device(Device&&) noexcept = default;
Device& Device::operator=(Device&& o) noexcept {
  if (this != &o) {
    if (state_) state_->queue.stop();
    state_ = std::move(o.state_);
  }
  return *this;
}

const std::string& Device::name() const { return runtime::checked(state_).name; }

DeviceInfo Device::info() const {
  const auto& s = runtime::checked(state_);
  const backend::Info& first = s.tiers.first_info();
  DeviceInfo info;
  info.name = s.name;
  info.tier = first.tier;
  info.adapter = first.adapter;
  info.driver = first.driver;
  info.software = first.software;
  info.bits = s.options.bits;
  info.limits = first.limits;
  info.features = first.features;
  info.inexact = first.inexact;
  info.tiers = s.tiers.info();
  return info;
}

DeviceStats Device::stats() const {
  const auto& c = runtime::checked(state_).counters;
  return {c.calls, c.dispatches, c.submissions, c.passes, c.uploads, c.downloads, c.buffers, c.programs};
}

void Device::wait() {
  runtime::checked(state_);
  runtime::refuse_in_scope(state_->name + ".wait()");
  auto done = std::make_shared<detail::FutureState<void>>();
  runtime::push(*state_, std::make_unique<runtime::WaitItem>(done));
  done->wait();
}

void Device::close() {
  runtime::checked(state_);
  runtime::refuse_in_scope(state_->name + ".close()");
  state_->queue.close();
}

Device& default_device() {
  static std::mutex mutex;
  static Device* device = nullptr;  // never destroyed: static objects elsewhere may still use it while the program ends
  std::lock_guard lock(mutex);
  if (!device) {
    device = new Device;
    runtime::default_state = device->state().get();
    runtime::at_exit();
  }
  return *device;
}

}  // namespace weft
