// At: what a subscript takes. The conversion captures the source line, so that reports can say ``reads `t[i - 1]` (line 9)``
// (KER-AUTH-08).
#pragma once

#include <weft/value.hpp>

namespace weft {

/// Any integer expression: an Index, a Value, Var or element of an integer type, a literal. One conversion, so that
/// `a[i - 1]` works; the template keeps it from being two.
class At {
 public:
  template <detail::Operable E>
    requires(detail::is_whole<detail::traced_t<E>> && !detail::is_vector<detail::traced_t<E>>)
  At(const E& e, std::source_location where = std::source_location::current())
      : index(index_of(detail::operand(e))), line(detail::line_of(where)) {}

  detail::Expr index;
  std::uint32_t line;

 private:
  static detail::Expr index_of(const detail::Operand& o) {
    return o.kind == detail::Operand::Kind::traced ? o.expr : detail::convert(o, dtype_of<WeakInt>);
  }
};

}  // namespace weft
