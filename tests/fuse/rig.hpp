// A device of two null tiers, webgpu before cpu, and an executor of this process: what a plan asks of its backends can be
// counted, and nothing needs a GPU.
#pragma once

#include <weft/device.hpp>
#include <weft/fuse.hpp>
#include <weft/kernel.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fuse/executor.hpp"
#include "runtime/driver_source.hpp"
#include "runtime/scope.hpp"
#include "support/null_backend.hpp"

namespace weft::test {

class FuseRig : public testing::Test {
 protected:
  FuseRig() {
    runtime::set_executor_source([this]() -> runtime::FuseExecutor* {
      ++loads;
      if (refuse_load) throw LoadError("weft-fuse: " + *refuse_load);
      return &executor;
    });
    device.emplace(make({Tier::webgpu, Tier::cpu}));
  }
  ~FuseRig() override {
    device.reset();
    runtime::set_executor_source(nullptr);
  }

  Device make(std::vector<Tier> tiers, DeviceOptions options = {}) {
    options.tiers = TierList(std::move(tiers));
    return runtime::make_device(options, [this](Tier t) -> backend::Driver* {
      if (t == Tier::gles) throw LoadError("weft-gles: not here");
      return t == Tier::webgpu ? &gpu : &cpu;
    });
  }
  NullBackend& on_gpu() { return *gpu.last(); }

  template <class T> Resident<T> array(std::vector<T> values) { return device->resident(values); }
  Resident<float> zeros(std::uint64_t n) { return device->resident<float>(n); }
  /// 0, 1, 2, ...
  Resident<float> ramp(std::uint64_t n) {
    std::vector<float> v(n);
    for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<float>(i);
    return device->resident(v);
  }
  template <class Body> FuseReport fuse(Body&& body) { return device->fuse(std::forward<Body>(body)).get(); }

  static backend::Info gpu_info() {
    backend::Info info = null_info(Tier::webgpu);
    info.int64 = info.runs_serial = false;
    return info;
  }

  NullDriver gpu{gpu_info()}, cpu{null_info(Tier::cpu)};
  fusion::Executor executor;
  std::atomic<int> loads{0};
  std::optional<std::string> refuse_load;
  std::optional<Device> device;
};

/// "{mul add} {sum}": the calls of each group.
inline std::string groups(const FuseReport& r) {
  std::string out;
  for (const FuseGroup& g : r.groups) {
    out += out.empty() ? "{" : " {";
    for (std::size_t i = 0; i < g.calls.size(); ++i) out += (i ? " " : "") + g.calls[i];
    out += "}";
  }
  return out;
}

/// The message of the exception of type E that `f` throws; fails the test when it throws none, or another.
template <class E, class F> std::string message_of(F&& f) {
  try {
    f();
  } catch (const E& e) { return e.what(); } catch (const std::exception& e) {
    ADD_FAILURE() << "another exception: " << e.what();
    return {};
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

inline void expect_has(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "\"" << text << "\" does not say \"" << part << "\"";
}

}  // namespace weft::test
