// A kernel's signature, "name(p1, p2, ...)" (KER-AUTH-01). Names are data: any text without parentheses and commas.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weft::trace {

struct Signature {
  std::string name;
  std::vector<std::string> params;
};

/// Throws TypeError, which names what is malformed, empty or repeated.
Signature parse_signature(std::string_view);

}  // namespace weft::trace
