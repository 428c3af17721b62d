// Batches on every Vulkan device: order, one submission, errors before anything runs, many of them, time stamps.
#include <fstream>
#include <limits>

#include "draft.hpp"
#include "rig.hpp"

namespace weft::webgpu::test {
namespace {

constexpr DType f32{Scalar::float32}, i32{Scalar::int32};

std::shared_ptr<trace::Program> increment() {
  static const auto program = [] {
    Draft d("increment");
    auto y = d.array(i32, true);
    d.store(y, d.i, d.add(d.load(y, d.i), d.n(1)));
    return d.finish();
  }();
  return program;
}

std::span<const std::byte> bytes(const std::vector<std::int32_t>& v) { return std::as_bytes(std::span(v)); }
std::span<std::byte> into(std::vector<std::int32_t>& v) { return std::as_writable_bytes(std::span(v)); }

// The passes run in order, as if each waited for the one before; the batch is one submission.
TEST(WebgpuBatch, KeepsTheOrderOfItsPasses) {
  on_each_device([](Rig& rig) {
    const auto a = rig.zeros(16), b = rig.zeros(16);
    const backend::Region whole_a{a, 0, 16}, whole_b{b, 0, 16};
    const std::vector<std::int32_t> first{1, 2, 3, 4}, second{100, 200};
    std::vector<std::int32_t> r1(4), r2(4), r3(4), r4(4), r5(1);
    backend::Batch batch;
    const auto run = rig.call(increment(), {whole_a}, 4);
    batch.passes.push_back({backend::Upload{whole_a, bytes(first)}, 0, "up"});
    batch.passes.push_back({run, 0, "increment"});
    batch.passes.push_back({backend::Read{whole_a, into(r1)}, 0, "read"});
    batch.passes.push_back(
        {backend::Upload{{a, 4, 8}, bytes(second)}, 0, "up again"});  // after a run of the same memory
    batch.passes.push_back({run, 1, "increment"});
    batch.passes.push_back({backend::Copy{whole_a, whole_b}, 1, "copy"});
    batch.passes.push_back({backend::Fill{{a, 0, 8}}, 1, "clear"});
    batch.passes.push_back({backend::Read{whole_a, into(r2)}, 2, "read"});
    batch.passes.push_back({backend::Read{whole_b, into(r3)}, 2, "read"});
    batch.passes.push_back({backend::Copy{{b, 0, 12}, {b, 4, 12}}, 2, "shift"});  // within one buffer, overlapping
    batch.passes.push_back({backend::Read{whole_b, into(r4)}, 2, "read"});
    batch.passes.push_back({backend::Read{{b, 8, 4}, into(r5)}, 2, "read"});
    const auto outcome = rig.run(std::move(batch));
    EXPECT_EQ(outcome.submissions, 1u);
    EXPECT_EQ(outcome.passes.size(), 12u);
    EXPECT_EQ(outcome.passes[1].dispatches, 1u);
    using V = std::vector<std::int32_t>;
    EXPECT_EQ(r1, (V{2, 3, 4, 5}));
    EXPECT_EQ(r2, (V{0, 0, 201, 6}));
    EXPECT_EQ(r3, (V{3, 101, 201, 6}));
    EXPECT_EQ(r4, (V{3, 3, 101, 201}));
    EXPECT_EQ(r5, V{101});
  });
}

// Nothing to do submits nothing: empty batches, runs of no iteration (KER-LOOP-06), empty transfers.
TEST(WebgpuBatch, SubmitsNothingForNothing) {
  on_each_device([](Rig& rig) {
    EXPECT_EQ(rig.run(backend::Batch{}).submissions, 0u);
    const auto a = rig.array(std::vector<std::int32_t>{7});
    const auto outcome = rig.run(rig.call(increment(), {{a, 0, 4}}, 0));
    EXPECT_EQ(outcome.submissions, 0u);
    EXPECT_EQ(outcome.passes.at(0).dispatches, 0u);
    EXPECT_EQ(rig.read<std::int32_t>(a, 1)[0], 7);
    const auto empty = rig.zeros(0);
    EXPECT_TRUE(rig.read<std::int32_t>(empty, 0).empty());
  });
}

// KER-RES-01: made of zeros, also where an earlier buffer left its bytes.
TEST(WebgpuBatch, NewMemoryIsZero) {
  on_each_device([](Rig& rig) {
    for (int i = 0; i < 20; ++i) {
      const auto a = rig.zeros(4096);
      for (auto v : rig.read<std::int32_t>(a, 1024)) ASSERT_EQ(v, 0);
      std::vector<std::int32_t> sevens(1024, 7);
      backend::Batch batch;
      batch.passes.push_back({backend::Upload{{a, 0, 4096}, bytes(sevens)}, 0, ""});
      rig.run(std::move(batch));
      rig.backend().destroy(a);
    }
  });
}

// KER-ERR-01, KER-ERR-02: each of these would abort the process in wgpu-native or corrupt memory; each is an error that
// names the pass, nothing of its batch runs, and the device goes on.
TEST(WebgpuBatch, RefusesWhatCannotRun) {
  on_each_device([](Rig& rig) {
    const auto a = rig.array(std::vector<std::int32_t>{5, 5, 5, 5});
    const auto gone = rig.zeros(16, "gone");
    rig.backend().destroy(gone);
    std::vector<std::int32_t> four(4), five(5);
    const auto wrong = [&](backend::Pass pass, backend::ErrorKind kind, const std::string& says) {
      backend::Batch batch;
      const std::vector<std::int32_t> nines(4, 9);
      batch.passes.push_back({backend::Upload{{a, 0, 16}, bytes(nines)}, 0, "up"});
      pass.label = "blur";
      batch.passes.push_back(std::move(pass));
      auto result = rig.try_run(std::move(batch));
      ASSERT_FALSE(result) << says;
      EXPECT_EQ(result.error().kind, kind) << says;
      EXPECT_EQ(result.error().message, says);
    };
    using backend::ErrorKind;
    wrong({backend::Read{{gone, 0, 16}, into(four)}, 0, ""}, ErrorKind::state,
          "blur reads a buffer that does not exist or was destroyed.");
    wrong({backend::Read{{a, 0, 20}, into(five)}, 0, ""}, ErrorKind::range,
          "blur reads bytes 0..20 of array, which has 16.");
    wrong({backend::Fill{{a, 2, 4}}, 0, ""}, ErrorKind::range,
          "blur clears 4 bytes at offset 2, and WebGPU moves whole words of 4 bytes.");
    wrong({backend::Copy{{a, 0, 8}, {a, 8, 4}}, 0, ""}, ErrorKind::range, "blur copies 8 bytes to a place of 4.");
    auto run = rig.call(increment(), {{a, 0, 16}}, 4);
    run.program = 999;
    wrong({run, 0, ""}, ErrorKind::state, "blur runs a program that was not compiled on this device.");
    wrong({rig.call(increment(), {}, 4), 0, ""}, ErrorKind::type,
          "blur binds 0 arrays and 0 results where its program has 1 and 0.");
    wrong({rig.call(increment(), {{a, 4, 8}}, 2), 0, ""}, ErrorKind::range,
          "blur binds an array at offset 4, which is no multiple of the device's " +
              std::to_string(rig.backend().info().limit("minStorageBufferOffsetAlignment", 0)) + ".");
    EXPECT_EQ(rig.read<std::int32_t>(a, 4), (std::vector<std::int32_t>{5, 5, 5, 5}));
  });
}

// LIM: a buffer past the device's limits is refused with its size and the limit, and nothing is allocated.
TEST(WebgpuBatch, RefusesHugeBuffers) {
  on_each_device([](Rig& rig) {
    for (const std::uint64_t size : {rig.backend().info().limit("maxStorageBufferBindingSize", 0) + 4,
                                     std::uint64_t{1} << 62, std::numeric_limits<std::uint64_t>::max()}) {
      auto made = rig.backend().create({size, "image"});
      ASSERT_FALSE(made);
      EXPECT_EQ(made.error().kind, backend::ErrorKind::memory);
      EXPECT_NE(made.error().message.find("image takes " + std::to_string(size) + " bytes"), std::string::npos)
          << made.error().message;
      EXPECT_NE(made.error().message.find("maxStorageBufferBindingSize"), std::string::npos) << made.error().message;
    }
    EXPECT_EQ(rig.backend().import({}).error().kind, backend::ErrorKind::unsupported);
  });
}

// A destroyed buffer stays for the work that was submitted with it.
TEST(WebgpuBatch, DestroyWaitsForSubmittedWork) {
  on_each_device([](Rig& rig) {
    const auto a = rig.zeros(4 << 20), b = rig.zeros(4 << 20);
    backend::Batch batch;
    for (int i = 0; i < 8; ++i) batch.passes.push_back({rig.call(increment(), {{a, 0, 4 << 20}}, 1 << 20), 0, "add"});
    batch.passes.push_back({backend::Copy{{a, 0, 4 << 20}, {b, 0, 4 << 20}}, 0, "copy"});
    bool called = false;
    rig.backend().submit(std::move(batch), [&](auto r) {
      EXPECT_TRUE(r);
      called = true;
    });
    rig.backend().destroy(a);
    while (!called) rig.backend().pump(std::chrono::seconds(1));
    EXPECT_EQ(rig.read<std::int32_t>(b, 1 << 20)[1234567 % (1 << 20)], 8);
    rig.backend().destroy(b);
  });
}

// Several batches in flight are called back in order, each with its own data (F-19).
TEST(WebgpuBatch, FliesSeveralAtOnce) {
  on_each_device([](Rig& rig) {
    const auto a = rig.zeros(4096);
    std::vector<std::vector<std::int32_t>> seen(48, std::vector<std::int32_t>(1024));
    std::vector<int> order;
    const auto run = rig.call(increment(), {{a, 0, 4096}}, 1024);
    for (int k = 0; k < 48; ++k) {
      backend::Batch batch;
      batch.passes.push_back({run, 0, "increment"});
      batch.passes.push_back({backend::Read{{a, 0, 4096}, into(seen[k])}, 0, "read"});
      rig.backend().submit(std::move(batch), [&order, k](auto r) {
        EXPECT_TRUE(r);
        order.push_back(k);
      });
    }
    while (order.size() < 48) rig.backend().pump(std::chrono::seconds(1));
    EXPECT_FALSE(rig.backend().pump(std::chrono::seconds(5))) << "nothing is pending, so nothing is waited for";
    for (int k = 0; k < 48; ++k) {
      EXPECT_EQ(order[k], k);
      EXPECT_EQ(seen[k], std::vector<std::int32_t>(1024, k + 1));
    }
  });
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WEFT_TEST_ASAN
#endif
#endif
#ifdef WEFT_TEST_ASAN
constexpr bool under_address_sanitizer = true;
#else
constexpr bool under_address_sanitizer = false;
#endif

std::size_t resident_kib() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word)
    if (word == "VmRSS:") {
      std::size_t kib = 0;
      status >> kib;
      return kib;
    }
  return 0;
}

// G-07, FUSE-TIM-12, FUSE-RED-09: 10,000 small submissions, timed and folding, do not grow the memory.
TEST(WebgpuBatch, TenThousandDoNotGrow) {
  on_each_device([](Rig& rig) {
    Draft d("sum");
    auto x = d.array(f32, false);
    auto s = d.fold(Op::ADD, f32);
    d.set(s, d.fence(d.add(d.load(s), d.load(x, d.i))));
    auto p = d.finish();
    const auto in = rig.array(std::vector<float>(300, 1.f)), out = rig.zeros(4);
    const auto run = rig.call(p, {{in, 0, 1200}}, 300, {}, {{out, 0, 4}});
    std::size_t before = 0;
    for (int k = 0; k < 10'000; ++k) {
      if (k == 1000) before = resident_kib();
      float value = 0;
      backend::Batch batch;
      batch.timed = k % 2 == 0;
      batch.passes.push_back({run, 0, "sum"});
      batch.passes.push_back({backend::Read{{out, 0, 4}, std::as_writable_bytes(std::span(&value, 1))}, 0, "read"});
      rig.run(std::move(batch));
      ASSERT_EQ(value, 300.f);
    }
    if (!under_address_sanitizer) { EXPECT_LT(resident_kib(), before + 4096); }  // it holds freed memory back
  });
}

// FUSE-TIM-02..-05, -09, F-17: times where the device has them and the batch asks; the same dispatches and submissions
// without; up to 2,048 passes in one submission.
TEST(WebgpuBatch, TimesPasses) {
  on_each_device([](Rig& rig) {
    const auto a = rig.zeros(4 << 20);
    const auto run = rig.call(increment(), {{a, 0, 4 << 20}}, 1 << 20);
    const auto none = rig.call(increment(), {{a, 0, 4 << 20}}, 0);
    const auto with = [&](bool timed, std::size_t passes, const backend::Run& first) {
      backend::Batch batch;
      batch.timed = timed;
      batch.passes.push_back({first, 0, "first"});
      const auto small = rig.call(increment(), {{a, 0, 4}}, 1);
      for (std::size_t i = 1; i < passes; ++i) batch.passes.push_back({small, 1, "small"});
      return rig.run(std::move(batch));
    };
    const auto untimed = with(false, 2, run);
    EXPECT_FALSE(untimed.passes[0].ns);
    const auto timed = with(true, 2, run);
    EXPECT_EQ(timed.submissions, untimed.submissions);
    EXPECT_EQ(timed.passes[0].dispatches, untimed.passes[0].dispatches);
    EXPECT_FALSE(with(true, 1, none).passes[0].ns) << "a run of no iteration has no time";
    if (!rig.backend().info().timestamps) {
      EXPECT_FALSE(timed.passes[0].ns);
      return;
    }
    ASSERT_TRUE(timed.passes[0].ns && timed.passes[1].ns);
    EXPECT_GE(*timed.passes[0].ns, 0);
    EXPECT_LT(*timed.passes[0].ns, 60e9);
    EXPECT_TRUE(with(true, 2048, run).passes[2047].ns);
    const auto too_many = with(true, 2049, run);
    EXPECT_EQ(too_many.submissions, 1u);
    for (const auto& pass : too_many.passes) ASSERT_FALSE(pass.ns);
  });
}

// KER-DEV-03: on a lost device pending work is rejected, nothing hangs, nothing is called that would abort; a new one works.
TEST(WebgpuBatch, LossRejectsWhatIsPending) {
  on_each_device([](Rig& first) {
    backend::OpenOptions options;
    options.adapter = first.name();
    auto rig = open_rig(options);
    ASSERT_TRUE(rig);
    const auto a = rig->zeros(4096);
    const auto run = rig->call(increment(), {{a, 0, 4096}}, 1024);
    std::vector<std::int32_t> into_(1024);
    int lost = 0;
    const auto count = [&](backend::Expected<backend::Outcome> r) {
      if (!r && r.error().kind == backend::ErrorKind::lost) ++lost;
    };
    backend::Batch batch;
    batch.passes.push_back({run, 0, "increment"});
    batch.passes.push_back({backend::Read{{a, 0, 4096}, into(into_)}, 0, "read"});
    rig->backend().submit(batch, count);
    rig->backend().gpu().destroy();
    EXPECT_TRUE(rig->backend().lost());
    rig->backend().submit(batch, count);
    for (int i = 0; i < 10 && lost < 2; ++i) rig->backend().pump(std::chrono::milliseconds(100));
    EXPECT_EQ(lost, 2);
    EXPECT_FALSE(rig->backend().pump(std::chrono::seconds(5)));
    EXPECT_EQ(rig->backend().create({16, "x"}).error().kind, backend::ErrorKind::lost);
    EXPECT_EQ(rig->try_compile(increment()).error().kind, backend::ErrorKind::lost);
    rig->backend().destroy(a);
    rig.reset();
    rig = open_rig(options);
    ASSERT_TRUE(rig);
    EXPECT_EQ(rig->read<std::int32_t>(rig->array(std::vector<std::int32_t>{3}), 1)[0], 3);
  });
}

}  // namespace
}  // namespace weft::webgpu::test
