// Signatures, options and the places where a kernel may be made (KER-AUTH-01, KER-AUTH-03, KER-AUTH-07, KER-AUTH-09, KER-ERR-01).
#include <gtest/gtest.h>

#include <thread>

#include "kernel/explain.hpp"
#include "kernel/run_kernel.hpp"
#include "kernel/signature.hpp"

using namespace weft;
using test::thrown;

namespace {
auto nothing = [](Array<float>) {};
std::string refused(std::string_view signature) {
  return thrown([&] { kernel(signature, nothing); });
}
}  // namespace

TEST(Signature, KER_AUTH_01_names_are_those_of_the_signature) {
  const auto k = kernel(" gain stage ( in ,out, k ) ", [](Array<const float>, Array<float>, Scalar<float>) {});
  EXPECT_EQ(k.name(), "gain stage");
  ASSERT_EQ(k.core()->facts.params.size(), 3u);
  EXPECT_EQ(k.core()->facts.params[0].name, "in");
  EXPECT_EQ(k.core()->facts.params[1].name, "out");
  EXPECT_EQ(k.core()->facts.params[2].name, "k");
  EXPECT_FALSE(k.core()->facts.params[0].writable);
  EXPECT_TRUE(k.core()->facts.params[1].writable);
  EXPECT_EQ(k.core()->facts.params[2].kind, trace::ParamKind::scalar);
}

TEST(Signature, KER_AUTH_01_malformed_ones_are_type_errors) {
  EXPECT_EQ(refused("scale"),
            "TypeError: \"scale\": a kernel's signature is name(p1, p2, ...); this one has no parenthesis.");
  EXPECT_EQ(
      refused("(a)"),
      "TypeError: \"(a)\": a kernel's signature is name(p1, p2, ...); this one has no name before its parenthesis.");
  EXPECT_EQ(refused("f(a"),
            "TypeError: \"f(a\": a kernel's signature is name(p1, p2, ...); its parenthesis is not closed.");
  EXPECT_EQ(
      refused("f(a) b"),
      "TypeError: \"f(a) b\": a kernel's signature is name(p1, p2, ...); something follows its closing parenthesis.");
  EXPECT_EQ(refused("f(a, )"),
            "TypeError: \"f(a, )\": a kernel's signature is name(p1, p2, ...); its parameter 2 has no name.");
  EXPECT_EQ(refused("f(a, b, a)"),
            "TypeError: \"f(a, b, a)\": a kernel's signature is name(p1, p2, ...); it has two parameters `a`.");
  EXPECT_EQ(
      refused("f((a)"),
      "TypeError: \"f((a)\": a kernel's signature is name(p1, p2, ...); a parenthesis stands inside its parentheses.");
  EXPECT_EQ(
      refused("f),(a)"),
      "TypeError: \"f),(a)\": a kernel's signature is name(p1, p2, ...); its name holds a parenthesis or a comma.");
  EXPECT_NE(refused(""), "nothing thrown");
}

TEST(Signature, KER_AUTH_01_arity_is_that_of_the_lambda) {
  EXPECT_EQ(refused("f()"), "TypeError: f: its signature names 0 parameters and its lambda takes 1.");
  EXPECT_EQ(refused("f(a, b)"), "TypeError: f: its signature names 2 parameters and its lambda takes 1.");
}

TEST(Signature, KER_AUTH_01_names_are_data) {
  const std::string longest(10000, 'x'), odd = "for\n\"`\\ \xc3\xa9\xe2\x86\x92";
  const auto k = kernel(odd + "(" + longest + ", return)",
                        [](Array<float> t, Scalar<int> n) { loop(n, [&](Index i) { t[i + n] = 1; }); });
  EXPECT_EQ(k.name(), odd);
  EXPECT_EQ(k.core()->facts.params[0].name, longest);
  EXPECT_TRUE(test::accesses(k).starts_with("writes xxx"));
  std::vector<float> t(4);
  test::run(k, t, 2);
  EXPECT_EQ(t, (std::vector<float>{0, 0, 1, 1}));
}

TEST(Options, KER_AUTH_07_fusible_and_workgroup_size) {
  const auto plain = kernel("f(t)", nothing);
  EXPECT_FALSE(plain.core()->facts.fusible);
  EXPECT_EQ(plain.core()->facts.workgroup, std::nullopt);
  EXPECT_EQ(plain.core()->bits, std::nullopt);
  const auto all = kernel("f(t)", fusible, workgroup_size(128), Bits::fast, nothing);
  EXPECT_TRUE(all.core()->facts.fusible);
  EXPECT_EQ(all.core()->facts.workgroup, 128u);
  EXPECT_EQ(all.core()->bits, Bits::fast);
}

TEST(Options, KER_AUTH_07_a_workgroup_size_is_a_power_of_two_up_to_1024) {
  for (std::uint32_t n : {1u, 2u, 64u, 1024u})
    EXPECT_EQ(thrown([&] { kernel("f(t)", workgroup_size(n), nothing); }), "nothing thrown");
  for (std::uint32_t n : {0u, 3u, 96u, 2048u, 0x80000000u})
    EXPECT_EQ(thrown([&] { kernel("f(t)", workgroup_size(n), nothing); }),
              "TypeError: f: a workgroup size is a power of two from 1 to 1024 (" + std::to_string(n) + " is given).");
}

