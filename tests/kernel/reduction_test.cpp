// Reductions and the straight code around loops (KER-RED, KER-LOOP-05, MODEL-7..10), and variables that a serial loop carries.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernel/run_kernel.hpp"

using namespace weft;
using test::loop_facts;
using test::proof;
using test::run;

namespace {

constexpr float inf = std::numeric_limits<float>::infinity();

/// KER-RED-02 as it is written, apart from the code that is tested.
template <class T, class F> T tree(std::vector<T> v, T identity, F op) {
  while (v.size() > 1 || v.empty()) {
    if (v.empty()) return identity;
    v.resize((v.size() + 255) / 256 * 256, identity);
    std::vector<T> next;
    for (std::size_t b = 0; b < v.size(); b += 256) {
      for (std::size_t stride = 128; stride; stride /= 2)
        for (std::size_t k = 0; k < stride; ++k) v[b + k] = op(v[b + k], v[b + k + stride]);
      next.push_back(v[b]);
    }
    v = std::move(next);
  }
  return v[0];
}

const auto sum = kernel("sum(x, s0)", [](Array<const float> x, Scalar<float> s0) {
  Var<float> s = s0;
  loop(x.length(), [&](Index i) { s += x[i]; });
  return s;
});

}  // namespace

TEST(Reduction, KER_RED_01_each_way_of_writing_each_operator) {
  const auto check = [](auto f, ir::Op op, int want) {
    const auto k = kernel("f(x)", [f](Array<const int> x) {
      Var<int> s = 12;
      loop(x.length(), [&](Index i) { f(s, x[i]); });
      return s;
    });
    EXPECT_EQ(proof(k), "parallel");
    ASSERT_EQ(loop_facts(k).folds.size(), 1u);
    EXPECT_EQ(loop_facts(k).folds[0].op, op);
    std::vector<int> x{5, 9, 3};
    EXPECT_EQ(run(k, x), want);
  };
  check([](auto& s, auto v) { s += v; }, ir::Op::ADD, 29);
  check([](auto& s, auto v) { s = s + v; }, ir::Op::ADD, 29);
  check([](auto& s, auto v) { s = v + s; }, ir::Op::ADD, 29);
  check([](auto& s, auto v) { s *= v; }, ir::Op::MUL, 12 * 135);
  check([](auto& s, auto v) { s &= v; }, ir::Op::AND, 12 & 5 & 9 & 3);
  check([](auto& s, auto v) { s = v | s; }, ir::Op::OR, 15);
  check([](auto& s, auto v) { s ^= v; }, ir::Op::XOR, 12 ^ 5 ^ 9 ^ 3);
  check([](auto& s, auto v) { s = min(s, v); }, ir::Op::MIN, 3);
  check([](auto& s, auto v) { s = max(v, s); }, ir::Op::MAX, 12);
  check(
      [](auto& s, auto v) {
        s += v;
        If(v > 4, [&] { s += 100 * v; });
        For(2, [&](Index j) { s += j; });
      },
      ir::Op::ADD, 29 + 1400 + 3);
}

TEST(Reduction, KER_RED_01_what_is_none) {
  const auto why = [](auto f) {
    const auto k = kernel("f(x, y)", [f](Array<const float> x, Array<float> y) {
      Var<float> s = 12;
      loop(x.length(), [&](Index i) { f(s, x[i], y[i]); });
      return s;
    });
    return proof(k);
  };
  const std::string carries = "carries a variable (line) from one iteration to the next",
                    reads = "reads a variable (line) that it also folds";
  EXPECT_EQ(why([](auto& s, auto v, auto) { s -= v; }), carries);
  EXPECT_EQ(why([](auto& s, auto v, auto) { s = v; }), carries);
  EXPECT_EQ(why([](auto& s, auto v, auto) { s = s + v * s; }), reads);
  EXPECT_EQ(why([](auto& s, auto v, auto) {
              s += v;
              s *= v;
            }),
            carries);
  EXPECT_EQ(why([](auto& s, auto v, auto) { s = s * 2 + v; }), carries);
  EXPECT_EQ(why([](auto& s, auto v, auto) {
              auto old = s + 0;
              s = s + v;
              s = old + v;
            }),
            carries);
  EXPECT_EQ(why([](auto& s, auto v, auto y) {
              s += v;
              y = s;
            }),
            reads);
  EXPECT_EQ(why([](auto& s, auto v, auto) { If(s < 100, [&] { s += v; }); }), reads);
  EXPECT_EQ(why([](auto& s, auto v, auto y) {
              auto next = s + v;
              s = next;
              y = next;
            }),
            carries);
  EXPECT_EQ(why([](auto&, auto v, auto y) { y = v; }), "parallel");
}

