#include "share.hpp"

#include <weft/error.hpp>

namespace weft::cli {

std::filesystem::path share_file(std::string_view name) {
  std::error_code failed;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", failed);
  const std::filesystem::path file = program.parent_path().parent_path() / "share" / "weft" / name;
  if (failed || !std::filesystem::exists(file, failed))
    throw IoError(std::string(name) +
                  " is not in share/weft beside the program's folder; install Weft whole, or name a file");
  return file;
}

}  // namespace weft::cli
