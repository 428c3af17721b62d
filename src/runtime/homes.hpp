// Where an array's memory lies and which copy is newest (KER-RES-02). Queue thread only, but for HostBuffer itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "runtime/resident_state.hpp"

namespace weft::runtime {

/// Host memory of an array: the library's own, or the caller's.
class HostBuffer {
 public:
  /// Of the library; not initialised, or a copy of `from`.
  explicit HostBuffer(std::size_t bytes, const void* from = nullptr);
  /// Of the caller, who keeps it alive.
  static std::shared_ptr<HostBuffer> of(void* memory, std::size_t bytes);
  ~HostBuffer();
  HostBuffer(const HostBuffer&) = delete;
  HostBuffer& operator=(const HostBuffer&) = delete;

  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  bool callers() const { return !own_; }

 private:
  HostBuffer(std::byte* data, std::size_t size) : data_(data), size_(size), own_(false) {}
  std::byte* data_;
  std::size_t size_;
  bool own_ = true;
};

/// The array's home on a backend (null: plain host memory), current or not.
Home* home_on(ResidentState&, const backend::Backend*);
/// The current home, one that the host can reach if there is any; null: all zeros, never written.
Home* newest(ResidentState&);
/// `memory` becomes the newest copy, and the only one on the host.
void replace_host(ResidentState&, std::shared_ptr<HostBuffer> memory);
/// Takes a home away, its memory too.
void drop_home(ResidentState&, Home*);
/// A write through `home` made it the newest.
void wrote(ResidentState&, Home& home);
/// Plain host memory with the newest contents, which nothing else uses: copied or made of zeros where it must be. Only
/// for an array whose newest copy is plain host memory or none.
std::byte* own_host(ResidentState&);

}  // namespace weft::runtime
