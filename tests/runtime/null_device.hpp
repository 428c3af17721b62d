// A device over null tiers (support/null_backend.hpp), with kernels enough to move data.
#pragma once

#include <weft/weft.hpp>

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <vector>

#include "runtime/driver_source.hpp"
#include "support/null_backend.hpp"

namespace weft::test {

/// Drivers of null tiers; a tier that was not given is missing.
class NullTiers {
 public:
  NullTiers& add(Tier tier, bool software = false) {
    backend::Info info = null_info(tier);
    info.adapter = std::string("null ") + std::string(name(tier));
    info.software = software;
    return add(std::move(info));
  }
  NullTiers& add(backend::Info info) {
    const Tier tier = info.tier;
    drivers_[tier] = std::make_unique<NullDriver>(std::move(info));
    return *this;
  }
  NullDriver& driver(Tier tier) { return *drivers_.at(tier); }
  NullBackend& opened(Tier tier) { return *drivers_.at(tier)->last(); }
  runtime::DriverSource source() {
    return [this](Tier tier) -> backend::Driver* {
      const auto found = drivers_.find(tier);
      if (found == drivers_.end())
        throw LoadError("weft-" + std::string(name(tier)) + ": there is no such module; install it");
      return found->second.get();
    };
  }
  Device device(DeviceOptions options = {}) { return runtime::make_device(options, source()); }

 private:
  std::map<Tier, std::unique_ptr<NullDriver>> drivers_;
};

/// One thing to go wrong.
template <class M, class V> NullFailures failing(M NullFailures::* what, V how) {
  NullFailures f;
  f.*what = how;
  return f;
}

/// One device with one tier that keeps its memory to itself, as a GPU does.
class OneTier : public ::testing::Test {
 protected:
  OneTier() {
    tiers.add(Tier::webgpu);
    device.emplace(tiers.device({.tiers = {Tier::webgpu}}));
    null_ = &tiers.opened(Tier::webgpu);
  }
  void TearDown() override {
    if (!device) return;
    EXPECT_EQ(null().misuse(), std::vector<std::string>{});
  }
  NullBackend& null() { return *null_; }  // while the device lives

  NullTiers tiers;
  std::optional<Device> device;

 private:
  NullBackend* null_ = nullptr;
};

// One function, so that each test file has the kernels it needs without tracing them again.
inline const auto& scale() {
  static const auto k =
      kernel("scale(a, b, k)", fusible, [](Array<const float> a, Array<float> b, weft::Scalar<float> k) {
        loop(b.length(), [&](Index i) { b[i] = a[i] * k; });
      });
  return k;
}
inline const auto& add_one() {
  static const auto k =
      kernel("add_one(x)", fusible, [](Array<float> x) { loop(x.length(), [&](Index i) { x[i] = x[i] + 1; }); });
  return k;
}
inline const auto& sum() {
  static const auto k = kernel("sum(x)", fusible, [](Array<const float> x) {
    Var<float> s = 0;
    loop(x.length(), [&](Index i) { s += x[i]; });
    return s;
  });
  return k;
}
/// Carries a value, so it runs in order.
inline const auto& prefix() {
  static const auto k =
      kernel("prefix(x)", [](Array<float> x) { loop(1, x.length(), [&](Index i) { x[i] = x[i] + x[i - 1]; }); });
  return k;
}

}  // namespace weft::test
