// The type-erased core under the call operator of a kernel: what the templates hand to the library.
#pragma once

#include <weft/detail/function.hpp>
#include <weft/detail/shared.hpp>
#include <weft/dtype.hpp>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace weft::trace {
struct KernelCore;
}
namespace weft::runtime {
struct ResidentState;
struct DeviceState;
}  // namespace weft::runtime

namespace weft::detail {

class FutureBase;

/// A scalar by its bits, low bytes first: a float's 32 bits, an integer sign- or zero-extended, a double's 64.
struct ScalarValue {
  DType dtype;
  std::uint64_t bits = 0;
};

/// An array argument: a resident (or a view of one with another element type), or host memory of `length` elements.
struct ArrayArg {
  Shared<runtime::ResidentState> resident;  // null: host memory
  void* host = nullptr;
  std::uint64_t length = 0;  // elements of `dtype`; of a resident: read when the call is checked
  DType dtype;               // the element type the caller's object has
};
/// One argument of a call: either of the two.
class CallArg {
 public:
  CallArg(ScalarValue s) : scalar_(s), is_array_(false) {}
  CallArg(ArrayArg a) : array_(std::move(a)), is_array_(true) {}
  const ScalarValue* scalar() const { return is_array_ ? nullptr : &scalar_; }  // null: it is an array
  const ArrayArg* array() const { return is_array_ ? &array_ : nullptr; }

 private:
  ScalarValue scalar_;
  ArrayArg array_;
  bool is_array_;
};

/// One call as made: recorded by the open fuse scope of this thread, or queued on its device.
struct CallRequest {
  CallRequest() = default;
  CallRequest(Shared<const trace::KernelCore> kernel, Shared<FutureBase> future);
  void add(CallArg);  // the next argument

  Shared<const trace::KernelCore> kernel;
  std::vector<CallArg> args;                             // one per parameter
  Shared<FutureBase> future;                             // rejected on failure
  Function<void(std::span<const ScalarValue>)> deliver;  // resolves `future` with the kernel's results
};

/// Takes the call (KER-CALL-01, FUSE-REC): throws at once only what must be thrown at the call (owners, refusals).
void enqueue(CallRequest);

}  // namespace weft::detail
