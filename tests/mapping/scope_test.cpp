// What names mean in WEFT_M (MAP-SYN-01, MAP-SYN-05, MAP-SYN-11): C++ scopes, templates, the native spelling.
#include <gtest/gtest.h>

#include <weft/mapping.hpp>
#include <weft/mapping_short.hpp>

namespace mapping_scopes {

using weft::Mapping;
WEFT_AXES(A = 8, B = 512, Width_2 = 2 * 3)
WEFT_AXES(Empty = 0, )
WEFT_CONSTANT(N, 4 * 16)
WEFT_MAPPING(L, A, B)
constexpr std::uint64_t half = B.size / 2;
WEFT_AXES(H = half)

static_assert(WEFT_M(Width_2).size() == 6 && WEFT_M(Empty).size() == 0 && WEFT_M(H).size() == 256);
// Factors (MAP-SYN-04)
static_assert(WEFT_M(B / {N}).size() == 8 && WEFT_M(B / {N / 2 + (3 - 1) * 16}).size() == 8);
static_assert(WEFT_M(A #B).size() == 512 && WEFT_M(B / (A)).size() == 64 && WEFT_M(B / (B / 64)).size() == 64);

namespace inner {
WEFT_AXES(B = 4)  // hides the outer one
WEFT_AXES(C = 2)
static_assert(WEFT_M(A, B, C).size() == 64 && WEFT_M({L}).size() == 4096);
WEFT_MAPPING(L, C)
static_assert(WEFT_M({L}, B) == WEFT_M(C, B) && mapping_scopes::L.size() == 4096);
namespace {
WEFT_AXES(Z = 7)
static_assert(WEFT_M(Z, A).size() == 56);
}  // namespace
WEFT_AXES(W = 3)
static_assert(WEFT_M(Z, A, C, W).size() == 336);
namespace deep {
WEFT_CONSTANT(A, 5)  // a constant hides an axis
static_assert(WEFT_M(C #{A}).size() == 5);
}  // namespace deep
}  // namespace inner
static_assert(WEFT_M(B).size() == 512);

// A mapping is a template argument, and one value is one type (MAP-SYN-06).
template <Mapping M> struct Holder {
  static constexpr std::uint64_t size = M.size();
};
static_assert(Holder<WEFT_M(A, B #1024)>::size == 8192);
static_assert(std::is_same_v<Holder<WEFT_M(A, B)>, Holder<L>> &&
              !std::is_same_v<Holder<WEFT_M(A, B)>, Holder<WEFT_M(A, B, 1)>>);

template <class T> struct InTemplate {
  static constexpr Mapping rows = WEFT_M(A, B / 2);
  template <Mapping M = WEFT_M(A)> static constexpr std::uint64_t size() { return M.size(); }
  Holder<WEFT_M(A, B)> member;
};
static_assert(InTemplate<int>::rows.size() == 2048 && InTemplate<int>::size() == 8);
// Declared and defined apart: the two are one template, since WEFT_M is no lambda.
template <class T> Holder<WEFT_M(A, B)> apart(T);
template <class T> Holder<WEFT_M(A, B)> apart(T) { return {}; }
inline auto called = apart(1);

// The native spelling gives the same values, as constants and at run time (MAP-SYN-10).
using weft::broadcast, weft::pad, weft::pair, weft::resize, weft::PaddingKind;
static_assert(A / 4 == WEFT_M(A / 4) && A % 4 == WEFT_M(A % 4) && pad(A, 64) == WEFT_M(A #64) &&
              resize(A, 2) == WEFT_M(A = 2));
static_assert(pad<PaddingKind::Zero>(A, 64) == WEFT_M(A #{0} 64) &&
              pad<PaddingKind::Bottom>(A, 64) == WEFT_M(A #{ ! } 64));
static_assert(pair(A, B) == WEFT_M(A, B) && pair(A, B, 3) == WEFT_M(A, B, 3) && broadcast(7) == WEFT_M(7) &&
              pad(A, B) == WEFT_M(A #B));
static_assert(pair(pair(A, B) / 64, 1) == WEFT_M([ A, B ] / 64, 1) && L / 64 % 4 == WEFT_M({L} / 64 % 4));

// Assignments: what C++ can read before the colon (MAP-POS-08).
static_assert(WEFT_I(pad(A, 12) : 9).is_padding() && WEFT_I(A / 1 : 8).is_out_of_bounds() &&
              WEFT_I(A : 8).index()[A] == 8);
static_assert(WEFT_I((A, B) : 513) == WEFT_I(A : 1, B : 1) && WEFT_I(L : 513) == WEFT_I(A : 1, B : 1) &&
              WEFT_I(A % 4 : 3, ) == WEFT_I(A : 3));
static_assert(M(A, B) == L && I(A : 2) == WEFT_I(A : 2));  // mapping_short.hpp

TEST(Scope, runTimeFormsGiveTheSame) {  // MAP-SYN-07
  const weft::Axes axes = weft::axes("A = 8, B = 512");
  const weft::MappingNames names = weft::MappingNames().add("L", L).add_constant("N", N);
  EXPECT_EQ(Mapping::parse("{ L } / { N }, A #{0} 12", axes, names), WEFT_M({L} / {N}, A #{0} 12));
  const weft::Axis a = axes.list()[0], b = axes.list()[1];
  EXPECT_EQ(pair(a, b), L);
  EXPECT_EQ(a / 4, A / 4);
  const int i = 519;
  EXPECT_EQ(WEFT_I(A : i / 512, B : i % 512), L.map(519));
  EXPECT_EQ(weft::cell({{A, 1}, {B, 7}}), L.map(519));
  EXPECT_EQ(weft::cell("A, B: 519", axes), L.map(519));
  EXPECT_EQ(WEFT_I(A : i, B : 1).index().overshoot()->value, 519u);
}

}  // namespace mapping_scopes
