// The null tier that runtime and fuse tests stand on: it runs programs, counts, fails on demand, and notices misuse.
#include "support/null_backend.hpp"
#include "lower/lowering.hpp"
#include "support/program_interpreter.hpp"

namespace weft::test {
namespace {

using namespace backend;

struct Rig {
  NullBackend null;
  std::shared_ptr<const trace::Program> twice = program(
      kernel("twice(x)", [](Array<float> x) { loop(x.length(), [&](Index i) { x[i] = x[i] * 2.0f; }); }).core());
  MemoryId memory = *null.create({16, "x"});
  std::vector<float> in{1, 2, 3, 4}, out = std::vector<float>(4);

  CompiledId compile() {
    CompiledId id = 0;
    null.compile(twice, [&](Expected<CompiledId> r) { id = r ? *r : 0; });
    return id;
  }
  Batch batch(CompiledId id) {
    Batch b;
    const Region all{memory, 0, 16};
    b.passes.push_back({Upload{all, std::as_bytes(std::span(in))}, 0, "upload"});
    b.passes.push_back(
        {backend::Run{id, {all}, pack_uniforms(*twice, 4, [](const trace::Uniform&) { return 4u; }), 4, {}}, 0,
         "twice"});
    b.passes.push_back({Read{all, std::as_writable_bytes(std::span(out))}, 0, "read"});
    return b;
  }
};

TEST(NullBackend, runs_a_batch_and_counts) {
  Rig r;
  bool done = false;
  r.null.submit(r.batch(r.compile()),
                [&](Expected<Outcome> o) { done = o && o->passes.size() == 3 && o->passes[1].dispatches == 1; });
  EXPECT_TRUE(done);
  EXPECT_EQ(r.out, (std::vector{2.0f, 4.0f, 6.0f, 8.0f}));
  const NullCounts c = r.null.counts();
  EXPECT_EQ(c.dispatches, 1u);
  EXPECT_EQ(c.uploads, 1u);
  EXPECT_EQ(c.reads, 1u);
  EXPECT_EQ(c.submits, 1u);
  EXPECT_EQ(r.null.labels(), (std::vector<std::string>{"upload", "twice", "read"}));
  EXPECT_TRUE(r.null.misuse().empty());
}

TEST(NullBackend, completes_later) {
  Rig r;
  const CompiledId id = r.compile();
  r.null.delay(true), r.null.hold(true);
  bool done = false;
  r.null.submit(r.batch(id), [&](Expected<Outcome> o) { done = static_cast<bool>(o); });
  EXPECT_TRUE(r.null.pump(std::chrono::nanoseconds(0)));
  EXPECT_FALSE(done);
  EXPECT_EQ(r.out[0], 0.0f) << "nothing has run";
  r.null.hold(false);
  EXPECT_TRUE(r.null.pump(std::chrono::nanoseconds(0)));
  EXPECT_TRUE(done);
  EXPECT_FALSE(r.null.pump(std::chrono::nanoseconds(0))) << "nothing is pending";
}

TEST(NullBackend, fails_where_a_test_wants_it) {
  Rig r;
  const CompiledId id = r.compile();
  r.null.fail(
      {.compile = "no such instruction", .create = 2, .lose_at_submit = 1, .refuse = "not here", .submit_error = 0});
  std::vector<ErrorKind> kinds;
  r.null.compile(r.twice, [&](Expected<CompiledId> e) { kinds.push_back(e.error().kind); });
  kinds.push_back(r.null.create({16, "y"}).error().kind);
  r.null.submit(r.batch(id), [&](Expected<Outcome> e) { kinds.push_back(e.error().kind); });
  EXPECT_EQ(kinds, (std::vector{ErrorKind::compile, ErrorKind::memory, ErrorKind::lost}));
  EXPECT_EQ(r.null.refuses(*r.twice), "not here");
  EXPECT_TRUE(r.null.lost());
  EXPECT_TRUE(r.null.misuse().empty());
  r.null.create({16, "z"});
  EXPECT_EQ(r.null.misuse(), (std::vector<std::string>{"create after the device was lost"}));
}

TEST(NullBackend, notices_misuse) {
  Rig r;
  Batch b = r.batch(r.compile());
  std::get<Upload>(b.passes[0].what).to.offset = 8;
  std::get<backend::Run>(b.passes[1].what).n = 3;
  bool failed = false;
  r.null.submit(std::move(b), [&](Expected<Outcome> o) { failed = !o; });
  EXPECT_TRUE(failed);
  const std::vector<std::string> misuse = r.null.misuse();
  ASSERT_EQ(misuse.size(), 3u);
  EXPECT_EQ(misuse[0], "upload: bytes 8 to 24 of 16");
  EXPECT_EQ(misuse[2], "twice: the trip count of the uniforms is not that of the run");
}

TEST(NullBackend, its_work_finds_a_memory_destroyed_since) {
  Rig r;
  const CompiledId id = r.compile();
  r.null.delay(true);
  r.null.submit(r.batch(id), [](Expected<Outcome>) {});
  r.null.destroy(r.memory);
  r.null.pump(std::chrono::nanoseconds(0));
  EXPECT_EQ(r.out, (std::vector{2.0f, 4.0f, 6.0f, 8.0f}));
  EXPECT_EQ(r.null.live(), 0u);
}

}  // namespace
}  // namespace weft::test
