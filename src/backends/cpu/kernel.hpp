// A compiled program that can be called, and the store of all that this process has compiled.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "backends/cpu/object.hpp"
#include "kernel/lower.hpp"
#include "runtime/backend.hpp"

namespace weft::cpu {

/// The functions that fold one operator of one type.
struct FoldCode {
  FoldFunction blocks = nullptr, lanes = nullptr, block = nullptr;  // object.hpp
  std::uint32_t bytes = 4;                                          // of a value
  std::uint64_t identity = 0;                                       // its bits
};

class Kernel {
 public:
  static backend::Expected<std::shared_ptr<Kernel>> make(std::shared_ptr<const trace::Program>);

  const trace::Program& program() const { return *program_; }
  BodyFunction interior() const { return interior_; }
  RangeFunction range() const { return range_; }
  DirectFunction direct() const { return direct_; }  // null: the program has none
  /// The code with all gates. Few calls need it, so it is compiled when the first one does.
  backend::Expected<BodyFunction> edge();
  const std::vector<FoldCode>& folds() const { return folds_; }  // one per lane of each fold
  std::uint64_t cost() const { return cost_; }

 private:
  Kernel() = default;
  std::shared_ptr<const trace::Program> program_;
  BodyFunction interior_ = nullptr;
  RangeFunction range_ = nullptr;
  DirectFunction direct_ = nullptr;
  std::mutex edge_mutex_;
  BodyFunction edge_ = nullptr;
  std::vector<FoldCode> folds_;
  std::uint64_t cost_ = 1;
};

/// Kernels by the key of their program. Code is never unloaded, so one store serves all devices of a process.
class KernelStore {
 public:
  static KernelStore& all();
  /// Compiles where no program of this key was compiled before. Two threads with one key wait for one compile; others
  /// compile at the same time. A failure is not remembered.
  backend::Expected<backend::CompiledId> compile(std::shared_ptr<const trace::Program>);
  std::shared_ptr<Kernel> find(backend::CompiledId) const;  // null: none of that id

 private:
  struct Entry {
    std::mutex compiling;
    backend::CompiledId id = 0;
  };
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<Entry>> by_key_;
  std::vector<std::shared_ptr<Kernel>> by_id_;  // id - 1
};

}  // namespace weft::cpu
