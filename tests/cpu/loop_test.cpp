// Loops and accesses (KER-LOOP, KER-ACC) compiled for the host, by memcmp against the plainest reading of the same
// program. Trip counts and lengths differ, so that edges, interior, whole and partial vectors are all there.
#include "cpu/rig.hpp"
#include "kernel/run_kernel.hpp"

using namespace weft;
using cpu::test::random_floats;
using cpu::test::Rig;
using cpu::test::same_bits;

namespace {

constexpr std::size_t lengths[] = {0, 1, 2, 7, 8, 9, 31, 255, 256, 257, 1000, 70'000};

Rig& rig() {
  static Rig r;
  return r;
}
Rig& one_thread() {
  static Rig r(1);
  return r;
}

/// y after kernel(x, y), on the tier with one and with several threads and by the interpreter.
template <class T, class U, class K> void agree(const K& kernel, const std::vector<T>& x, const std::vector<U>& y) {
  std::vector<T> x1 = x, x2 = x, x3 = x;
  std::vector<U> y1 = y, y2 = y, y3 = y;
  rig().run(kernel, x1, y1);
  one_thread().run(kernel, x2, y2);
  test::run(kernel, x3, y3);
  EXPECT_TRUE(same_bits(y1, y3)) << x.size() << ", " << y.size();
  EXPECT_TRUE(same_bits(y2, y3)) << x.size() << ", " << y.size();
  EXPECT_TRUE(same_bits(x1, x3));
}

/// A kernel of floats at every pair of lengths.
template <class K> void agree_everywhere(const K& kernel) {
  for (std::size_t n : lengths)
    for (std::size_t m : {n, n / 2, n + 3, std::size_t{5}}) agree(kernel, random_floats(n, 1), random_floats(m, 2));
}

}  // namespace

TEST(CpuLoop, KER_LOOP_02_a_map_of_floats) {
  agree_everywhere(kernel("f(x, y)", [](Array<const float> x, Array<float> y) {
    loop(min(x.length(), y.length()), [&](Index i) { y[i] = x[i] * 1.5f + y[i] / (x[i] + 0.25f) - sqrt(abs(x[i])); });
  }));
}

TEST(CpuLoop, KER_ACC_01_reading_outside_is_zero_and_writing_outside_is_dropped) {
  agree_everywhere(kernel("f(x, y)", [](Array<const float> x, Array<float> y) {
    loop(y.length(), [&](Index i) { y[i] = x[i - 1] + x[i] * 2 - x[i + 1]; });
  }));
  agree_everywhere(kernel("f(x, y)", [](Array<const float> x, Array<float> y) {
    loop(y.length(), [&](Index i) { y[i] = x[2 * i + 1] - x[100 - i] + x[i / 3]; });
  }));
  agree_everywhere(kernel("f(x, y)", [](Array<const float> x, Array<float> y) {
    loop(x.length(), [&](Index i) { If(x[i] > 0, [&] { y[2 * i - 3] = x[i]; }); });
  }));
  agree_everywhere(kernel("f(x, y)", [](Array<const float> x, Array<float> y) {
    loop(x.length(), [&](Index i) { If(i != 3, [&] { y[40 - i] = x[i]; }); });
  }));
}

TEST(CpuLoop, KER_ACC_01_an_index_that_wraps_reads_zero) {
  // i + k passes 2^31 for some i only: in the interior addresses are computed in 64 bits, and must not reach there.
  const auto k = kernel("f(x, y, k)", [](Array<const float> x, Array<float> y, Scalar<int> k) {
    loop(y.length(), [&](Index i) { y[i] = x[cast<int>(i) + k] + x[cast<int>(i) * 3 - k]; });
  });
  for (int shift : {0, 5, -5, 2147483600, -2147483600, 2147483647, INT32_MIN}) {
    const auto x = random_floats(300, 3);
    std::vector<float> a(300), b(300);
    rig().run(k, x, a, shift);
    test::run(k, x, b, shift);
    EXPECT_TRUE(same_bits(a, b)) << shift;
  }
}

TEST(CpuLoop, KER_ACC_01_clamped_and_gathered_indices) {
  agree_everywhere(kernel("f(x, y)", [](Array<const float> x, Array<float> y) {
    loop(y.length(), [&](Index i) {
      y[i] = x[max(i - 2, 0)] + x[min(i + 2, x.length() - 1)] + x[clamp(i - 1, 0, x.length() - 1)];
    });
  }));
  const auto gather =
      kernel("f(x, y)", [](Array<const int> x, Array<int> y) { loop(y.length(), [&](Index i) { y[i] = x[x[i]]; }); });
  for (std::size_t n : lengths) {
    std::vector<int> x(n), y(n + 2);
    for (std::size_t k = 0; k < n; ++k) x[k] = static_cast<int>(k * 7919 % (n + 9)) - 4;
    agree(gather, x, y);
  }
}

TEST(CpuLoop, KER_LOOP_01_start_stop_and_step) {
  const auto k = kernel("f(y, a, b, c)", [](Array<int> y, Scalar<int> a, Scalar<int> b, Scalar<int> c) {
    loop(a, b, c, [&](Index i) { If(i >= 0, [&] { y[i] = i * 3 + 1; }); });
  });
  for (int start : {0, 3, 90})
    for (int stop : {0, 50, 100})
      for (int step : {1, 2, -1, -3}) {
        std::vector<int> a(100, -1), b(100, -1);
        rig().run(k, a, start, stop, step);
        test::run(k, b, start, stop, step);
        EXPECT_EQ(a, b) << start << ' ' << stop << ' ' << step;
      }
}

TEST(CpuLoop, KER_LOOP_03_in_place_and_with_a_stride_that_the_call_gives) {
  agree_everywhere(kernel("f(x, y)", [](Array<const float> x, Array<float> y) {
    loop(y.length(), [&](Index i) {
      y[i] = y[i] * x[0] + 1;
      y[i] += x[1];
    });
  }));
  const auto strided = kernel("f(x, y, s)", [](Array<const float> x, Array<float> y, Scalar<int> s) {
    loop(x.length(), [&](Index i) { If(x[i] > 0, [&] { y[cast<int>(i) * s] = x[i]; }); });
  });
  for (int s : {1, 3, -1}) {
    const auto x = random_floats(500, 4);
    std::vector<float> a(1000), b(1000);
    rig().run(strided, x, a, s);
    test::run(strided, x, b, s);
    EXPECT_TRUE(same_bits(a, b)) << s;
  }
}

TEST(CpuLoop, KER_LOOP_04_an_unproved_loop_runs_in_order) {
  const auto scan = kernel("scan(x, y)", [](Array<const float> x, Array<float> y) {
    loop(y.length(), [&](Index i) { y[i] = y[i - 1] * 0.5f + x[i]; });
  });
  EXPECT_NE(test::proof(scan), "parallel");
  agree_everywhere(scan);
  // A sum carried through memory must keep its order, which a vectoriser that was told to vectorise may change.
  const auto carried = kernel(
      "carried(x, y)", [](Array<const float> x, Array<float> y) { loop(x.length(), [&](Index i) { y[0] += x[i]; }); });
  EXPECT_NE(test::proof(carried), "parallel");
  for (std::size_t n : lengths) agree(carried, random_floats(n, 1), random_floats(5, 2));
}

TEST(CpuLoop, KER_LOOP_06_no_iteration_runs_nothing) {
  const auto lone = trace::lone_program(trace::lower_loop(
      kernel("f(y)", [](Array<int> y) { loop(y.length(), [&](Index i) { y[i] = 1; }); }).core(), 0, {}));
  const auto id = rig().compile(lone.program);
  ASSERT_TRUE(id);
  std::vector<int> y(10, 7);
  const auto memory = rig().backend().import(std::as_writable_bytes(std::span(y)));
  backend::Run run;
  run.program = *id;
  run.bound = {{*memory, 0, 40}};
  run.uniforms.resize(lone.program->uniform_bytes);
  ASSERT_TRUE(rig().submit({run, 0, "f"}));
  EXPECT_EQ(y, std::vector<int>(10, 7));
  run.n = std::uint64_t{1} << 32;
  const auto outcome = rig().submit({run, 0, "f"});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().message, "f: 4294967296 iterations are more than a loop may have (4294967295).");
}

