// Host expressions evaluated: loop headers, captured values, results (KER-LOOP-01, MODEL-10). The same meaning as on every
// tier: integers wrap at their width, weak ones are exact, floats round once per operation.
#pragma once

#include <weft/detail/call.hpp>

#include <array>
#include <functional>
#include <unordered_map>

#include "ir/graph.hpp"

namespace weft::trace {

/// One value; integers and bools in `i`, floats (a float32 exactly) in `f`.
struct HostValue {
  DType dtype;
  std::array<__int128, 4> i{};
  std::array<double, 4> f{};
};

HostValue from_bits(detail::ScalarValue);
detail::ScalarValue to_bits(const HostValue&);  // a weak integer as int64, a weak float as float32

class HostEvaluator {
 public:
  /// Values of PARAMs and of LOADs of the kernel's LOCALs.
  using Leaf = std::function<HostValue(ir::Node)>;
  explicit HostEvaluator(Leaf leaf) : leaf_(std::move(leaf)) {}
  const HostValue& operator()(ir::Node);

 private:
  Leaf leaf_;
  std::unordered_map<ir::Node, HostValue> done_;
};

}  // namespace weft::trace
