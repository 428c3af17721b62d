// What the tests of the webgpu tier share: every Vulkan device of the machine, and calls on it that wait.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backends/webgpu/backend.hpp"

namespace weft::webgpu::test {

/// One open device.
class Rig {
 public:
  explicit Rig(std::unique_ptr<backend::Backend>);

  WebgpuBackend& backend() { return *backend_; }
  const std::string& name() const { return backend_->info().adapter; }
  bool is_swiftshader() const { return name().find("SwiftShader") != std::string::npos; }

  template <class T> backend::MemoryId array(const std::vector<T>& values, const std::string& label = "array") {
    const backend::MemoryId id = zeros(values.size() * sizeof(T), label);
    backend::Batch batch;
    batch.passes.push_back({backend::Upload{whole(id, values), std::as_bytes(std::span(values))}, 0, label});
    run(std::move(batch));
    return id;
  }
  backend::MemoryId zeros(std::uint64_t bytes, const std::string& label = "array");
  template <class T> std::vector<T> read(backend::MemoryId id, std::size_t count) {
    std::vector<T> out(count);
    backend::Batch batch;
    batch.passes.push_back({backend::Read{whole(id, out), std::as_writable_bytes(std::span(out))}, 0, "read"});
    run(std::move(batch));
    return out;
  }
  template <class T> static backend::Region whole(backend::MemoryId id, const std::vector<T>& v) {
    return {id, 0, v.size() * sizeof(T)};
  }

  backend::CompiledId compile(const std::shared_ptr<const trace::Program>&);
  backend::Expected<backend::CompiledId> try_compile(const std::shared_ptr<const trace::Program>&);
  /// Submits and waits.
  backend::Expected<backend::Outcome> try_run(backend::Batch);
  backend::Outcome run(backend::Batch);

  /// One run of a program over whole arrays; uniforms beyond zero and trip in `more`.
  backend::Run call(const std::shared_ptr<const trace::Program>&, std::vector<backend::Region> bound, std::uint64_t n,
                    std::vector<std::uint32_t> more = {}, std::vector<backend::Region> folded = {});
  backend::Outcome run(backend::Run, bool timed = false);

 private:
  std::unique_ptr<WebgpuBackend> backend_;
};

/// Opens a device of its own with lowered limits; null where the machine has none.
std::unique_ptr<Rig> open_rig(backend::OpenOptions options = {});

/// Runs a check on every Vulkan device; skips the test, saying so, where there is none at all.
void on_each_device(const std::function<void(Rig&)>&);

}  // namespace weft::webgpu::test
