#include "fuse/checks.hpp"

#include <weft/error.hpp>

#include <fmt/format.h>

#include <limits>

#include "runtime/element_name.hpp"

namespace weft::fusion {

namespace {

void check_size(const runtime::ResidentState& r, const backend::Info& info) {
  constexpr auto any = std::numeric_limits<std::uint64_t>::max();
  for (const char* limit : {"maxBufferSize", "maxStorageBufferBindingSize"}) {
    const std::uint64_t most = info.limit(limit, any);
    if (r.bytes() > most)
      throw UnsupportedError(fmt::format("scratch: {} {} need {} bytes on the device, and its {} is {}", r.length,
                                         runtime::element_name(r.element), r.bytes(), limit, most));
  }
}

}  // namespace

void check_scratch(const detail::CallRequest& call, const backend::Info& info) {
  const trace::Facts& facts = call.kernel->facts;
  for (std::size_t p = 0; p < call.args.size(); ++p) {
    const auto* array = call.args[p].array();
    if (array == nullptr || !array->resident || !array->resident->scratch) continue;
    if (info.tier != Tier::cpu) check_size(*array->resident, info);
    const DType made = array->resident->element, taken = facts.params[p].dtype;
    if (made == taken) continue;
    if (made.lanes == 1 && made.scalar == taken.scalar) continue;  // as vectors of them: every call checks the length
    throw TypeError(fmt::format("{}: its parameter `{}` takes array<{}>, and is scratch of {} {}", facts.name,
                                facts.params[p].name, runtime::element_name(taken), array->resident->length,
                                runtime::element_name(made)));
  }
}

}  // namespace weft::fusion
