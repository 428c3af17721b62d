// The executor of plans: what module weft-fuse gives to the library.
#pragma once

#include <memory>

#include "fuse/entries.hpp"
#include "runtime/scope.hpp"

namespace weft::fusion {

struct ExecutorOptions {
  bool fences = true;  // false only in positive controls of tests: fused entries are then not protected (FUSE-BIT-05)
};

class Executor final : public runtime::FuseExecutor {
 public:
  explicit Executor(ExecutorOptions options = {}) : options_(options) {}
  std::unique_ptr<runtime::QueueItem> run(runtime::DeviceState&, runtime::PlanRequest) override;
  EntryCache& entries() { return entries_; }
  const ExecutorOptions& options() const { return options_; }

 private:
  ExecutorOptions options_;
  EntryCache entries_;
};

}  // namespace weft::fusion
