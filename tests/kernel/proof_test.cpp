// Which loops are proved parallel, and what is said of those that are not (KER-LOOP-03, KER-LOOP-04, MODEL-2..5, MODEL-26).
#include <gtest/gtest.h>

#include "kernel/run_kernel.hpp"

using namespace weft;
using test::accesses;
using test::loop_facts;
using test::proof;

namespace {

template <class F> auto two(F f) {
  return kernel("k(a, t)",
                [f](Array<const float> a, Array<float> t) { loop(a.length(), [&](Index i) { f(a, t, i); }); });
}

}  // namespace

TEST(Proof, KER_LOOP_03_affine_writes_of_one_offset_are_parallel) {
  EXPECT_EQ(proof(two([](auto a, auto t, Index i) { t[i] = a[i]; })), "parallel");
  EXPECT_EQ(proof(two([](auto a, auto t, Index i) { t[i + 7] = a[i]; })), "parallel");
  EXPECT_EQ(proof(two([](auto a, auto t, Index i) { t[-i] = a[i]; })), "parallel");
  EXPECT_EQ(proof(two([](auto a, auto t, Index i) { t[3 * i + 1] = a[i]; })), "parallel");
  EXPECT_EQ(proof(two([](auto a, auto t, Index i) { t[(i << 2) - 1] = a[a.length() - i]; })), "parallel");
}

TEST(Proof, KER_LOOP_03_several_offsets_within_the_stride) {
  EXPECT_EQ(proof(two([](auto a, auto t, Index i) {
              t[2 * i] = a[i];
              t[2 * i + 1] = a[i];
            })),
            "parallel");
  EXPECT_EQ(proof(two([](auto a, auto t, Index i) {
              t[2 * i] = a[i];
              t[2 * i + 2] = a[i];
            })),
            "writes `t[2 * i + 2]` (line), which two iterations may share");
  EXPECT_EQ(proof(two([](auto a, auto t, Index i) {
              t[i] = a[i];
              t[i + 1] = a[i];
            })),
            "writes `t[i + 1]` (line), which two iterations may share");
  EXPECT_EQ(proof(two([](auto a, auto t, Index i) {
              t[2 * i] = a[i];
              t[3 * i] = a[i];
            })),
            "writes `t[3 * i]` (line), which two iterations may share");
}

TEST(Proof, KER_LOOP_03_an_index_that_two_iterations_share) {
  EXPECT_EQ(proof(two([](auto a, auto t, Index i) { t[0] = a[i]; })),
            "writes `t[0]` (line), which two iterations may share");
  EXPECT_EQ(proof(two([](auto a, auto t, Index i) { t[i / 2] = a[i]; })),
            "writes `t[i / 2]` (line), which two iterations may share");
  EXPECT_EQ(proof(two([](auto a, auto t, Index i) { t[i * i] = a[i]; })),
            "writes `t[i * i]` (line), which two iterations may share");
  EXPECT_EQ(proof(two([](auto a, auto t, Index i) { t[i % 8] = a[i]; })),
            "writes `t[i % 8]` (line), which two iterations may share");
  EXPECT_EQ(proof(two([](auto a, auto t, Index i) { t[i - i] = a[i]; })),
            "writes `t[i - i]` (line), which two iterations may share");
}

TEST(Proof, KER_LOOP_03_a_written_array_is_read_where_it_is_written) {
  EXPECT_EQ(proof(two([](auto a, auto t, Index i) { t[i] = t[i] + a[i]; })), "parallel");
  EXPECT_EQ(proof(two([](auto a, auto t, Index i) {
              t[i] = a[i];
              t[i] += t[i + 1 - 1];
            })),
            "parallel");
  EXPECT_EQ(proof(two([](auto a, auto t, Index i) { t[i] = t[i - 1] + a[i]; })),
            "reads `t[i - 1]` (line), and writes `t` elsewhere");
  EXPECT_EQ(proof(two([](auto a, auto t, Index i) { t[2 * i] = t[2 * i + 1] + a[i]; })),
            "reads `t[2 * i + 1]` (line), and writes `t` elsewhere");
  // Swapping neighbours in pairs touches only the iteration's own pair.
  EXPECT_EQ(proof(two([](auto a, auto t, Index i) {
              Var<float> low = t[2 * i];
              t[2 * i] = t[2 * i + 1];
              t[2 * i + 1] = low + a[i];
            })),
            "parallel");
}