TEST(Reduction, KER_RED_02_the_order_is_the_tree) {
  for (std::size_t n : {1u, 2u, 255u, 256u, 257u, 1000u, 70000u}) {
    std::vector<float> x(n), from_identity(n);
    for (std::size_t i = 0; i < n; ++i)
      x[i] = 1.0f / static_cast<float>(i + 1) * (i % 3 ? 1e3f : -1.0f), from_identity[i] = -0.0f + x[i];
    const float want = 0.5f + tree(from_identity, -0.0f, [](float a, float b) { return a + b; });
    EXPECT_EQ(run(sum, x, 0.5f), want) << n;
  }
}

TEST(Reduction, KER_RED_03_identities) {
  const auto bits = [](ir::Op op, DType t) { return trace::fold_identity(op, t).bits; };
  EXPECT_EQ(bits(ir::Op::ADD, ScalarType::float32), 0x80000000u);
  EXPECT_EQ(bits(ir::Op::ADD, ScalarType::int32), 0u);
  EXPECT_EQ(bits(ir::Op::MUL, ScalarType::float32), 0x3F800000u);
  EXPECT_EQ(bits(ir::Op::MUL, ScalarType::uint32), 1u);
  EXPECT_EQ(bits(ir::Op::AND, ScalarType::uint32), 0xFFFFFFFFu);
  EXPECT_EQ(static_cast<std::int64_t>(bits(ir::Op::AND, ScalarType::int32)), -1);
  EXPECT_EQ(bits(ir::Op::OR, ScalarType::int32), 0u);
  EXPECT_EQ(bits(ir::Op::XOR, ScalarType::uint32), 0u);
  EXPECT_EQ(bits(ir::Op::MIN, ScalarType::float32), 0x7F800000u);
  EXPECT_EQ(bits(ir::Op::MAX, ScalarType::float32), 0xFF800000u);
  EXPECT_EQ(bits(ir::Op::MIN, ScalarType::int32), 0x7FFFFFFFu);
  EXPECT_EQ(static_cast<std::int64_t>(bits(ir::Op::MAX, ScalarType::int32)), INT32_MIN);
  EXPECT_EQ(bits(ir::Op::MIN, ScalarType::uint32), 0xFFFFFFFFu);
  EXPECT_EQ(bits(ir::Op::MAX, ScalarType::uint32), 0u);
  EXPECT_EQ(bits(ir::Op::ADD, ScalarType::float64), 0x8000000000000000u);
}

TEST(Reduction, KER_RED_03_signed_zeros_and_nan) {  // F-07, F-08
  std::vector<float> zeros(300, -0.0f);
  EXPECT_TRUE(std::signbit(run(sum, zeros, -0.0f)));
  EXPECT_FALSE(std::signbit(run(sum, zeros, 0.0f)));
  zeros[299] = 0.0f;
  EXPECT_FALSE(std::signbit(run(sum, zeros, -0.0f)));

  const auto greatest = kernel("f(x)", [](Array<const float> x) {
    Var<float> m = -inf;
    loop(x.length(), [&](Index i) { m = max(m, x[i]); });
    return m;
  });
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(run(greatest, std::vector<float>() = {1, nan, 2}), 2);
  std::vector<float> a{nan, 1}, b{nan, nan};
  EXPECT_EQ(run(greatest, a), 1);
  EXPECT_EQ(run(greatest, b), -inf);
  std::vector<float> ones(600, 1.0f);
  for (std::size_t at : {0u, 299u, 599u}) {
    auto x = ones;
    x[at] = nan;
    EXPECT_EQ(run(greatest, x), 1);
  }
}

