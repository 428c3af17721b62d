// MAP-TEN-10: the layout of a table's channel in its array texture is a mapping. Shapes and addresses are written here as
// section LAY of docs/reference/tables.md gives them, in shifts and masks, since the library has no tables yet.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <weft/mapping.hpp>

namespace weft {
namespace {

struct Texture {
  std::uint64_t height, layers, packing;
};

Texture texture_of(std::uint64_t elements, std::uint64_t packing) {
  const std::uint64_t texels = (elements + packing - 1) / packing;
  const std::uint64_t rows = std::max<std::uint64_t>(1, (texels + 1023) / 1024);
  const std::uint64_t height = std::clamp<std::uint64_t>(std::bit_floor(rows / 2), 1, 4096);
  return {height, std::max<std::uint64_t>(2, (rows + height - 1) / height), packing};
}

// Element e of the channel, as (layer, y, x, lane).
struct Address {
  std::uint64_t layer, y, x, lane;
  bool operator==(const Address&) const = default;
};

Address address(const Texture& t, std::uint64_t e) {
  const std::uint64_t texel = e / t.packing;
  return {texel >> (10 + std::countr_zero(t.height)), (texel >> 10) & (t.height - 1), texel & 1023,
          e & (t.packing - 1)};
}

// The shapes here are those of the reference: rows of its worked examples.
TEST(Texture, theReferencesWorkedShapes) {
  struct Row {
    std::uint64_t needed, height, layers;
  };
  for (const auto [needed, height, layers] :
       {Row{0, 1, 2}, Row{3, 1, 3}, Row{4, 2, 2}, Row{7, 2, 4}, Row{13, 4, 4}, Row{98, 32, 4}, Row{1000, 256, 4},
        Row{2049, 1024, 3}, Row{8191, 2048, 4}, Row{8192, 4096, 2}, Row{12'289, 4096, 4}}) {
    const Texture t = texture_of(1024 * needed, 1);
    EXPECT_EQ(t.height, height) << needed << " rows";
    EXPECT_EQ(t.layers, layers) << needed << " rows";
  }
}

// At position e of (layer, y, x, lane), each an axis of the texture, stands the address of element e; and the elements
// E, cut at the same places, are in order: what is uploaded row by row is the channel itself.
TEST(Texture, aTablesLayoutIsAMapping) {
  for (const std::uint64_t elements : {1u, 1023u, 1024u, 1025u, 4096u, 5000u, 70'000u, 1u << 20, 9'000'000u})
    for (const std::uint64_t packing : {1u, 2u, 4u}) {
      const Texture t = texture_of(elements, packing);
      SCOPED_TRACE(std::to_string(elements) + " elements, packing " + std::to_string(packing));
      const std::uint64_t capacity = 1024 * t.height * t.layers * packing;
      ASSERT_GE(capacity, elements);
      const std::string h = std::to_string(t.height), p = std::to_string(packing);
      const Axes axes = weft::axes("Layer = " + std::to_string(t.layers) + ", Y = " + h + ", X = 1024, Lane = " + p +
                                   ", E = " + std::to_string(capacity));
      const Mapping places = Mapping::parse("Layer, Y, X, Lane", axes);
      ASSERT_EQ(places.size(), capacity);
      const auto check = [&](std::uint64_t e) {
        const TensorIndex i = places.map(e).index();
        const auto at = [&](std::size_t axis) { return i[axes.list()[axis]]; };
        EXPECT_EQ((Address{at(0), at(1), at(2), at(3)}), address(t, e)) << "element " << e;
      };
      const std::uint64_t step = capacity / 4099 + 1;
      for (std::uint64_t e = 0; e < capacity; e += step) check(e);
      check(capacity - 1);
      const std::string row = std::to_string(1024 * packing), layer = std::to_string(1024 * packing * t.height);
      const Mapping cut =
          Mapping::parse("E / " + layer + ", E / " + row + " % " + h + ", E / " + p + " % 1024, E % " + p, axes);
      EXPECT_EQ(normalize(cut), Mapping::parse("E", axes));
    }
}

// The same at compile time, for the shape of a kernel that knows it: 70,000 elements, two in a texel.
WEFT_AXES(Layer = 3, Y = 16, X = 1024, Lane = 2)
constexpr Mapping places = WEFT_M(Layer, Y, X, Lane);
static_assert(places.size() == 98'304 && places.map(69'999) == WEFT_I(Layer : 2, Y : 2, X : 183, Lane : 1));

TEST(Texture, aShapeKnownAtCompileTime) {
  const Texture t = texture_of(70'000, 2);
  EXPECT_EQ(t.height, Y.size);
  EXPECT_EQ(t.layers, Layer.size);
  EXPECT_EQ(address(t, 69'999), (Address{2, 2, 183, 1}));
}

}  // namespace
}  // namespace weft