TEST(CpuLoop, F_10c_a_large_grid_writes_every_element_once) {
  constexpr std::size_t n = 5'000'000;
  const auto k = kernel("f(y)", [](Array<int> y) { loop(5'000'000, [&](Index i) { y[i] += i + 1; }); });
  std::vector<int> y(n + 100, -1);
  rig().run(k, y);
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(y[i], static_cast<int>(i));
  for (std::size_t i = n; i < y.size(); ++i) ASSERT_EQ(y[i], -1);
}

TEST(CpuLoop, KER_AUTH_06_control_flow) {
  agree_everywhere(kernel("f(x, y)", [](Array<const float> x, Array<float> y) {
    loop(y.length(), [&](Index i) {
      continue_if(x[i] < -50);
      If(x[i] > 0, [&] { y[i] = 1 / x[i]; }).Else([&] { If(i < 100, [&] { y[i] = x[i + 1]; }); });
    });
  }));
  agree_everywhere(kernel("f(x, y)", [](Array<const float> x, Array<float> y) {
    loop(y.length(), [&](Index i) {  // a stencil: unrolled, its inner counter part of affine indices
      Var<float> s = 0;
      For(-3, 4, [&](Index j) { s += x[i + j] * (j + 4); });
      y[i] = s;
    });
  }));
  agree_everywhere(kernel("f(x, y)", [](Array<const float> x, Array<float> y) {
    loop(y.length(), [&](Index i) {  // unrolled, and what all turns share is first needed under a condition
      For(4, [&](Index j) { If(x[i] > cast<float>(j), [&] { y[i] = y[i] + cast<float>(x.length() * 3 - 1); }); });
    });
  }));
  agree_everywhere(kernel("f(x, y)", [](Array<const float> x, Array<float> y) {
    loop(y.length(), [&](Index i) {  // too long to unroll, and left early
      Var<float> s = 0;
      For(100, [&](Index j) {
        break_if(s > 200);
        continue_if(j % 3 == 1);
        s += abs(x[i - j]);
      });
      y[i] = s;
    });
  }));
  agree_everywhere(kernel("f(x, y)", [](Array<const float> x, Array<float> y) {
    loop(y.length(), [&](Index i) {
      Var<float> v = x[i];
      Var<int> turns = 0;
      While([&] { return abs(v) > 1 && turns < 50; },
            [&] {
              v = v * 0.5f;
              turns += 1;
            });
      y[i] = v + turns;
    });
  }));
  const auto inner = kernel("f(x, y, r)", [](Array<const float> x, Array<float> y, Scalar<int> r) {
    loop(y.length(), [&](Index i) {  // an inner extent that only the call knows
      Var<float> s = 0;
      For(0, r, [&](Index j) { s += x[i + j] - x[i - j]; });
      y[i] = s;
    });
  });
  for (int r : {0, 1, 5, 40, 400}) {
    const auto x = random_floats(300, 5);
    std::vector<float> a(310), b(310);
    rig().run(inner, x, a, r);
    test::run(inner, x, b, r);
    EXPECT_TRUE(same_bits(a, b)) << r;
  }
}

