// Elements and mappings as the messages of tensors name them.
#pragma once

#include <string>

#include <weft/detail/tensor_axes.hpp>

namespace weft::detail {

/// "A: 2, B: 0", in axis order.
std::string element_text(const TensorAxes&, const std::uint64_t* coordinates);
/// "`A, B # 64`"
std::string quoted(const Mapping&);

}  // namespace weft::detail
