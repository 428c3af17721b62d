// A kernel over tensors: it asks by coordinates, whatever order the elements are kept in. Then one relayout.
#include <weft/device_tensor.hpp>

#include <cstdio>

WEFT_AXES(Y = 4, X = 6)
constexpr weft::Mapping rows = WEFT_M(Y, X), tiles = WEFT_M(Y / 2, X / 2, Y % 2, X % 2);

const auto slope =
    weft::kernel("slope(from, to)", [](weft::Tensor<const float, rows> from, weft::Tensor<float, tiles> to) {
      weft::loop(0, to.size(), [&](weft::Index p) {
        const auto at = to.index(p);  // of the element at position p of `to`
        to[p] = from(at[Y], at[X] + 1) - from(at[Y], at[X]);
      });
    });

int main() {
  weft::Device device;
  auto squares = weft::DeviceTensor<float, WEFT_M(1), rows>::from(
      device, [](std::uint64_t y, std::uint64_t x) { return static_cast<float>(y * 100 + x * x); });
  weft::DeviceTensor<float, WEFT_M(1), tiles> slopes(device);
  slope(squares, slopes);

  weft::DeviceTensor<float, WEFT_M(1), WEFT_M(Y, X #{0} 8)> padded(device);
  weft::relayout(slopes, padded);
  const auto host = padded.read().get();
  for (std::uint64_t p = 0; p < 8; ++p) std::printf("%g ", host.data()[p]);
  std::printf("| element (3, 2) is %g\n", host.at(3, 2));
}
