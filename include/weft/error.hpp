// The errors of the library (KER-ERR). Every message begins with the author's name of the thing at fault and says what
// was wrong, what was given, and what to do.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace weft {

struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct TypeError : Error {
  using Error::Error;
};  // wrong kind, count, owner or binding of an argument
struct RangeError : Error {
  using Error::Error;
};  // a number that its place does not take
struct StateError : Error {
  using Error::Error;
};  // right call, wrong time
struct UnsupportedError : Error {
  using Error::Error;
};  // no tier that may be used can do it
/// A mapping expression that is refused: `kind` as docs/reference/mapping.md spells it (MAP-SYN-08), `place` the character
/// of the expression at fault.
struct MappingError : Error {
  explicit MappingError(const std::string& message, std::string_view k = {}, std::size_t at = 0)
      : Error(message), kind(k), place(at) {}
  std::string_view kind;
  std::size_t place;
};
/// A shader or kernel that a compiler refused; `source` is the emitted text.
struct CompileError : Error {
  CompileError(const std::string& message, std::string emitted) : Error(message), source(std::move(emitted)) {}
  std::string source;
};
struct LoadError : Error {
  using Error::Error;
};  // a module or driver: what, where looked, what to install
struct IoError : Error {
  using Error::Error;
};  // a file: which, what was tried, the system's reason
struct DeviceError : Error {
  using Error::Error;
};
struct DeviceLost : DeviceError {
  using DeviceError::DeviceError;
};
struct OutOfMemory : Error {
  using Error::Error;
};

}  // namespace weft
