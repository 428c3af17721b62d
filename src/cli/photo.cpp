#include "photo.hpp"

#include <array>
#include <cmath>
#include <tuple>

namespace weft::cli {
namespace {

constexpr std::uint32_t encoded_steps = 4096;  // of the table from linear light to 8 bits

// sRGB's curve between 8 bits and linear light, tabled on the host once, so that the kernels need no power function.
std::vector<float> linear_table() {
  std::vector<float> table(256);
  for (std::size_t i = 0; i < table.size(); ++i) {
    const double v = static_cast<double>(i) / 255;
    table[i] = static_cast<float>(v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4));
  }
  return table;
}
std::vector<float> encoded_table() {
  std::vector<float> table(encoded_steps);
  for (std::size_t i = 0; i < table.size(); ++i) {
    const double v = static_cast<double>(i) / (encoded_steps - 1);
    table[i] = static_cast<float>(255 * (v <= 0.0031308 ? v * 12.92 : 1.055 * std::pow(v, 1 / 2.4) - 0.055));
  }
  return table;
}

// Luminance of linear light (Rec. 709).
Value<float> luminance_of(Value<vec4f> c) { return c.x * 0.2126 + c.y * 0.7152 + c.z * 0.0722; }

const auto linearise = kernel("linearise(pixels, curve, colour)", fusible,
                              [](Array<const std::uint32_t> pixels, Array<const float> curve, Array<vec4f> colour) {
                                loop(pixels.length(), [&](Index i) {
                                  auto p = pixels[i];
                                  colour[i] =
                                      vector<vec4f>(curve[p & 255], curve[p >> 8 & 255], curve[p >> 16 & 255], 1.0);
                                });
                              });

const auto luminance = kernel("luminance(colour, light)", fusible, [](Array<const vec4f> colour, Array<float> light) {
  loop(colour.length(), [&](Index i) { light[i] = luminance_of(colour[i]); });
});

// The separable blur: binomial weights 1 4 6 4 1, edges repeated.
const auto blur_x = kernel("blur_x(light, across, width)", fusible,
                           [](Array<const float> light, Array<float> across, Scalar<std::int32_t> width) {
                             loop(light.length(), [&](Index i) {
                               auto x = i % width;
                               auto here = light[i];
                               auto west = select(x >= 1, light[i - 1], here);
                               auto east = select(x + 1 < width, light[i + 1], here);
                               auto far_west = select(x >= 2, light[i - 2], west);
                               auto far_east = select(x + 2 < width, light[i + 2], east);
                               across[i] = (far_west + far_east + 4 * (west + east) + 6 * here) * 0.0625;
                             });
                           });

const auto blur_y =
    kernel("blur_y(across, soft, width, height)", fusible,
           [](Array<const float> across, Array<float> soft, Scalar<std::int32_t> width, Scalar<std::int32_t> height) {
             loop(across.length(), [&](Index i) {
               auto y = i / width;
               auto here = across[i];
               auto north = select(y >= 1, across[i - width], here);
               auto south = select(y + 1 < height, across[i + width], here);
               auto far_north = select(y >= 2, across[i - 2 * width], north);
               auto far_south = select(y + 2 < height, across[i + 2 * width], south);
               soft[i] = (far_north + far_south + 4 * (north + south) + 6 * here) * 0.0625;
             });
           });

const auto unsharp =
    kernel("unsharp(colour, light, soft, sharp, amount)", fusible,
           [](Array<const vec4f> colour, Array<const float> light, Array<const float> soft, Array<vec4f> sharp,
              Scalar<float> amount) {
             loop(colour.length(), [&](Index i) { sharp[i] = colour[i] + (light[i] - soft[i]) * amount; });
           });

const auto expose = kernel("expose(colour, exposed, gain)", fusible,
                           [](Array<const vec4f> colour, Array<vec4f> exposed, Scalar<float> gain) {
                             loop(colour.length(), [&](Index i) { exposed[i] = colour[i] * gain; });
                           });

// An S in the mid tones: c + k * c * (1 - c) * (2c - 1), which keeps 0, 1/2 and 1.
const auto tone = kernel("tone(colour, toned, contrast)", fusible,
                         [](Array<const vec4f> colour, Array<vec4f> toned, Scalar<float> contrast) {
                           loop(colour.length(), [&](Index i) {
                             auto c = clamp(colour[i], 0.0, 1.0);
                             toned[i] = c + contrast * c * (1 - c) * (2 * c - 1);
                           });
                         });

const auto vignette = kernel("vignette(colour, shaded, width, height, strength)", fusible,
                             [](Array<const vec4f> colour, Array<vec4f> shaded, Scalar<std::int32_t> width,
                                Scalar<std::int32_t> height, Scalar<float> strength) {
                               loop(colour.length(), [&](Index i) {
                                 auto dx = cast<float>(2 * (i % width) - width) / cast<float>(width);
                                 auto dy = cast<float>(2 * (i / width) - height) / cast<float>(height);
                                 auto r = (dx * dx + dy * dy) * 0.5;
                                 shaded[i] = colour[i] * (1 - strength * r * r);
                               });
                             });

const auto saturate = kernel("saturate(colour, vivid, amount)", fusible,
                             [](Array<const vec4f> colour, Array<vec4f> vivid, Scalar<float> amount) {
                               loop(colour.length(), [&](Index i) {
                                 auto grey = luminance_of(colour[i]);
                                 vivid[i] = clamp(grey + (colour[i] - grey) * amount, 0.0, 1.0);
                               });
                             });

const auto encode =
    kernel("encode(colour, curve, pixels)", fusible,
           [](Array<const vec4f> colour, Array<const float> curve, Array<std::uint32_t> pixels) {
             loop(colour.length(), [&](Index i) {
               auto at = [&](Value<float> v) {
                 return cast<std::uint32_t>(curve[cast<std::uint32_t>(v * (encoded_steps - 1) + 0.5)] + 0.5);
               };
               auto c = colour[i];
               pixels[i] = at(c.x) | at(c.y) << 8 | at(c.z) << 16 | 0xff000000u;
             });
           });

const auto measure = kernel("measure(colour)", fusible, [](Array<const vec4f> colour) {
  Var<float> least = INFINITY, greatest = -INFINITY, total = 0.0;
  loop(colour.length(), [&](Index i) {
    auto light = luminance_of(colour[i]);
    least = min(least, light);
    greatest = max(greatest, light);
    total += light;
  });
  return std::tuple(least, greatest, total / cast<float>(colour.length()));
});

}  // namespace

