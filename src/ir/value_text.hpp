// Values as text, exact: decimal integers of any size, hexadecimal floats, inf, nan. Shared by the text and JSON forms.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ir/graph.hpp"

namespace weft::ir {

/// "0x1.8p+1", "-0x0p+0", "inf", "-inf", "nan". `padded` writes all 13 digits, as the exchange form has them.
std::string print_float(double, bool padded = false);
/// A hexadecimal or decimal float, inf, -inf, nan.
std::optional<double> parse_float(std::string_view);
/// `text` in double quotes, with \" \\ and \xNN for what would break a line.
std::string in_quotes(std::string_view text);
/// The text of an error, cut to a length and on one line.
std::string one_line(std::string_view text, std::size_t most = 300);

}  // namespace weft::ir
