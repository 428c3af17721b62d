// From a call to a checked call with a tier: KER-CALL-05 first, then the first tier of the device's list that can run it
// (MODEL-14, KER-TIER-04).
#include <weft/error.hpp>

#include <algorithm>

#include <fmt/format.h>

#include "runtime/check_call.hpp"
#include "runtime/device_state.hpp"
#include "runtime/execute.hpp"

namespace weft::runtime {
namespace {

std::shared_ptr<trace::HostFrame> make_frame(const detail::CallRequest& request, const std::vector<Bound>& arrays) {
  std::vector<detail::ScalarValue> scalars(arrays.size());
  std::vector<std::uint64_t> lengths(arrays.size(), 0);
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    if (const auto* s = request.args[i].scalar()) scalars[i] = *s;
    lengths[i] = arrays[i].length;
  }
  return std::make_shared<trace::HostFrame>(request.kernel, std::move(scalars), std::move(lengths));
}

std::uint64_t magnitude(std::int64_t v) {
  return v < 0 ? 0 - static_cast<std::uint64_t>(v) : static_cast<std::uint64_t>(v);
}

/// The largest number that the indices of a loop are made of, which says how wide they must be (KER-ACC-05).
std::uint64_t reach(const trace::KernelCore& core, std::size_t loop, const trace::HostFrame& frame,
                    const trace::LoopHeader& header) {
  std::uint64_t most = std::max({header.trip, magnitude(header.start), magnitude(header.step)});
  const auto& captured = core.loops[loop].captured;
  for (std::size_t k = 0; k < captured.size(); ++k)
    if (captured[k]->dtype.is_weak() && captured[k]->dtype.is_integer())
      most = std::max(most, magnitude(static_cast<std::int64_t>(frame.captured(static_cast<std::uint32_t>(k)).bits)));
  return most;
}

bool needs_folds(const trace::Facts& f) {
  return std::any_of(f.loops.begin(), f.loops.end(), [](const auto& l) { return l.needs_folded; });
}

/// Checks the loops as far as their headers are known before the call runs; gives the reach of their indices.
std::uint64_t check_loops(const Prepared& p) {
  const trace::Facts& f = p.request.kernel->facts;
  std::uint64_t most = 0;
  for (const Bound& b : p.arrays) most = std::max(most, b.length);
  auto frame = make_frame(p.request, p.arrays);
  while (const auto loop = frame->advance()) {
    if (f.loops[*loop].needs_folded) break;  // checked when it is reached
    frame->header();                         // throws where the proof does not hold for these scalars
    const trace::LoopHeader header = frame->iterations();
    check_loop(p, *loop, header);
    most = std::max(most, reach(*p.request.kernel, *loop, *frame, header));
  }
  return most;
}

/// Choosing the tier of one call.
struct Choice {
  DeviceState& device;
  Prepared& p;
  const std::vector<std::uint16_t>& same;
  std::uint64_t most;
  const trace::KernelCore& core;

  /// Why this backend cannot run the call; nothing: it can.
  std::optional<std::string> refusal(backend::Backend& where) {
    const backend::Info& info = where.info();
    if (!info.runs_serial) {  // a GPU: its tiers run what is proved, and learn nothing from the host on the way
      if (core.facts.no_gpu) return core.facts.no_gpu;
      for (const auto& loop : core.facts.loops)
        if (loop.not_parallel) return "it " + text(*loop.not_parallel, core.facts, loop);
      if (needs_folds(core.facts)) return "a later loop of it needs a folded value on the host";
    }
    if (auto why = too_large(info)) return why;
    p.wide = false;
    for (std::size_t k = 0; k < core.loops.size(); ++k) p.wide |= most > lower(k, false)->limit;
    if (p.wide && !info.int64)
      for (std::size_t k = 0; k < core.loops.size(); ++k)
        if (lower(k, true)->needs_int64) return "its indices need 64 bits";
    p.programs.clear();
    for (std::size_t k = 0; k < core.loops.size(); ++k) {
      auto program = device.programs.get(p.request.kernel, lower(k, p.wide), same);
      auto& known = program->refused;
      auto at = known.find(&where);
      if (at == known.end()) at = known.emplace(&where, where.refuses(*program->lone.program)).first;
      if (at->second) return at->second;
      p.programs.push_back(std::move(program));
    }
    return std::nullopt;
  }

