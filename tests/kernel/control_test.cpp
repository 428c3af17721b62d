// If, For, While, continue_if, break_if (KER-AUTH-06), variables (KER-AUTH-04) and where values may be used.
#include <gtest/gtest.h>

#include "kernel/run_kernel.hpp"

using namespace weft;
using test::run;
using test::thrown;

namespace {

/// t[i] for i in 0..n-1 of a body that sees i and t.
template <class T = float, class F> std::vector<T> each(std::size_t n, F body) {
  const auto k = kernel("f(t)", [&](Array<T> t) { loop(t.length(), [&](Index i) { body(i, t); }); });
  std::vector<T> t(n);
  run(k, t);
  return t;
}

}  // namespace

TEST(Control, KER_AUTH_06_if_and_else) {
  EXPECT_EQ(each(5,
                 [](Index i, auto t) {
                   If(i < 2, [&] { t[i] = 1; }).Else([&] { If(i == 3, [&] { t[i] = 3; }).Else([&] { t[i] = 2; }); });
                 }),
            (std::vector<float>{1, 1, 2, 3, 2}));
  EXPECT_EQ(each(3,
                 [](Index i, auto t) {
                   Var<float> v = 5;
                   If(i == 1, [&] {
                     v = 6;
                     v += i;
                   });
                   t[i] = v;
                 }),
            (std::vector<float>{5, 7, 5}));
}

TEST(Control, KER_AUTH_06_else_follows_its_if_at_once) {
  EXPECT_EQ(thrown([] {
              kernel("f(t)", [](Array<float> t) {
                loop(t.length(), [&](Index i) {
                  const auto branch = If(i < 2, [&] { t[i] = 1; });
                  t[i] = 2;
                  branch.Else([&] { t[i] = 3; });
                });
              });
            }),
            "StateError: f: Else (line) must follow its If at once.");
}

TEST(Control, KER_AUTH_06_for_counts_as_cpp_does) {
  for (int start : {-3, 0, 2})
    for (int stop : {-4, 0, 1, 7})
      for (int step : {-3, -1, 0, 1, 2, 5}) {
        std::vector<int> want(1);
        if (step != 0)
          for (int j = start; step > 0 ? j < stop : j > stop; j += step) want[0] = want[0] * 7 + j + 10;
        const auto constant =
            each<int>(1, [&](Index i, auto t) { For(start, stop, step, [&](Index j) { t[i] = t[i] * 7 + j + 10; }); });
        EXPECT_EQ(constant, want) << start << ' ' << stop << ' ' << step;
        // The same with ends and step that only the call knows, committed and weak.
        const auto k = kernel("f(t, a, b, c)", [](Array<int> t, Scalar<int> a, Scalar<int> b, Scalar<int> c) {
          loop(1, [&](Index i) { For(a, b, c, [&](Index j) { t[i] = t[i] * 7 + j + 10; }); });
        });
        std::vector<int> t(1);
        run(k, t, start, stop, step);
        EXPECT_EQ(t, want) << start << ' ' << stop << ' ' << step;
        const auto fixed = kernel("f(t, a, b)", [&](Array<int> t, Scalar<int> a, Scalar<int> b) {
          loop(1, [&](Index i) { For(a, b, step, [&](Index j) { t[i] = t[i] * 7 + j + 10; }); });
        });
        t = {0};
        run(fixed, t, start, stop);
        EXPECT_EQ(t, want) << start << ' ' << stop << ' ' << step;
        const auto ends = kernel("f(t, a, b)", [&](Array<int> t, Scalar<int> a, Scalar<int> b) {
          loop(1, [&](Index i) { For(a + i, b - i, step, [&](Index j) { t[i] = t[i] * 7 + j + 10; }); });
        });
        t = {0};
        run(ends, t, start, stop);
        EXPECT_EQ(t, want) << start << ' ' << stop << ' ' << step;
      }
}

