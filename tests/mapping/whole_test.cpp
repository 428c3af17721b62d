// Mappings beside everything else of Weft: names and operators do not get into each other's way.
#include <weft/weft.hpp>
//
#include <gtest/gtest.h>

#include <weft/mapping.hpp>

namespace author {

using namespace weft;
WEFT_AXES(A = 8, B = 512)

static_assert(A / 4 == WEFT_M(A / 4) && A % 4 == WEFT_M(A % 4) && pad(A, 64) == WEFT_M(A #64) &&
              resize(A, 2) == WEFT_M(A = 2));
static_assert(pair(A, B) / 64 % 4 == WEFT_M([ A, B ] / 64 % 4) && pair(A, B, broadcast(3)) == WEFT_M(A, B, 3));
static_assert(WEFT_I((A, B) : 513) == WEFT_I(A : 1, B : 1) && WEFT_I(A / 1 : 8).is_out_of_bounds());

TEST(Whole, aKernelBesideAMapping) {
  const auto twice = kernel("twice(in, out)", [](Array<const float> in, Array<float> out) {
    loop(out.length(), [&](Index i) { out[i] = in[i] * 2; });
  });
  (void)twice;
  EXPECT_EQ(WEFT_M(A, B).map(513), WEFT_I(A : 1, B : 1));
}

}  // namespace author
