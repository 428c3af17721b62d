#include "runtime/element_name.hpp"

#include <fmt/format.h>

namespace weft::runtime {

std::string element_name(DType t) {
  using enum ScalarType;
  const char* scalar = t.scalar == float32   ? "f32"
                       : t.scalar == int32   ? "i32"
                       : t.scalar == uint32  ? "u32"
                       : t.scalar == float64 ? "f64"
                                             : nullptr;
  if (scalar == nullptr) return std::string(name(t.scalar));
  if (t.lanes == 1) return scalar;
  return fmt::format("vec{}{}", t.lanes, t.scalar == float64 ? 'd' : scalar[0]);
}

}  // namespace weft::runtime
