// MappingError with the expression, a caret at the place and the reason (MAP-SYN-08).
#include <string>

#include <weft/detail/mapping_fault.hpp>
#include <weft/error.hpp>

namespace weft::detail {

void mapping_error(MappingErrorKind kind, std::string_view reason) {
  throw MappingError("a mapping is refused: " + std::string(reason) + " (" + std::string(name(kind)) + ").",
                     name(kind));
}

void mapping_error(const MappingFault& fault, std::string_view expression) {
  if (expression.empty() && fault.kind != MappingErrorKind::syntax) mapping_error(fault.kind, fault.reason.view());
  // Of a long expression, what stands around the place.
  constexpr std::size_t before = 60, shown = 120;
  const std::size_t from = fault.place > before ? fault.place - before : 0;
  std::string line(from ? "..." : ""), shown_text(expression.substr(from, shown));
  const std::size_t caret = line.size() + fault.place - from;
  for (char& c : shown_text)
    if (c < ' ' || c > '~') c = c == '\n' || c == '\t' || c == '\r' ? ' ' : '?';
  line += shown_text;
  if (from + shown < expression.size()) line += "...";
  throw MappingError("the mapping `" + line + "` is refused: " + std::string(fault.reason.view()) + " (" +
                         std::string(name(fault.kind)) + ").\n  " + line + "\n  " + std::string(caret, ' ') + "^",
                     name(fault.kind), fault.place);
}

}  // namespace weft::detail
