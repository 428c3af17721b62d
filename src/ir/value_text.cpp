#include "ir/value_text.hpp"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>

namespace weft::ir {

std::string print_float(double v, bool padded) {
  if (std::isnan(v)) return "nan";
  std::string s = std::signbit(v) ? "-" : "";
  v = std::fabs(v);
  if (std::isinf(v)) return s + "inf";
  if (v == 0) return s + (padded ? "0x0.0p+0" : "0x0p+0");
  const auto bits = std::bit_cast<std::uint64_t>(v);
  const int biased = static_cast<int>(bits >> 52);
  char text[48];
  std::snprintf(text, sizeof text, "0x%d.%013llx", biased != 0,
                static_cast<unsigned long long>(bits & 0xFFFFFFFFFFFFFull));
  s += text;
  if (!padded) {
    while (s.back() == '0') s.pop_back();
    if (s.back() == '.') s.pop_back();
  }
  std::snprintf(text, sizeof text, "p%+d", biased != 0 ? biased - 1023 : -1022);
  return s + text;
}

std::optional<double> parse_float(std::string_view text) {
  const bool negative = text.starts_with('-');
  std::string_view body = text.substr(negative ? 1 : 0);
  if (body == "inf")
    return negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  if (body == "nan") return std::numeric_limits<double>::quiet_NaN();
  const bool hex = body.starts_with("0x") || body.starts_with("0X");
  if (hex) body.remove_prefix(2);
  if (body.empty() || body.size() > 2000 || body.front() == '-' || body.front() == '+') return std::nullopt;
  double v = 0;
  const auto [end, error] = std::from_chars(body.data(), body.data() + body.size(), v,
                                            hex ? std::chars_format::hex : std::chars_format::general);
  if (error != std::errc() || end != body.data() + body.size() || !std::isfinite(v)) return std::nullopt;
  return negative ? -v : v;
}

std::string in_quotes(std::string_view text) {
  std::string s = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') (s += '\\') += c;
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\x%02x", static_cast<unsigned>(static_cast<unsigned char>(c)));
      s += escape;
    } else {
      s += c;
    }
  }
  return s += '"';
}

std::string one_line(std::string_view text, std::size_t most) {
  std::string s;
  for (char c : text.substr(0, most)) s += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? ' ' : c;
  if (text.size() > most) s += "...";
  return s;
}

}  // namespace weft::ir
