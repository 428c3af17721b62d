// The short name of weft::ScalarType inside the library. In namespace weft itself `Scalar` is the author's parameter type
// (KER-AUTH-02), so the alias stands in the library's own namespaces only.
#pragma once

#include <weft/dtype.hpp>

namespace weft::ir {
using Scalar = ScalarType;
}
namespace weft::trace {
using Scalar = ScalarType;
}
namespace weft::backend {
using Scalar = ScalarType;
}
namespace weft::runtime {
using Scalar = ScalarType;
}
namespace weft::fusion {
using Scalar = ScalarType;
}
namespace weft::cpu {
using Scalar = ScalarType;
}
namespace weft::webgpu {
using Scalar = ScalarType;
}
namespace weft::cli {
using Scalar = ScalarType;
}
namespace weft::test {
using Scalar = ScalarType;
}
