// The plain orders of a mapping's axes: what files and other libraries have.
#pragma once

#include <weft/detail/tensor_axes.hpp>

namespace weft::detail {

/// The axes from major to minor in axis order (C), or with the first as the minor one (Fortran).
inline Mapping row_order(const TensorAxes& axes, bool fortran = false) {
  Mapping m;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const Axis& axis = axes[fortran ? i : axes.size() - 1 - i];
    m = i ? pair(axis, m) : Mapping(axis);
  }
  return m;
}

}  // namespace weft::detail
