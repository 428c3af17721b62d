// Two kernels in a fuse scope: one dispatch where the tier is a GPU, the same bits on every tier.
#include <weft/weft.hpp>

#include <cstdio>

const auto scale = weft::kernel("scale(a, b, k)", weft::fusible,
    [](weft::Array<const float> a, weft::Array<float> b, weft::Scalar<float> k) {
      weft::loop(b.length(), [&](weft::Index i) { b[i] = a[i] * k + 1; });
    });

int main() {
  weft::Device device;
  auto x = device.resident(std::vector<float>{1, 2, 3, 4});
  auto y = device.resident<float>(4);
  device.fuse([&](weft::Scope& scope) {
    auto t = scope.scratch(4);
    scale(x, t, 2.0f);
    scale(t, y, 0.5f);
  }).get();
  for (float v : y.read().get()) std::printf("%g ", v);
  std::printf("\n");
}
