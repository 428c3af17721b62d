// What KER-BIT-01 needs of the cpu tier: nothing is contracted or reassociated, and no thread's floating-point modes reach
// a kernel.
#include <xmmintrin.h>

#include <array>
#include <thread>

#include "backends/cpu/compile.hpp"
#include "backends/cpu/load.hpp"
#include "cpu/rig.hpp"
#include "kernel/run_kernel.hpp"

using namespace weft;
using cpu::test::random_floats;
using cpu::test::Rig;
using cpu::test::same_bits;

namespace {

const auto axpy = kernel("axpy(x, y, a)", [](Array<const float> x, Array<float> y, Scalar<float> a) {
  loop(y.length(), [&](Index i) { y[i] = a * x[i] + y[i]; });
});

constexpr std::size_t n = 100'003;

/// Plain C++, each operation rounded: this file is compiled without contraction.
std::vector<float> plain(const std::vector<float>& x, std::vector<float> y, float a) {
  for (std::size_t i = 0; i < y.size(); ++i) {
    const float product = a * x[i];
    y[i] = product + y[i];
  }
  return y;
}

}  // namespace

TEST(CpuBits, KER_BIT_01_a_product_and_a_sum_round_twice) {
  Rig rig;
  const auto x = random_floats(n, 1);
  auto y = random_floats(n, 2);
  const auto want = plain(x, y, 1.1f);
  rig.run(axpy, x, y, 1.1f);
  EXPECT_TRUE(same_bits(y, want));
}

TEST(CpuBits, KER_BIT_01_control_contraction_changes_bits) {
  const auto lone = trace::lone_program(trace::lower_loop(axpy.core(), 0, {}));
  auto object = cpu::compile(*lone.program, cpu::Variant::interior, {.contract = true});
  ASSERT_TRUE(object) << object.error().message;
  auto code = cpu::load(*object, std::array{cpu::body_symbol}, "axpy");
  ASSERT_TRUE(code) << code.error().message;
  const auto x = random_floats(n, 1);
  auto y = random_floats(n, 2);
  const auto want = plain(x, y, 1.1f);
  void* arrays[2] = {};
  for (std::size_t s = 0; s < 2; ++s) arrays[s] = lone.params[s] == 0 ? const_cast<float*>(x.data()) : y.data();
  const auto uniforms = weft::test::pack_uniforms(*lone.program, n, [](const trace::Uniform& u) -> std::uint64_t {
    return u.source == ir::Source::scalar ? cpu::test::bits(1.1f) : n;
  });
  reinterpret_cast<cpu::BodyFunction>((*code)[0])(0, n, arrays, uniforms.data(), nullptr, 0);
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("fma")) GTEST_SKIP() << "this processor cannot contract";
#endif
  std::size_t differ = 0;
  for (std::size_t i = 0; i < n; ++i) differ += !same_bits(y[i], want[i]);
  EXPECT_GT(differ, n / 100);
}

TEST(CpuBits, KER_BIT_01_nothing_is_reassociated) {
  Rig rig;
  const auto k = kernel("f(x, y)", [](Array<const float> x, Array<float> y) {
    loop(y.length(),
         [&](Index i) { y[i] = (x[i] + y[i]) - x[i] + x[i] * 3 * (1.f / 3) + (x[i] * 0.1f + x[i] * 0.2f); });
  });
  const auto x = random_floats(n, 3);
  auto a = random_floats(n, 4), b = a;
  rig.run(k, x, a);
  test::run(k, x, b);
  EXPECT_TRUE(same_bits(a, b));
}

TEST(CpuBits, KER_NUM_05_a_host_that_flushes_subnormals_changes_no_bit) {
  const auto k = kernel("f(x, y)", [](Array<const float> x, Array<float> y) {
    loop(y.length(), [&](Index i) { y[i] = x[i] * 0.5f + x[i] * 0.25f; });
  });
  const auto s = kernel("s(x)", [](Array<const float> x) {
    Var<float> sum = 0;
    loop(x.length(), [&](Index i) { sum += x[i]; });
    return sum;
  });
  std::vector<float> x(400'000);
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = std::bit_cast<float>(static_cast<std::uint32_t>(i * 37 % 0x01000000));
  std::vector<float> want(x.size()), got(x.size());
  test::run(k, x, want);
  const float want_sum = test::run(s, x);
  // The pool's threads are made by a thread with these modes, which they would take over.
  std::thread([&] {
    constexpr unsigned flush_and_truncate = 0x1F80 | 0x8040 | 0x6000;
    _mm_setcsr(flush_and_truncate);
    Rig rig;
    rig.run(k, x, got);
    const float sum = rig.run(s, x);
    EXPECT_EQ(_mm_getcsr() & ~0x3Fu, flush_and_truncate) << "the caller's modes come back";
    _mm_setcsr(0x1F80);
    EXPECT_TRUE(same_bits(sum, want_sum));
  }).join();
  EXPECT_TRUE(same_bits(got, want));
}
