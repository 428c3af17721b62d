// The text and line of each access (KER-AUTH-08, MODEL-4, MODEL-6, KER-ACC-02), in an order that no compiler decides.
#include <gtest/gtest.h>

#include "kernel/run_kernel.hpp"

using namespace weft;
using test::accesses;

namespace {

/// The text of `t[index(i, k, n)]`.
template <class F> std::string text(F index) {
  const auto kernel_ = kernel("f(t, idx, n)", [&](Array<float> t, Array<const int> idx, Scalar<int> n) {
    loop(t.length(), [&](Index i) { t[index(i, idx, n)] = 1; });
  });
  return test::loop_facts(kernel_).accesses.back().text;
}

}  // namespace

TEST(AccessText, KER_AUTH_08_is_as_the_author_wrote_it) {
  EXPECT_EQ(text([](Index i, auto, auto) { return i; }), "t[i]");
  EXPECT_EQ(text([](Index i, auto, auto) { return i - 1; }), "t[i - 1]");
  EXPECT_EQ(text([](Index i, auto, auto) { return 2 * i; }), "t[2 * i]");
  EXPECT_EQ(text([](Index i, auto, auto) { return i + 1 - 1; }), "t[i + 1 - 1]");
  EXPECT_EQ(text([](Index i, auto idx, auto) { return idx[i]; }), "t[idx[i]]");
  EXPECT_EQ(text([](Index i, auto idx, auto n) { return idx[idx[i + n] / 2]; }), "t[idx[idx[i + n] / 2]]");
  EXPECT_EQ(text([](auto, auto, auto) { return 3; }), "t[3]");
  EXPECT_EQ(text([](Index i, auto idx, auto) { return idx.length() - 1 - i; }), "t[idx.length() - 1 - i]");
}

TEST(AccessText, KER_AUTH_08_has_the_fewest_parentheses) {
  EXPECT_EQ(text([](Index i, auto, auto n) { return (i + n) * 2; }), "t[(i + n) * 2]");
  EXPECT_EQ(text([](Index i, auto, auto n) { return i + (n * 2); }), "t[i + n * 2]");
  EXPECT_EQ(text([](Index i, auto, auto n) { return i - (n - 2); }), "t[i - (n - 2)]");
  EXPECT_EQ(text([](Index i, auto, auto n) { return (i - n) - 2; }), "t[i - n - 2]");
  EXPECT_EQ(text([](Index i, auto, auto n) { return i % n * 2; }), "t[i % n * 2]");
  EXPECT_EQ(text([](Index i, auto, auto n) { return i / (n / 2); }), "t[i / (n / 2)]");
  EXPECT_EQ(text([](Index i, auto, auto) { return (i >> 1 & 7) << 2; }), "t[(i >> 1 & 7) << 2]");
  EXPECT_EQ(text([](Index i, auto, auto n) { return -(i - n); }), "t[-(i - n)]");
  EXPECT_EQ(text([](Index i, auto, auto) { return i + -2; }), "t[i + (-2)]");
}

TEST(AccessText, KER_AUTH_08_functions_and_conditions) {
  EXPECT_EQ(text([](Index i, auto, auto n) { return min(i, n - 1); }), "t[min(i, n - 1)]");
  EXPECT_EQ(text([](Index i, auto, auto n) { return select(i < n, i, 0); }), "t[select(i < n, i, 0)]");
  EXPECT_EQ(text([](Index i, auto, auto n) { return select(i <= n && i != 3, i, 0); }),
            "t[select(i <= n && i != 3, i, 0)]");
  EXPECT_EQ(text([](Index i, auto, auto n) { return select(!(i == n), i, 0); }), "t[select(!(i == n), i, 0)]");
  EXPECT_EQ(text([](Index i, auto, auto) { return cast<uint32_t>(i); }), "t[cast<uint32_t>(i)]");
  EXPECT_EQ(text([](Index i, auto, auto) { return cast<int>(floor(i * 0.5)); }), "t[cast<int32_t>(floor(i * 0.5))]");
  EXPECT_EQ(text([](Index i, auto, auto n) { return floor_mod(i, n); }), "t[floor_mod(i, n)]");
}