Photo::Photo(Device& device, const Image& image)
    : device_(&device),
      width_(image.width),
      height_(image.height),
      input_(device.resident(image.pixels)),
      output_(device.resident<std::uint32_t>(image.pixels.size())),
      to_linear_(device.resident(linear_table())),
      to_encoded_(device.resident(encoded_table())) {
  input_.label("photograph");
  output_.label("developed");
}

template <class Make> auto Photo::develop(Make make) {
  const auto w = static_cast<std::int32_t>(width_), h = static_cast<std::int32_t>(height_);
  auto colour = make(vec4f{}), sharp = make(vec4f{}), exposed = make(vec4f{}), toned = make(vec4f{}),
       shaded = make(vec4f{}), vivid = make(vec4f{});
  auto light = make(float{}), across = make(float{}), soft = make(float{});
  linearise(input_, to_linear_, colour);
  luminance(colour, light);
  blur_x(light, across, w);
  blur_y(across, soft, w, h);
  unsharp(colour, light, soft, sharp, 0.8f);
  expose(sharp, exposed, 1.25f);
  tone(exposed, toned, 0.6f);
  vignette(toned, shaded, w, h, 0.45f);
  saturate(shaded, vivid, 1.2f);
  encode(vivid, to_encoded_, output_);
  return measure(vivid);
}

Luminance Photo::apart() {
  // Made at the first time only: allocation is no part of the comparison.
  std::size_t colours = 0, planes = 0;
  auto make = [&]<class T>(T) -> Resident<T> {
    auto reuse = [&](auto& kept, std::size_t& next) {
      if (next == kept.size()) kept.push_back(device_->resident<T>(input_.length()));
      return kept[next++];
    };
    if constexpr (std::is_same_v<T, float>) return reuse(planes_, planes);
    else return reuse(colours_, colours);
  };
  const auto [least, greatest, mean] = develop(make).get();
  return {least, greatest, mean};
}

Luminance Photo::fused(FuseReport& report) {
  decltype(measure(input_.as<vec4f>())) result;
  report =
      device_
          ->fuse([&](Scope& scope) { result = develop([&]<class T>(T) { return scope.scratch<T>(input_.length()); }); })
          .get();
  const auto [least, greatest, mean] = result.get();
  return {least, greatest, mean};
}

std::vector<std::uint32_t> Photo::pixels() { return output_.read().get(); }

namespace {
template <class Visit> void each_kernel(Visit visit) {
  auto all = [&](const auto&... k) { (visit(k), ...); };
  all(linearise, luminance, blur_x, blur_y, unsharp, expose, tone, vignette, saturate, encode, measure);
}
}  // namespace

std::vector<std::string> photo_kernel_names() {
  std::vector<std::string> names;
  each_kernel([&](const auto& k) { names.push_back(k.name()); });
  return names;
}

std::string explain_photo_kernel(std::string_view name) {
  std::string text;
  each_kernel([&](const auto& k) {
    if (k.name() == name) text = k.explain();
  });
  return text;
}

}  // namespace weft::cli
