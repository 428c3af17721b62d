// Runs the weft program: what it prints, what it complains of, how it ends.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

namespace weft::test {

inline std::string file_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

/// A folder of its own, gone with the object.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "weft-XXXXXX").string();
    path = ::mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::filesystem::path path;
};

struct Ran {
  int code = -1;  // -1: ended by a signal
  std::string out, err;
};

/// `arguments` as a shell would take them.
inline Ran weft_program(const std::string& arguments, const std::string& environment = {}) {
  const Folder folder;
  const std::string out = (folder.path / "out").string(), err = (folder.path / "err").string();
  const int status = std::system(
      (environment + " '" WEFT_PROGRAM "' " + arguments + " >" + out + " 2>" + err + " </dev/null").c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, file_text(out), file_text(err)};
}

}  // namespace weft::test
