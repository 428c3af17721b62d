// The ordered tiers of a device (KER-DEV-01). The first is opened with the device; the others when a call comes to them,
// so that a device that only ever uses the cpu opens no GPU.
#pragma once

#include <weft/device.hpp>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "runtime/backend.hpp"
#include "runtime/driver_source.hpp"

namespace weft::runtime {

struct TierSlot {
  Tier tier = Tier::cpu;
  backend::Driver* driver = nullptr;
  std::optional<backend::Info> found;         // the adapter it would open, where somebody looked
  std::unique_ptr<backend::Backend> backend;  // null: not opened, or not to be had
  std::string missing;                        // why it is not to be had
  std::string place;                          // why it stands where it does in the default order
};

class Tiers {
 public:
  /// Orders the tiers and opens the first to be had. Throws TypeError, LoadError.
  Tiers(const DeviceOptions&, DriverSource);
  ~Tiers();

  std::size_t size() const { return slots_.size(); }
  Tier tier(std::size_t k) const { return slots_[k].tier; }
  /// The backend of the k-th tier, opened now if need be; null, and `why` says why. Queue thread.
  backend::Backend* open(std::size_t k, std::string& why);
  /// Opened ones; queue thread.
  std::vector<backend::Backend*> opened() const;
  /// From any thread.
  const backend::Info& first_info() const { return first_info_; }
  std::vector<TierInfo> info() const;

 private:
  void order_best();
  void find(TierSlot&) const;
  void open(TierSlot&);
  void check_adapter() const;
  [[noreturn]] void nothing() const;

  DriverSource source_;
  backend::OpenOptions options_;
  mutable std::mutex mutex_;  // guards the slots: opened by the queue thread, described by any
  mutable std::vector<TierSlot> slots_;
  std::size_t first_ = 0;
  backend::Info first_info_;
};

}  // namespace weft::runtime
