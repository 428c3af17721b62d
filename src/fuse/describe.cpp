#include "fuse/describe.hpp"

#include <algorithm>
#include <unordered_map>

namespace weft::fusion {

Description describe(std::span<const runtime::Prepared> prepared) {
  Description d;
  d.calls.reserve(prepared.size());
  std::unordered_map<const runtime::ResidentState*, std::uint32_t> numbers;
  for (const runtime::Prepared& p : prepared) {
    PlannedCall& c = d.calls.emplace_back();
    const trace::Facts& facts = p.request.kernel->facts;
    c.facts = &facts;
    c.tier = p.backend->info().tier;
    c.header = p.header;
    c.face_reason = p.face_reason;
    if (!p.reason.empty()) c.device_reason = p.reason;
    c.bindings.resize(facts.params.size());
    for (std::size_t k = 0; k < facts.params.size(); ++k) {
      const runtime::Bound& bound = p.arrays[k];
      if (!bound.resident) continue;
      // Each host argument has a resident of its own, so two of one memory are two arrays (FUSE-REC-12).
      const auto [at, fresh] = numbers.try_emplace(bound.resident.get(), static_cast<std::uint32_t>(d.arrays.size()));
      if (fresh) d.arrays.push_back(&bound);
      c.bindings[k] = {.array = at->second,
                       .scratch = bound.resident->scratch != nullptr,
                       .as_made = bound.element == bound.resident->element,
                       .length = bound.length};
    }
  }
  return d;
}

Placement place(const Description& d, const Group& g) {
  Placement out;
  std::unordered_map<std::uint32_t, Place> of_array;
  std::uint32_t locals = 0;
  for (std::size_t i = g.first; i < g.first + g.count; ++i) {
    const PlannedCall& c = d.calls[i];
    auto& places = out.places.emplace_back(c.bindings.size());
    for (const trace::Access& at : c.facts->loops.front().accesses) {
      const std::uint32_t array = c.bindings[at.param].array;
      const auto [found, fresh] = of_array.try_emplace(array);
      if (fresh) {
        if (std::binary_search(g.locals.begin(), g.locals.end(), array)) {
          found->second = {Place::Kind::local, locals++};
        } else {
          found->second = {Place::Kind::slot, static_cast<std::uint32_t>(out.slots.size())};
          out.slots.push_back(array);
          out.written.push_back(false);
        }
      }
      places[at.param] = found->second;
      if (at.write && found->second.kind == Place::Kind::slot) out.written[found->second.number] = true;
    }
  }
  return out;
}

}  // namespace weft::fusion
