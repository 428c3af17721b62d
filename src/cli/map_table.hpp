// A mapping drawn as a table, in text or as a picture: rows are the major and columns the minor dimension (MAP-VIS-01).
#pragma once

#include <string>

#include <weft/mapping.hpp>

namespace weft::cli {

/// RangeError where the table would have more than max_drawn_cells.
inline constexpr std::uint64_t max_drawn_cells = 4096;

std::string table_text(const Mapping&);
std::string table_svg(const Mapping&);

}  // namespace weft::cli
