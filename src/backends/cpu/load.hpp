// The loader of the cpu tier: object files become functions that can be called. It stays for the life of the process, as
// does what it has loaded.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "backends/cpu/object.hpp"
#include "runtime/backend.hpp"

namespace weft::cpu {

/// The addresses of the named symbols of an object. Thread-safe.
backend::Expected<std::vector<void*>> load(const Object&, std::span<const char* const> symbols,
                                           const std::string& label);

}  // namespace weft::cpu
