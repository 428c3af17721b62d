#include "runtime/program_cache.hpp"

#include <algorithm>

namespace weft::runtime {

std::shared_ptr<LoopProgram> ProgramCache::get(const std::shared_ptr<const trace::KernelCore>& kernel,
                                               const std::shared_ptr<const trace::Lowered>& lowered,
                                               const std::vector<std::uint16_t>& same) {
  Entry& e = entries_[{lowered.get(), same}];
  if (!e.program || e.kernel.lock() != kernel) {
    e.program = std::make_shared<LoopProgram>();
    e.program->lone = trace::lone_program(lowered, same);
    e.kernel = kernel;
  }
  auto program = e.program;
  if (entries_.size() > prune_at_) prune();
  return program;
}

void ProgramCache::prune() {
  std::erase_if(entries_, [](const auto& e) { return e.second.kernel.expired(); });
  prune_at_ = std::max<std::size_t>(64, 2 * entries_.size());
}

}  // namespace weft::runtime
