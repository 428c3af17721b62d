#include "backends/cpu/backend.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "backends/cpu/batch.hpp"
#include "backends/cpu/compile.hpp"
#include "backends/cpu/kernel.hpp"
#include "backends/cpu/supported.hpp"

namespace weft::cpu {

using backend::ErrorKind;
using backend::ErrorRecord;

namespace {

// Errors cross the module boundary as data.
template <class T, class F> backend::Expected<T> guarded(std::string_view what, F f) {
  try {
    return f();
  } catch (const std::bad_alloc&) {
    return ErrorRecord{ErrorKind::memory, fmt::format("{}: the host has no memory left.", what), {}};
  } catch (const std::exception& e) {
    return ErrorRecord{ErrorKind::device, fmt::format("{}: {}.", what, e.what()), {}};
  }
}

backend::Info lowered(backend::Info info, const backend::OpenOptions& options) {
  for (auto& [name, value] : info.limits)
    for (const auto& [wanted, limit] : options.limits)
      if (wanted == name) value = std::min(value, std::max<std::uint64_t>(1, limit));
  return info;
}

}  // namespace

backend::Info machine_info() {
  backend::Info info;
  info.tier = Tier::cpu;
  info.adapter = host().cpu;
  info.driver = host().compiler;
  info.int64 = true;
  info.runs_serial = true;
  const auto pages = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES));
  info.limits = {{"threads", Workers().threads()},
                 {"maxBufferSize", pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE))}};
  info.features = {fmt::format("{}-bit vectors", host().vector_bits)};
  info.inexact = {
      "sin, cos, tan, asin, acos, atan, atan2, sinh, cosh, tanh, exp, exp2, log, log2 and pow are those of the C library: not "
      "yet the same bits as on other tiers"};
  return info;
}

CpuBackend::CpuBackend(const backend::OpenOptions& options)
    : info_(lowered(machine_info(), options)), workers_(static_cast<unsigned>(info_.limit("threads", 0))) {}

std::optional<std::string> CpuBackend::refuses(const trace::Program& program) const { return unsupported(program); }

void CpuBackend::compile(std::shared_ptr<const trace::Program> program, backend::Then<backend::CompiledId> then) {
  then(guarded<backend::CompiledId>(program->label, [&]() -> backend::Expected<backend::CompiledId> {
    if (auto why = unsupported(*program))
      return ErrorRecord{
          ErrorKind::unsupported, fmt::format("{} cannot run on the cpu tier: {}.", program->label, *why), {}};
    return KernelStore::all().compile(program);
  }));
}

backend::Expected<std::string> CpuBackend::emitted(const trace::Program& program) const {
  return guarded<std::string>(program.label, [&] { return llvm_text(program, Variant::interior); });
}

backend::Expected<backend::MemoryId> CpuBackend::create(const backend::MemoryDesc& desc) {
  return guarded<backend::MemoryId>(desc.label.empty() ? "A buffer" : desc.label,
                                    [&]() -> backend::Expected<backend::MemoryId> {
                                      auto memory = Memory::allocate(desc);
                                      if (!memory) return memory.error();
                                      return memory_.add(std::move(*memory));
                                    });
}

backend::Expected<backend::MemoryId> CpuBackend::import(std::span<std::byte> bytes) {
  if (bytes.data() == nullptr && !bytes.empty())
    return ErrorRecord{
        ErrorKind::type, fmt::format("Host memory of {} bytes at a null address cannot be used.", bytes.size()), {}};
  return guarded<backend::MemoryId>("Host memory", [&] { return memory_.add(Memory::in_place(bytes)); });
}

void CpuBackend::destroy(backend::MemoryId id) { memory_.remove(id); }

std::byte* CpuBackend::host_pointer(backend::MemoryId id) {
  const auto memory = memory_.find(id);
  return memory ? memory->data() : nullptr;
}

void CpuBackend::submit(backend::Batch batch, backend::Then<backend::Outcome> then) {
  then(guarded<backend::Outcome>(batch.label.empty() ? "A batch" : batch.label,
                                 [&] { return run_batch(batch, memory_, workers_); }));
}

}  // namespace weft::cpu
