#include "backend.hpp"

#include <fmt/format.h>

#include <thread>

namespace weft::webgpu {

WebgpuBackend::WebgpuBackend(std::unique_ptr<Gpu> gpu, backend::Info info, std::uint32_t rounds)
    : gpu_(std::move(gpu)),
      info_(std::move(info)),
      pools_(*gpu_),
      memories_(*gpu_),
      compiler_(*gpu_, rounds           ? rounds
                       : info_.software ? rounds_on_software
                                        : rounds_on_hardware) {}

WebgpuBackend::~WebgpuBackend() {
  while (pump(std::chrono::seconds(1))) {}
}

backend::ErrorRecord WebgpuBackend::loss() const {
  const std::string why = gpu_->lost_message();
  return {backend::ErrorKind::lost,
          fmt::format("{} is lost{}{}; make a new Device.", info_.adapter, why.empty() ? "" : ": ", why),
          {}};
}

std::optional<std::string> WebgpuBackend::refuses(const trace::Program& program) const {
  return refusal(program, gpu_->limits());
}

backend::Expected<backend::CompiledId> WebgpuBackend::compiled(std::shared_ptr<const trace::Program> program) {
  if (gpu_->lost()) return loss();
  auto made = compiler_.compile(std::move(program));
  if (!made) return made.error();
  auto [found, is_new] = ids_.try_emplace(*made, programs_.size() + 1);
  if (is_new) programs_.push_back(*made);
  return found->second;
}

void WebgpuBackend::compile(std::shared_ptr<const trace::Program> program, backend::Then<backend::CompiledId> then) {
  const std::string name = program->label;
  backend::Expected<backend::CompiledId> result = backend::CompiledId{0};
  try {
    std::lock_guard guard(gpu_->lock);
    result = compiled(std::move(program));
  } catch (const std::exception& e) {  // a graph that no shader can be made of
    result =
        backend::ErrorRecord{backend::ErrorKind::compile, fmt::format("{} cannot be rendered: {}", name, e.what()), {}};
  }
  then(std::move(result));
}

backend::Expected<std::string> WebgpuBackend::emitted(const trace::Program& program) const {
  if (auto why = refuses(program))
    return backend::ErrorRecord{backend::ErrorKind::unsupported,
                                fmt::format("{} does not run on the webgpu tier: {}.", program.label, *why),
                                {}};
  try {
    std::string out = render(program, compiler_.rounds());
    if (!program.folds.empty())
      out += "\n// Each further level of the tree:\n" + render_fold_level(program.folds, compiler_.rounds());
    return out;
  } catch (const std::exception& e) {
    return backend::ErrorRecord{
        backend::ErrorKind::compile, fmt::format("{} cannot be rendered: {}", program.label, e.what()), {}};
  }
}

backend::Expected<backend::MemoryId> WebgpuBackend::create(const backend::MemoryDesc& desc) {
  std::lock_guard guard(gpu_->lock);
  if (gpu_->lost()) return loss();
  return memories_.create(desc);
}

backend::Expected<backend::MemoryId> WebgpuBackend::import(std::span<std::byte>) {
  return backend::ErrorRecord{
      backend::ErrorKind::unsupported, "The webgpu tier does not use host memory in place.", {}};
}

void WebgpuBackend::destroy(backend::MemoryId id) {
  std::lock_guard guard(gpu_->lock);
  memories_.destroy(id);
}

std::optional<backend::Expected<backend::Outcome>> WebgpuBackend::put(const backend::Batch& batch,
                                                                      backend::Then<backend::Outcome>& then) {
  constexpr std::uint64_t most_unflushed = std::uint64_t{32} << 20;
  if (gpu_->lost()) return loss();
  auto made = encode({*gpu_, pools_, memories_, programs_}, batch);
  if (!made) return made.error();
  Flight& flight = *made->flight;
  unflushed_ += made->written;
  if (!made->commands) {
    // Uploads alone: the library has copied them, and the next submission carries them before its commands.
    if (unflushed_ > most_unflushed) {
      api().QueueSubmit(gpu_->queue(), 0, nullptr);
      flight.outcome.submissions = 1;
      unflushed_ = 0;
    }
    return std::move(flight.outcome);
  }
  const WGPUCommandBuffer commands[] = {made->commands.get()};
  api().QueueSubmit(gpu_->queue(), 1, commands);
  unflushed_ = 0;
  flight.outcome.submissions = 1;
  flight.then = std::move(then);
  flight.watch(*gpu_);
  flights_.push_back(std::move(made->flight));
  return std::nullopt;
}

void WebgpuBackend::submit(backend::Batch batch, backend::Then<backend::Outcome> then) {
  std::optional<backend::Expected<backend::Outcome>> at_once;
  try {
    std::lock_guard guard(gpu_->lock);
    at_once = put(batch, then);
  } catch (const std::exception& e) {  // no memory on the host
    at_once = backend::ErrorRecord{
        backend::ErrorKind::memory, fmt::format("{} cannot be submitted: {}.", label(batch.label), e.what()), {}};
  }
  if (at_once) then(std::move(*at_once));
}

std::vector<WebgpuBackend::Landed> WebgpuBackend::collect() {
  std::vector<Landed> landed;
  if (flights_.empty()) return landed;
  if (!gpu_->lost()) gpu_->poll();
  while (!flights_.empty() && flights_.front()->state != Flight::State::pending) {
    auto then = std::move(flights_.front()->then);
    landed.emplace_back(std::move(then), flights_.front()->land(*gpu_, pools_));
    flights_.pop_front();
  }
  if (gpu_->lost())
    for (; !flights_.empty(); flights_.pop_front()) {
      landed.emplace_back(std::move(flights_.front()->then), loss());
      wrecks_.push_back(std::move(flights_.front()));
    }
  return landed;
}

bool WebgpuBackend::pump(std::chrono::nanoseconds may_block) {
  using clock = std::chrono::steady_clock;
  // Yielding finds short work within microseconds and leaves the cores to a software adapter; long work is slept through.
  constexpr auto yields_for = std::chrono::microseconds(200);
  constexpr auto longest_sleep = std::chrono::microseconds(500);
  const auto begin = clock::now();
  for (;;) {
    std::vector<Landed> landed;
    bool pending;
    {
      std::lock_guard guard(gpu_->lock);
      landed = collect();
      pending = !flights_.empty();
    }
    for (auto& [then, outcome] : landed) then(std::move(outcome));
    const auto waited = clock::now() - begin;
    if (!landed.empty() || !pending || waited >= may_block) return !landed.empty() || pending;
    if (waited < yields_for) std::this_thread::yield();
    else std::this_thread::sleep_for(std::min<clock::duration>({waited / 8, longest_sleep, may_block - waited}));
  }
}

}  // namespace weft::webgpu