TEST(Proof, KER_LOOP_03_blocks_of_an_inner_counter) {
  const auto constant = kernel("k(t)", [](Array<float> t) {
    loop(t.length() / 8, [&](Index i) { For(8, [&](Index j) { t[i * 8 + j] = t[i * 8 + 7 - j]; }); });
  });
  EXPECT_EQ(proof(constant), "parallel");
  EXPECT_EQ(loop_facts(constant).accesses[1].at.form, trace::Affine::Form::block);
  EXPECT_EQ(loop_facts(constant).accesses[1].at.a, 8);
  const auto past = kernel("k(t)", [](Array<float> t) {
    loop(t.length() / 8, [&](Index i) { For(9, [&](Index j) { t[i * 8 + j] = 0; }); });
  });
  EXPECT_EQ(proof(past), "writes `t[i * 8 + j]` (line), which two iterations may share");

  const auto image = kernel("k(t, w, h)", [](Array<float> t, Scalar<int> w, Scalar<int> h) {
    loop(h, [&](Index y) { For(w, [&](Index x) { t[y * w + x] = t[y * w + x] * 2; }); });
  });
  EXPECT_EQ(proof(image), "parallel");
  EXPECT_EQ(accesses(image), "reads t[i * w + j]; writes t[i * w + j]");
  EXPECT_EQ(loop_facts(image).accesses[1].at.form, trace::Affine::Form::block);
  const auto other = kernel("k(t, w, h)", [](Array<float> t, Scalar<int> w, Scalar<int> h) {
    loop(h, [&](Index y) { For(h, [&](Index x) { t[y * w + x] = 1; }); });
  });
  EXPECT_EQ(proof(other), "writes `t[i * w + j]` (line), which two iterations may share");
}

TEST(Proof, KER_LOOP_03_a_scale_that_the_loop_does_not_change_is_checked_at_the_call) {
  const auto strided = kernel("put(a, t, k)", [](Array<const float> a, Array<float> t, Scalar<int> k) {
    loop(a.length(), [&](Index i) { t[i * k] = a[i]; });
  });
  EXPECT_EQ(proof(strided), "parallel");
  EXPECT_EQ(loop_facts(strided).accesses[1].at.form, trace::Affine::Form::scaled);
  std::vector<float> a{1, 2, 3}, t(9);
  test::run(strided, a, t, 3);
  EXPECT_EQ(t, (std::vector<float>{1, 0, 0, 2, 0, 0, 3, 0, 0}));
  EXPECT_EQ(
      test::thrown([&] { test::run(strided, a, t, 0); }),
      "RangeError: put: its index `t[i * k]` (line) is one element for every iteration, because what multiplies the counter is 0.");
}

TEST(Proof, KER_LOOP_03_an_index_that_would_wrap_in_32_bits_is_refused_at_the_call) {
  const auto far = kernel("far(t, w, n)", [](Array<float> t, Scalar<int> w, Scalar<uint32_t> n) {
    loop(n, [&](Index i) { If(t.length() > 0, [&] { t[i * w] = 1; }); });
  });
  EXPECT_EQ(proof(far), "parallel");
  std::vector<float> t(4);
  EXPECT_EQ(
      test::thrown([&] { test::run(far, t, 65536, 65537u); }),
      "RangeError: far: its index `t[i * w]` (line) runs from 0 to 4294967296 and would wrap in 32 bits; compute it "
      "from the counter and lengths alone.");
}

TEST(Proof, KER_LOOP_03_a_run_time_offset_is_one_offset) {
  const auto shifted = kernel("k(a, t, at)", [](Array<const float> a, Array<float> t, Scalar<int> at) {
    loop(a.length(), [&](Index i) { t[i + at] = a[i]; });
  });
  EXPECT_EQ(proof(shifted), "parallel");
  EXPECT_EQ(loop_facts(shifted).accesses[1].at.form, trace::Affine::Form::opaque);
}

