#include "native.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <vector>

namespace weft::webgpu {
namespace {

namespace fs = std::filesystem;

Api table;
std::atomic<bool> loaded{false};
std::mutex loading;

constexpr const char* file_name = "libwgpu_native.so";

/// The folder of the shared object (or program) that an address lies in.
std::string folder_of(const void* address) {
  Dl_info info{};
  if (!dladdr(address, &info) || !info.dli_fname) return {};
  std::error_code error;
  const fs::path path = fs::canonical(info.dli_fname, error);
  return error ? std::string() : path.parent_path().string();
}

void here() {}

backend::ErrorRecord failure(std::string message) { return {backend::ErrorKind::load, std::move(message), {}}; }

backend::Expected<std::vector<std::string>> candidates() {
  if (const char* named = std::getenv("WEFT_WGPU_NATIVE"); named && *named) {
    if (!fs::path(named).is_absolute())
      return failure(fmt::format("WEFT_WGPU_NATIVE (\"{}\") is not an absolute path: give the whole path of {}.", named,
                                 file_name));
    return std::vector<std::string>{named};
  }
  std::vector<std::string> found;
  // A program that holds the module's objects itself (a static build, a unit test) finds the library by the core's.
  for (const void* address : {reinterpret_cast<const void*>(&here), reinterpret_cast<const void*>(&ir::topological)}) {
    const std::string folder = folder_of(address);
    if (!folder.empty() && (found.empty() || fs::path(found.front()).parent_path() != folder))
      found.push_back(folder + "/" + file_name);
  }
  return found;
}

}  // namespace

backend::Expected<const Api*> load() {
  std::lock_guard guard(loading);
  if (loaded) return &table;

  auto paths = candidates();
  if (!paths) return paths.error();
  void* library = nullptr;
  std::string looked;
  for (const std::string& path : *paths) {
    std::error_code error;
    if (!fs::exists(path, error)) {
      looked += (looked.empty() ? "" : ", ") + path;
      continue;
    }
    library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) return failure(fmt::format("{} does not load: {}.", path, dlerror()));
    looked = path;
    break;
  }
  if (!library)
    return failure(
        fmt::format("wgpu-native is missing (looked for {}): run `./dev setup`, or set WEFT_WGPU_NATIVE to the "
                    "path of {} {}.",
                    looked, file_name, version_text(header_version)));

  Api found;
  // The version comes first: in a stub or another release the other names may be missing or mean something else.
  found.GetVersion = reinterpret_cast<decltype(found.GetVersion)>(dlsym(library, "wgpuGetVersion"));
  const std::uint32_t version = found.GetVersion ? found.GetVersion() : 0;
  if (!same_interface(header_version, version)) {
    dlclose(library);
    return failure(fmt::format("{} is wgpu-native {}, and Weft was built for {}: install that release.", looked,
                               found.GetVersion ? version_text(version) : "of an unknown version",
                               version_text(header_version)));
  }
#define X(name)                                                                                                        \
  found.name = reinterpret_cast<decltype(found.name)>(dlsym(library, "wgpu" #name));                                   \
  if (!found.name) {                                                                                                   \
    dlclose(library);                                                                                                  \
    return failure(fmt::format("{} has no function wgpu" #name ": install wgpu-native {}.", looked,                    \
                               version_text(header_version)));                                                         \
  }
  WEFT_WGPU_FUNCTIONS(X)
#undef X
  table = found;
  loaded = true;
  return &table;
}

const Api& api() { return table; }

std::string version_text(std::uint32_t v) {
  const std::string text = fmt::format("{}.{}.{}", v >> 24, v >> 16 & 255, v >> 8 & 255);
  return (v & 255) ? fmt::format("{}.{}", text, v & 255) : text;
}

bool same_interface(std::uint32_t header, std::uint32_t library) { return header >> 16 == library >> 16; }

std::string text(WGPUStringView s) {
  if (!s.data) return {};
  return s.length == WGPU_STRLEN ? std::string(s.data) : std::string(s.data, s.length);
}

std::string label(std::string_view name) {
  constexpr std::size_t most = 240;
  std::string out;
  for (std::size_t i = 0; i < name.size() && out.size() < most;) {
    const auto byte = static_cast<unsigned char>(name[i]);
    // The length that the first byte announces, and whether continuation bytes follow.
    const std::size_t length = byte < 0x80                   ? 1
                               : byte >= 0xc2 && byte < 0xe0 ? 2
                               : byte >= 0xe0 && byte < 0xf0 ? 3
                               : byte >= 0xf0 && byte < 0xf5 ? 4
                                                             : 0;
    bool valid = length != 0 && byte != 0 && i + length <= name.size();
    for (std::size_t k = 1; valid && k < length; ++k) valid = (static_cast<unsigned char>(name[i + k]) & 0xc0) == 0x80;
    if (valid && length >= 3) {  // overlong forms, surrogates, past U+10FFFF
      const auto next = static_cast<unsigned char>(name[i + 1]);
      valid = !(byte == 0xe0 && next < 0xa0) && !(byte == 0xed && next > 0x9f) && !(byte == 0xf0 && next < 0x90) &&
              !(byte == 0xf4 && next > 0x8f);
    }
    if (!valid) {
      out += '?';
      ++i;
    } else if (out.size() + length > most) {
      break;
    } else {
      out.append(name, i, length);
      i += length;
    }
  }
  return out;
}

// clang-format off
#define RELEASED(Type) \
  template <> void Handle<WGPU##Type>::reset() { if (raw_) table.Type##Release(std::exchange(raw_, nullptr)); }
RELEASED(Instance)
RELEASED(Adapter)
RELEASED(Device)
RELEASED(Queue)
RELEASED(Buffer)
RELEASED(ShaderModule)
RELEASED(BindGroupLayout)
RELEASED(PipelineLayout)
RELEASED(ComputePipeline)
RELEASED(BindGroup)
RELEASED(QuerySet)
RELEASED(CommandEncoder)
RELEASED(CommandBuffer)
RELEASED(ComputePassEncoder)
#undef RELEASED
// clang-format on

}  // namespace weft::webgpu
