// `weft map --lines` (MAP-VIS-02): one JSON object a line, one JSON result a line.
#pragma once

#include <nlohmann/json.hpp>

#include <iosfwd>
#include <string>

namespace weft::cli {

/// The JSON text of one line; a byte that is no UTF-8 is replaced.
std::string dump(const nlohmann::json&);
/// {"error": kind, "message": text}.
nlohmann::json error_json(std::string_view kind, const std::string& message);
/// How many positions are listed where none are asked for.
inline constexpr std::uint64_t max_listed_positions = 1 << 20;

/// 1 where a line was refused, as it is reported in its place; the others go on.
int map_lines(std::istream& in, std::ostream& out);

}  // namespace weft::cli