TEST(Reduction, KER_RED_04_an_empty_loop_gives_the_initial_value) {  // F-06
  std::vector<float> none;
  for (float s0 : {0.0f, -0.0f, 5.0f, inf}) {
    const float got = run(sum, none, s0);
    EXPECT_EQ(got, s0);
    EXPECT_EQ(std::signbit(got), std::signbit(s0));
  }
}

TEST(Reduction, KER_RED_01_several_results_and_a_tail) {
  const auto stats = kernel("stats(x)", [](Array<const float> x) {
    Var<float> low = inf, high = -inf, total = 0;
    Var<int> positive = 0;
    loop(x.length(), [&](Index i) {
      low = min(low, x[i]);
      high = max(high, x[i]);
      total += x[i];
      If(x[i] > 0, [&] { positive += 1; });
    });
    return std::tuple(low, high, total / x.length(), positive, x.length(), positive > 1);
  });
  static_assert(std::is_same_v<decltype(stats)::Result, std::tuple<float, float, float, int, std::int64_t, bool>>);
  EXPECT_EQ(loop_facts(stats).folds.size(), 4u);
  std::vector<float> x{3, -1, 4, -6};
  EXPECT_EQ(run(stats, x), (std::tuple{-6.0f, 4.0f, 0.0f, 2, std::int64_t{4}, true}));
}

TEST(Reduction, KER_RED_05_integers_wrap) {
  const auto k = kernel("f(x)", [](Array<const int> x) {
    Var<int> s = 0;
    loop(x.length(), [&](Index i) { s += x[i]; });
    return s;
  });
  std::vector<int> x{INT32_MAX, 1};
  EXPECT_EQ(run(k, x), INT32_MIN);
  const auto mixed = kernel("f(x)", [](Array<const uint32_t> x) {
    Var<int> s = 5;
    loop(x.length(), [&](Index i) { s = s + x[i]; });
    return s;
  });
  EXPECT_EQ(proof(mixed), "parallel");
  std::vector<uint32_t> u{0xFFFFFFFF, 0xFFFFFFFE};
  EXPECT_EQ(run(mixed, u), 2);
}

TEST(Reduction, MODEL_8_vectors_fold_lane_by_lane) {
  const auto k = kernel("f(x)", [](Array<const vec3f> x) {
    Var<vec3f> s = 0, m = vec3f{-inf, -inf, -inf};
    loop(x.length(), [&](Index i) {
      s += x[i] * 2;
      m = max(m, x[i]);
    });
    return std::tuple(s, m, s.x + m.y);
  });
  EXPECT_EQ(proof(k), "parallel");
  EXPECT_EQ(loop_facts(k).folds.size(), 6u);
  std::vector<vec3f> x{{1, 2, 3}, {4, -5, 6}};
  EXPECT_EQ(run(k, x), (std::tuple{vec3f{10, -6, 18}, vec3f{4, 2, 6}, 12.0f}));
}

TEST(Reduction, bools_fold) {
  const auto k = kernel("f(x)", [](Array<const int> x) {
    Var<bool> every = true, some = false;
    loop(x.length(), [&](Index i) {
      every &= x[i] > 0;
      some = some || x[i] > 5;
    });
    return std::tuple(every, some);
  });
  EXPECT_EQ(proof(k), "parallel");
  std::vector<int> x{1, 2, 3}, y{1, -2, 7};
  EXPECT_EQ(run(k, x), (std::tuple{true, false}));
  EXPECT_EQ(run(k, y), (std::tuple{false, true}));
}

