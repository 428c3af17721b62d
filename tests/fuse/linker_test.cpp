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

// FUSE-GRP-06, FUSE-BIT-05: one counter, scalars per call, and the fenced value goes from call to call without memory.
TEST(Linker, AScratchIntermediateIsAValue) {
  Linking l;
  const trace::Draft d = link(l.mul(slot(0), local(0)).mul(local(0), slot(1)).request);
  EXPECT_EQ(ir::print(d.root), R"(%0 = PARAM int32 slot=0 space=alu source=trip min=0 max=2147483647 name="trip"
%1 = RANGE int32 %0 axis=2
%2 = PARAM float32 slot=0 source=array name="p"
%3 = INDEX float32 %2 %1
%4 = LOAD float32 %3 number=3
%5 = PARAM float32 slot=1 source=array index=1 name="q"
%6 = INDEX float32 %5 %1
%7 = PARAM float32 slot=2 space=alu source=scalar index=2 name="k"
%8 = MUL float32 %4 %7
%9 = FENCE float32 %8
%10 = PARAM float32 slot=2 space=alu source=scalar index=2 call=1 name="k"
%11 = MUL float32 %9 %10
%12 = STORE void %6 %11 number=7
%13 = BLOCK void %4 %12 number=10
%14 = GRID void %1 %13 number=11
)");
  EXPECT_EQ(d.label, "mul+mul");
  ASSERT_EQ(d.slots.size(), 2u);
  EXPECT_TRUE(d.slots[0].read && !d.slots[0].written && !d.slots[1].read && d.slots[1].written);
}

const char* const positive_text = R"(%0 = PARAM int32 slot=0 space=alu source=trip min=0 max=2147483647 name="trip"
%1 = RANGE int32 %0 axis=1
%2 = PARAM float32 slot=0 source=array name="p"
%3 = INDEX float32 %2 %1
%4 = LOAD float32 %3 number=2
%5 = CONST weakfloat 0x0p+0
%6 = CAST float32 %5
%7 = CMPLT bool %6 %4
%8 = PARAM float32 slot=1 source=array index=1 name="q"
%9 = INDEX float32 %8 %1
%10 = STORE void %9 %4 number=3
%11 = BLOCK void %10 number=4
%12 = IF void %7 %11 number=5
%13 = BLOCK void %4 %12 number=6
%14 = GRID void %1 %13 number=7
)";

// FUSE-SCR-03, FUSE-SCR-13, FUSE-BIT-08, FUSE-BIT-09: what only some iterations write is a variable that begins as zero.
TEST(Linker, AScratchArrayThatSomeIterationsWriteIsALocal) {
  Linking l;
  l.call(FaceBuilder("positive").reads("p").writes("q").when_told(), positive_text, {slot(0), local(0)});
  const trace::Draft d = link(l.mul(local(0), slot(1)).request);
  EXPECT_EQ(ir::print(d.root), R"(%0 = PARAM int32 slot=0 space=alu source=trip min=0 max=2147483647 name="trip"
%1 = RANGE int32 %0 axis=3
%2 = LOCAL float32 number=1
%3 = CONST weakfloat 0x0p+0
%4 = CAST float32 %3
%5 = STORE void %2 %4 number=2
%6 = PARAM float32 slot=0 source=array name="p"
%7 = INDEX float32 %6 %1
%8 = LOAD float32 %7 number=4
%9 = CMPLT bool %4 %8
%10 = FENCE float32 %8
%11 = STORE void %2 %10 number=5
%12 = BLOCK void %11 number=6
%13 = IF void %9 %12 number=7
%14 = LOAD float32 %2 number=10
%15 = PARAM float32 slot=1 source=array index=1 name="q"
%16 = INDEX float32 %15 %1
%17 = PARAM float32 slot=2 space=alu source=scalar index=2 call=1 name="k"
%18 = MUL float32 %14 %17
%19 = STORE void %16 %18 number=11
%20 = BLOCK void %5 %8 %13 %14 %19 number=14
%21 = GRID void %1 %20 number=15
)");
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
  for (ir::Node n : ir::topological(d.root))
    arrays += n->is(ir::Op::PARAM) && n->arg.storage->space == ir::Space::global;
  EXPECT_EQ(arrays, 3u);
}

// An array that no call writes is loaded once; one that a call writes is loaded again, or handed on.
TEST(Linker, LoadsOfAnArrayThatNoCallWrites) {
  Linking l;
  const trace::Draft d = link(l.mul(slot(0), slot(1)).mul(slot(0), slot(2)).mul(slot(1), slot(3)).request);
  std::size_t loads = 0, stores = 0;
  for (ir::Node n : ir::topological(d.root)) loads += n->is(ir::Op::LOAD), stores += n->is(ir::Op::STORE);
  EXPECT_EQ(loads, 1u);
  EXPECT_EQ(stores, 3u) << "what is a resident is stored";
}

// FUSE-BIT-09: an element that the producer writes under a condition is loaded again.
TEST(Linker, WhatSomeIterationsWroteIsLoadedAgain) {
  Linking l;
  l.call(FaceBuilder("positive").reads("p").writes("q").when_told(), positive_text, {slot(0), slot(1)});
  const trace::Draft d = link(l.mul(slot(1), slot(2)).request);
  std::size_t loads = 0;
  for (ir::Node n : ir::topological(d.root)) loads += n->is(ir::Op::LOAD);
  EXPECT_EQ(loads, 2u);
}

// The length of an array that several calls take is one uniform, whichever call brought it.
TEST(Linker, TheLengthOfASharedArrayIsOneUniform) {
  const char* const guarded = R"(%0 = PARAM int32 slot=0 space=alu source=trip min=0 max=2147483647 name="trip"
%1 = RANGE int32 %0 axis=1
%2 = PARAM float32 slot=0 source=array name="p"
%3 = INDEX float32 %2 %1
%4 = PARAM int32 slot=0 space=alu source=length min=0 max=2147483647 name="p.length"
%5 = CMPLT bool %1 %4
%6 = LOAD float32 %3 %5 number=2
%7 = PARAM float32 slot=1 source=array index=1 name="q"
%8 = INDEX float32 %7 %1
%9 = STORE void %8 %6 number=3
%10 = BLOCK void %6 %9 number=4
%11 = GRID void %1 %10 number=5
)";
  Linking l;
  const FaceBuilder copy = FaceBuilder("copy").reads("p").writes("q");
  const trace::Draft d = link(l.call(copy, guarded, {slot(0), slot(1)})
                                  .call(copy, guarded, {slot(0), slot(2)})
                                  .call(copy, guarded, {slot(3), slot(4)})
                                  .request);
  std::size_t lengths = 0;
  for (ir::Node n : ir::topological(d.root))
    lengths += n->is(ir::Op::PARAM) && n->arg.storage->source == ir::Source::length;
  EXPECT_EQ(lengths, 2u);
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