TEST(CpuLoop, KER_AUTH_02_vectors_are_packed) {
  const auto check = [&]<class V>(V) {
    const auto k = kernel("f(x, y)", [](Array<const V> x, Array<V> y) {
      loop(y.length(), [&](Index i) { y[i] = x[i] * 2 + x[i - 1]; });
    });
    for (std::size_t n : lengths) {
      std::vector<V> x(n), y(n + 1);
      for (std::size_t k2 = 0; k2 < n; ++k2)
        for (std::size_t lane = 0; lane < sizeof(V) / 4; ++lane)
          x[k2][lane] = static_cast<std::remove_reference_t<decltype(x[0][0])>>(k2 * 5 + lane);
      agree(k, x, y);
    }
  };
  check(vec2f{});
  check(vec3f{});
  check(vec4f{});
  check(vec3i{});
  check(vec4u{});
}

TEST(CpuLoop, KER_TIER_03_doubles_run_natively) {
  const auto k = kernel("f(x, y)", [](Array<const double> x, Array<double> y) {
    loop(y.length(), [&](Index i) { y[i] = x[i] / 3.0 + x[i - 1] * x[i]; });
  });
  for (std::size_t n : lengths) {
    std::vector<double> x(n), y(n + 1);
    for (std::size_t i = 0; i < n; ++i) x[i] = 0.1 * static_cast<double>(i) - 7;
    agree(k, x, y);
  }
}

TEST(CpuLoop, KER_ACC_05_wide_indices) {
  const auto k = kernel("f(x, y)", [](Array<const float> x, Array<float> y) {
    loop(y.length(), [&](Index i) { y[i] = x[i * 3 - 5] + x[i]; });
  });
  const auto x = random_floats(500, 6);
  std::vector<float> a(600), b(600), xa = x;
  const auto args = [&](std::vector<float>& y) {
    return std::vector<detail::CallArg>{detail::ArrayArg{nullptr, xa.data(), xa.size(), dtype_of<float>},
                                        detail::ArrayArg{nullptr, y.data(), y.size(), dtype_of<float>}};
  };
  rig().call(k.core(), args(a), {.wide = true});
  test::run(k, x, b);
  EXPECT_TRUE(same_bits(a, b));
}