TEST(Straight, KER_LOOP_05_loops_run_in_order_with_scalars_between) {
  const auto k = kernel("normalise(x, t, target)", [](Array<const float> x, Array<float> t, Scalar<float> target) {
    Var<float> s = 0;
    loop(x.length(), [&](Index i) { s += x[i]; });
    Var<float> factor = target / s;
    factor = select(s == 0, 1, factor);
    loop(x.length(), [&](Index i) { t[i] = x[i] * factor; });
    return factor;
  });
  std::vector<float> x{1, 2, 5}, t(3);
  EXPECT_EQ(run(k, x, t, 4.0f), 0.5f);
  EXPECT_EQ(t, (std::vector<float>{0.5, 1, 2.5}));
  EXPECT_TRUE(loop_facts(k, 1).needs_folded);
}

TEST(Straight, a_folded_value_may_set_a_later_loops_bounds) {
  const auto k = kernel("f(x, t)", [](Array<const int> x, Array<int> t) {
    Var<int> n = 0;
    loop(x.length(), [&](Index i) { n = max(n, x[i]); });
    loop(n, [&](Index i) { t[i] = n - i; });
  });
  EXPECT_TRUE(loop_facts(k, 1).needs_folded);
  std::vector<int> x{2, 3, 1}, t(5);
  run(k, x, t);
  EXPECT_EQ(t, (std::vector<int>{3, 2, 1, 0, 0}));
}

TEST(Straight, floats_that_straight_code_computed_are_captured_once) {
  const auto k = kernel("f(t, k)", [](Array<float> t, Scalar<float> k) {
    auto inverse = 1 / k;
    Var<float> root = sqrt(k);
    loop(t.length(), [&](Index i) { t[i] = t[i] * inverse + root + k; });
  });
  EXPECT_EQ(k.core()->loops[0].captured.size(), 2u);
  EXPECT_FALSE(loop_facts(k).needs_folded);
  std::vector<float> t{8};
  run(k, t, 4.0f);
  EXPECT_EQ(t[0], 8);
}

TEST(Straight, a_variable_holds_its_value_of_the_time) {
  const auto k = kernel("f(x)", [](Array<const int> x) {
    Var<int> s = 1;
    auto before = s + 0;
    loop(x.length(), [&](Index i) { s += x[i]; });
    auto between = s + 0;
    s = s * 2;
    loop(x.length(), [&](Index i) { s += x[i]; });
    return std::tuple(before, between, s);
  });
  std::vector<int> x{10, 20};
  EXPECT_EQ(run(k, x), (std::tuple{1, 31, 92}));
}

TEST(Carried, KER_LOOP_02_a_serial_loop_carries_variables_in_order) {
  const auto k = kernel("smooth(x, t, a)", [](Array<const float> x, Array<float> t, Scalar<float> a) {
    Var<float> state = 1;
    Var<int> turns = 0;
    Var<bool> odd = false;
    loop(1, x.length(), 2, [&](Index i) {
      state = state * a + x[i];
      turns += 1;
      odd = !odd;
      continue_if(turns == 2);
      t[i] = state;
    });
    return std::tuple(state, turns, odd);
  });
  EXPECT_EQ(proof(k), "carries a variable (line) from one iteration to the next");
  std::vector<float> x{0, 1, 0, 2, 0, 3, 0}, t(7, -1.0f);
  EXPECT_EQ(run(k, x, t, 0.5f), (std::tuple{4.375f, 3, true}));
  EXPECT_EQ(t, (std::vector<float>{-1, 1.5, -1, -1, -1, 4.375, -1}));
}

