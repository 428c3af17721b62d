// The files that come with the program.
#pragma once

#include <filesystem>
#include <string_view>

namespace weft::cli {

/// The path of a file in share/weft, which stands beside the folder of the program. Throws IoError: it is not there.
std::filesystem::path share_file(std::string_view name);

}  // namespace weft::cli
