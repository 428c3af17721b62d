#include "runtime/module.hpp"

#include <weft/error.hpp>

#include <dlfcn.h>
#include <sys/stat.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "runtime/exit.hpp"

namespace weft::runtime {
namespace {

struct Slot {
  std::mutex mutex;  // held while the module loads: others wait for the one load
  void* made = nullptr;
};

struct Table {
  std::mutex mutex;
  std::map<std::string, std::unique_ptr<Slot>, std::less<>> slots;
  std::vector<const ModuleHeader*> linked;
};
Table& table() {
  static Table* t = new Table;  // static modules register before main, in any order
  return *t;
}

std::string remedy(std::string_view name) {
  if (name == "weft-gles") return "this version of Weft has no gles tier yet";
  if (name == "weft-webgpu")
    return "build Weft with wgpu-native (./dev build fetches it), or install the package's GPU part";
  if (name == "weft-cpu")
    return "build Weft with LLVM 19 and oneTBB (apt-get install llvm-19-dev libtbb-dev zlib1g-dev libzstd-dev)";
  return "it is part of Weft: install it beside libweft";
}

/// The folder of the core library, or the one that WEFT_MODULE_PATH names.
std::string folder(std::string_view module) {
  if (const char* stated = std::getenv("WEFT_MODULE_PATH"); stated && *stated) {
    if (*stated != '/')
      throw LoadError(fmt::format("{}: WEFT_MODULE_PATH is \"{}\", and must be an absolute path", module, stated));
    return stated;
  }
  Dl_info info{};
  if (!dladdr(reinterpret_cast<const void*>(&register_module), &info) || !info.dli_fname)
    throw LoadError(fmt::format("{}: the folder of libweft is not known; set WEFT_MODULE_PATH", module));
  std::string path = info.dli_fname;
  char* real = realpath(path.c_str(), nullptr);
  if (real) {
    path = real;
    std::free(real);
  }
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

const ModuleHeader& check(const ModuleHeader* header, std::string_view module, const std::string& where) {
  if (!header || header->abi != module_abi)
    throw LoadError(
        fmt::format("{}: {} has module interface {}, and this libweft needs {}; install both from one build", module,
                    where, header ? header->abi : 0, module_abi));
  if (!header->build_id || std::string_view(header->build_id) != WEFT_BUILD_ID)
    throw LoadError(fmt::format("{}: {} is of build \"{}\", and this libweft of \"{}\"; install both from one build",
                                module, where, header->build_id ? header->build_id : "", WEFT_BUILD_ID));
  if (!header->name || module != header->name || !header->make)
    throw LoadError(fmt::format("{}: {} holds the module \"{}\"", module, where, header->name ? header->name : ""));
  return *header;
}

const ModuleHeader& open(std::string_view module) {
  for (const ModuleHeader* h : table().linked)
    if (h->name && module == h->name) return check(h, module, "the program");
#ifdef WEFT_STATIC_MODULES
  throw LoadError(fmt::format("{}: it is not part of this static build of Weft; {}", module, remedy(module)));
#else
  const std::string path = fmt::format("{}/lib{}.so", folder(module), module);
  struct stat status{};
  if (stat(path.c_str(), &status) != 0)
    throw LoadError(fmt::format("{}: there is no {}; {}", module, path, remedy(module)));
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char* why = dlerror();
    throw LoadError(
        fmt::format("{}: {} does not load ({}); {}", module, path, why ? why : "no reason given", remedy(module)));
  }
  try {
    const auto entry = reinterpret_cast<const ModuleHeader* (*)()>(dlsym(library, "weft_module"));
    if (!entry) throw LoadError(fmt::format("{}: {} is no module of Weft: it has no weft_module", module, path));
    return check(entry(), module, path);
  } catch (...) {
    dlclose(library);  // another file may stand here next time
    throw;
  }
#endif
}

}  // namespace

void* load_module(std::string_view name) {
  Slot* slot = nullptr;
  {
    std::lock_guard lock(table().mutex);
    auto found = table().slots.find(name);
    if (found == table().slots.end()) found = table().slots.emplace(std::string(name), std::make_unique<Slot>()).first;
    slot = found->second.get();
  }
  std::lock_guard lock(slot->mutex);
  if (!slot->made) {
    slot->made = open(name).make();
    if (!slot->made) throw LoadError(fmt::format("{}: it did not start; {}", name, remedy(name)));
    at_exit();
  }
  return slot->made;
}

bool register_module(const ModuleHeader* header) {
  std::lock_guard lock(table().mutex);
  table().linked.push_back(header);
  return true;
}

void at_exit() { std::atexit(stop_default_device); }

}  // namespace weft::runtime
