#include "map_lines.hpp"

#include <fmt/format.h>

#include <weft/error.hpp>
#include <weft/mapping.hpp>

#include <istream>
#include <ostream>
#include <vector>

namespace weft::cli {
namespace {

using Json = nlohmann::ordered_json;  // names may use those before them

// What is wrong with the line, and not with its mapping.
struct InputError : Error {
  using Error::Error;
};

std::uint64_t unsigned_integer(const Json& j, const std::string& what) {
  if (!j.is_number_unsigned()) throw InputError(what + " is no unsigned integer.");
  return j.get<std::uint64_t>();
}

const Json& object(const Json& line, const char* key) {
  static const Json none = Json::object();
  const auto found = line.find(key);
  if (found == line.end()) return none;
  if (!found->is_object()) throw InputError(fmt::format("\"{}\" is no object.", key));
  return *found;
}

std::string text(const Json& j, const std::string& what) {
  if (!j.is_string()) throw InputError(what + " is no text.");
  return j.get<std::string>();
}

// Mappings that name others, whatever their order: those whose names are known first, as long as one more can be read.
void add_names(const Json& all, const Axes& axes, MappingNames& names) {
  std::vector<std::pair<std::string, std::string>> left;
  for (const auto& [name, expression] : all.items()) left.emplace_back(name, text(expression, "The mapping " + name));
  while (!left.empty()) {
    std::vector<std::pair<std::string, std::string>> later;
    for (const auto& [name, expression] : left) {
      try {
        names.add(name, Mapping::parse(expression, axes, names));
      } catch (const MappingError& e) {
        if (e.kind != "escape-not-a-mapping" || left.size() == 1) throw;
        later.emplace_back(name, expression);
      }
    }
    if (later.size() == left.size()) Mapping::parse(left[0].second, axes, names);  // throws what is wrong with it
    left = std::move(later);
  }
}

nlohmann::json evaluate(const Json& line) {
  if (!line.is_object()) throw InputError("The line is no JSON object.");
  Axes axes;
  for (const auto& [name, size] : object(line, "axes").items())
    axes.add(name, unsigned_integer(size, "The size of the axis " + name));
  MappingNames names;
  for (const auto& [name, value] : object(line, "constants").items())
    names.add_constant(name, unsigned_integer(value, "The constant " + name));
  add_names(object(line, "names"), axes, names);
  if (!line.contains("expr")) throw InputError("The line has no \"expr\".");
  const Mapping m = Mapping::parse(text(line["expr"], "\"expr\""), axes, names);

  const detail::KeyedDecoder decode(m);
  nlohmann::json cells = nlohmann::json::array();
  if (line.contains("positions")) {
    if (!line["positions"].is_array()) throw InputError("\"positions\" is no list.");
    for (const Json& p : line["positions"]) cells.push_back(to_string(decode(unsigned_integer(p, "A position"))));
  } else {
    if (m.size() > max_listed_positions)
      throw InputError(
          fmt::format("The mapping has {} positions, and at most {} are listed; name some in \"positions\".", m.size(),
                      max_listed_positions));
    Cell c;
    for (std::uint64_t i = 0; i < m.size() + 2; ++i) {
      decode.decode(i, c);
      cells.push_back(to_string(c));
    }
  }
  return {{"size", m.size()}, {"cells", std::move(cells)}};
}

}  // namespace

std::string dump(const nlohmann::json& j) { return j.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace); }

nlohmann::json error_json(std::string_view kind, const std::string& message) {
  return {{"error", kind}, {"message", message}};
}

int map_lines(std::istream& in, std::ostream& out) {
  int code = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    nlohmann::json result;
    try {
      result = evaluate(Json::parse(line));
    } catch (const MappingError& e) { result = error_json(e.kind, e.what()); } catch (const Error& e) {
      result = error_json("input", e.what());
    } catch (const nlohmann::json::exception& e) { result = error_json("input", e.what()); }
    if (result.contains("error")) code = 1;
    out << dump(result) << '\n';
  }
  return code;
}

}  // namespace weft::cli
