// Small public types that several concepts share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace weft {

/// Where a call runs, most capable first.
enum class Tier : std::uint8_t { webgpu, gles, cpu };
constexpr std::string_view name(Tier t) { return t == Tier::webgpu ? "webgpu" : t == Tier::gles ? "gles" : "cpu"; }

/// exact: the bits of the plain C++ evaluation on every tier (KER-BIT-01); fast: a driver may contract and reassociate
/// inside one call, fused = apart still holds (KER-BIT-02).
enum class Bits : std::uint8_t { exact, fast };

/// How a finished call ran (KER-CALL-06).
struct Call {
  std::string name;
  Tier tier = Tier::cpu;
  std::string reason;  // why not on a more capable tier of the device; empty where it ran on the first
};

}  // namespace weft