TEST(Tracing, KER_AUTH_03_the_lambda_runs_once_on_the_host) {
  int runs = 0;
  const auto k = kernel("f(t)", [&](Array<float> t) {
    ++runs;
    loop(t.length(), [&](Index i) { t[i] = 1, ++runs; });
  });
  EXPECT_EQ(runs, 2);
  std::vector<float> t(5);
  test::run(k, t);
  EXPECT_EQ(runs, 2);
}

TEST(Tracing, constructs_outside_a_kernel_are_state_errors) {
  EXPECT_EQ(thrown([] { loop(3, [](Index) {}); }),
            "StateError: weft::loop is for a kernel's lambda, and no kernel is being traced on this thread.");
  EXPECT_EQ(thrown([] { Var<float>(1.0f); }),
            "StateError: weft::Var is for a kernel's lambda, and no kernel is being traced on this thread.");
}

TEST(Tracing, a_value_of_another_kernel_is_refused) {
  std::optional<Value<float>> leaked;
  std::optional<Array<float>> array;
  kernel("f(t, k)", [&](Array<float> t, Scalar<float> k) { leaked.emplace(k * 2), array.emplace(t); });
  EXPECT_EQ(
      thrown([&] { *leaked + 1; }),
      "StateError: An operator on a traced value is for a kernel's lambda, and no kernel is being traced on this thread.");
  EXPECT_EQ(
      thrown([&] { kernel("g(t)", [&](Array<float> t) { loop(t.length(), [&](Index i) { t[i] = *leaked; }); }); }),
      "StateError: g: a value that was made outside this kernel's lambda is used in it; pass it as a Scalar or an Array.");
  EXPECT_EQ(
      thrown([&] { kernel("g(t)", [&](Array<float> t) { loop(t.length(), [&](Index i) { (*array)[i] = 1; }); }); }),
      "StateError: g: a value that was made outside this kernel's lambda is used in it; pass it as a Scalar or an Array.");
}

TEST(Tracing, KER_ERR_02_a_lambda_that_throws_leaves_nothing_behind) {
  struct Mine {};
  EXPECT_THROW(kernel("f(t)", [](Array<float> t) { loop(t.length(), [&](Index) { throw Mine(); }); }), Mine);
  EXPECT_EQ(thrown([] { loop(3, [](Index) {}); }),
            "StateError: weft::loop is for a kernel's lambda, and no kernel is being traced on this thread.");
  // Caught inside: the loop that threw is as if it had not been written.
  const auto k = kernel("f(t)", [](Array<float> t) {
    try {
      loop(t.length(), [&](Index i) { If(t[i] > 0, [&] { throw Mine(); }); });
    } catch (const Mine&) {}
    loop(t.length(), [&](Index i) { t[i] = 3; });
  });
  ASSERT_EQ(k.core()->loops.size(), 1u);
  EXPECT_EQ(test::accesses(k), "writes t[i]");
}

TEST(Tracing, a_kernel_may_be_made_while_another_is_traced) {
  std::optional<Kernel<void(Array<float>)>> inner;
  const auto outer = kernel("outer(t)", [&](Array<float> t) {
    loop(t.length(), [&](Index i) {
      t[i] = 1;
      inner.emplace(kernel("inner(u)", [](Array<float> u) { loop(u.length(), [&](Index j) { u[j] = 2; }); }));
      t[i] += 1;
    });
  });
  EXPECT_EQ(test::accesses(outer), "writes t[i]; reads t[i]; writes t[i]");
  EXPECT_EQ(test::accesses(*inner), "writes u[i]");
}

TEST(Tracing, threads_trace_independently) {
  std::vector<std::thread> threads;
  std::vector<std::string> texts(8);
  for (std::size_t n = 0; n < texts.size(); ++n)
    threads.emplace_back([&texts, n] {
      for (int round = 0; round < 20; ++round) {
        const auto k = kernel("k(t)", [&](Array<float> t) {
          loop(t.length(), [&](Index i) { t[i + static_cast<int>(n)] = t[i + static_cast<int>(n)] + 1; });
        });
        texts[n] = test::accesses(k);
      }
    });
  for (auto& t : threads) t.join();
  for (std::size_t n = 0; n < texts.size(); ++n) {
    const std::string at = "t[i + " + std::to_string(n) + "]";
    EXPECT_EQ(texts[n], "reads " + at + "; writes " + at);
  }
}

TEST(Explain, KER_AUTH_09_says_what_was_proved) {
  const auto k =
      kernel("norm(a, t, k)", fusible, workgroup_size(64), [](Array<const vec2f> a, Array<float> t, Scalar<int> k) {
        Var<float> s = 0;
        loop(a.length(), [&](Index i) {
          t[i] = dot(a[i], a[i]);
          s += t[i];
        });
        loop(k, [&](Index i) { t[0] = s + i; });
      });
  EXPECT_EQ(
      test::without_lines(trace::describe(*k.core())),
      "norm(Array<const vec2f> a, Array<float> t, Scalar<int32_t> k), fusible, workgroups of 64\n"
      "loop 1: its iterations may run in any order\n"
      "  reads a[i] (line): exactly i\n"
      "  reads a[i] (line): exactly i\n"
      "  writes t[i] (line): exactly i\n"
      "  reads t[i] (line): exactly i\n"
      "  folds float by +\n"
      "loop 2: runs in order on the cpu tier, because it writes `t[0]` (line), which two iterations may share\n"
      "  writes t[0] (line): 0*i + 0\n"
      "norm runs on the CPU, its loop 2 may not run in any order: it writes `t[0]` (line), which two iterations may share\n");
  const auto copy = k;  // the handle is cheap to copy
  EXPECT_EQ(copy.core(), k.core());
}
