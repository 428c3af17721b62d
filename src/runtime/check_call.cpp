#include "runtime/check_call.hpp"

#include <weft/error.hpp>

#include <algorithm>

#include <fmt/format.h>

#include "runtime/device_state.hpp"
#include "runtime/element_name.hpp"
#include "runtime/homes.hpp"

namespace weft::runtime {
namespace {

using trace::Facts;
using trace::ParamFact;
using trace::ParamKind;

std::string param_text(const Facts& f, const ParamFact& p) {
  return fmt::format("{}: its parameter `{}`", f.name, p.name);
}

/// Elements of the parameter's type in an array of `length` elements of `given`.
std::uint64_t length_as(const Facts& f, const ParamFact& p, DType given, std::uint64_t length) {
  if (given == p.dtype) return length;
  if (given.scalar != p.dtype.scalar || given.lanes != 1)
    throw TypeError(fmt::format("{} is an array of {}, and was given one of {}", param_text(f, p),
                                element_name(p.dtype), element_name(given)));
  if (length % p.dtype.lanes != 0)
    throw RangeError(fmt::format("{} is an array of {}, and was given {} {}, which {} does not divide",
                                 param_text(f, p), element_name(p.dtype), length, element_name(given), p.dtype.lanes));
  return length / p.dtype.lanes;
}

std::shared_ptr<ResidentState> temporary(const std::shared_ptr<DeviceState>& device, const ParamFact& p,
                                         const detail::ArrayArg& a) {
  auto r = std::make_shared<ResidentState>();
  r->owner = device;
  r->owner_name = device->name;
  r->element = a.dtype;
  r->length = a.length;
  r->label = p.name;
  // An empty span may be null, and a home on the host has an address.
  r->host = a.length ? HostBuffer::of(a.host, r->bytes()) : std::make_shared<HostBuffer>(0);
  r->version = 1;
  r->homes.push_back({nullptr, 0, 1, r->host->data()});
  return r;
}

struct Extent {
  const std::byte *begin, *end;
};
Extent extent(const Bound& b) {
  const auto* begin = static_cast<const std::byte*>(b.host);
  return {begin, begin + b.length * b.element.bytes()};
}
bool overlap(const Bound& a, const Bound& b) {
  if (a.resident == b.resident) return true;
  if (!a.host || !b.host) return false;
  const Extent x = extent(a), y = extent(b);
  return x.begin < y.end && y.begin < x.end;
}

}  // namespace

std::vector<bool> written_params(const Facts& f) {
  std::vector<bool> written(f.params.size(), false);
  for (const auto& loop : f.loops)
    for (const auto& a : loop.accesses)
      if ((a.write || a.scatter) && a.param < written.size()) written[a.param] = true;
  return written;
}

std::vector<Bound> bind_arrays(const std::shared_ptr<DeviceState>& device, const detail::CallRequest& request) {
  const Facts& f = request.kernel->facts;
  if (request.args.size() != f.params.size())
    throw TypeError(
        fmt::format("{}: it takes {} arguments, and was given {}", f.name, f.params.size(), request.args.size()));
  std::vector<Bound> arrays(f.params.size());
  for (std::size_t i = 0; i < f.params.size(); ++i) {
    const ParamFact& p = f.params[i];
    if (const auto* scalar = request.args[i].scalar()) {
      if (p.kind != ParamKind::scalar)
        throw TypeError(fmt::format("{} is an array, and was given a scalar", param_text(f, p)));
      if (scalar->dtype != p.dtype)
        throw TypeError(fmt::format("{} is {}, and was given {}", param_text(f, p), element_name(p.dtype),
                                    element_name(scalar->dtype)));
      continue;
    }
    const auto& a = *request.args[i].array();
    if (p.kind != ParamKind::array)
      throw TypeError(fmt::format("{} is a scalar, and was given an array", param_text(f, p)));
    Bound& b = arrays[i];
    b.element = p.dtype;
    std::uint64_t length = a.length;
    if (a.resident) {
      if (a.resident->gone)
        throw TypeError(fmt::format("{} was given {}, which was destroyed", param_text(f, p), shown(*a.resident)));
      length = a.dtype.bytes() ? a.resident->bytes() / a.dtype.bytes() : 0;
      b.resident = a.resident;
    } else {
      if (!a.host && a.length > 0)
        throw TypeError(fmt::format("{} was given a null pointer to {} elements", param_text(f, p), a.length));
      b.host = a.host;
    }
    b.length = length_as(f, p, a.dtype, length);
    if (p.length && b.length != *p.length)
      throw RangeError(fmt::format("{} is a tensor of {} elements, and was given an array of {}", param_text(f, p),
                                   *p.length, b.length));
    if (a.resident) continue;
    // The same host memory twice is the same array.
    for (std::size_t j = 0; j < i && b.host; ++j)
      if (arrays[j].host == b.host && extent(arrays[j]).end == extent(b).end) b.resident = arrays[j].resident;
    if (!b.resident) b.resident = temporary(device, p, a);
  }
  return arrays;
}

std::vector<std::uint16_t> check_aliases(const Facts& f, const std::vector<Bound>& arrays) {
  const std::vector<bool> written = written_params(f);
  std::vector<std::uint16_t> same(f.params.size());
  bool any = false;
  const auto only_at_i = [&](std::size_t param) {
    for (const auto& loop : f.loops)
      for (const auto& a : loop.accesses)
        if (a.param == param && (!a.at.exactly_i() || a.scatter)) return false;
    return true;
  };
  // Also of two that are read, where a third one is the same array and is written.
  const auto is_written = [&](std::size_t param) {
    for (std::size_t k = 0; k < written.size(); ++k)
      if (written[k] && arrays[k].resident && (k == param || overlap(arrays[k], arrays[param]))) return true;
    return false;
  };
  for (std::size_t i = 0; i < same.size(); ++i) {
    same[i] = static_cast<std::uint16_t>(i);
    if (!arrays[i].resident) continue;
    for (std::size_t j = 0; j < i; ++j) {
      if (!arrays[j].resident || !overlap(arrays[i], arrays[j])) continue;
      if (!is_written(i) && !is_written(j)) continue;
      const bool one = arrays[i].resident == arrays[j].resident;
      if (!one || arrays[i].element != arrays[j].element || !only_at_i(i) || !only_at_i(j))
        throw TypeError(
            fmt::format("{}: its parameters `{}` and `{}` are one array, and it writes `{}`; give it two, or a "
                        "kernel that touches both at i only and as one type",
                        f.name, f.params[j].name, f.params[i].name, f.params[written[i] ? i : j].name));
      if (same[i] == i) same[i] = same[j], any = true;
    }
  }
  if (!any) same.clear();
  return same;
}

void check_bounds(const Facts& f, const trace::LoopFacts& loop, const trace::LoopHeader& header,
                  const std::vector<Bound>& arrays) {
  if (header.trip == 0) return;
  using Wide = __int128;  // an index may pass 64 bits
  const auto text = [](Wide v) {
    const bool negative = v < 0;
    std::string digits;
    do digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(negative ? -(v % 10) : v % 10)));
    while ((v /= 10) != 0);
    return (negative ? "-" : "") + digits;
  };
  for (std::size_t p = 0; p < f.params.size(); ++p) {
    if (!arrays[p].resident) continue;
    bool any = false;
    Wide low = 0, high = 0;
    const trace::Access* out = nullptr;
    const Wide length = arrays[p].length;
    for (const auto& a : loop.accesses) {
      if (a.param != p || !a.write || a.conditional || a.scatter || a.at.form != trace::Affine::Form::constant)
        continue;
      const Wide first = Wide(a.at.a) * header.start + a.at.c;
      const Wide last = Wide(a.at.a) * (header.start + Wide(header.trip - 1) * header.step) + a.at.c;
      const auto [lo, hi] = std::minmax(first, last);
      if (!any || lo < low) low = lo;
      if (!any || hi > high) high = hi;
      any = true;
      if (!out && (lo < 0 || hi >= length)) out = &a;
    }
    if (out)
      throw TypeError(
          fmt::format("{}: its parameter `{}` has {} elements, and `{}` (line {}) writes indices from {} to {}", f.name,
                      f.params[p].name, arrays[p].length, out->text, out->line, text(low), text(high)));
  }
}

}  // namespace weft::runtime
