// Equal bits, as the differential tests mean it: which NaN an operation gives is not promised (KER-BIT-01, FUSE-BIT-06), so
// where a NaN occurred, one is as good as another.
#pragma once

#include <cstdint>
#include <cstring>

#include "support/host_array.hpp"

namespace weft::test {

inline bool is_nan_bits(std::uint32_t bits) { return (bits & 0x7FFFFFFFu) > 0x7F800000u; }

inline bool same_bits(const HostArray& a, const HostArray& b, bool nan_seen) {
  if (a == b) return true;
  if (!nan_seen || a.element != b.element || a.element.scalar != ScalarType::float32) return false;
  const auto x = a.values<std::uint32_t>(), y = b.values<std::uint32_t>();
  if (x.size() != y.size()) return false;
  for (std::size_t k = 0; k < x.size(); ++k)
    if (x[k] != y[k] && !(is_nan_bits(x[k]) && is_nan_bits(y[k]))) return false;
  return true;
}

inline bool same_bits(const detail::ScalarValue& a, const detail::ScalarValue& b, bool nan_seen) {
  return a.bits == b.bits ||
         (nan_seen && a.dtype == ScalarType::float32 && is_nan_bits(static_cast<std::uint32_t>(a.bits)) &&
          is_nan_bits(static_cast<std::uint32_t>(b.bits)));
}

}  // namespace weft::test
