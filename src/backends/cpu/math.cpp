#include "backends/cpu/math.hpp"

#include <cmath>
#include <cstdint>
#include <type_traits>

namespace weft::cpu {

namespace {

/// Wraps; a negative exponent gives the truncated quotient, 0 for the base 0 (KER-NUM-09).
template <class T> T power(T base, T exponent) {
  using U = std::make_unsigned_t<T>;
  if constexpr (std::is_signed_v<T>) {
    if (exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent % 2 ? -1 : 1) : 0;
  }
  U result = 1, square = static_cast<U>(base);
  for (U e = static_cast<U>(exponent); e; e >>= 1, square *= square)
    if (e & 1) result *= square;
  return static_cast<T>(result);
}

template <class F> void* address(F* f) { return reinterpret_cast<void*>(f); }

#define WEFT_REAL(NAME)                                                                                                \
  {"weft_" #NAME "_f32", address(static_cast<float (*)(float)>([](float x) { return std::NAME(x); }))}, {              \
    "weft_" #NAME "_f64", address(static_cast<double (*)(double)>([](double x) { return std::NAME(x); }))              \
  }
#define WEFT_REAL2(NAME)                                                                                               \
  {"weft_" #NAME "_f32",                                                                                               \
   address(static_cast<float (*)(float, float)>([](float x, float y) { return std::NAME(x, y); }))},                   \
  {                                                                                                                    \
    "weft_" #NAME "_f64",                                                                                              \
        address(static_cast<double (*)(double, double)>([](double x, double y) { return std::NAME(x, y); }))           \
  }

const MathFunction functions[] = {
    WEFT_REAL(sin),
    WEFT_REAL(cos),
    WEFT_REAL(tan),
    WEFT_REAL(asin),
    WEFT_REAL(acos),
    WEFT_REAL(atan),
    WEFT_REAL(sinh),
    WEFT_REAL(cosh),
    WEFT_REAL(tanh),
    WEFT_REAL(exp),
    WEFT_REAL(exp2),
    WEFT_REAL(log),
    WEFT_REAL(log2),
    WEFT_REAL2(pow),
    WEFT_REAL2(atan2),
    {"weft_pow_i32", address(&power<std::int32_t>)},
    {"weft_pow_u32", address(&power<std::uint32_t>)},
    {"weft_pow_i64", address(&power<std::int64_t>)},
    {"weft_pow_u64", address(&power<std::uint64_t>)},
};

#undef WEFT_REAL
#undef WEFT_REAL2

}  // namespace

std::span<const MathFunction> math_functions() { return functions; }

}  // namespace weft::cpu
