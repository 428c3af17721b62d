// Modules: shared objects beside the core library, loaded on first use and never unloaded (weft-webgpu, weft-gles,
// weft-cpu, weft-fuse). A static build registers the same header instead.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#ifndef WEFT_BUILD_ID
#define WEFT_BUILD_ID "built without CMake"  // CMakeLists.txt gives the real one
#endif

namespace weft::runtime {

inline constexpr std::uint32_t module_abi = 1;

struct ModuleHeader {
  std::uint32_t abi;
  const char* build_id;  // of the library it was built with (WEFT_BUILD_ID): another one is refused
  const char* name;      // "weft-cpu"
  void* (*make)();       // a backend::Driver*, or a FuseExecutor* for weft-fuse; lives for the process
};

/// Loads `lib<name>.so` from the core library's own folder, or from the absolute path in WEFT_MODULE_PATH; checks abi and
/// build id. Concurrent calls share one load; a failure is not remembered. Throws LoadError.
void* load_module(std::string_view name);

/// Static modules announce themselves through this before main.
bool register_module(const ModuleHeader*);

}  // namespace weft::runtime

// In each module, once: WEFT_MODULE("weft-cpu", make_function)
#ifdef WEFT_STATIC_MODULES
#define WEFT_MODULE(NAME, MAKE)                                                                                        \
  static const ::weft::runtime::ModuleHeader weft_module_header{::weft::runtime::module_abi, WEFT_BUILD_ID, NAME,      \
                                                                MAKE};                                                 \
  static const bool weft_module_registered = ::weft::runtime::register_module(&weft_module_header)
#else
#define WEFT_MODULE(NAME, MAKE)                                                                                        \
  static const ::weft::runtime::ModuleHeader weft_module_header{::weft::runtime::module_abi, WEFT_BUILD_ID, NAME,      \
                                                                MAKE};                                                 \
  extern "C" __attribute__((visibility("default"))) const ::weft::runtime::ModuleHeader* weft_module() {               \
    return &weft_module_header;                                                                                        \
  }                                                                                                                    \
  static_assert(true)
#endif