TEST(Carried, an_empty_loop_leaves_what_it_carries) {
  const auto k = kernel("f(n)", [](Scalar<int> n) {
    Var<float> v = -0.0f;
    loop(n, 0, -1, [&](Index i) { v = i - v; });
    return v;
  });
  EXPECT_TRUE(std::signbit(run(k, 0)));
  EXPECT_EQ(run(k, 3), 1 - (2 - (3 - -0.0f)));
}

TEST(Carried, a_prefix_sum_in_place) {
  const auto k = kernel("scan(t)", [](Array<int> t) { loop(1, t.length(), [&](Index i) { t[i] += t[i - 1]; }); });
  EXPECT_EQ(proof(k), "reads `t[i - 1]` (line), and writes `t` elsewhere");
  std::vector<int> t{1, 2, 3, 4};
  run(k, t);
  EXPECT_EQ(t, (std::vector<int>{1, 3, 6, 10}));
}

TEST(Loop, KER_LOOP_01_starts_stops_and_steps) {
  for (int start : {-2, 0, 3})
    for (int stop : {-3, 0, 1, 8})
      for (int step : {-3, -1, 1, 2}) {
        std::vector<int> want(16);
        int n = 0;
        for (int i = start; step > 0 ? i < stop : i > stop; i += step)
          want[static_cast<std::size_t>(i + 4)] = ++n ? i + 1 : 0;
        const auto fixed =
            kernel("f(t)", [&](Array<int> t) { loop(start, stop, step, [&](Index i) { t[i + 4] = i + 1; }); });
        std::vector<int> t(16);
        run(fixed, t);
        EXPECT_EQ(t, want) << start << ' ' << stop << ' ' << step;
        const auto k = kernel("f(t, a, b, c)", [](Array<int> t, Scalar<int> a, Scalar<int> b, Scalar<int> c) {
          loop(a, b, c, [&](Index i) { t[i + 4] = i + 1; });
        });
        t.assign(16, 0);
        run(k, t, start, stop, step);
        EXPECT_EQ(t, want) << start << ' ' << stop << ' ' << step;
      }
}

TEST(Loop, KER_LOOP_01_a_step_of_0_names_the_kernel) {
  EXPECT_EQ(test::thrown([] { kernel("f(t)", [](Array<float> t) { loop(0, t.length(), 0, [](Index) {}); }); }),
            "RangeError: f: its loop (line) has a step of 0; a step goes toward the stop.");
  const auto k =
      kernel("walk(t, s)", [](Array<float> t, Scalar<int> s) { loop(0, t.length(), s, [&](Index i) { t[i] = 1; }); });
  std::vector<float> t(3);
  EXPECT_EQ(test::thrown([&] { run(k, t, 0); }),
            "RangeError: walk: its loop has a step of 0; a step goes toward the stop.");
}

TEST(Loop, KER_LOOP_06_trip_counts) {
  const auto k = kernel("f(t, a, b)", [](Array<float> t, Scalar<uint32_t> a, Scalar<uint32_t> b) {
    Var<int> s = 3;
    loop(a, b, [&](Index i) {
      t[i] = 1;
      s += 1;
    });
    return s;
  });
  std::vector<float> t(2, 7.0f);
  EXPECT_EQ(run(k, t, 5u, 5u), 3);
  EXPECT_EQ(run(k, t, 5u, 2u), 3);
  EXPECT_EQ(t, (std::vector<float>{7, 7}));
  trace::HostFrame frame(k.core(), {{}, {ScalarType::uint32, 0}, {ScalarType::uint32, 0xFFFFFFFF}}, {2, 0, 0});
  frame.advance();
  EXPECT_EQ(frame.header().trip, 0xFFFFFFFFu);
  const auto wide = kernel("far(t)", [](Array<float> t) { loop(0, t.length() * 4, [&](Index i) { t[i] = 1; }); });
  trace::HostFrame past(wide.core(), {{}}, {0xFFFFFFFF});
  past.advance();
  EXPECT_EQ(test::thrown([&] { past.header(); }),
            "RangeError: far: its loop runs 17179869180 iterations; at most 4294967295 run.");
}
