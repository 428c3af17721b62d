// The recorder of fuse scopes: it belongs to the core library and needs no module (FUSE-REC-03). One scope may be open per
// thread; every call of that thread goes to it.
#pragma once

#include <weft/detail/call.hpp>

#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/queue.hpp"
#include "runtime/resident_state.hpp"

namespace weft { struct FuseReport; }

namespace weft::runtime {

/// What a scope recorded, as the executor takes it.
struct PlanRequest {
  std::vector<detail::CallRequest> calls;
  std::vector<std::shared_ptr<ResidentState>> scratch;
  std::function<void(FuseReport)> resolve;
  std::function<void(std::exception_ptr)> reject;   // every future of the plan, and the residents its calls write
};

/// The entry of module weft-fuse.
class FuseExecutor {
 public:
  virtual ~FuseExecutor() = default;
  virtual std::unique_ptr<QueueItem> run(DeviceState&, PlanRequest) = 0;
};

/// The open scope of this thread takes the call: true, or throws what FUSE-REF and REC-09 refuse. False: none is open.
bool record(detail::CallRequest&);
/// Throws the TypeError of FUSE-REF-05..08 when a scope is open on this thread; `what` names the refused use.
void refuse_in_scope(const std::string& what);

}  // namespace weft::runtime
