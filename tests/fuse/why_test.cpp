// Why groups stand apart: every row of the table of FUSE-WHY that calls of kernels can reach, with whole sentences, also
// where FUSE-WHY-08 would leave room.
#include <gtest/gtest.h>

#include "fuse/plan_table.hpp"

namespace weft::test {
namespace {

using Face = FaceBuilder;

Face map(const std::string& name) { return Face(name).reads("p").writes("q"); }

std::string apart(const Face& a, std::vector<std::string> to_a, const Face& b, std::vector<std::string> to_b) {
  PlanTable t;
  t.call(a, to_a), t.call(b, to_b);
  EXPECT_EQ(t.groups().size(), 2u);
  EXPECT_FALSE(t.groups()[0].why) << "W0, FUSE-WHY-01";
  return t.why(1);
}

TEST(Why, W2_TheKernelHasAReason) {
  PlanTable t;
  t.call(map("mul"), {"x", "y"});
  auto& b = t.call(map("hist"), {"u", "v"});
  b.tier = Tier::cpu;
  b.face_reason = "it combines into `bins` with *, for which there is no atomic";
  b.device_reason = "it binds 9 arrays and the device allows 8";
  EXPECT_EQ(t.why(1), "hist runs on the CPU, it combines into `bins` with *, for which there is no atomic");
}

TEST(Why, W3_TheDeviceRefusedWhileAnotherCallRanOnIt) {
  PlanTable t;
  t.call(map("mul"), {"x", "y"});
  auto& b = t.call(map("wide"), {"u", "v"});
  b.tier = Tier::cpu, b.device_reason = "it binds 9 arrays and the device allows 8";
  EXPECT_EQ(t.why(1), "wide runs on the CPU, it binds 9 arrays and the device allows 8");
  t.calls[0].tier = Tier::cpu;
  EXPECT_EQ(t.why(1), "") << "W4: nothing ran on WebGPU";
}

TEST(Why, W5_Gles) {
  PlanTable t;
  t.call(map("a"), {"x", "y"}), t.call(map("b"), {"u", "v"}).tier = Tier::gles;
  EXPECT_EQ(t.why(1), "GLES runs the calls apart");
}

TEST(Why, W6_W7_AfterACallOnAnotherTier) {
  PlanTable t;
  t.call(map("hist"), {"x", "y"}).tier = Tier::cpu, t.call(map("scale"), {"u", "v"});
  EXPECT_EQ(t.why(1), "scale runs apart from hist, which runs on the CPU");
  t.calls[0].tier = Tier::gles;
  EXPECT_EQ(t.why(1), "scale runs apart from hist, which runs on GLES");
}

TEST(Why, W13_NotFusible) {
  EXPECT_EQ(apart(map("mul"), {"x", "y"}, map("old").not_fusible(), {"u", "v"}),
            "mul and old run as two dispatches because old was built without weft::fusible");
  EXPECT_EQ(apart(map("old").not_fusible(), {"x", "y"}, map("mul"), {"u", "v"}),
            "old and mul run as two dispatches because old was built without weft::fusible");
  EXPECT_EQ(apart(map("a").not_fusible(), {"x", "y"}, map("b").not_fusible(), {"u", "v"}),
            "a and b run as two dispatches because b was built without weft::fusible")
      << "b comes first";
}

TEST(Why, W14_W15_W16_TheLoopOfACall) {
  EXPECT_EQ(apart(map("mul"), {"x", "y"}, map("two").loops(2), {"u", "v"}),
            "mul and two run as two dispatches because two has 2 loops");
  EXPECT_EQ(apart(map("mul"), {"x", "y"}, Face("hist").reads("p").scatters("bins", "bins[k]", 12), {"u", "v"}),
            "mul and hist run as two dispatches because hist scatters into `bins[k]` (line 12)");
  EXPECT_EQ(apart(map("skip").continues(5), {"x", "y"}, map("mul"), {"u", "v"}),
            "skip and mul run as two dispatches because skip continues its loop (line 5)");
}

TEST(Why, W17_NoIteration) {
  PlanTable t;
  t.call(map("a"), {"x", "y"}), t.call(map("b"), {"u", "v"}, 0), t.call(map("c"), {"u", "v"});
  EXPECT_EQ(t.why(1), "a and b run as two dispatches because b runs no iteration");
  EXPECT_EQ(t.why(2), "b and c run as two dispatches because b runs no iteration");
}

TEST(Why, W18_Reduces) {
  EXPECT_EQ(apart(Face("total").reads("p").folds(), {"x"}, map("scale"), {"u", "v"}),
            "total and scale run as two dispatches because total reduces");
}

TEST(Why, W19_TheFirstOfStartTripAndStepThatDiffers) {
  PlanTable t;
  auto header = [&](trace::LoopHeader a, trace::LoopHeader b) {
    t.calls.clear();
    t.call(map("a"), {"x", "y"}).header = a, t.call(map("b"), {"u", "v"}).header = b;
    return t.why(1);
  };
  EXPECT_EQ(header({0, 1, 1000}, {0, 1, 999}),
            "a and b run as two dispatches because their loops run 1000 and 999 iterations");
  EXPECT_EQ(header({0, 1, 9}, {1, 2, 8}), "a and b run as two dispatches because their loops start at 0 and 1");
  EXPECT_EQ(header({9, 1, 9}, {9, -1, 9}), "a and b run as two dispatches because their loops step by 1 and -1");
}

TEST(Why, W20_AWritesApart) {
  EXPECT_EQ(apart(Face("gather").reads("x").writes_at("t", 2, 0, "t[2 * i]", 4), {"x", "y"},
                  Face("use").reads_at("u", 1, 1, "u[i + 1]", 7).writes("z"), {"y", "z"}),
            "gather and use run as two dispatches because gather writes `t[2 * i]` (line 4)")
      << "W20 before W21, FUSE-WHY-07";
}

// FUSE-WHY-04, the sentence of the specification.
TEST(Why, W21_BReadsApart) {
  EXPECT_EQ(apart(Face("mul").reads("x", 2).writes("t", 3), {"x", "y"},
                  Face("blur")
                      .reads("t", 8)
                      .reads_at("t", 1, -1, "t[i - 1]", 9)
                      .reads_at("t", 1, 1, "t[i + 1]", 10)
                      .writes("z"),
                  {"y", "z"}),
            "mul and blur run as two dispatches because blur reads `t[i - 1]` (line 9)")
      << "the first such read";
}

// FUSE-WHY-02: `a` is the first call of the group, in order, that the fact was checked against.
TEST(Why, WHY02_TheFirstCallThatTheFactFailsAgainst) {
  PlanTable t;
  t.call(map("one"), {"x", "u"}), t.call(map("two"), {"x", "v"});
  t.call(Face("blur").reads_at("b", 1, 1, "b[i + 1]", 4).reads_at("a", 1, 1, "a[i + 1]", 5).writes("q"),
         {"v", "u", "z"});
  EXPECT_EQ(t.why(1), "one and blur run as two dispatches because blur reads `a[i + 1]` (line 5)");
}

TEST(Why, W22_Overlap) {
  EXPECT_EQ(apart(Face("load").reads("x").writes("y"), {"x", "y"}, Face("step").reads("y").writes("x"), {"u", "x"}),
            "load and step run as two dispatches because step writes `x`, which load reads");
  EXPECT_EQ(apart(Face("load").reads("x").writes("y"), {"x", "y"}, Face("step").reads("u").writes("v"), {"u", "y"}),
            "load and step run as two dispatches because step writes `v`, which load writes as `y`");
}

TEST(Why, W24_Bindings) {
  PlanTable t;
  t.call(map("a"), {"x", "y"}), t.call(map("b"), {"u", "v"}), t.call(map("c"), {"m", "n"}),
      t.call(map("d"), {"o", "q"});
  t.call(map("e"), {"o", "r"});
  EXPECT_EQ(t.why(1), "d and e run as two dispatches because they bind 9 arrays and the device allows 8");
}

TEST(Why, W25_Workgroups) {
  EXPECT_EQ(apart(map("mul").at(128), {"x", "y"}, Face("total").reads("p").folds(), {"y"}),
            "mul and total run as two dispatches because mul runs at workgroups of 128 and total at 256");
  EXPECT_EQ(apart(map("a").at(128), {"x", "y"}, map("b").at(32), {"u", "v"}),
            "a and b run as two dispatches because a runs at workgroups of 128 and b at 32");
  EXPECT_EQ(apart(map("a"), {"x", "y"}, Face("total").reads("p").folds().at(128), {"y"}),
            "a and total run as two dispatches because a runs at workgroups of 64 and total at 256")
      << "FUSE-F7-05";
}

TEST(Why, W26_NotBuilt) {
  PlanTable t;
  t.call(map("a"), {"x", "y"}), t.call(map("b"), {"u", "v"});
  EXPECT_EQ(fusion::text({.kind = fusion::Reason::Kind::not_built, .a = 0, .b = 1}, t.calls),
            "a and b run as two dispatches because their fused entry cannot be built");
}

// FUSE-WHY-05: only the first row that applies.
TEST(Why, WHY05_TheFirstRowThatApplies) {
  PlanTable t;
  t.call(map("a"), {"x", "y"}, 10);
  t.call(Face("b").reads_at("p", 1, 1, "p[i + 1]", 5).writes("q"), {"y", "x"}, 9);
  EXPECT_EQ(t.why(1), "a and b run as two dispatches because their loops run 10 and 9 iterations");
  t.calls[0].header.trip = 9;
  EXPECT_EQ(t.why(1), "a and b run as two dispatches because b reads `p[i + 1]` (line 5)");
}

// FUSE-WHY-06, FUSE-LIM-02
TEST(Why, WHY06_OneLineWhateverTheNames) {
  const std::string huge(10000, 'n');
  EXPECT_EQ(apart(map("a\nb`"), {"x", "y"}, map("x; }").not_fusible(), {"u", "v"}),
            "a?b? and x; } run as two dispatches because x; } was built without weft::fusible");
  EXPECT_EQ(apart(map(huge), {"x", "y"}, map("łódź").not_fusible(), {"u", "v"}),
            huge + " and łódź run as two dispatches because łódź was built without weft::fusible");
}

}  // namespace
}  // namespace weft::test
