#include "driver.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "adapter.hpp"
#include "backend.hpp"
#include "bit_class.hpp"
#include "runtime/module.hpp"

namespace weft::webgpu {
namespace {

class WebgpuDriver final : public backend::Driver {
 public:
  Tier tier() const override { return Tier::webgpu; }

  backend::Expected<std::vector<backend::Info>> adapters() override {
    auto found = find_adapters();
    if (!found) return found.error();
    std::vector<backend::Info> infos;
    for (Adapter& a : found->list) infos.push_back(std::move(a.info));
    return infos;
  }

  backend::Expected<std::unique_ptr<backend::Backend>> open(const backend::OpenOptions& options) override {
    auto found = find_adapters();
    if (!found) return found.error();
    auto chosen = std::find_if(found->list.begin(), found->list.end(), [&](const Adapter& a) {
      return a.info.adapter.find(options.adapter) != std::string::npos ||
             a.info.driver.find(options.adapter) != std::string::npos;
    });
    if (chosen == found->list.end()) {
      std::string names;
      for (const Adapter& a : found->list) names += (names.empty() ? "" : ", ") + a.info.adapter;
      return backend::ErrorRecord{
          backend::ErrorKind::load,
          fmt::format("No Vulkan adapter has \"{}\" in its name; there are: {}.", label(options.adapter), names),
          {}};
    }
    auto limits = lowered(chosen->limits, options.limits);
    if (!limits) return limits.error();
    backend::Info info = chosen->info;
    info.limits = named(*limits);
    auto gpu = Gpu::open(std::move(found->instance), std::move(*chosen), *limits);
    if (!gpu) return gpu.error();
    auto device = std::make_unique<WebgpuBackend>(std::move(*gpu), std::move(info));
    device->info().inexact = inexact(*device);
    return std::unique_ptr<backend::Backend>(std::move(device));
  }
};

void* make() {
  static WebgpuDriver driver;
  return static_cast<backend::Driver*>(&driver);
}

}  // namespace

backend::Driver* driver() { return static_cast<backend::Driver*>(make()); }

}  // namespace weft::webgpu

WEFT_MODULE("weft-webgpu", weft::webgpu::make);
