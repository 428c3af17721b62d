// The linker, text in and text out.
#include "fuse/linker.hpp"

#include <gtest/gtest.h>

#include "fuse/plan_table.hpp"
#include "ir/text.hpp"

namespace weft::test {
namespace {

using fusion::Place;

const char* const mul_text = R"(%0 = PARAM int32 slot=0 space=alu source=trip min=0 max=2147483647 name="trip"
%1 = RANGE int32 %0 axis=1
%2 = PARAM float32 slot=0 source=array name="p"
%3 = INDEX float32 %2 %1
%4 = LOAD float32 %3 number=2
%5 = PARAM float32 slot=2 space=alu source=scalar index=2 name="k"
%6 = MUL float32 %4 %5
%7 = PARAM float32 slot=1 source=array index=1 name="q"
%8 = INDEX float32 %7 %1
%9 = STORE void %8 %6 number=3
%10 = BLOCK void %4 %9 number=4
%11 = GRID void %1 %10 number=5
)";

const char* const sum_text = R"(%0 = PARAM int32 slot=0 space=alu source=trip min=0 max=2147483647 name="trip"
%1 = RANGE int32 %0 axis=1
%2 = PARAM float32 slot=0 source=array name="p"
%3 = INDEX float32 %2 %1
%4 = LOAD float32 %3 number=2
%5 = LOCAL float32 number=3
%6 = LOAD float32 %5 number=4
%7 = ADD float32 %6 %4
%8 = STORE void %5 %7 number=5
%9 = BLOCK void %4 %6 %8 number=6
%10 = GRID void %1 %9 %5 number=7
)";

/// What is linked lives here.
struct Linking {
  std::vector<std::shared_ptr<trace::KernelCore>> cores;
  fusion::LinkRequest request;

  Linking& call(const FaceBuilder& face, const char* text, std::vector<Place> places) {
    auto core = std::make_shared<trace::KernelCore>();
    core->facts = *face.facts();
    cores.push_back(core);
    auto lowered = std::make_shared<trace::Lowered>();
    lowered->kernel = core;
    lowered->root = ir::parse(lowered->graph, text);
    request.calls.push_back({lowered, std::move(places)});
    return *this;
  }
  Linking& mul(Place p, Place q) { return call(FaceBuilder("mul").reads("p").writes("q"), mul_text, {p, q, {}}); }
  Linking& sum(Place p) { return call(FaceBuilder("sum").reads("p").folds(), sum_text, {p}); }
};

Place slot(std::uint32_t n) { return {Place::Kind::slot, n}; }
Place local(std::uint32_t n) { return {Place::Kind::local, n}; }

// FUSE-GRP-06, FUSE-SCR-03, FUSE-SCR-13, FUSE-BIT-05: one counter, scalars per call, the intermediate a local that begins as zero, and the
// fenced value both stored and used.
TEST(Linker, AScratchIntermediateIsALocal) {
  Linking l;
  const trace::Draft d = link(l.mul(slot(0), local(0)).mul(local(0), slot(1)).request);
  EXPECT_EQ(ir::print(d.root), R"(%0 = PARAM int32 slot=0 space=alu source=trip min=0 max=2147483647 name="trip"
%1 = RANGE int32 %0 axis=3
%2 = LOCAL float32 number=1
%3 = CONST weakfloat 0x0p+0
%4 = CAST float32 %3
%5 = STORE void %2 %4 number=2
%6 = PARAM float32 slot=0 source=array name="p"
%7 = INDEX float32 %6 %1
%8 = LOAD float32 %7 number=4
%9 = PARAM float32 slot=2 space=alu source=scalar index=2 name="k"
%10 = MUL float32 %8 %9
%11 = FENCE float32 %10
%12 = STORE void %2 %11 number=5
%13 = LOAD float32 %2 number=8
%14 = PARAM float32 slot=1 source=array index=1 name="q"
%15 = INDEX float32 %14 %1
%16 = PARAM float32 slot=2 space=alu source=scalar index=2 call=1 name="k"
%17 = MUL float32 %13 %16
%18 = STORE void %15 %17 number=9
%19 = BLOCK void %5 %8 %12 %13 %18 number=12
%20 = GRID void %1 %19 number=13
)");
  EXPECT_EQ(d.label, "mul+mul");
  ASSERT_EQ(d.slots.size(), 2u);
  EXPECT_TRUE(d.slots[0].read && !d.slots[0].written && !d.slots[1].read && d.slots[1].written);
}

