// Device: where work runs and whose residents it may use (KER-DEV). A device has an ordered list of tiers and one FIFO
// queue; devices are independent of one another and safe to use from any thread.
#pragma once

#include <weft/resident.hpp>
#include <weft/types.hpp>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace weft {

struct FuseReport;  // <weft/fuse.hpp>
struct FuseOptions;

/// An order of tiers. `TierList{}` holds none, which no device accepts; the default order is TierList::best().
class TierList {
 public:
  TierList(std::initializer_list<Tier>);
  TierList(std::vector<Tier>);
  /// The best of the machine: webgpu, gles, cpu; a software adapter comes after cpu (KER-DEV-01).
  static TierList best();
  bool is_best() const { return best_; }
  const std::vector<Tier>& tiers() const { return tiers_; }

 private:
  std::vector<Tier> tiers_;
  bool best_ = false;
};

/// Every choice made when a device is made (KER-DEV-06).
struct DeviceOptions {
  TierList tiers = TierList::best();  // WEFT_TIERS=webgpu,cpu replaces the default order
  std::string adapter{};              // part of a GPU adapter's name; empty: WEFT_ADAPTER, or else the best
  std::vector<std::pair<std::string, std::uint64_t>> limits{};  // lower these, by their WebGPU names
  Bits bits = Bits::exact;
};

/// One tier of the list, or one that is not in it.
struct TierInfo {
  Tier tier = Tier::cpu;
  bool available = false;       // a call may come to it
  std::string adapter, driver;  // where known
  bool software = false;
  std::string reason;  // why calls do not start here; empty for the first tier
};

struct DeviceInfo {
  std::string name;       // of the device as an owner: "cpu#1"
  Tier tier = Tier::cpu;  // the first of its list, and what the rest of these describe
  std::string adapter, driver;
  bool software = false;
  Bits bits = Bits::exact;
  std::vector<std::pair<std::string, std::uint64_t>> limits;  // by their WebGPU names
  std::vector<std::string> features;
  std::vector<std::string> inexact;  // what is not exact here, a clause each (KER-BIT-04)
  std::vector<TierInfo> tiers;       // the list in its order, then the tiers not in it
};

/// Counts since the device was made, for tests and tools (KER-RES-02). Memory that a tier shares with the host is neither
/// uploaded nor downloaded.
struct DeviceStats {
  std::uint64_t calls = 0;       // that succeeded, each of a plan too
  std::uint64_t dispatches = 0;  // of GPU tiers, with fold levels
  std::uint64_t submissions = 0;
  std::uint64_t passes = 0;     // runs, uploads, copies, fills and reads
  std::uint64_t uploads = 0;    // from the host to a tier's own memory
  std::uint64_t downloads = 0;  // and back
  std::uint64_t buffers = 0;    // made
  std::uint64_t programs = 0;   // compiled, or found compiled, for a kernel of this device
};

class Device {
 public:
  /// Throws TypeError for an empty or repeating list, LoadError where no tier of it is available.
  explicit Device(DeviceOptions options = {});
  /// Waits for its queue (KER-DEV-04). Residents that outlive the device throw on use.
  ~Device();
  Device(Device&&) noexcept;
  Device& operator=(Device&&) noexcept;

  /// An array of n zeros.
  template <Element T> Resident<T> resident(std::uint64_t n) {
    return Resident<T>(detail::make_resident(state_, dtype_of<T>, n, nullptr));
  }
  /// A copy of host memory; the caller's may change as soon as this returns.
  template <detail::ElementRange R> auto resident(const R& from) {
    using T = detail::element_of<R>;
    return Resident<T>(detail::make_resident(state_, dtype_of<T>, std::size(from), std::data(from)));
  }

  /// Opens a fuse scope (<weft/fuse.hpp>).
  template <class Body> Future<FuseReport> fuse(Body&& body);
  template <class Body> Future<FuseReport> fuse(Body&& body, FuseOptions options);

  const std::string& name() const;
  DeviceInfo info() const;
  DeviceStats stats() const;
  /// Returns when the work submitted before is done. Never throws for work that failed.
  void wait();
  /// Rejects what has not begun with a StateError, waits for what runs. Later use is a StateError; closing twice is not.
  void close();

  const detail::Shared<runtime::DeviceState>& state() const { return state_; }
  explicit Device(detail::Shared<runtime::DeviceState> s) : state_(std::move(s)) {}

 private:
  detail::Shared<runtime::DeviceState> state_;
};

/// The device of calls without residents, of weft::resident and weft::fuse; made at its first use (KER-DEV-05).
Device& default_device();

/// As the members of Device, on the default device.
template <Element T> Resident<T> resident(std::uint64_t n) { return default_device().resident<T>(n); }
template <detail::ElementRange R> auto resident(const R& from) { return default_device().resident(from); }

}  // namespace weft
