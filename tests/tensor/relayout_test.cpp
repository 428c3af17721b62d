// relayout and the places of elements over random mappings, beside a plain walk over E.map (MAP-TEN-01, MAP-TEN-09).
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include <weft/detail/tensor_memory.hpp>
#include <weft/error.hpp>
#include <weft/mapping.hpp>

#include "random_mapping.hpp"

namespace weft {
namespace {

/// What relayout should make of memory filled with `before`, or the kind of its refusal.
struct Expected {
  std::vector<std::uint32_t> memory;
  std::vector<bool> any;
  std::string refused;
};
Expected plain(const Mapping& from, const std::vector<std::uint32_t>& source, const Mapping& to, std::uint32_t before) {
  std::map<std::map<std::string, std::uint64_t>, std::uint64_t> places;
  std::map<std::map<std::string, std::uint64_t>, int> seen;
  for (std::uint64_t i = 0; i < from.size(); ++i)
    if (const Cell c = from.map(i); c.is_live() && !c.index().overshoot()) places.emplace(element_of(c), i);
  Expected e{std::vector<std::uint32_t>(to.size(), before), std::vector<bool>(to.size()), ""};
  bool overshoot = false, missing = false, twice = false;
  for (std::uint64_t i = 0; i < to.size(); ++i) {
    const Cell c = to.map(i);
    if (c.is_padding(PaddingKind::Zero)) e.memory[i] = 0;
    if (c.is_padding(PaddingKind::Top)) e.any[i] = true;
    if (!c.is_live()) continue;
    if (c.index().overshoot()) {
      overshoot = true;
      continue;
    }
    const auto element = element_of(c);
    twice = twice || seen[element]++;
    const auto place = places.find(element);
    if (place == places.end()) missing = true;
    else e.memory[i] = source[place->second];
  }
  e.refused = twice                  ? "not-injective"
              : overshoot && missing ? "either"
              : overshoot            ? "overshoot"
              : missing              ? "index-not-located"
                                     : "";
  return e;
}

void check(const Mapping& from, const Mapping& to, bool expect_strided = false) {
  std::vector<std::uint32_t> source(from.size() + 1);
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<std::uint32_t>(i * 2654435761u | 1u);
  const Expected want = plain(from, source, to, 77);
  std::string refused;
  std::vector<std::uint32_t> got(to.size() + 1, 77);
  try {
    const auto plan = detail::make_relayout(from, to);
    detail::run_relayout(*plan, source.data(), got.data(), 4);
    if (expect_strided) RC_ASSERT(detail::is_strided(*plan));
    RC_CLASSIFY(detail::is_strided(*plan), "strided");
  } catch (const MappingError& e) {
    refused = e.kind;
    // An axis of one side alone is refused before anything is compared.
    if (std::string_view(e.what()).find(" is not in the ") != std::string_view::npos) RC_DISCARD();
  }
  RC_LOG("from `" + to_string(from) + "` to `" + to_string(to) + "`");
  if (want.refused == "either") RC_ASSERT(refused == "overshoot" || refused == "index-not-located");
  else RC_ASSERT(refused == want.refused);
  if (!refused.empty()) return;
  for (std::size_t i = 0; i < to.size(); ++i)
    if (!want.any[i] && got[i] != want.memory[i]) RC_FAIL("position " + std::to_string(i));
  RC_ASSERT(got.back() == 77u);
}

RC_GTEST_PROP(RelayoutProperty, permutationsAsAPlainWalk, ()) {  // MAP-TEN-09
  const std::size_t axes = number(1, 3);
  check(permutation(axes), permutation(axes));
}

RC_GTEST_PROP(RelayoutProperty, anyMappingsAsAPlainWalk, ()) {  // MAP-TEN-09
  const Mapping from = anything(static_cast<int>(number(0, 5)));
  check(from, number(0, 1) ? permutation(number(1, 3)) : anything(static_cast<int>(number(0, 5))));
}

RC_GTEST_PROP(RelayoutProperty, thereAndBack, ()) {  // MAP-TEN-09, M-06: bit-equal
  const std::size_t axes = number(1, 3);
  const Mapping a = permutation(axes), b = permutation(axes);
  const std::size_t bytes = *rc::gen::element<std::size_t>(1, 2, 3, 4, 8, 12, 16, 40);
  std::vector<unsigned char> first(a.size() * bytes), there(b.size() * bytes, 1), back(a.size() * bytes, 2);
  for (std::size_t i = 0; i < first.size(); ++i) first[i] = static_cast<unsigned char>(i * 37 ^ i >> 7);
  detail::run_relayout(*detail::make_relayout(a, b), first.data(), there.data(), bytes);
  detail::run_relayout(*detail::make_relayout(b, a), there.data(), back.data(), bytes);
  RC_LOG("`" + to_string(a) + "` and `" + to_string(b) + "`");
  a.for_each([&](std::uint64_t i, const Cell& c) {
    if (c.is_live()) RC_ASSERT(std::memcmp(&first[i * bytes], &back[i * bytes], bytes) == 0);
  });
}

RC_GTEST_PROP(RelayoutProperty, placesOfElements, ()) {  // MAP-TEN-01
  const Mapping m = anything(static_cast<int>(number(0, 6)));
  const detail::TensorAxes axes = detail::axes_of(m);
  std::map<std::map<std::string, std::uint64_t>, std::uint64_t> places;
  for (std::uint64_t i = 0; i < m.size(); ++i)
    if (const Cell c = m.map(i); c.is_live() && !c.index().overshoot()) places.emplace(element_of(c), i);
  const auto map = detail::make_element_map(m);
  RC_LOG("`" + to_string(m) + "`");
  std::vector<std::uint64_t> at(axes.size() + 1);
  for (bool more = true; more;) {
    std::map<std::string, std::uint64_t> element;
    for (std::size_t a = 0; a < axes.size(); ++a)
      if (at[a]) element[to_string(axes[a].name)] = at[a];
    std::uint64_t found = ~std::uint64_t{0};
    try {
      found = detail::position_of(*map, at.data());
    } catch (const RangeError&) {}
    const auto place = places.find(element);
    RC_ASSERT(found == (place == places.end() ? ~std::uint64_t{0} : place->second));
    more = false;
    for (std::size_t a = 0; a < axes.size() && !more; ++a) more = ++at[a] < axes[a].size || (at[a] = 0);
  }
}

Mapping parse(std::string_view text, const Axes& a) { return Mapping::parse(text, a); }

TEST(RelayoutStrided, usualLayoutsNeedNoList) {  // MAP-TEN-09
  const Axes a = axes("H = 1000, W = 2000, C = 3, B = 512, N = 65536");
  const std::pair<const char*, const char*> cases[]{
      {"H, W", "W, H"},
      {"H, W", "[H # 1008] / 16, [W # 2000] / 16, [H # 1008] % 16, [W # 2000] % 16"},
      {"H, W", "[H #{0} 1024] / 64, [W #{0} 2048] / 64, [H #{0} 1024] % 64, [W #{0} 2048] % 64"},
      {"H, W, C", "C, H, W #{0} 2048"},
      {"H, W # 2048", "H, W"},
      {"B", "B / 64, B % 32, B / 32 % 2"},
      {"H, W", "[H, W] #{0} 2097152"},
      {"N, B", "N / 256, B / 8, N % 256, B % 8"}};
  for (const auto& [from, to] : cases) {
    EXPECT_TRUE(detail::is_strided(*detail::make_relayout(parse(from, a), parse(to, a)))) << from << " to " << to;
    EXPECT_TRUE(detail::is_strided(*detail::make_relayout(parse(to, a), parse(from, a)))) << to << " to " << from;
  }
}

TEST(RelayoutStrided, everyCore) {  // MAP-TEN-09: transposes, streams and lists of each element size
  for (const char* sizes :
       {"X = 2, Y = 64", "X = 4, Y = 40", "X = 8, Y = 33", "X = 3, Y = 50", "X = 37, Y = 67", "X = 128, Y = 128"})
    for (const char* to : {"Y, X", "X, Y", "Y # 70, X", "Y, X # 9", "Y % 2, X, Y / 2", "X, Y % 2, Y / 2"})
      for (std::size_t bytes : {1, 2, 4, 8, 16, 3, 24}) {
        const Axes a = axes(sizes);
        Mapping f = parse("X, Y", a), t;
        try {
          t = parse(to, a);
        } catch (const MappingError&) { continue; }  // Y is odd
        const std::uint64_t y = a.list()[1].size;
        if ((std::string_view(to).find("X # 9") != std::string_view::npos && a.list()[0].size > 9) || y > t.size())
          continue;
        if (std::string_view(to).find("Y # 70") != std::string_view::npos && y > 70) continue;
        std::vector<unsigned char> from(f.size() * bytes), got(t.size() * bytes);
        for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<unsigned char>(i * 37 ^ i >> 7);
        detail::run_relayout(*detail::make_relayout(f, t), from.data(), got.data(), bytes);
        t.for_each([&](std::uint64_t i, const Cell& c) {
          if (!c.is_live()) return;
          const std::uint64_t at = c.index()[a.list()[0]] * y + c.index()[a.list()[1]];
          ASSERT_EQ(std::memcmp(&got[i * bytes], &from[at * bytes], bytes), 0)
              << sizes << " " << to << " " << bytes << " at " << i;
        });
      }
}

}  // namespace
}  // namespace weft
