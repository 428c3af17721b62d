// Generated kernels, lowered and run by the interpreter of programs, against the evaluator of traced kernels: the bits are
// the same (KER-BIT-01, KER-LOOP-02, KER-ACC-01, KER-RED-02).
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "support/backend_call.hpp"
#include "support/kernel_generator.hpp"
#include "support/lowered_call.hpp"
#include "support/null_backend.hpp"
#include "support/reference.hpp"
#include "support/same_bits.hpp"

namespace weft::test {
namespace {

void compare(const std::vector<std::uint32_t>& tape, const GeneratorOptions& options, const trace::Config& config) {
  const GeneratedKernel k = generate_kernel(tape, options);
  RC_LOG() << describe(*k.core);
  Arguments expected = k.arguments, got = k.arguments;
  Seen seen;
  const auto results = reference_call(*k.core, expected, &seen);
  const auto lowered = lowered_call(k.core, got, config);
  for (std::size_t a = 0; a < expected.arrays.size(); ++a)
    RC_ASSERT(test::same_bits(expected.arrays[a], got.arrays[a], seen.nan));
  RC_ASSERT(results.size() == lowered.size());
  for (std::size_t n = 0; n < results.size(); ++n) RC_ASSERT(test::same_bits(results[n], lowered[n], seen.nan));
}

const GeneratorOptions everything{
    .operations = 32, .float_division = true, .square_root = true, .special_values = true, .large_loops = false};

RC_GTEST_PROP(Differential, narrow_exact_KER_BIT_01, ()) { compare(*kernel_tapes(), everything, {}); }
RC_GTEST_PROP(Differential, wide_is_the_same_KER_ACC_05, ()) { compare(*kernel_tapes(), everything, {.wide = true}); }
RC_GTEST_PROP(Differential, fast_is_the_same_here_KER_BIT_02, ()) {
  compare(*kernel_tapes(), everything, {.bits = Bits::fast});
}

// The way that the tests of a tier go, here over the null tier.
RC_GTEST_PROP(Differential, on_a_backend_KER_TIER_04, ()) {
  const GeneratedKernel k = generate_kernel(*kernel_tapes(), {.large_loops = false});
  RC_LOG() << describe(*k.core);
  NullBackend null;
  Arguments expected = k.arguments, got = k.arguments;
  Seen seen;
  const auto results = reference_call(*k.core, expected, &seen);
  const auto there = backend_call(null, k.core, got);
  for (std::size_t a = 0; a < expected.arrays.size(); ++a)
    RC_ASSERT(test::same_bits(expected.arrays[a], got.arrays[a], seen.nan));
  for (std::size_t n = 0; n < results.size(); ++n) RC_ASSERT(test::same_bits(results[n], there[n], seen.nan));
  RC_ASSERT(null.misuse().empty());
  RC_ASSERT(null.live() == 0u);
  RC_CLASSIFY(seen.non_finite, "infinite on the way");
}

}  // namespace
}  // namespace weft::test
