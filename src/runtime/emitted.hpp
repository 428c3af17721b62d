// The code of a kernel on each tier of the default device, for Kernel::explain() (KER-AUTH-09).
#pragma once

#include <weft/types.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "kernel/core.hpp"

namespace weft::runtime {

struct Emitted {
  Tier tier = Tier::cpu;
  std::size_t loop = 0;
  bool code = false;
  std::string text;  // the code, or why there is none
};

/// Of every loop on every tier of the machine's default order, compiled for small arrays. Waits for the default device.
std::vector<Emitted> emitted(const std::shared_ptr<const trace::KernelCore>&);
/// The same in words, as explain() ends.
std::string emitted_for(const std::shared_ptr<const trace::KernelCore>&);

/// True once explain() knows of emitted_for.
extern const bool explain_hooked;

}  // namespace weft::runtime