// FUSE-BIT-05: a resident that one call stores and a later one loads is fenced too; what nobody reads later is not.
TEST(Linker, AStoreThatIsLoadedAgainIsFenced) {
  Linking l;
  const std::string text = ir::print(link(l.mul(slot(0), slot(1)).mul(slot(1), slot(2)).request).root);
  std::size_t fences = 0;
  for (std::size_t at = 0; (at = text.find("FENCE", at)) != std::string::npos; ++at) ++fences;
  EXPECT_EQ(fences, 1u) << text;
}

// FUSE-F6-03, RED: the fold's local is the GRID's, numbered anew.
TEST(Linker, AReductionEndsTheEntry) {
  Linking l;
  l.request.workgroup = 256;
  const trace::Draft d = link(l.mul(slot(0), local(0)).sum(local(0)).request);
  ASSERT_EQ(d.root->count, 3u);
  EXPECT_TRUE((*d.root)[2]->is(ir::Op::LOCAL));
  EXPECT_NE((*d.root)[2]->arg.number, 3) << "the number it had in its own loop";
  ASSERT_EQ(d.folds.size(), 1u);
  EXPECT_EQ(d.folds[0].op, ir::Op::ADD);
  EXPECT_EQ(d.workgroup, 256u);
}

// FUSE-GRP-07: an array that two calls take is one storage.
TEST(Linker, AnArrayOfTwoCallsIsOneSlot) {
  Linking l;
  const trace::Draft d = link(l.mul(slot(0), slot(1)).mul(slot(0), slot(2)).request);
  std::size_t arrays = 0;
  for (ir::Node n : ir::topological(d.root)) arrays += n->is(ir::Op::PARAM) && n->arg.storage->space == ir::Space::global;
  EXPECT_EQ(arrays, 3u);
}

// Float bits that travel as integers are fenced before they are bits.
TEST(Linker, BitsHandedOnAsIntegersAreFenced) {
  const char* const bits_text = R"(%0 = PARAM int32 slot=0 space=alu source=trip min=0 max=2147483647 name="trip"
%1 = RANGE int32 %0 axis=1
%2 = PARAM float32 slot=0 source=array name="p"
%3 = INDEX float32 %2 %1
%4 = LOAD float32 %3 number=2
%5 = MUL float32 %4 %4
%6 = BITCAST int32 %5
%7 = PARAM int32 slot=1 source=array index=1 name="q"
%8 = INDEX int32 %7 %1
%9 = STORE void %8 %6 number=3
%10 = BLOCK void %4 %9 number=4
%11 = GRID void %1 %10 number=5
)";
  const char* const use_text = R"(%0 = PARAM int32 slot=0 space=alu source=trip min=0 max=2147483647 name="trip"
%1 = RANGE int32 %0 axis=1
%2 = PARAM int32 slot=0 source=array name="p"
%3 = INDEX int32 %2 %1
%4 = LOAD int32 %3 number=2
%5 = BLOCK void %4 number=4
%6 = GRID void %1 %5 number=5
)";
  Linking l;
  l.call(FaceBuilder("bits").reads("p").writes("q", 1, dtype_of<std::int32_t>), bits_text, {slot(0), slot(1)});
  l.call(FaceBuilder("use").reads("p", 1, dtype_of<std::int32_t>), use_text, {slot(1)});
  const std::string text = ir::print(link(l.request).root);
  EXPECT_NE(text.find("FENCE float32"), std::string::npos) << text;
}

// FUSE-F2-03: a call that counts in another type takes the shared counter in its own.
TEST(Linker, EachCallCountsInItsOwnType) {
  std::string wide(mul_text);
  for (std::size_t at = 0; (at = wide.find("int32", at)) != std::string::npos; at += 5) wide.replace(at, 5, "int64");
  Linking l;
  l.mul(slot(0), slot(1)).call(FaceBuilder("mul").reads("p").writes("q"), wide.c_str(), {slot(0), slot(2), {}});
  const std::string text = ir::print(link(l.request).root);
  EXPECT_EQ(text.find("RANGE int64"), std::string::npos);
  EXPECT_NE(text.find("CAST int64"), std::string::npos) << text;
}

// FUSE-LIM-02, FUSE-LIM-05: generated identifiers are the backends'; the linker keeps names out of the structure.
TEST(Linker, AChainOf256CallsLinks) {
  Linking l;
  for (std::uint32_t k = 0; k < 256; ++k) l.mul(k == 0 ? slot(0) : local(k - 1), k == 255 ? slot(1) : local(k));
  const trace::Draft d = link(l.request);
  EXPECT_EQ(d.slots.size(), 2u);
  EXPECT_TRUE(d.root->is(ir::Op::GRID));
}

}  // namespace
}  // namespace weft::test
