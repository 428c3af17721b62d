// Mappings, axes and cells from and to text (MAP-SYN-07, MAP-POS-08).
#include <algorithm>
#include <string>
#include <vector>

#include <weft/mapping.hpp>

namespace weft {
namespace {

struct StringSink {
  std::string text;
  StringSink& operator<<(std::string_view s) { return text += s, *this; }
  StringSink& operator<<(std::uint64_t n) { return text += std::to_string(n), *this; }
  StringSink& operator<<(const detail::Name& n) { return text += to_string(n), *this; }
};

// What names mean to the parser.
struct Scope {
  const Axes& axes;
  const MappingNames* names;
  bool axis(const detail::Name& n, std::uint64_t& size) const { return axes.axis(n, size); }
  const Mapping* mapping(const detail::Name& n) const { return names ? names->mapping(n) : nullptr; }
  bool constant(const detail::Name& n, std::uint64_t& value) const { return names && names->constant(n, value); }
};

Mapping parse_in(std::string_view text, const Scope& scope) {
  const detail::ParsedMapping parsed = detail::parse_mapping(text, scope);
  if (parsed.fault) detail::mapping_error(parsed.fault, text);
  return parsed.mapping;
}

detail::Name checked_name(std::string_view text) {
  detail::MappingScanner scan(text);
  detail::Name n;
  if (!detail::is_letter(scan.peek())) scan.expected("a name");
  else if (scan.name(n) && !scan.at_end()) scan.expected("the end of the name");
  if (scan.fault()) detail::mapping_error(scan.fault(), text);
  return n;
}

template <class List> auto find(List& list, const detail::Name& n) {
  return std::find_if(list.begin(), list.end(), [&](const auto& entry) { return entry.first == n; });
}

// `A # 12: 9, A, E: 23`: each list up to its colon, each value up to its comma.
Cell cell_in(std::string_view text, const Scope& scope) {
  Cell result;
  detail::MappingScanner scan(text);
  while (!scan.at_end()) {
    const std::size_t start = scan.at(), colon = std::min(text.find(':', start), text.size());
    const detail::ParsedMapping parsed = detail::parse_mapping(text.substr(start, colon - start), scope);
    if (parsed.fault) scan.fail(parsed.fault, start + parsed.fault.place);
    std::uint64_t value = 0;
    if (!scan.fault()) {
      scan.go_back(colon);
      if (scan.need(':', "`:` and a value")) {
        if (!detail::is_digit(scan.peek())) scan.expected("an integer");
        else if (scan.integer(value) && !scan.at_end()) scan.need(',', "a comma or the end");
      }
    }
    if (scan.fault()) detail::mapping_error(scan.fault(), text);
    result = combine(result, detail::assigned(parsed.mapping, value));
  }
  return result;
}

}  // namespace

std::string to_string(const detail::Name& n) {
  std::string text;
  for (std::size_t i = 0; i < n.size(); ++i) text += n[i];
  return text;
}

std::string to_string(const Mapping& m) {
  StringSink sink;
  detail::print_mapping(m, m.count, sink);
  return sink.text;
}

std::string to_string(const Cell& cell) {
  if (cell.is_out_of_bounds()) return "-";
  if (cell.is_padding())
    return cell.padding() == PaddingKind::Top ? "*" : cell.padding() == PaddingKind::Zero ? "0" : "!";
  if (cell.index().overshoot()) return ">";
  std::vector<const IndexTerm*> terms;
  for (const IndexTerm& t : cell.index())
    if (t.value) terms.push_back(&t);
  std::sort(terms.begin(), terms.end(), [](const IndexTerm* a, const IndexTerm* b) { return a->name < b->name; });
  std::string text;
  for (const IndexTerm* t : terms)
    text += (text.empty() ? "" : ",") + to_string(t->name) + "=" + std::to_string(t->value);
  return text.empty() ? "." : text;
}

Axes& Axes::add(std::string_view name, std::uint64_t size) {
  const detail::Name n = checked_name(name);
  std::uint64_t earlier = 0;
  if (size > max_mapping_size) detail::mapping_error(detail::too_large(size), name);
  if (axis(n, earlier))
    detail::mapping_error(MappingErrorKind::syntax, "the axis " + std::string(name) + " is declared twice");
  axes_.emplace_back(n, size);
  return *this;
}

bool Axes::axis(const detail::Name& n, std::uint64_t& size) const {
  for (const Axis& a : axes_)
    if (a.name == n) return size = a.size, true;
  return false;
}

Axes axes(std::string_view text) {
  Axes result;
  detail::MappingScanner scan(text);
  while (!scan.at_end()) {
    detail::Name name;
    std::uint64_t size = 0;
    const bool read = detail::is_letter(scan.peek()) ? scan.name(name) : scan.expected("the name of an axis");
    if (read && scan.need('=', "`=` and the size of the axis")) {
      if (!detail::is_digit(scan.peek())) scan.expected("the size of the axis");
      else if (scan.integer(size) && !scan.at_end()) scan.need(',', "a comma or the end");
    }
    if (scan.fault()) detail::mapping_error(scan.fault(), text);
    result.add(to_string(name), size);
  }
  return result;
}

MappingNames& MappingNames::add(std::string_view name, const Mapping& m) {
  mappings_.emplace_back(checked_name(name), m);
  return *this;
}
MappingNames& MappingNames::add_constant(std::string_view name, std::uint64_t value) {
  constants_.emplace_back(checked_name(name), value);
  return *this;
}
const Mapping* MappingNames::mapping(const detail::Name& n) const {
  const auto found = find(mappings_, n);
  return found == mappings_.end() ? nullptr : &found->second;
}
bool MappingNames::constant(const detail::Name& n, std::uint64_t& value) const {
  const auto found = find(constants_, n);
  return found != constants_.end() && (value = found->second, true);
}

Mapping Mapping::parse(std::string_view text, const Axes& axes) { return parse_in(text, {axes, nullptr}); }
Mapping Mapping::parse(std::string_view text, const Axes& axes, const MappingNames& names) {
  return parse_in(text, {axes, &names});
}
Cell cell(std::string_view text, const Axes& axes) { return cell_in(text, {axes, nullptr}); }
Cell cell(std::string_view text, const Axes& axes, const MappingNames& names) { return cell_in(text, {axes, &names}); }

}  // namespace weft