TEST(Control, KER_AUTH_06_for_reaches_the_ends_of_its_type) {
  const auto k = kernel("f(t, a, b)", [](Array<int> t, Scalar<int> a, Scalar<int> b) {
    loop(1, [&](Index i) {
      For(a, b, 1'000'000'000, [&](Index j) {
        t[i] += 1;
        t[i + 1] = j;
      });
    });
  });
  std::vector<int> t(2);
  run(k, t, INT32_MIN, INT32_MAX);
  EXPECT_EQ(t, (std::vector<int>{5, INT32_MIN + 2'000'000'000 + 2'000'000'000}));
  const auto u = kernel("f(t, a, b)", [](Array<uint32_t> t, Scalar<uint32_t> a, Scalar<uint32_t> b) {
    loop(1, [&](Index i) {
      For(a, b, 2'000'000'000, [&](Index j) {
        t[i] += 1;
        t[i + 1] = cast<uint32_t>(j);
      });
    });
  });
  std::vector<uint32_t> tu(2);
  run(u, tu, 5u, UINT32_MAX);
  EXPECT_EQ(tu, (std::vector<uint32_t>{3, 4'000'000'005u}));
}

TEST(Control, KER_AUTH_06_a_window_stays_narrow) {
  // start and stop move with the counter: three turns, whatever it is.
  const auto k = kernel("f(a, t)", [](Array<const float> a, Array<float> t) {
    loop(a.length(), [&](Index i) { For(i - 1, i + 2, [&](Index j) { t[i] += a[j]; }); });
  });
  EXPECT_FALSE(trace::lower_loop(k.core(), 0, {})->needs_int64);
  std::vector<float> a{1, 2, 4, 8}, t(4);
  run(k, a, t);
  EXPECT_EQ(t, (std::vector<float>{3, 7, 14, 12}));
  // Rows of a sparse matrix: both ends from an array.
  const auto rows = kernel("rows(at, v, t)", [](Array<const int> at, Array<const float> v, Array<float> t) {
    loop(t.length(), [&](Index i) { For(at[i], at[i + 1], [&](Index j) { t[i] += v[j]; }); });
  });
  EXPECT_FALSE(trace::lower_loop(rows.core(), 0, {})->needs_int64);
  std::vector<int> at{0, 2, 2, 5};
  std::vector<float> v{1, 2, 3, 4, 5}, sums(3);
  run(rows, at, v, sums);
  EXPECT_EQ(sums, (std::vector<float>{3, 0, 12}));
}

TEST(Control, KER_AUTH_06_while) {
  EXPECT_EQ(each<int>(4,
                      [](Index i, auto t) {
                        Var<int> n = i + 5, turns = 0;
                        While([&] { return n != 1; },
                              [&] {
                                n = select(n % 2 == 0, n / 2, 3 * n + 1);
                                turns += 1;
                              });
                        t[i] = turns;
                      }),
            (std::vector<int>{5, 8, 16, 3}));
}

TEST(Control, KER_AUTH_06_break_and_continue) {
  EXPECT_EQ(each<int>(4,
                      [](Index i, auto t) {
                        For(10, [&](Index j) {
                          continue_if(j == 1);
                          break_if(j > i + 2);
                          t[i] += j;
                        });
                      }),
            (std::vector<int>{2, 5, 9, 14}));
  EXPECT_EQ(each<int>(4,
                      [](Index i, auto t) {
                        t[i] = 1;
                        continue_if(i % 2 == 0);
                        t[i] = 2;
                      }),
            (std::vector<int>{1, 2, 1, 2}));
}

TEST(Control, KER_AUTH_06_break_leaves_inner_loops_only) {
  const std::string why =
      "UnsupportedError: f: break_if (line) would leave the kernel's own loop, whose iterations are not bound to an order; "
      "only an inner For or While is left.";
  EXPECT_EQ(thrown([] { each(1, [](Index i, auto) { break_if(i > 3); }); }), why);
  EXPECT_EQ(thrown([] { each(1, [](Index i, auto) { If(i > 1, [&] { break_if(i > 3); }); }); }), why);
}

TEST(Control, stands_in_loops) {
  EXPECT_EQ(
      thrown([] { kernel("f(n)", [](Scalar<int> n) { If(n > 0, [] {}); }); }),
      "UnsupportedError: f: If (line) stands outside its loops; straight code only computes: choose values with select.");
  EXPECT_EQ(
      thrown([] { kernel("f(n)", [](Scalar<int> n) { For(n, [](Index) {}); }); }),
      "UnsupportedError: f: For (line) stands outside its loops; straight code only computes: choose values with select.");
  EXPECT_EQ(thrown([] { each(1, [](Index i, auto) { loop(i, [](Index) {}); }); }),
            "StateError: f: loop (line) stands inside another loop; inside an iteration write For.");
}

TEST(Control, a_value_stays_in_the_block_that_made_it) {
  EXPECT_EQ(
      thrown([] {
        each(1, [](Index i, auto t) {
          std::optional<Value<float>> v;
          If(i > 0, [&] { v.emplace(t[i] * 2); });
          t[i] = *v;
        });
      }),
      "StateError: f: the value `t[i] * 2` is used outside the If, For or While in which it was made; keep it in a Var declared outside.");
  EXPECT_EQ(
      thrown([] {
        each(1, [](Index i, auto t) {
          std::optional<Index> last;
          For(3, [&](Index j) { last.emplace(j); });
          t[i] = *last;
        });
      }),
      "StateError: f: the value `j` is used outside the If, For or While in which it was made; keep it in a Var declared outside.");
  EXPECT_EQ(
      thrown([] {
        kernel("f(t)", [](Array<float> t) {
          std::optional<Value<float>> v;
          loop(t.length(), [&](Index i) { v.emplace(t[i] * 2); });
          loop(t.length(), [&](Index i) { t[i] = *v; });
        });
      }),
      "StateError: f: the value `t[i]` is used outside the loop in which it was made; only a reduction variable leaves a loop.");
  EXPECT_EQ(
      thrown([] {
        kernel("f(t)", [](Array<float> t) {
          std::optional<Value<float>> v;
          loop(t.length(), [&](Index i) { v.emplace(t[i] * 2), t[i] = *v; });
          return *v + 1;
        });
      }),
      "StateError: f: the value `t[i] * 2 + 1` is used outside the loop in which it was made; only a reduction variable leaves a loop.");
}

TEST(Variables, KER_AUTH_04_hold_what_was_stored_last) {
  EXPECT_EQ(each(3,
                 [](Index i, auto t) {
                   Var<float> v = i;
                   Var<float> copy = v;  // another variable
                   v = v * 2;
                   v += 1;
                   copy -= v;
                   t[i] = copy * 100 + v;
                 }),
            (std::vector<float>{-99, -197, -295}));
  EXPECT_EQ(each<int>(2,
                      [](Index i, auto t) {
                        Var<int> zero;
                        Var<bool> no;
                        t[i] = select(no, 1, zero);
                      }),
            (std::vector<int>{0, 0}));
}

TEST(Variables, KER_AUTH_05_compound_assignments) {
  EXPECT_EQ(each<int>(1,
                      [](Index i, auto t) {
                        Var<int> v = 100;
                        v += 7;
                        v -= 2;
                        v *= 3;
                        v /= 2;
                        v %= 100;
                        v <<= 3;
                        v >>= 1;
                        v &= 0xFC;
                        v |= 1;
                        v ^= 0x10;
                        t[i] = v;
                        t[i] += 1;
                        t[i] *= 2;
                      }),
            (std::vector<int>{[] {
              int v = 100;
              v += 7;
              v -= 2;
              v *= 3;
              v /= 2;
              v %= 100;
              v <<= 3;
              v >>= 1;
              v &= 0xFC;
              v |= 1;
              v ^= 0x10;
              return (v + 1) * 2;
            }()}));
}

TEST(Variables, a_wider_result_wraps_to_the_variable) {
  const auto k = kernel("f(t, a, b)", [](Array<int> t, Scalar<int> a, Scalar<uint32_t> b) {
    loop(t.length(), [&](Index i) {
      Var<int> v = a;
      v += b;
      t[i] = v;
      t[i] += b;
    });
  });
  std::vector<int> t(1);
  run(k, t, -5, 0xFFFFFFFFu);
  EXPECT_EQ(t[0], -7);
}

TEST(Variables, KER_AUTH_05_components) {
  const auto k = kernel("f(t)", [](Array<vec4f> t) {
    loop(t.length(), [&](Index i) {
      Var<vec4f> v = t[i];
      v.x = v.y + 1;
      v.w += v.r;
      t[i] = v;
      t[i].z *= 2;
      t[i].g = t[i].swizzle<"wzyx">().x;
    });
  });
  std::vector<vec4f> t{{1, 2, 3, 4}};
  run(k, t);
  EXPECT_EQ(t[0], (vec4f{3, 7, 6, 7}));
}
