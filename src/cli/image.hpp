// Photographs in and out of the program: PNG or JPEG to packed RGBA pixels, and back to PNG.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weft::cli {

struct Image {
  std::uint32_t width = 0, height = 0;
  std::vector<std::uint32_t> pixels;  // row by row, R in the low byte, A in the high one
};

/// Reads a PNG or JPEG file. Throws IoError: the file is missing or is no image, UnsupportedError: it is larger than
/// `max_pixels` (so that a hostile header allocates nothing).
Image read_image(const std::string& path, std::uint64_t max_pixels = 100'000'000);

std::vector<std::uint8_t> encode_png(const Image&);

/// Writes a whole file. Throws IoError with the system's reason.
void write_file(const std::string& path, const void* data, std::size_t size);

}  // namespace weft::cli
