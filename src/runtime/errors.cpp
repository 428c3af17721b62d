// Errors cross the backend interface as data; here they become exceptions again.
#include <weft/error.hpp>

#include "runtime/execute.hpp"

namespace weft::runtime {

std::exception_ptr to_exception(const backend::ErrorRecord& e) {
  using enum backend::ErrorKind;
  switch (e.kind) {
    case type: return std::make_exception_ptr(TypeError(e.message));
    case range: return std::make_exception_ptr(RangeError(e.message));
    case state: return std::make_exception_ptr(StateError(e.message));
    case unsupported: return std::make_exception_ptr(UnsupportedError(e.message));
    case compile: return std::make_exception_ptr(CompileError(e.message, e.source));
    case load: return std::make_exception_ptr(LoadError(e.message));
    case io: return std::make_exception_ptr(IoError(e.message));
    case device: return std::make_exception_ptr(DeviceError(e.message));
    case lost: return std::make_exception_ptr(DeviceLost(e.message));
    case memory: return std::make_exception_ptr(OutOfMemory(e.message));
  }
  return std::make_exception_ptr(DeviceError(e.message));
}

}  // namespace weft::runtime
