// Random kernels on the cpu tier, with one and with several threads, against the evaluator that runs the traced graph as
// it was written and shares no code with lowering or rendering: results and every array, bit for bit.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "cpu/rig.hpp"
#include "support/backend_call.hpp"
#include "support/kernel_generator.hpp"
#include "support/reference.hpp"
#include "support/same_bits.hpp"

using namespace weft;
using cpu::test::Rig;

namespace {

Rig& rig() {
  static Rig r;
  return r;
}
Rig& one_thread() {
  static Rig r(1);
  return r;
}

void check(const std::vector<std::uint32_t>& tape, const test::GeneratorOptions& options, const trace::Config& config) {
  const test::GeneratedKernel g = test::generate_kernel(tape, options);
  test::Arguments want = g.arguments, several = g.arguments, one = g.arguments;
  test::Seen seen;
  const auto results = test::reference_call(*g.core, want, &seen);
  const auto same = [&](const std::vector<detail::ScalarValue>& got, const test::Arguments& after, const char* who) {
    RC_LOG() << who << "\n" << test::describe(*g.core);
    for (std::size_t a = 0; a < want.arrays.size(); ++a)
      RC_ASSERT(test::same_bits(want.arrays[a], after.arrays[a], seen.nan));
    RC_ASSERT(got.size() == results.size());
    for (std::size_t k = 0; k < got.size(); ++k) RC_ASSERT(test::same_bits(got[k], results[k], seen.nan));
  };
  same(test::backend_call(rig().backend(), g.core, several, config), several, "several threads");
  same(test::backend_call(one_thread().backend(), g.core, one, config), one, "one thread");
}

}  // namespace

RC_GTEST_PROP(CpuGenerated, KER_BIT_01_equals_the_reference, ()) { check(*test::kernel_tapes(), {}, {}); }

RC_GTEST_PROP(CpuGenerated, KER_BIT_01_with_division_square_roots_and_special_values, ()) {
  check(*test::kernel_tapes(), {.float_division = true, .square_root = true, .special_values = true}, {});
}

RC_GTEST_PROP(CpuGenerated, KER_ACC_05_with_wide_indices, ()) {
  check(*test::kernel_tapes(), {.large_loops = false}, {.wide = true});
}

RC_GTEST_PROP(CpuGenerated, KER_BIT_02_without_inner_fences, ()) {
  check(*test::kernel_tapes(), {}, {.bits = Bits::fast});
}
