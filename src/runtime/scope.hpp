// The recorder of fuse scopes: it belongs to the core library and needs no module (FUSE-REC-03). One scope may be open per
// thread; every call of that thread goes to it. What it recorded becomes one item of the device's queue, which loads the
// module weft-fuse when its turn comes.
#pragma once

#include <weft/detail/call.hpp>
#include <weft/fuse.hpp>

#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/queue.hpp"
#include "runtime/resident_state.hpp"

namespace weft::runtime {

/// What a scope recorded, as the executor takes it. Queue thread only, once queued.
struct PlanRequest {
  std::vector<detail::CallRequest> calls;
  std::vector<std::shared_ptr<ResidentState>> scratch;
  std::vector<std::shared_ptr<detail::FutureState<FuseReport>>>
      reports;  // of `fuse`, and of each that joined (FUSE-NEST-03)

  /// Gives back the scratch arrays, then makes the reports ready; the calls' futures are by then (FUSE-CHK-12).
  void resolve(const FuseReport&);
  /// Gives back the scratch arrays and leaves the one error on every future, and on every resident that a call writes.
  void reject(std::exception_ptr);
};

/// The entry of module weft-fuse.
class FuseExecutor {
 public:
  virtual ~FuseExecutor() = default;
  virtual std::unique_ptr<QueueItem> run(DeviceState&, PlanRequest) = 0;
};

/// The open scope of this thread takes the call: true, or throws what FUSE-REF and REC-09 refuse. False: none is open;
/// throws when an argument is scratch, which only its own scope takes (FUSE-SCR-23).
bool record(detail::CallRequest&);
/// Throws the TypeError of FUSE-REF-05..08 when a scope is open on this thread; `what` names the refused use:
/// "pixels.read()".
void refuse_in_scope(const std::string& what);
/// The TypeError of read() and write() of a scratch array (FUSE-SCR-21); `use` is "read()" or "write()".
std::exception_ptr scratch_refusal(const std::string& use);

/// Tests only: where plans get their executor from instead of module weft-fuse; null for the module again.
void set_executor_source(std::function<FuseExecutor*()>);

}  // namespace weft::runtime
