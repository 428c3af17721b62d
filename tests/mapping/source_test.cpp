// Every code example of the document that the notation comes from, as static_assert where it can be.
#include <gtest/gtest.h>

#include <weft/mapping.hpp>

namespace weft {
namespace {

// f(i) for every i below n.
template <class F> constexpr bool all(std::uint64_t n, F f) {
  for (std::uint64_t i = 0; i < n; ++i)
    if (!f(i)) return false;
  return true;
}

namespace main_axes {
WEFT_AXES(A = 8, B = 512)

// Results of positions, symbols (MAP-POS-02).
constexpr Mapping symbol = WEFT_M(A);
static_assert(symbol.map(0) == WEFT_I(A : 0) && symbol.map(1) == WEFT_I(A : 1) && symbol.map(2) == WEFT_I(A : 2));
static_assert(all(8, [](auto i) { return symbol.map(i) == WEFT_I(A : i); }));
static_assert(symbol.map(symbol.size()) == Cell::out_of_bounds());
static_assert(WEFT_I(A : 0) == WEFT_I());  // MAP-POS-07

// Pairs.
constexpr Mapping rows = WEFT_M(A, B);
static_assert(rows.size() == 4096);
static_assert(rows.map(0) == WEFT_I(A : 0, B : 0) && rows.map(511) == WEFT_I(A : 0, B : 511));
static_assert(rows.map(512) == WEFT_I(A : 1, B : 0) && rows.map(519) == WEFT_I(A : 1, B : 7));
static_assert(rows.map(4096) == Cell::out_of_bounds());
TEST(Source, pair) {
  for (std::uint64_t i = 0; i < rows.size(); ++i)
    ASSERT_EQ(rows.map(i), WEFT_I(A : i / 512, B : i % 512));  // values at run time
}

// The identity.
constexpr Mapping identity = WEFT_M(1);
static_assert(identity.map(0) == WEFT_I() && identity.map(1) == Cell::out_of_bounds());
static_assert(normalize(WEFT_M(1, A)) == WEFT_M(A) && normalize(WEFT_M(A, 1)) == WEFT_M(A) &&
              WEFT_M(A, 1) != WEFT_M(A));

// Strides and modulos (MAP-POS-04).
constexpr Mapping blocks = WEFT_M(B / 64), within = WEFT_M(B % 64), grid = WEFT_M(B / 64, B % 64);
static_assert(grid.map(130) == WEFT_I(B / 64 : 2, B % 64 : 2) && grid.map(130) == WEFT_M(B).map(130));
static_assert(all(8, [](auto i) { return blocks.map(i) == WEFT_I(B / 64 : i); }) &&
              blocks.map(8) == Cell::out_of_bounds());
static_assert(all(64, [](auto i) { return within.map(i) == WEFT_I(B % 64 : i); }) &&
              within.map(64) == Cell::out_of_bounds());
static_assert(normalize(grid) == WEFT_M(B));
TEST(Source, strideAndModulo) {
  for (std::uint64_t i = 0; i < 512; ++i) ASSERT_EQ(grid.map(i), WEFT_M(B).map(i));
  EXPECT_EQ(grid.map(512), Cell::out_of_bounds());
}

// The bits of a buffer index, rearranged.
constexpr Mapping bits = WEFT_M(B / 64, B % 32, B / 32 % 2);
static_assert(bits.map(67) == WEFT_I(B : 97) && bits.map(512) == Cell::out_of_bounds());
TEST(Source, nestedStride) {
  for (std::uint64_t i = 0; i < 8; ++i)
    for (std::uint64_t j = 0; j < 32; ++j)
      for (std::uint64_t k = 0; k < 2; ++k) ASSERT_EQ(bits.map(64 * i + 2 * j + k), WEFT_I(B : 64 * i + j + 32 * k));
  EXPECT_TRUE(is_bijective(bits));
}

// Escapes (MAP-SYN-05).
WEFT_MAPPING(L, A)
WEFT_MAPPING(R, B)
static_assert(WEFT_M({L}, {R}) == WEFT_M(A, B) && L == WEFT_M(A));

// Identities that hold, here for one mapping (property_test.cpp for random ones).
WEFT_MAPPING(E, B / 64, A, B % 64)
WEFT_CONSTANT(SIZE, E.size())
static_assert(normalize(WEFT_M({E}, 1)) == normalize(E) && normalize(WEFT_M(1, {E})) == normalize(E));
static_assert(normalize(WEFT_M({E} / 128, {E} % 128)) == normalize(E));
static_assert(normalize(WEFT_M([ {L}, {R} ] / 512)) == L && normalize(WEFT_M([ {L}, {R} ] % 512)) == R);
static_assert(normalize(WEFT_M([A, B], { E })) == normalize(WEFT_M(A, [ B, {E} ])));
static_assert(normalize(WEFT_M({E} / 1)) == normalize(E) && normalize(WEFT_M({ E } #{SIZE})) == normalize(E));
static_assert(normalize(WEFT_M({E} = {SIZE})) == normalize(E) && normalize(WEFT_M({E} % 1)) == WEFT_M(1));
}  // namespace main_axes

namespace table {
WEFT_AXES(B = 16)
constexpr Mapping grid = WEFT_M(B / 4, B % 4);
static_assert(all(16, [](auto i) { return grid.map(i) == WEFT_I(B / 4 : i / 4, B % 4 : i % 4); }));
}  // namespace table

namespace padding {
WEFT_AXES(C = 13, D = 61)
constexpr Mapping rows = WEFT_M(C, D #64);
constexpr Cell top = Cell::padding(PaddingKind::Top);
static_assert(rows.map(0) == WEFT_I(C : 0, D : 0) && rows.map(60) == WEFT_I(C : 0, D : 60));
static_assert(rows.map(61) == top && rows.map(62) == top && rows.map(63) == top &&
              rows.map(64) == WEFT_I(C : 1, D : 0));
static_assert(WEFT_M(C #16) == WEFT_M(C #{ * } 16) && WEFT_M(C #{16}) == WEFT_M(C #16));
static_assert(WEFT_M(C #{0} 16).map(13) == Cell::padding(PaddingKind::Zero) &&
              WEFT_M(C #{ ! } 16).map(13) == Cell::padding(PaddingKind::Bottom));
static_assert(finalize(rows.map(61), PaddingKind::Bottom) == PaddingKind::Top);  // MAP-POS-10
static_assert(finalize(rows.map(900), PaddingKind::Bottom) == PaddingKind::Bottom &&
              finalize(rows.map(900), PaddingKind::Top) == PaddingKind::Top);
static_assert(finalize(rows.map(64), PaddingKind::Top).index()[C] == 1);
}  // namespace padding

namespace resizing {
WEFT_AXES(C = 2, D = 3)
constexpr Mapping e = WEFT_M(C, D = 2);
static_assert(e.map(0) == WEFT_I(C : 0, D : 0) && e.map(1) == WEFT_I(C : 0, D : 1) &&
              e.map(2) == WEFT_I(C : 1, D : 0) && e.map(3) == WEFT_I(C : 1, D : 1));
static_assert(e.map(4) == Cell::out_of_bounds());
}  // namespace resizing

namespace field {
WEFT_AXES(A = 3, B = 4, P = 6, Q = 4, S = 5, H = 8, W = 16, C = 13, D = 61)
static_assert(normalize(WEFT_M([ A, B ] / 6, [ A, B ] % 6)) == WEFT_M(A, B));  // M-01, MAP-POS-05
static_assert(WEFT_M([ A, B ] / 6, [ A, B ] % 6).map(8) == WEFT_I(A : 2, B : 0) &&
              WEFT_M([ A, B ] / 6, [ A, B ] % 6).map(9) == WEFT_I(A : 2, B : 1));
constexpr Mapping padded = WEFT_M([P #8] / 4, [P #8] % 4);  // M-02
static_assert(padded.map(5) == WEFT_I(P : 5) && padded.map(6) == Cell::padding(PaddingKind::Top) &&
              padded.map(7) == padded.map(6));
static_assert(padded.map(8) == Cell::out_of_bounds());
constexpr Mapping wider = WEFT_M(W / 2, [W % 2] #4);  // M-06
static_assert(all(8, [](auto i) {
  return wider.map(4 * i) == WEFT_I(W : 2 * i) && wider.map(4 * i + 1) == WEFT_I(W : 2 * i + 1) &&
         wider.map(4 * i + 2).is_padding() && wider.map(4 * i + 3).is_padding();
}));
WEFT_MAPPING(X, Q #8)  // M-07
WEFT_MAPPING(Y, {X} / 4, {X} % 4)
WEFT_MAPPING(Z, {Y} / 2, {Y} % 2)
static_assert(normalize(Y) == X && normalize(Z) == X && normalize(normalize(Z)) == normalize(Z));
static_assert(all(9, [](auto i) { return Y.map(i) == X.map(i) && Z.map(i) == X.map(i); }));
constexpr Mapping kinds = WEFT_M(H #{ ! } 16, S #{0} 8);  // M-09, MAP-POS-06
static_assert(kinds.map(69).is_padding(PaddingKind::Bottom) && kinds.map(5).is_padding(PaddingKind::Zero));
static_assert(kinds.map(64).is_padding(PaddingKind::Bottom) && kinds.map(127).is_padding(PaddingKind::Bottom) &&
              kinds.map(128).is_out_of_bounds());
constexpr Mapping inner = WEFT_M(C, D #64), outer = WEFT_M([ C, D ] #832);  // M-10
static_assert(inner.size() == 832 && outer.size() == 832);
static_assert(inner.map(61).is_padding() && inner.map(64) == WEFT_I(C : 1) &&
              inner.map(792) == WEFT_I(C : 12, D : 24) && inner.map(793) == WEFT_I(C : 12, D : 25) &&
              inner.map(831).is_padding());
static_assert(outer.map(61) == WEFT_I(C : 1) && outer.map(64) == WEFT_I(C : 1, D : 3) &&
              outer.map(792) == WEFT_I(C : 12, D : 60) && outer.map(793).is_padding() && outer.map(831).is_padding());
}  // namespace field

namespace large {
WEFT_AXES(A = 65536, B = 65536)  // M-12
constexpr Mapping e = WEFT_M(A, B);
static_assert(e.size() == 4294967296 && e.map(65537) == WEFT_I(A : 1, B : 1) &&
              e.map(4294967295) == WEFT_I(A : 65535, B : 65535));
}  // namespace large

}  // namespace
}  // namespace weft
