// Scalar<T>: a kernel's parameter that is one number, given by value at each call (KER-AUTH-02).
#pragma once

#include <weft/value.hpp>

namespace weft {

template <class T> class Scalar : public Value<T> {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, std::int32_t> ||
                    std::is_same_v<T, std::uint32_t>,
                "weft: Scalar<T> is of float, double, int32_t or uint32_t; give a vector as several scalars");
 public:
  explicit Scalar(detail::Expr e) : Value<T>(e) {}
};

}  // namespace weft
