// The programs of lone calls, kept per device so that a call repeated costs a look-up. Queue thread only.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernel/lower.hpp"
#include "runtime/backend.hpp"

namespace weft::runtime {

struct LoopProgram {
  trace::LoneProgram lone;
  std::map<const backend::Backend*, backend::CompiledId> compiled;
  std::map<const backend::Backend*, std::optional<std::string>> refused;  // asked once
};

class ProgramCache {
 public:
  /// The program of a lowered loop of a kernel, with the parameters bound to one array told by `same` (lone_program).
  std::shared_ptr<LoopProgram> get(const std::shared_ptr<const trace::KernelCore>&,
                                   const std::shared_ptr<const trace::Lowered>&,
                                   const std::vector<std::uint16_t>& same);

 private:
  struct Entry {
    std::weak_ptr<const trace::KernelCore> kernel;  // it owns the lowered loop; once gone, the entry is dead
    std::shared_ptr<LoopProgram> program;
  };
  void prune();
  std::map<std::pair<const trace::Lowered*, std::vector<std::uint16_t>>, Entry> entries_;
  std::size_t prune_at_ = 64;
};

}  // namespace weft::runtime
