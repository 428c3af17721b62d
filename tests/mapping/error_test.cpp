// What is refused at run time (MAP-SYN-08): kinds, places, sentences, and limits that nothing passes. M-04, M-12.
#include <gtest/gtest.h>

#include <chrono>

#include <weft/error.hpp>
#include <weft/mapping.hpp>

namespace weft {
namespace {

const Axes& some_axes() {
  static const Axes a = axes("A = 8, B = 10, E = 3");
  return a;
}
const MappingNames& some_names() {
  static const MappingNames n = MappingNames().add("L", Mapping::parse("A, B", some_axes())).add_constant("N", 4);
  return n;
}

std::string kind_of(const std::string& text) {
  try {
    Mapping::parse(text, some_axes(), some_names());
    return "";
  } catch (const MappingError& e) {
    EXPECT_LE(e.place, text.size()) << text;
    return std::string(e.kind);
  }
}

TEST(MappingError, kinds) {
  struct Case {
    const char *text, *kind;
  };
  for (const Case& c : {
           Case{"", "syntax"},
           {" ", "syntax"},
           {",", "syntax"},
           {"A,,B", "syntax"},
           {"A B", "syntax"},
           {"[A", "syntax"},
           {"A]", "syntax"},
           {"[A)", "syntax"},
           {"[]", "syntax"},
           {"A /", "syntax"},
           {"A # ", "syntax"},
           {"A #{0}", "syntax"},
           {"A #{?} 9", "syntax"},
           {"A = = 2", "syntax"},
           {"{ L", "syntax"},
           {"{ m![A] ", "syntax"},
           {"{ m!(A) }", "syntax"},
           {"A / {2 +}", "syntax"},
           {"A / {2", "syntax"},
           {"A / {(2}", "syntax"},
           {"A / {2)}", "syntax"},
           {"A # (1 + 2)", "syntax"},
           {"_A", "syntax"},
           {"A & B", "syntax"},
           {"A, B]", "syntax"},
           {"Q", "unknown-axis"},
           {"A / Q", "unknown-axis"},
           {"L", "unknown-axis"},
           {"A / N", "unknown-axis"},
           {"{ 8 }", "escape-not-a-mapping"},
           {"{ A }", "escape-not-a-mapping"},
           {"{ N }", "escape-not-a-mapping"},
           {"{ Q }", "escape-not-a-mapping"},
           {"A / { A }", "escape-not-a-constant"},
           {"A / { L }", "escape-not-a-constant"},
           {"A / { Q }", "escape-not-a-constant"},
           {"A / { 1 - 2 }", "escape-not-a-constant"},
           {"A / { 1 / 0 }", "escape-not-a-constant"},
           {"A / { 1 % (N - 4) }", "escape-not-a-constant"},
           {"A / (A, E)", "factor-not-count"},
           {"A / (A % 2)", "factor-not-count"},
           {"A / ({ L })", "factor-not-count"},
           {"A / 0", "zero-factor"},
           {"A % 0", "zero-factor"},
           {"A / { N - 4 }", "zero-factor"},
           {"B / 4", "stride-not-divisible"},
           {"B % 4", "modulo-not-divisible"},
           {"B % 16", "modulo-not-divisible"},
           {"B / 0", "zero-factor"},  // M-04
           {"B % 0", "zero-factor"},
           {"[B = 6] / 4", "stride-not-divisible"},
           {"[B % 2] / 4", "stride-not-divisible"},  // M-06
           {"9223372036854775808", "size-overflow"},
           {"4294967296, 4294967296", "size-overflow"},
           {"A / 99999999999999999999999", "size-overflow"},
           {"A # { 9223372036854775807 + 1 }", "size-overflow"},
           {"A # { 9223372036854775807 * 2 }", "size-overflow"},
           {"A1234567890123456789012345678901", "name-too-long"},
       })
    EXPECT_EQ(kind_of(c.text), c.kind) << c.text;
  for (const char* good :
       {"A,", "A / 8", "A # 0", "A = 0", "0", "A / (A, )", "A # B", "A / (B / 5)", "{ m![{ L }, A,] }",
        "A # { 2 * (3 + N) }", "A#{*}12", "A # { ! } 12", "A # {16}", "9223372036854775807",
        "A # 9223372036854775807 = 3", "[(A)]", "\tA\n,\rB", "1, 9223372036854775807"})
    EXPECT_EQ(kind_of(good), "") << good;
}

TEST(MappingError, aSentenceACaretAndBothNumbers) {
  try {
    Mapping::parse("A, B / 4", some_axes());
    ADD_FAILURE();
  } catch (const MappingError& e) {
    EXPECT_STREQ(
        e.what(),
        "the mapping `A, B / 4` is refused: the size 10 is not divisible by 4, the factor of / (stride-not-divisible).\n"
        "  A, B / 4\n"
        "       ^");
    EXPECT_EQ(e.place, 5u);
  }
  try {
    Mapping::parse("A / )", some_axes());
    ADD_FAILURE();
  } catch (const MappingError& e) {
    EXPECT_STREQ(e.what(), "the mapping `A / )` is refused: expected a factor, found `)` (syntax).\n  A / )\n      ^");
  }
  try {
    finalize(Mapping::parse("A, A", some_axes()).map(63), PaddingKind::Top);  // MAP-POS-09
    ADD_FAILURE();
  } catch (const MappingError& e) {
    EXPECT_EQ(e.kind, "overshoot");
    EXPECT_NE(std::string(e.what()).find("axis A of size 8 is at 14"), std::string::npos) << e.what();
  }
  EXPECT_THROW(axes("A = 8, A = 9"), MappingError);
  EXPECT_THROW(axes("A = "), MappingError);
  EXPECT_THROW(axes("A = 9223372036854775808"), MappingError);
}

TEST(MappingError, theNativeSpellingIsRefusedAlike) {  // M-04: both paths agree
  const Mapping b = some_axes().list()[1];
  const auto kind = [](auto make) {
    try {
      make();
      return std::string();
    } catch (const MappingError& e) { return std::string(e.kind); }
  };
  EXPECT_EQ(kind([&] { return b / 4; }), "stride-not-divisible");
  EXPECT_EQ(kind([&] { return b % 4; }), "modulo-not-divisible");
  EXPECT_EQ(kind([&] { return b % 16; }), "modulo-not-divisible");
  EXPECT_EQ(kind([&] { return b / 0; }), "zero-factor");
  EXPECT_EQ(kind([&] { return b % 0; }), "zero-factor");
  EXPECT_EQ(kind([&] { return resize(b, 6) / 4; }), "stride-not-divisible");
  EXPECT_EQ(kind([&] { return pair(std::uint64_t{1} << 32, std::uint64_t{1} << 32); }), "size-overflow");
  EXPECT_EQ(kind([&] { return pad(b, -1); }), "size-overflow");
}

TEST(MappingError, nothingIsTooLongOrTooDeep) {
  const std::string many = [] {
    std::string s = "A";
    while (s.size() < 10000) s += " / 1";
    return s;
  }();
  EXPECT_EQ(kind_of(many), "too-many-nodes");
  const auto nested = [](std::size_t n, const std::string& open, const std::string& inside, const std::string& close) {
    std::string s;
    for (std::size_t i = 0; i < n; ++i) s += open;
    s += inside;
    for (std::size_t i = 0; i < n; ++i) s += close;
    return s;
  };
  EXPECT_EQ(kind_of(nested(200, "(", "A", ")")), "");
  EXPECT_EQ(kind_of(nested(200, "[", "A", ", 1]")), "too-many-nodes");
  EXPECT_EQ(kind_of(nested(60, "[1, ", "A", "]")), "");
  EXPECT_EQ(kind_of(nested(100000, "[", "A", "]")), "too-many-nodes");
  EXPECT_EQ(kind_of("A / {" + nested(200, "(", "2", ")") + "}"), "");
  EXPECT_EQ(kind_of("A / {" + nested(100000, "(", "2", ")") + "}"), "too-many-nodes");
  EXPECT_EQ(kind_of(nested(200, "{ m![", "A", "] }")), "");
  EXPECT_EQ(kind_of(nested(3000, "{ m![", "A", "] }")), "too-many-nodes");
  EXPECT_EQ(kind_of(nested(100, "A / (", "A", ")")), "");  // each is 8 / 1, and the last 8 / 8
  EXPECT_EQ(kind_of(std::string(10000, '[')), "too-many-nodes");
  EXPECT_EQ(kind_of(std::string(100, ' ') + std::string(10000, '9')), "size-overflow");
  EXPECT_EQ(kind_of(std::string(1, '\0') + "A"), "syntax");
}

TEST(MappingError, largeSizesAreAnswered) {  // MAP-EQ-01, MAP-SYN-08, M-12
  const auto start = std::chrono::steady_clock::now();
  const Axes large = axes("A = 4294967296, B = 2147483647, C = 1048576");
  const auto parse = [&](const char* text) { return Mapping::parse(text, large); };
  EXPECT_EQ(parse("A, B").size(), 9223372032559808512u);
  EXPECT_EQ(to_string(parse("A, B").map(9223372032559808511u)), "A=4294967295,B=2147483646");
  EXPECT_TRUE(equivalent(parse("A / 65536, A % 65536, B"), parse("A, B")));
  EXPECT_FALSE(equivalent(parse("A, B"), parse("B, A")));
  EXPECT_FALSE(equivalent(parse("A # 4294967297"), parse("A #{0} 4294967297")));
  EXPECT_TRUE(is_bijective(parse("A % 65536, B, A / 65536")));
  EXPECT_EQ(inverse(parse("A % 65536, B, A / 65536"))(parse("A, B").map(5000000000000).index()).has_value(), true);
  EXPECT_FALSE(is_injective(parse("A, 2")));
  EXPECT_EQ(tile(parse("A, B"), parse("A / 65536"), 2, PaddingKind::Top).stride, 65536 * std::uint64_t{2147483647});
  EXPECT_TRUE(fits(tile(parse("A, C"), parse("A"), 5, PaddingKind::Top), parse("A = 5 # 4294967296, C")));
  EXPECT_EQ(tile(parse("A, C"), parse("B"), 5, PaddingKind::Top).fault.kind, MappingErrorKind::index_not_located);
  EXPECT_TRUE(tile(parse("C, C"), parse("C # 1048577"), 5, PaddingKind::Top).fault);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

TEST(MappingError, lintTellsOfBothSteps) {  // MAP-SYN-09
  const auto found = lint(Mapping::parse("A # 7, B = 12", some_axes()));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0], "`A # 7` cuts 8 positions to 7, as `=` does: padding only adds.");
  EXPECT_EQ(found[1], "`B = 12` has 12 positions, and those from 10 on are out of bounds: `#` makes them padding.");
  EXPECT_TRUE(lint(Mapping::parse("A # 8, B = 10", some_axes())).empty());
}

TEST(MappingRelation, collisionsAndInverses) {  // MAP-EQ-04
  const Axes b = axes("B = 12");
  const Mapping twice = Mapping::parse("B / 4, B / 2 % 3, B % 2", b);
  const auto c = find_collision(twice);
  ASSERT_TRUE(c);
  EXPECT_NE(c->first, c->second);
  EXPECT_EQ(twice.map(c->first), twice.map(c->second));
  EXPECT_THROW(inverse(twice), MappingError);
  const Mapping once = Mapping::parse("B % 3, B / 3", b);
  EXPECT_TRUE(is_bijective(once));
  const MappingInverse at = inverse(once);
  for (std::uint64_t i = 0; i < 12; ++i) EXPECT_EQ(at(once.map(i).index()), i);
  EXPECT_TRUE(is_injective(Mapping::parse("B # 16", b)));
  EXPECT_FALSE(is_bijective(Mapping::parse("B # 16", b)));
  EXPECT_FALSE(is_bijective(Mapping::parse("B = 6", b)));
  EXPECT_TRUE(is_bijective(Mapping::parse("1", b)));
}

// Found by tilesFollowTheRule: cutting [X, X] made digits of one X of what were two whole ones.
// The finer digit ends at 4, the coarser one begins at 6.
TEST(MappingRelation, digitsWithAGapBetweenThem) {  // MAP-EQ-04
  for (const char* text : {"D % 4, D / 6", "D / 6, D % 4", "D / 6 # 9, [D % 4] # 5", "D / 12, D / 4 % 2, D % 3"}) {
    const Mapping m = Mapping::parse(text, axes("D = 24"));
    const MappingInverse at = inverse(m);
    for (std::uint64_t i = 0; i < m.size(); ++i)
      if (const Cell c = m.map(i); c.is_live()) { EXPECT_EQ(at(c.index()), i) << text; }
    EXPECT_FALSE(at(cell("D: 11", axes("D = 24")).index())) << text;
  }
}

TEST(MappingRelation, equalFactorsAreNotCutIntoDigitsOfOne) {
  const Axes a = axes("A = 5");
  const Mapping m = Mapping::parse("A, [A #{!} 6, A #{!} 6] / 2 % 9", a), n = normalize(m);
  for (std::uint64_t i = 0; i < m.size(); ++i) EXPECT_EQ(n.map(i), m.map(i)) << to_string(n) << " at " << i;
}

TEST(MappingRelation, theFirstDifference) {  // M-01
  const Axes ab = axes("A = 3, B = 4");
  const auto d = find_difference(Mapping::parse("A, B", ab), Mapping::parse("B, A", ab));
  ASSERT_TRUE(d);
  EXPECT_EQ(d->position, 1u);
  EXPECT_EQ(to_string(d->left) + " " + to_string(d->right), "B=1 A=1");
  EXPECT_TRUE(find_difference(Mapping::parse("A", ab), Mapping::parse("B", ab))->sizes);
}

}  // namespace
}  // namespace weft
