#include "kernel/signature.hpp"

#include <weft/error.hpp>

#include <algorithm>

namespace weft::trace {

namespace {

std::string_view trimmed(std::string_view s) {
  constexpr std::string_view blank = " \t\r\n";
  const auto first = s.find_first_not_of(blank);
  if (first == std::string_view::npos) return {};
  return s.substr(first, s.find_last_not_of(blank) - first + 1);
}

}  // namespace

Signature parse_signature(std::string_view text) {
  const std::string_view all = trimmed(text);
  const auto fail = [&](const std::string& why) -> TypeError {
    return TypeError("\"" + std::string(text) + "\": a kernel's signature is name(p1, p2, ...); " + why + ".");
  };
  const auto open = all.find('(');
  if (open == std::string_view::npos) throw fail("this one has no parenthesis");
  Signature s;
  s.name = trimmed(all.substr(0, open));
  if (s.name.empty()) throw fail("this one has no name before its parenthesis");
  if (s.name.find_first_of("),") != std::string::npos) throw fail("its name holds a parenthesis or a comma");
  const auto close = all.find(')', open);
  if (close == std::string_view::npos) throw fail("its parenthesis is not closed");
  if (close + 1 != all.size()) throw fail("something follows its closing parenthesis");
  std::string_view rest = all.substr(open + 1, close - open - 1);
  if (rest.find('(') != std::string_view::npos) throw fail("a parenthesis stands inside its parentheses");
  if (trimmed(rest).empty()) return s;
  for (;;) {
    const auto comma = rest.find(',');
    const std::string name(trimmed(rest.substr(0, comma)));
    if (name.empty()) throw fail("its parameter " + std::to_string(s.params.size() + 1) + " has no name");
    if (std::find(s.params.begin(), s.params.end(), name) != s.params.end())
      throw fail("it has two parameters `" + name + "`");
    s.params.push_back(name);
    if (comma == std::string_view::npos) return s;
    rest.remove_prefix(comma + 1);
  }
}

}  // namespace weft::trace
