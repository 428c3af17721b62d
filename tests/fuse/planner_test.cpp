// Grouping as tables (FUSE-GRP-09): F1..F7, scratch locals, the worked examples of the specification.
#include <gtest/gtest.h>

#include <chrono>

#include "fuse/plan_table.hpp"

namespace weft::test {
namespace {

using Face = FaceBuilder;

Face map(const std::string& name) { return Face(name).reads("p").writes("q"); }
Face sum(const std::string& name) { return Face(name).reads("p").folds(); }

TEST(Planner, NoCallsGiveNoGroups) { EXPECT_EQ(PlanTable().text(), ""); }

// FUSE-GRP-01, FUSE-GRP-03, worked example 1: residents keep their buffers.
TEST(Planner, GRP03_ConsecutiveMapsAreOneGroup) {
  PlanTable t;
  t.call(map("a"), {"x", "y"});
  t.call(map("b"), {"y", "z"});
  EXPECT_EQ(t.text(), "{a b}");
}

// FUSE-SCR-09, worked example 2.
TEST(Planner, SCR09_AnIntermediateIsALocal) {
  PlanTable t;
  t.call(map("a"), {"x", "s"});
  t.call(map("b"), {"s", "z"});
  EXPECT_EQ(t.text(), "{a b | s}");
}

// FUSE-F6-01, FUSE-F7-03, worked example 3.
TEST(Planner, F601_AReductionEndsAGroupAt256) {
  PlanTable t;
  t.call(map("a"), {"x", "s"});
  t.call(sum("total"), {"s"});
  t.call(map("b"), {"x", "z"});
  EXPECT_EQ(t.text(), "{a total | s} {b}");
  EXPECT_EQ(t.groups()[0].workgroup, 256u);
  EXPECT_EQ(t.why(1), "total and b run as two dispatches because total reduces");
}

// FUSE-F6-02
TEST(Planner, F602_TwoReductionsNeverShareAGroup) {
  PlanTable t;
  t.call(sum("total"), {"x"});
  t.call(sum("mean"), {"x"});
  EXPECT_EQ(t.text(), "{total} {mean}");
}

// FUSE-F4-01, FUSE-GRP-04, worked example 4.
TEST(Planner, F401_WhatAnEarlierCallReadsIsNotWritten) {
  PlanTable t;
  t.call(map("a"), {"x", "y"});
  t.call(map("b"), {"y", "x"});
  EXPECT_EQ(t.text(), "{a} {b}");
}

// FUSE-GRP-02: against every call of the group, not only the last.
TEST(Planner, GRP02_FactsHoldAgainstEachCall) {
  PlanTable t;
  t.call(map("a"), {"x", "y"});
  t.call(map("b"), {"u", "v"});
  t.call(map("c"), {"w", "x"});
  EXPECT_EQ(t.text(), "{a b} {c}");
  EXPECT_EQ(t.why(1), "a and c run as two dispatches because c writes `q`, which a reads as `p`");
}

// FUSE-GRP-01: a call never joins an earlier group by passing another.
TEST(Planner, GRP01_NothingPassesAnotherCall) {
  PlanTable t;
  t.call(map("a"), {"x", "y"});
  t.call(map("b"), {"u", "v"}, 7);
  t.call(map("c"), {"x", "z"});
  EXPECT_EQ(t.text(), "{a} {b} {c}");
}

// FUSE-GRP-07
TEST(Planner, GRP07_OneKernelMayRepeat) {
  PlanTable t;
  const Face k = map("k");
  t.call(k, {"x", "y"}), t.call(k, {"y", "z"}), t.call(k, {"u", "v"});
  EXPECT_EQ(t.text(), "{k k k}");
}

// FUSE-F1-02, FUSE-F1-03, FUSE-F1-04, FUSE-F1-05, FUSE-F1-06, FUSE-F1-07: whoever fails stands alone, first or second.
TEST(Planner, F1_OnlyFusibleCallsJoin) {
  const Face bad[] = {map("b").not_fusible(), map("b").loops(2), map("b").loops(0), map("b").scatters("r", "r[k]", 3),
                      map("b").continues(4)};
  for (const Face& b : bad) {
    PlanTable second, first;
    second.call(map("a"), {"x", "y"}), second.call(b, {"u", "v", "w"});
    first.call(b, {"u", "v", "w"}), first.call(map("a"), {"x", "y"}), first.call(map("c"), {"y", "z"});
    EXPECT_EQ(second.text(), "{a} {b}");
    EXPECT_EQ(first.text(), "{b} {a c}") << "FUSE-F1-07: and the next two still join each other";
  }
}

// FUSE-F1-06, FUSE-F1-08
TEST(Planner, F106_ACallOfNoIterationStandsAlone) {
  PlanTable t;
  t.call(map("a"), {"x", "y"}, 0);
  t.call(map("b"), {"u", "v"}, 0);
  EXPECT_EQ(t.text(), "{a} {b}");
}

// FUSE-F2-01, FUSE-F2-02
TEST(Planner, F2_OneIterationSpace) {
  struct Case {
    trace::LoopHeader a, b;
    const char* groups;
  };
  for (const Case& c : {Case{{0, 1, 8}, {0, 1, 8}, "{a b}"}, Case{{0, 2, 4}, {0, 2, 4}, "{a b}"},
                        Case{{0, 1, 8}, {1, 1, 8}, "{a} {b}"}, Case{{0, 1, 8}, {0, 2, 8}, "{a} {b}"},
                        Case{{0, 1, 8}, {0, 1, 9}, "{a} {b}"}, Case{{7, -1, 8}, {7, -1, 8}, "{a b}"}}) {
    PlanTable t;
    t.call(map("a"), {"x", "y"}).header = c.a;
    t.call(map("b"), {"u", "v"}).header = c.b;
    EXPECT_EQ(t.text(), c.groups);
  }
}

// FUSE-F3-01
TEST(Planner, F301_WhatIsProducedIsReadAndWrittenAtI) {
  PlanTable reads, writes, both;
  reads.call(map("a"), {"x", "y"});
  reads.call(Face("b").reads("p").reads_at("p", 1, -1, "p[i - 1]", 9).writes("q"), {"y", "z"});
  EXPECT_EQ(reads.text(), "{a} {b}") << "one other read is enough";
  writes.call(Face("a").reads("p").writes_at("q", 2, 0, "q[2 * i]", 4), {"x", "y"});
  writes.call(map("b"), {"y", "z"});
  EXPECT_EQ(writes.text(), "{a} {b}");
  both.call(Face("a").reads("p").writes_at("q", 2, 0, "q[2 * i]", 4), {"x", "y"});
  both.call(Face("b").gathers("p", "p[k]", 9).writes("q"), {"u", "z"});
  EXPECT_EQ(both.text(), "{a b}") << "apart on arrays that are not shared";
}

// FUSE-F3-02
TEST(Planner, F302_ALengthIsNotARead) {
  PlanTable t;
  t.call(Face("a").reads("p").writes_at("q", 2, 0, "q[2 * i]", 4), {"x", "y"});
  t.call(Face("b").length_of("n").reads("p").writes("q"), {"y", "x", "z"});
  EXPECT_EQ(t.text(), "{a b}");
}

// FUSE-F3-03
TEST(Planner, F303_AConditionDoesNotMatter) {
  PlanTable t;
  t.call(Face("a").reads("p").writes("q").when_told(), {"x", "s"});
  t.call(Face("b").reads("p").when_told().writes("q"), {"s", "z"});
  EXPECT_EQ(t.text(), "{a b | s}");
}

// FUSE-F3-04, FUSE-F4-04
TEST(Planner, F304_WhatWasOnlyReadMayBeReadAnywhere) {
  PlanTable t;
  t.call(map("a"), {"x", "y"});
  t.call(Face("b").gathers("p", "p[k]", 2).writes("q"), {"x", "z"});
  t.call(Face("c").reads_at("p", 1, 1, "p[i + 1]", 2).writes("q"), {"x", "w"});
  EXPECT_EQ(t.text(), "{a b c}");
}

// FUSE-F4-02, FUSE-F4-03
TEST(Planner, F4_AnArrayHasOneWriterInAGroup) {
  PlanTable twice, in_place, alone, of_read;
  twice.call(map("a"), {"x", "y"}), twice.call(map("b"), {"u", "y"});
  EXPECT_EQ(twice.text(), "{a} {b}");
  const Face update = Face("k").reads("q").writes("q");
  in_place.call(map("a"), {"x", "y"}), in_place.call(update, {"y"});
  EXPECT_EQ(in_place.text(), "{a} {k}");
  of_read.call(map("a"), {"x", "y"}), of_read.call(update, {"x"});
  EXPECT_EQ(of_read.text(), "{a} {k}");
  alone.call(map("a"), {"x", "y"}), alone.call(update, {"w"});
  EXPECT_EQ(alone.text(), "{a k}") << "no earlier call touches it";
}

// FUSE-F4-05
TEST(Planner, F405_OneArrayHasOneType) {
  PlanTable t;
  t.call(map("a"), {"x", "y"});
  t.call(Face("b").reads("p", 1, dtype_of<vec4f>).writes("q"), {"x", "z"});
  EXPECT_EQ(t.text(), "{a} {b}");
  EXPECT_EQ(t.why(1), "a and b run as two dispatches because a takes `p` as array<f32> and b as array<vec4f>");
}

// FUSE-F5-01, FUSE-F5-03; F-12 (a)
TEST(Planner, F501_TheDevicesLimitCounts) {
  for (auto [limit, groups] :
       {std::pair<std::uint64_t, const char*>{8, "{k k k k} {k}"}, {10, "{k k k k k}"}, {9, "{k k k k} {k}"}}) {
    PlanTable t;
    t.limits.storage_buffers = limit;
    const Face k = map("k");
    for (int i = 0; i < 5; ++i) t.call(k, {"x" + std::to_string(i), "y" + std::to_string(i)});
    EXPECT_EQ(t.text(), groups);
  }
  PlanTable shared;
  shared.limits.storage_buffers = 3;
  shared.call(map("a"), {"x", "y"}), shared.call(map("b"), {"x", "z"});
  EXPECT_EQ(shared.text(), "{a b}") << "x counts once";
}

// FUSE-F5-02
TEST(Planner, F502_EachFoldedVariableCounts) {
  for (auto [limit, groups] : {std::pair<std::uint64_t, const char*>{4, "{a total}"}, {3, "{a} {total}"}}) {
    PlanTable t;
    t.limits.storage_buffers = limit;
    t.call(map("a"), {"x", "y"});
    t.call(Face("total").reads("p").folds(2), {"y"});
    EXPECT_EQ(t.text(), groups);
  }
}

// FUSE-F5-04, FUSE-F5-05: a scratch array whose last user comes later takes a binding now.
TEST(Planner, F505_ALaterUserSplitsAGroupThatWouldFit) {
  PlanTable without, with;
  for (PlanTable* t : {&without, &with}) {
    t->limits.storage_buffers = 3;
    t->call(map("a"), {"x", "s"});
    t->call(map("b"), {"s", "u"});
    t->call(map("c"), {"u", "v"});
  }
  EXPECT_EQ(without.text(), "{a b c | s}");
  with.call(map("d"), {"s", "w"}, 7);
  EXPECT_EQ(with.text(), "{a b} {c} {d}");
}

// FUSE-F5-04: the candidate counts as joined.
TEST(Planner, F504_ALongChainOverScratchBindsTwoArrays) {
  PlanTable t;
  t.limits.storage_buffers = 3;
  t.call(map("k0"), {"x", "s0"});
  std::string groups = "{k0", locals = " |";
  for (int i = 1; i < 8; ++i) {
    t.call(map("k" + std::to_string(i)), {"s" + std::to_string(i - 1), i == 7 ? "y" : "s" + std::to_string(i)});
    groups += " k" + std::to_string(i), locals += " s" + std::to_string(i - 1);
  }
  EXPECT_EQ(t.text(), groups + locals + "}");
}

// FUSE-F5-06
TEST(Planner, F506_ALoneCallIsNotJudged) {
  PlanTable t;
  t.limits.storage_buffers = 1;
  t.call(map("a"), {"x", "y"});
  EXPECT_EQ(t.text(), "{a}");
}

// FUSE-F7-01, FUSE-F7-02, FUSE-F7-03, FUSE-F7-04
TEST(Planner, F7_OneWorkgroupSize) {
  struct Case {
    std::uint32_t a, b;
    bool reduces;
    const char* groups;
    std::uint32_t size;
  };
  for (const Case& c :
       {Case{0, 0, false, "{a b}", 64}, Case{128, 0, false, "{a b}", 128}, Case{0, 128, false, "{a b}", 128},
        Case{128, 128, false, "{a b}", 128}, Case{128, 64, false, "{a} {b}", 64}, Case{0, 0, true, "{a b}", 256},
        Case{256, 0, true, "{a b}", 256}, Case{128, 0, true, "{a} {b}", 64}, Case{64, 0, true, "{a} {b}", 64},
        Case{0, 256, true, "{a b}", 256}, Case{0, 128, true, "{a} {b}", 64}}) {  // the last is FUSE-F7-05
    PlanTable t;
    Face a = map("a"), b = c.reduces ? sum("b") : map("b");
    if (c.a) a.at(c.a);
    if (c.b) b.at(c.b);
    t.call(a, {"x", "y"}), t.call(b, c.reduces ? std::vector<std::string>{"y"} : std::vector<std::string>{"y", "z"});
    EXPECT_EQ(t.text(), c.groups) << c.a << " " << c.b;
    EXPECT_EQ(t.groups()[0].workgroup, c.size);
  }
}

// FUSE-SCR-09 (a): a call outside the group names it.
TEST(Planner, SCR09a_NamedOutsideTheGroup) {
  PlanTable t;
  t.call(map("a"), {"x", "s"});
  t.call(map("b"), {"s", "z"});
  t.call(Face("c").takes("n").reads("p").writes("q"), {"s", "x", "w"}, 7);
  EXPECT_EQ(t.text(), "{a b} {c}") << "naming is enough, without an access";
}

// FUSE-SCR-09 (b), FUSE-SCR-16: no writer.
TEST(Planner, SCR09b_ReadButNeverWritten) {
  PlanTable t;
  t.call(map("a"), {"s", "y"});
  t.call(map("b"), {"s", "z"});
  EXPECT_EQ(t.text(), "{a b}");
}

// FUSE-SCR-09 (c)
TEST(Planner, SCR09c_AnAccessThatIsNotAtI) {
  PlanTable t;
  t.call(Face("a").reads("p").writes_at("q", 1, 1, "q[i + 1]", 3), {"x", "s"});
  t.call(map("b"), {"x", "z"});
  EXPECT_EQ(t.text(), "{a b}");
}

// FUSE-SCR-09 (d), FUSE-SCR-10
TEST(Planner, SCR09d_ItsLengthIsRead) {
  PlanTable t;
  t.call(map("a"), {"x", "s"});
  t.call(Face("b").length_of("p").reads("p").writes("q"), {"s", "z"});
  EXPECT_EQ(t.text(), "{a b}");
}

// FUSE-SCR-12
TEST(Planner, SCR12_ALoneGroupHasNoLocals) {
  PlanTable t;
  t.call(map("a"), {"x", "s"});
  EXPECT_EQ(t.text(), "{a}");
}

// FUSE-SCR-08: a view with other elements is a buffer.
TEST(Planner, SCR08_TakenAsVectorsItIsABuffer) {
  PlanTable t;
  t.call(map("a"), {"x", "s"}).bindings[1].as_made = false;
  t.call(map("b"), {"s", "z"}).bindings[0].as_made = false;
  EXPECT_EQ(t.text(), "{a b}");
}

// FUSE-SCR-20: a conditional write past its end is dropped, and a local would keep it.
TEST(Planner, SCR20_ShorterThanTheLoopIsNeverALocal) {
  PlanTable t;
  t.call(Face("a").reads("p").writes("q").when_told(), {"x", "s"}).bindings[1].length = 999;
  t.call(map("b"), {"s", "z"}).bindings[0].length = 999;
  EXPECT_EQ(t.text(), "{a b}");
}

// FUSE-SCR-24
TEST(Planner, SCR24_AResidentIsNeverALocal) {
  PlanTable t;
  t.call(map("a"), {"x", "r"}), t.call(map("b"), {"r", "z"});
  EXPECT_EQ(t.text(), "{a b}");
}

// FUSE-SCR-11, FUSE-TIER-04: a call on another tier names it.
TEST(Planner, SCR11_ACallOnTheCpuNamesIt) {
  PlanTable t;
  t.call(map("a"), {"x", "s"}), t.call(map("b"), {"s", "z"});
  t.call(map("h"), {"s", "v"}).tier = Tier::cpu;
  EXPECT_EQ(t.text(), "{a b} {h}");
}

// FUSE-TIER-01, FUSE-TIER-02, FUSE-TIER-03
TEST(Planner, TIER01_OnlyWebgpuFuses) {
  for (Tier tier : {Tier::cpu, Tier::gles}) {
    PlanTable t;
    t.call(map("a"), {"x", "y"}).tier = tier;
    t.call(map("b"), {"y", "z"}).tier = tier;
    EXPECT_EQ(t.text(), "{a} {b}");
  }
}

// FUSE-F4-06, FUSE-REC-12: identity is the array's number, never its contents.
TEST(Planner, KER_ACC_04_TwoParametersOfOneArrayAreOneUse) {
  PlanTable t;
  t.call(map("a"), {"x", "x"});
  t.call(map("b"), {"x", "y"});
  EXPECT_EQ(t.text(), "{a b}");
}

// FUSE-CAC-06, FUSE-BIT-01: a call that no entry can hold stands alone.
TEST(Planner, BIT01_ACallThatNoEntryHolds) {
  PlanTable t;
  t.call(map("a"), {"x", "y"}), t.call(map("b"), {"y", "z"}).alone = true, t.call(map("c"), {"z", "u"}),
                                                       t.call(map("d"), {"u", "v"});
  EXPECT_EQ(t.text(), "{a} {b} {c d}");
  EXPECT_EQ(t.why(1), "a and b run as two dispatches because their fused entry cannot be built");
  EXPECT_EQ(t.why(2), "b and c run as two dispatches because their fused entry cannot be built");
}

// FUSE-LIM-04: and one group of 20,000 calls as well as many groups.
TEST(Planner, LIM04_TwentyThousandCallsPlanInUnderASecond) {
  PlanTable chain, many;
  const Face k = map("k");
  for (int i = 0; i < 20000; ++i) {
    chain.call(k, {"s" + std::to_string(i), "s" + std::to_string(i + 1)});
    many.call(k, {"x", "y"});
  }
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(chain.groups().size(), 1u);
  EXPECT_EQ(many.groups().size(), 20000u);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
}

}  // namespace
}  // namespace weft::test
