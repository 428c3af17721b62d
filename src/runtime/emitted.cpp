#include "runtime/emitted.hpp"

#include <weft/device.hpp>
#include <weft/error.hpp>

#include <fmt/format.h>

#include "kernel/explain.hpp"
#include "runtime/device_state.hpp"

namespace weft::runtime {
namespace {

using Kernel = std::shared_ptr<const trace::KernelCore>;

Emitted on(DeviceState& device, std::size_t k, const Kernel& kernel, std::size_t loop) {
  Emitted e{device.tiers.tier(k), loop, false, {}};
  try {
    backend::Backend* where = device.tiers.open(k, e.text);
    if (!where) return e;
    const auto& facts = kernel->facts;
    if (!where->info().runs_serial) {
      if (facts.no_gpu) return e.text = *facts.no_gpu, e;
      if (facts.loops[loop].not_parallel)
        return e.text = "it " + text(*facts.loops[loop].not_parallel, facts, facts.loops[loop]), e;
    }
    const auto lowered = trace::lower_loop(kernel, loop, {kernel->bits.value_or(device.options.bits), false});
    const auto lone = trace::lone_program(lowered);
    if (auto why = where->refuses(*lone.program)) return e.text = *why, e;
    const auto code = where->emitted(*lone.program);
    e.code = static_cast<bool>(code);
    e.text = code ? *code : code.error().message;
  } catch (const Error& error) { e.text = error.what(); }
  return e;
}

class EmitItem final : public QueueItem {
 public:
  using Result = std::vector<Emitted>;
  EmitItem(Kernel kernel, std::shared_ptr<detail::FutureState<Result>> f)
      : kernel_(std::move(kernel)), future_(std::move(f)) {}
  bool advance(DeviceState& device) override {
    Result all;
    for (std::size_t loop = 0; loop < kernel_->loops.size(); ++loop)
      for (std::size_t k = 0; k < device.tiers.size(); ++k) all.push_back(on(device, k, kernel_, loop));
    future_->resolve(std::move(all));
    return true;
  }
  void abandon(std::exception_ptr e) override { future_->reject(std::move(e)); }

 private:
  Kernel kernel_;
  std::shared_ptr<detail::FutureState<Result>> future_;
};

}  // namespace

std::vector<Emitted> emitted(const Kernel& kernel) {
  auto future = std::make_shared<detail::FutureState<std::vector<Emitted>>>();
  push(*default_device().state(), std::make_unique<EmitItem>(kernel, future));
  future->wait();
  if (auto e = future->error()) std::rethrow_exception(e);
  return future->take();
}

std::string emitted_for(const Kernel& kernel) {
  std::string s;
  try {
    for (const Emitted& e : emitted(kernel)) {
      s += fmt::format("{}, loop {}:{}{}", name(e.tier), e.loop + 1, e.code ? '\n' : ' ', e.text);
      if (s.back() != '\n') s += '\n';
    }
  } catch (const Error& e) { s += fmt::format("no code: {}\n", e.what()); }
  return s;
}

const bool explain_hooked = (trace::set_explain_hook(emitted_for), true);

}  // namespace weft::runtime
