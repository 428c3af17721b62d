// The fused entries built so far: one program for each shape of group (FUSE-CAC). An entry belongs to the kernel of the
// group's first call and goes with it.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "fuse/linker.hpp"
#include "kernel/core.hpp"

namespace weft::runtime {
struct DeviceState;
}

namespace weft::fusion {

/// What an entry depends on, and nothing else: no length, trip count or scalar (FUSE-CAC-02).
struct Shape {
  std::vector<std::shared_ptr<const trace::KernelCore>> faces;  // in call order
  std::vector<std::vector<Place>> places;                       // by call and parameter
  std::uint32_t workgroup = 64;
  trace::Config config;
};

class Entry {
 public:
  /// Null: no program can be made of this shape, for the reason that `fault` gives.
  const std::shared_ptr<const trace::Program>& program() const { return program_; }
  const std::string& fault() const { return fault_; }
  /// Whether a device has failed to build it before; it is not tried again there (FUSE-CAC-07).
  bool failed_on(const std::shared_ptr<runtime::DeviceState>&) const;
  void fails_on(const std::shared_ptr<runtime::DeviceState>&);

 private:
  friend class EntryCache;
  std::vector<std::weak_ptr<const trace::KernelCore>> faces_;
  std::shared_ptr<const trace::Program> program_;
  std::string fault_;
  mutable std::mutex mutex_;
  std::vector<std::weak_ptr<runtime::DeviceState>> failed_;
};

/// Thread-safe; two that build one shape at once keep one result (FUSE-CAC-08).
class EntryCache {
 public:
  std::shared_ptr<Entry> get(const Shape&);
  std::size_t size() const;   // entries whose kernels live
  std::size_t built() const;  // programs linked so far

 private:
  struct Face {
    std::weak_ptr<const trace::KernelCore> alive;
    std::unordered_map<std::string, std::shared_ptr<Entry>> entries;
  };
  std::shared_ptr<Entry> find(const Shape&, const std::string& key);
  void prune();

  mutable std::mutex mutex_;
  std::map<const trace::KernelCore*, Face> faces_;
  std::size_t prune_at_ = 64, built_ = 0;
};

}  // namespace weft::fusion
