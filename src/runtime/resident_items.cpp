#include "runtime/resident_items.hpp"

#include <weft/error.hpp>

#include <cstring>
#include <optional>

#include "runtime/device_state.hpp"
#include "runtime/execute.hpp"

namespace weft::runtime {
namespace {

std::string label_of(const ResidentState& r, const char* use) {
  std::lock_guard lock(r.label_mutex);
  return r.label.empty() ? use : r.label + " " + use;
}

/// What reads and writes share: they may need a batch, and make their outcome known when it is their turn to settle.
class HostAccess : public QueueItem {
 public:
  HostAccess(std::shared_ptr<ResidentState> r, std::shared_ptr<detail::FutureBase> f)
      : resident_(std::move(r)), future_(std::move(f)) {}

  bool overlaps() const override { return true; }
  bool advance(DeviceState& device) override {
    try {
      if (resident_->gone) throw TypeError(shown(*resident_) + ": the array was destroyed");
      begin(device);
    } catch (...) { error_ = std::current_exception(); }
    return true;
  }
  bool settle(DeviceState&) override {
    try {
      if (error_) std::rethrow_exception(error_);
      if (builder_) {
        if (!builder_->done()) return false;
        builder_->finish();
      }
      end();
    } catch (...) { failed(std::current_exception()); }
    return true;
  }
  void abandon(std::exception_ptr e) override { failed(std::move(e)); }

 protected:
  virtual void begin(DeviceState&) = 0;
  virtual void end() = 0;
  virtual void failed(std::exception_ptr e) {
    builder_.reset();
    future_->reject(std::move(e));
  }
  /// A batch of one pass on the home's backend.
  void submit(DeviceState& device, Home& home, backend::Pass pass) {
    if (home.where->lost()) throw DeviceLost(device.lost_message(*home.where));
    builder_.emplace(device, *home.where, pass.label);
    builder_->keep(resident_);
    builder_->batch().passes.push_back(std::move(pass));
    builder_->submit();
  }

  std::shared_ptr<ResidentState> resident_;
  std::shared_ptr<detail::FutureBase> future_;
  std::optional<Builder> builder_;
  std::exception_ptr error_;
};

class ReadItem final : public HostAccess {
 public:
  ReadItem(std::shared_ptr<ResidentState> r, std::uint64_t offset, std::span<std::byte> into,
           std::shared_ptr<detail::FutureBase> f, std::function<void()> done)
      : HostAccess(std::move(r), std::move(f)), offset_(offset), into_(into), done_(std::move(done)) {}

 private:
  void begin(DeviceState& device) override {
    if (into_.empty()) return;
    Home* home = newest(*resident_);
    if (!home || !home->where) {
      // The host writes at once, and a batch under way may still read or write the caller's memory.
      const HostUse use{into_.data(), into_.size(), true, false};
      device.drain_host({&use, 1});
    }
    if (!home) std::memset(into_.data(), 0, into_.size());
    else if (!home->where) std::memcpy(into_.data(), home->address + offset_, into_.size());
    else
      submit(device, *home,
             {backend::Read{{home->memory, offset_, into_.size()}, into_}, 0, label_of(*resident_, "read")});
  }
  void end() override {
    if (resident_->error)
      std::rethrow_exception(resident_->error);  // of the last call that was to write it (KER-CALL-04)
    done_();
  }
  void failed(std::exception_ptr e) override {
    // The error that a failed call left is the cause, where there is one.
    HostAccess::failed(resident_->error ? resident_->error : e);
  }

  std::uint64_t offset_;
  std::span<std::byte> into_;
  std::function<void()> done_;
};

class WriteItem final : public HostAccess {
 public:
  WriteItem(std::shared_ptr<ResidentState> r, std::uint64_t offset, std::shared_ptr<HostBuffer> data,
            std::shared_ptr<detail::FutureState<void>> f)
      : HostAccess(std::move(r), f), offset_(offset), data_(std::move(data)), done_(std::move(f)) {}

 private:
  void begin(DeviceState& device) override {
    ResidentState& r = *resident_;
    if (data_->size() == 0) return;
    if (data_->size() == r.bytes()) return replace_host(r, std::move(data_));
    Home* home = newest(r);
    if (!home || !home->where) {
      std::memcpy(own_host(r) + offset_, data_->data(), data_->size());
      wrote(r, *home_on(r, nullptr));
      return;
    }
    submit(device, *home,
           {backend::Upload{{home->memory, offset_, data_->size()}, {data_->data(), data_->size()}}, 0,
            label_of(r, "write")});
    wrote(r, *home);
  }
  void end() override {
    resident_->error = nullptr;  // a new beginning (MODEL-19)
    done_->resolve();
  }
  void failed(std::exception_ptr e) override {
    if (!resident_->gone) resident_->error = e;
    HostAccess::failed(e);
  }

  std::uint64_t offset_;
  std::shared_ptr<HostBuffer> data_;
  std::shared_ptr<detail::FutureState<void>> done_;
};

class DestroyItem final : public QueueItem {
 public:
  DestroyItem(std::shared_ptr<ResidentState> r, std::shared_ptr<detail::FutureState<void>> f)
      : resident_(std::move(r)), future_(std::move(f)) {}
  bool overlaps() const override { return true; }
  bool advance(DeviceState&) override {
    resident_->gone = true;
    release_memory(*resident_);
    return true;
  }
  bool settle(DeviceState&) override {
    future_->resolve();
    return true;
  }
  void abandon(std::exception_ptr e) override { future_->reject(std::move(e)); }

 private:
  std::shared_ptr<ResidentState> resident_;
  std::shared_ptr<detail::FutureState<void>> future_;
};

}  // namespace

std::unique_ptr<QueueItem> read_item(std::shared_ptr<ResidentState> r, std::uint64_t offset, std::span<std::byte> into,
                                     std::shared_ptr<detail::FutureBase> future, std::function<void()> done) {
  return std::make_unique<ReadItem>(std::move(r), offset, into, std::move(future), std::move(done));
}
std::unique_ptr<QueueItem> write_item(std::shared_ptr<ResidentState> r, std::uint64_t offset,
                                      std::shared_ptr<HostBuffer> data,
                                      std::shared_ptr<detail::FutureState<void>> future) {
  return std::make_unique<WriteItem>(std::move(r), offset, std::move(data), std::move(future));
}
std::unique_ptr<QueueItem> destroy_item(std::shared_ptr<ResidentState> r,
                                        std::shared_ptr<detail::FutureState<void>> future) {
  return std::make_unique<DestroyItem>(std::move(r), std::move(future));
}

}  // namespace weft::runtime