TEST(Proof, KER_LOOP_04_reasons_name_access_and_line) {
  const auto scatter = kernel("hist(k, bins)", [](Array<const int> k, Array<float> bins) {
    loop(k.length(), [&](Index i) { bins[k[i]] += 1; });
  });
  EXPECT_EQ(proof(scatter), "adds into `bins[k[i]]` (line), and a sum of floats depends on its order");
  EXPECT_EQ(
      test::without_lines(*scatter.core()->facts.no_gpu),
      "its loop 1 may not run in any order: it adds into `bins[k[i]]` (line), and a sum of floats depends on its order");
  const auto carried = kernel("k(t)", [](Array<float> t) {
    Var<float> last = 0;
    loop(t.length(), [&](Index i) {
      last = t[i] - last;
      t[i] = last;
    });
  });
  EXPECT_EQ(proof(carried), "carries a variable (line) from one iteration to the next");
  const auto running = kernel("k(t)", [](Array<float> t) {
    Var<float> s = 0;
    loop(t.length(), [&](Index i) {
      s += t[i];
      t[i] = s;
    });
  });
  EXPECT_EQ(proof(running), "reads a variable (line) that it also folds");
}

TEST(Proof, MODEL_5_exactly_i_after_casts_and_constants) {
  const auto at_i = [](auto index) {
    const auto k =
        kernel("k(t, n)", [&](Array<float> t, Scalar<int> n) { loop(n, [&](Index i) { t[index(i, n)] = 1; }); });
    return loop_facts(k).accesses.at(0).at.exactly_i();
  };
  EXPECT_TRUE(at_i([](Index i, auto) { return i; }));
  EXPECT_TRUE(at_i([](Index i, auto) { return cast<uint32_t>(i); }));
  EXPECT_TRUE(at_i([](Index i, auto) { return i + 1 - 1; }));
  EXPECT_TRUE(at_i([](Index i, auto) {
    Var<int> k = i;
    return k + 0;
  }));
  EXPECT_TRUE(at_i([](Index i, auto n) { return i + n - n; }));
  EXPECT_FALSE(at_i([](Index i, auto) { return i + 1; }));
  EXPECT_FALSE(at_i([](Index i, auto) { return 2 * i; }));
  EXPECT_FALSE(at_i([](Index i, auto n) { return n - i; }));
  const auto vectors = kernel("k(t)", [](Array<vec4f> t) { loop(t.length(), [&](Index i) { t[i].x = 1; }); });
  EXPECT_TRUE(loop_facts(vectors).accesses.at(0).at.exactly_i());
}

TEST(Proof, MODEL_26_reasons_of_no_gpu) {
  const auto none = kernel("k(t)", [](Array<float>) {});
  EXPECT_EQ(*none.core()->facts.no_gpu, "no loop of it can be dispatched");
  const auto wide = kernel("k(d)", [](Array<double> d) { loop(d.length(), [&](Index i) { d[i] = 1; }); });
  EXPECT_EQ(*wide.core()->facts.no_gpu, "its parameter `d` has type double, which GPU memory cannot hold");
  const auto needs = kernel("k(t)", [](Array<float> t) {
    Var<float> s = 0;
    loop(t.length(), [&](Index i) { s += t[i]; });
    loop(t.length(), [&](Index i) { t[i] = t[i] / s; });
  });
  EXPECT_EQ(*needs.core()->facts.no_gpu, "its loop 2 needs a value that an earlier loop folds");
  EXPECT_TRUE(loop_facts(needs, 1).needs_folded);
  EXPECT_FALSE(loop_facts(needs, 0).needs_folded);
  const auto good = kernel("k(t)", [](Array<float> t) { loop(t.length(), [&](Index i) { t[i] = 1; }); });
  EXPECT_EQ(good.core()->facts.no_gpu, std::nullopt);
}

TEST(Proof, KER_AUTH_08_conditional_accesses) {
  std::uint32_t line = 0;
  const auto k = kernel("k(a, t, u, v)", [&](Array<const float> a, Array<float> t, Array<float> u, Array<float> v) {
    loop(a.length(), [&](Index i) {
      t[i] = a[i];
      If(a[i] > 0, [&] { u[i] = 1; });
      For(3, [&](Index j) {
        v[3 * i + j] = 0;
        break_if(a[i] > 1);
        v[3 * i + j] = 1;
      });
      continue_if(a[i] > 2), line = __LINE__;
      t[i] = 2;
    });
  });
  std::string conditional;
  for (const auto& a : loop_facts(k).accesses)
    if (a.write) conditional += a.text + (a.conditional ? "? " : " ");
  EXPECT_EQ(conditional, "t[i] u[i]? v[3 * i + j] v[3 * i + j]? t[i]? ");
  EXPECT_EQ(loop_facts(k).own_continue, line);
}
