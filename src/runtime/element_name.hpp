// Element types as authors write them: "f32", "vec4f". For messages.
#pragma once

#include <weft/dtype.hpp>

#include <string>

namespace weft::runtime {

std::string element_name(DType);

}  // namespace weft::runtime