  std::shared_ptr<const trace::Lowered> lower(std::size_t loop, bool wide) {
    return trace::lower_loop(p.request.kernel, loop, {core.bits.value_or(device.options.bits), wide});
  }

  std::optional<std::string> too_large(const backend::Info& info) {
    const std::uint64_t most_bytes = std::min(info.limit("maxStorageBufferBindingSize", ~std::uint64_t{0}),
                                              info.limit("maxBufferSize", ~std::uint64_t{0}));
    for (std::size_t k = 0; k < p.arrays.size(); ++k)
      if (const std::uint64_t bytes = p.arrays[k].length * p.arrays[k].element.bytes(); bytes > most_bytes)
        return fmt::format("its array `{}` takes {} bytes and the device allows {}", core.facts.params[k].name, bytes,
                           most_bytes);
    return std::nullopt;
  }

  void run() {
    std::vector<std::pair<Tier, std::string>> reasons, missing;
    for (std::size_t k = 0; k < device.tiers.size(); ++k) {
      std::string why;
      backend::Backend* where = device.tiers.open(k, why);
      if (!where) {
        missing.emplace_back(device.tiers.tier(k), why);  // info() says so
        continue;
      }
      if (auto refused = refusal(*where)) {
        reasons.emplace_back(device.tiers.tier(k), *refused);
        continue;
      }
      // A lost device is an error, no reason to go on to the next tier (KER-TIER-04).
      if (where->lost()) throw DeviceLost(core.facts.name + ": " + device.lost_message(*where));
      p.backend = where;
      break;
    }
    p.face_reason = core.facts.no_gpu;
    if (!p.backend) {
      std::string tried;
      reasons.insert(reasons.end(), missing.begin(), missing.end());
      for (const auto& [tier, why] : reasons) tried += fmt::format("\n  {}: {}", name(tier), why);
      throw UnsupportedError(fmt::format("{}: no tier of {} can run it:{}", core.facts.name, device.name, tried));
    }
    for (const auto& [tier, why] : reasons) {
      if (!p.reason.empty()) p.reason += "; ";
      p.reason += reasons.size() > 1 ? fmt::format("{}: {}", name(tier), why) : why;
    }
    // In order on one thread is never silent, also where the cpu is the first tier anyway (KER-LOOP-04).
    if (p.reason.empty())
      for (const auto& loop : core.facts.loops)
        if (loop.not_parallel && p.reason.empty()) p.reason = "it " + text(*loop.not_parallel, core.facts, loop);
  }
};

}  // namespace

void check_loop(const Prepared& p, std::size_t loop, const trace::LoopHeader& header) {
  const trace::Facts& f = p.request.kernel->facts;
  check_bounds(f, f.loops[loop], header, p.arrays);
}

void next_loop(Prepared& p) {
  p.loop = p.frame->advance();
  if (p.loop) p.header = p.frame->header();
}

std::shared_ptr<trace::HostFrame> fresh_frame(const Prepared& p) { return make_frame(p.request, p.arrays); }

Prepared prepare(DeviceState& device, detail::CallRequest request) {
  Prepared p;
  p.arrays = bind_arrays(device.shared_from_this(), request);
  p.request = std::move(request);
  const auto same = check_aliases(p.request.kernel->facts, p.arrays);
  const std::uint64_t most = check_loops(p);
  Choice{device, p, same, most, *p.request.kernel}.run();
  p.frame = fresh_frame(p);
  next_loop(p);
  return p;
}

}  // namespace weft::runtime
