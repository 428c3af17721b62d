// The module weft-fuse: one executor for the process.
#include "runtime/module.hpp"

#include "fuse/executor.hpp"

namespace {

void* make() {
  static auto* executor = new weft::fusion::Executor;  // queues may outlive every static object
  return static_cast<weft::runtime::FuseExecutor*>(executor);
}

}  // namespace

WEFT_MODULE("weft-fuse", make);
