// HostTensor: access, filling, elements in order (MAP-TEN-01), and relayout of small shapes (MAP-TEN-09).
#include <gtest/gtest.h>

#include <vector>

#include <weft/error.hpp>
#include <weft/half.hpp>
#include <weft/tensor.hpp>

namespace weft {
namespace {

WEFT_AXES(A = 2, B = 3, C = 16, D = 12)

const auto tens = [](auto a, auto b) { return static_cast<int>(10 * a + b); };
template <class T> std::vector<int> values(const T& t) { return {t.span().begin(), t.span().end()}; }

TEST(HostTensor, elementsByCoordinatesCellAndPosition) {  // MAP-TEN-01
  auto t = HostTensor<int, WEFT_M(B, A #{0} 4)>::from([](auto b, auto a) { return static_cast<int>(10 * a + b); });
  static_assert(t.size() == 12 && t.axes.size() == 2);
  EXPECT_EQ(values(t), (std::vector<int>{0, 10, 0, 0, 1, 11, 0, 0, 2, 12, 0, 0}));
  EXPECT_EQ(t.at(2, 1), 12);
  EXPECT_EQ(t.at(WEFT_I(A : 1, B : 2)), 12);
  EXPECT_EQ(t.at(WEFT_I(B : 1)), 1);
  t.at(0, 1) = -5;
  EXPECT_EQ(t.data()[1], -5);
  const auto& read = t;
  EXPECT_EQ(read.at(0, 1), -5);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(t.data()) % 64, 0u);
}

TEST(HostTensor, fromTakesAnIndexToo) {  // MAP-TEN-01
  const auto t = HostTensor<int, WEFT_M(A, B)>::from([](const TensorIndex& i) { return static_cast<int>(i.size()); });
  EXPECT_EQ(t.at(1, 2), 2);
}

TEST(HostTensor, visitsLiveCellsInOrder) {  // MAP-TEN-01
  HostTensor<int, WEFT_M(B #4, A)> t;
  int next = 0;
  t.for_each([&](const TensorIndex& i, int& element) {
    EXPECT_EQ(i[A] + 2 * i[B], static_cast<std::uint64_t>(next));
    element = ++next;
  });
  EXPECT_EQ(values(t), (std::vector<int>{1, 2, 3, 4, 5, 6, 0, 0}));
}

TEST(HostTensor, copiesAreOfTheirOwn) {
  auto t = HostTensor<int, WEFT_M(A, B)>::from(tens);
  auto u = t;
  u.at(0, 0) = 7;
  EXPECT_EQ(t.at(0, 0), 0);
  const auto moved = std::move(u);
  EXPECT_EQ(moved.at(0, 0), 7);
}

TEST(HostTensor, storesAnyTrivialType) {  // MAP-TEN-01
  struct Rgb {
    unsigned char r, g, b;
  };
  auto t = HostTensor<Rgb, WEFT_M(A, B)>::from(
      [](auto a, auto b) { return Rgb{static_cast<unsigned char>(a), static_cast<unsigned char>(b), 9}; });
  const auto u = relayout<WEFT_M(B, A)>(t);
  EXPECT_EQ(u.at(2, 1).r, 1);
  EXPECT_EQ(u.at(2, 1).g, 2);
  const auto h = HostTensor<half, WEFT_M(A, B)>::from([](auto a, auto b) { return half(0.5 * double(a) + double(b)); });
  EXPECT_EQ(float(h.at(1, 2)), 2.5f);
}

TEST(HostTensor, refusalsNameTensorAxisAndNumbers) {
  HostTensor<int, WEFT_M(A, B = 2)> t;
  const auto message = [](auto f) -> std::string {
    try {
      f();
    } catch (const RangeError& e) { return e.what(); }
    return "no RangeError";
  };
  EXPECT_EQ(message([&] { t.at(2, 0); }),
            "HostTensor `A, B = 2`: axis A has size 2, at() was given 2; coordinates are given in axis order.");
  EXPECT_NE(message([&] { t.at(-1, 0); }).find("a negative number"), std::string::npos);
  EXPECT_EQ(message([&] { t.at(1, 2); }), "HostTensor `A, B = 2`: it does not hold the element A: 1, B: 2.");
  EXPECT_NE(message([&] { t.at(WEFT_I(C : 3)); }).find("it has no axis C"), std::string::npos);
  EXPECT_NE(message([&] { t.at(Cell::padding(PaddingKind::Top)); }).find("takes a live cell"), std::string::npos);
  EXPECT_THROW(t.at(WEFT_I(B : 3)), MappingError);
  EXPECT_THROW((HostTensor<int, WEFT_M(A, A)>::from([](auto) { return 1; })), MappingError);  // MAP-POS-09
}

TEST(HostTensor, tooLargeIsOutOfMemory) {
  EXPECT_THROW((HostTensor<double, WEFT_M(4611686018427387904)>()), OutOfMemory);
}

TEST(Relayout, fieldCaseM14) {  // MAP-TEN-09
  const auto rows = HostTensor<int, WEFT_M(A, B)>::from(tens);
  EXPECT_EQ(values(rows), (std::vector<int>{0, 1, 2, 10, 11, 12}));
  const auto columns = relayout<WEFT_M(B, A)>(rows);
  EXPECT_EQ(values(columns), (std::vector<int>{0, 10, 1, 11, 2, 12}));
  EXPECT_EQ(values(relayout<WEFT_M(A, B)>(columns)), values(rows));
}

TEST(Relayout, fieldCaseM06) {  // MAP-TEN-09: a tail of padding does not overwrite good data
  const auto c = HostTensor<int, WEFT_M(C)>::from([](auto i) { return static_cast<int>(i) + 1; });
  HostTensor<int, WEFT_M(C / 2, [C % 2] #4)> padded;
  relayout(c, padded);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(padded.data()[4 * i], static_cast<int>(2 * i + 1));
    EXPECT_EQ(padded.data()[4 * i + 1], static_cast<int>(2 * i + 2));
  }
  HostTensor<int, WEFT_M(C)> back;
  relayout(padded, back);
  EXPECT_EQ(values(back), values(c));
}

TEST(Relayout, paddingOfTheDestination) {  // MAP-TEN-09: zero is written, bottom and out of bounds never touched
  const auto t = HostTensor<int, WEFT_M(A, B)>::from(tens);
  const auto over = [&](auto to) {
    for (int& x : to.span()) x = -1;
    relayout(t, to);
    return values(to);
  };
  EXPECT_EQ(over(HostTensor<int, WEFT_M(A, B #{0} 4)>()), (std::vector<int>{0, 1, 2, 0, 10, 11, 12, 0}));
  EXPECT_EQ(over(HostTensor<int, WEFT_M(A, B #{ ! } 4)>()), (std::vector<int>{0, 1, 2, -1, 10, 11, 12, -1}));
  EXPECT_EQ(over(HostTensor<int, WEFT_M(A, B = 4)>()), (std::vector<int>{0, 1, 2, -1, 10, 11, 12, -1}));
  EXPECT_EQ(over(HostTensor<int, WEFT_M([ A, B #{0} 4 ] #{ ! } 10)>()),
            (std::vector<int>{0, 1, 2, 0, 10, 11, 12, 0, -1, -1}));
  EXPECT_EQ(over(HostTensor<int, WEFT_M(A, B = 1)>()), (std::vector<int>{0, 10}));
}

TEST(Relayout, refusals) {  // MAP-TEN-09
  const auto kind = [](auto f) -> std::string {
    try {
      f();
    } catch (const MappingError& e) { return std::string(e.kind) + ": " + e.what(); }
    return "no MappingError";
  };
  HostTensor<int, WEFT_M(A, B)> t;
  HostTensor<int, WEFT_M(D)> d;
  EXPECT_EQ(
      kind([&] { relayout<WEFT_M(A, B, 2)>(t); }),
      "not-injective: relayout to `A, B, 2`: positions 0 and 1 hold the same element; a destination holds each once.");
  EXPECT_EQ(kind([&] { relayout<WEFT_M(D / 4, D / 2 % 3, D % 2)>(d); }).substr(0, 14), "not-injective:");
  EXPECT_EQ(kind([&] { relayout<WEFT_M(A)>(t); }),
            "index-not-located: relayout from `A, B` to `A`: axis B of the source (size 3) is not in the destination.");
  EXPECT_EQ(
      kind([&] { relayout<WEFT_M(A, B)>(HostTensor<int, WEFT_M(A, B = 2)>()); }),
      "index-not-located: relayout from `A, B = 2` to `A, B`: the source does not hold the element A: 0, B: 2 that "
      "the destination has at position 2.");
  EXPECT_EQ(kind([&] { relayout<WEFT_M(D / 6, D / 4)>(d); }).substr(0, 10), "overshoot:");
}

}  // namespace
}  // namespace weft
