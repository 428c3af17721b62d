// The module weft-cpu.
#include "runtime/module.hpp"

#include "backends/cpu/backend.hpp"

namespace weft::cpu {

namespace {

class CpuDriver final : public backend::Driver {
 public:
  Tier tier() const override { return Tier::cpu; }
  backend::Expected<std::vector<backend::Info>> adapters() override {
    return guarded<std::vector<backend::Info>>([] { return std::vector{machine_info()}; });
  }
  backend::Expected<std::unique_ptr<backend::Backend>> open(const backend::OpenOptions& options) override {
    return guarded<std::unique_ptr<backend::Backend>>(
        [&]() -> std::unique_ptr<backend::Backend> { return std::make_unique<CpuBackend>(options); });
  }

 private:
  template <class T, class F> static backend::Expected<T> guarded(F f) {
    try {
      return f();
    } catch (const std::exception& e) {
      return backend::ErrorRecord{
          backend::ErrorKind::load, std::string("The cpu tier cannot be used: ") + e.what() + ".", {}};
    }
  }
};

}  // namespace

}  // namespace weft::cpu

WEFT_MODULE("weft-cpu", []() -> void* { return static_cast<weft::backend::Driver*>(new weft::cpu::CpuDriver); });
