// The demo's work: eleven kernels that develop a photograph, and their calls in order. Every curve is a polynomial or a
// table, so that each tier can give the same bits.
#pragma once

#include <weft/weft.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "image.hpp"

namespace weft::cli {

/// Minimum, maximum and mean of the luminance of the result.
struct Luminance {
  float least = 0, greatest = 0, mean = 0;
};

/// One photograph on one device.
class Photo {
 public:
  Photo(Device&, const Image&);

  /// The calls one by one, with residents between them.
  Luminance apart();
  /// The same calls in one fuse scope, with scratch arrays between them.
  Luminance fused(FuseReport& report);

  /// The pixels that the last of the two made.
  std::vector<std::uint32_t> pixels();

  static constexpr std::uint64_t calls = 11;

 private:
  /// Makes the calls; `make` gives an array of the given element for what passes from one to the next.
  template <class Make> auto develop(Make make);

  Device* device_;
  std::uint32_t width_, height_;
  Resident<std::uint32_t> input_, output_;
  Resident<float> to_linear_, to_encoded_;
  std::vector<Resident<vec4f>> colours_;  // what stands between calls apart, made once
  std::vector<Resident<float>> planes_;
};

/// `kernel.explain()` of the demo's kernels by name; empty where there is none of that name.
std::vector<std::string> photo_kernel_names();
std::string explain_photo_kernel(std::string_view name);

}  // namespace weft::cli