TEST(AccessText, KER_AUTH_08_a_local_is_its_expression) {
  EXPECT_EQ(text([](Index i, auto, auto n) {
              Var<int> k = i * n;
              return k + 1;
            }),
            "t[i * n + 1]");
  EXPECT_EQ(text([](Index i, auto, auto n) {
              auto k = i * n;
              return k + 1;
            }),
            "t[i * n + 1]");
  EXPECT_EQ(text([](Index i, auto idx, auto) {
              Var<int> k = idx[i];
              Var<int> l = k;
              return l;
            }),
            "t[idx[i]]");
}

TEST(AccessText, KER_AUTH_08_inner_counters_are_j_k_and_so_on) {
  const auto k = kernel("f(t)", [](Array<float> t) {
    loop(t.length(), [&](Index y) {
      For(2, [&](Index x) { For(1, 4, [&](Index z) { t[y + x - z] = 1; }); });
      For(3, [&](Index again) { t[y - again] = 1; });
    });
    loop(1, t.length(), 2, [&](Index n) { t[n] = 1; });
  });
  EXPECT_EQ(accesses(k, 0), "writes t[i + j - k]; writes t[i - j]");
  EXPECT_EQ(accesses(k, 1), "writes t[i]");
}

TEST(AccessText, MODEL_6_names_are_the_parameters_own) {
  const auto k = kernel("f(price, volume)",
                        [](Array<const float> a, Array<float> b) { loop(a.length(), [&](Index i) { b[i] = a[i]; }); });
  EXPECT_EQ(accesses(k), "reads price[i]; writes volume[i]");
}

TEST(AccessText, long_and_deep_indices_are_cut) {
  const auto k = kernel("f(t, n)", [](Array<float> t, Scalar<int> n) {
    loop(t.length(), [&](Index i) {
      Var<int> at = i;
      auto deep = at + n;
      for (int r = 0; r < 2000; ++r) deep.~Value(), new (&deep) Value<int>(n + (at * n));
      Value<int> wide = at + n;
      std::optional<Value<int>> sum(wide);
      for (int r = 0; r < 2000; ++r) {
        auto next = *sum + *sum;
        sum.reset();
        sum.emplace(next);
      }
      t[*sum] = 1;
    });
  });
  const std::string text = test::loop_facts(k).accesses.back().text;
  EXPECT_LT(text.size(), 1000u);
  EXPECT_NE(text.find("..."), std::string::npos);
}

// One statement a line from here on: the lines are what is tested.
// clang-format off
namespace {
Value<float> helper(const Array<const float>& a, Index i) {
  return a[i + 1];
}
constexpr std::uint32_t helper_line = __LINE__ - 2;
#define READ_TWICE(a, i) (a[i] + a[i])
}  // namespace

TEST(AccessLine, KER_AUTH_08_is_the_line_of_the_subscript) {
  const std::uint32_t first = __LINE__ + 3;
  const auto k = kernel("f(a, t)", [](Array<const float> a, Array<float> t) {
    loop(a.length(), [&](Index i) {
      t[i] = a[i] * 2;
      t[i] += a[i - 1];
      Var<float> v =
          a[2 * i];
      If(v > 0, [&] {
        t[i] = helper(a, i);
      });
      t[i] = READ_TWICE(a, 3);
      t[i + 0] = a[0];
    });
  });
  // clang-format on
  EXPECT_EQ(accesses(k, 0, true),
            "reads a[i]@" + std::to_string(first) + "; writes t[i]@" + std::to_string(first) + "; reads t[i]@" +
                std::to_string(first + 1) + "; reads a[i - 1]@" + std::to_string(first + 1) + "; writes t[i]@" +
                std::to_string(first + 1) + "; reads a[2 * i]@" + std::to_string(first + 3) + "; reads a[i + 1]@" +
                std::to_string(helper_line) + "; writes t[i]@" + std::to_string(first + 5) + "; reads a[3]@" +
                std::to_string(first + 7) + "; reads a[3]@" + std::to_string(first + 7) + "; writes t[i]@" +
                std::to_string(first + 7) + "; reads a[0]@" + std::to_string(first + 8) + "; writes t[i + 0]@" +
                std::to_string(first + 8));
}

