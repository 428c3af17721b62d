// Several folds in one loop, and a result computed from them after it. The order of the folds is one tree on every tier, so
// a sum has one value everywhere.
#include <weft/weft.hpp>

#include <cstdio>
#include <tuple>

const auto statistics = weft::kernel("statistics(x)", [](weft::Array<const float> x) {
  weft::Var<float> least = 1e30, greatest = -1e30, total = 0;
  weft::loop(x.length(), [&](weft::Index i) {
    least = min(least, x[i]);
    greatest = max(greatest, x[i]);
    total += x[i];
  });
  return std::tuple(least, greatest, total / weft::cast<float>(x.length()));
});

int main() {
  std::vector<float> x(1001);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i) * 0.25f;
  const auto [least, greatest, mean] = statistics(x).get();  // host memory: uploaded where the tier needs it
  std::printf("%g .. %g, mean %g\n", least, greatest, mean);
}
