#include "tensor/element_text.hpp"

namespace weft::detail {

std::string element_text(const TensorAxes& axes, const std::uint64_t* coordinates) {
  std::string text;
  for (std::size_t a = 0; a < axes.size(); ++a)
    text += (a ? ", " : "") + to_string(axes[a].name) + ": " + std::to_string(coordinates[a]);
  return text.empty() ? "without coordinates" : text;
}

std::string quoted(const Mapping& m) { return "`" + to_string(m) + "`"; }

}  // namespace weft::detail