TEST(AccessOrder, KER_AUTH_08_is_program_order_with_operands_left_to_right) {
  const auto k =
      kernel("f(a, b, c, t)", [](Array<const float> a, Array<const float> b, Array<const float> c, Array<float> t) {
        loop(a.length(), [&](Index i) {
          t[i] = a[i] + b[i] * fma(c[i], a[i + 1], b[i + 1]) + select(c[i + 1] < a[i + 2], b[i + 2], c[i + 2]);
          auto second = c[i + 3];
          auto first = b[i + 3];
          t[i] = first - second;
        });
      });
  EXPECT_EQ(accesses(k),
            "reads a[i]; reads b[i]; reads c[i]; reads a[i + 1]; reads b[i + 1]; reads c[i + 1]; reads a[i + 2]; "
            "reads b[i + 2]; reads c[i + 2]; writes t[i]; reads c[i + 3]; reads b[i + 3]; writes t[i]");
}

TEST(AccessOrder, a_load_that_nobody_uses_is_dropped) {
  const auto k = kernel("f(a, t)", [](Array<const float> a, Array<float> t) {
    loop(a.length(), [&](Index i) {
      a[i] * 2;
      Var<float> stored = a[i + 1];
      stored += a[i + 2];
      t[i] = 1;
    });
  });
  EXPECT_EQ(accesses(k), "writes t[i]");
}

TEST(AccessOrder, loads_stay_on_their_side_of_a_store) {
  const auto k = kernel("f(t, u)", [](Array<float> t, Array<float> u) {
    loop(t.length(), [&](Index i) {
      auto before = t[i] + 0;
      t[i] = 7;
      u[i] = before + t[i];
    });
  });
  EXPECT_EQ(accesses(k), "reads t[i]; writes t[i]; reads t[i]; writes u[i]");
  std::vector<float> t{1, 2}, u(2);
  test::run(k, t, u);
  EXPECT_EQ(u, (std::vector<float>{8, 9}));
}

TEST(Access, KER_ACC_02_lengths_are_those_of_the_call) {
  const auto k = kernel("f(a, t)", [](Array<const float> a, Array<int> t) {
    loop(t.length(), [&](Index i) { t[i] = a.length() * 10 + t.length(); });
  });
  EXPECT_EQ(test::loop_facts(k).length_read, (std::vector<std::uint16_t>{0, 1}));
  std::vector<float> a(3);
  std::vector<int> t(2);
  test::run(k, a, t);
  EXPECT_EQ(t, (std::vector<int>{32, 32}));
}

TEST(Access, KER_ACC_01_reads_outside_are_zero_and_writes_outside_are_dropped) {
  const auto k = kernel("f(a, t)", [](Array<const float> a, Array<float> t) {
    loop(-2, a.length() + 2, [&](Index i) { If(i < 100, [&] { t[i] = a[i] + 1; }); });
  });
  std::vector<float> a{5, 6, 7}, t(5, -1.0f);
  test::run(k, a, t);
  EXPECT_EQ(t, (std::vector<float>{6, 7, 8, 1, 1}));
}

TEST(Access, straight_code_reads_no_elements) {
  EXPECT_EQ(
      test::thrown([] { kernel("f(t)", [](Array<float> t) { (void)Var<float>{t[0]}; }); }),
      "UnsupportedError: f: it reads `t[0]` (line) outside its loops; straight code computes from scalars, lengths and folded values only.");
}
