#include "image.hpp"

#include <weft/error.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#define STBI_ONLY_PNG
#define STBI_ONLY_JPEG
#define STB_IMAGE_STATIC
#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_WRITE_IMPLEMENTATION
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#include <stb_image.h>
#include <stb_image_write.h>
#pragma GCC diagnostic pop

namespace weft::cli {
namespace {

/// The size that the head of a PNG states; stb_image calls one that is too large for it of an unknown type.
bool png_size(std::FILE* file, int& width, int& height) {
  unsigned char head[24];
  const bool whole = std::fread(head, 1, sizeof head, file) == sizeof head;
  std::rewind(file);
  if (!whole || std::memcmp(head, "\x89PNG\r\n\x1a\n", 8) != 0 || std::memcmp(head + 12, "IHDR", 4) != 0) return false;
  const auto word = [&](int at) {
    return (head[at] & 0x7F) << 24 | head[at + 1] << 16 | head[at + 2] << 8 | head[at + 3];
  };
  width = word(16), height = word(20);
  return true;
}

void check_size(const std::string& path, int width, int height, std::uint64_t max_pixels) {
  if (static_cast<std::uint64_t>(width) * static_cast<std::uint64_t>(height) > max_pixels)
    throw UnsupportedError(path + " has " + std::to_string(width) + " x " + std::to_string(height) +
                           " pixels and the demo takes at most " + std::to_string(max_pixels) + "; scale it down");
}

}  // namespace

Image read_image(const std::string& path, std::uint64_t max_pixels) {
  if (std::error_code e; std::filesystem::is_directory(path, e))
    throw IoError(path + " is a folder; give an image file (PNG or JPEG)");
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) throw IoError(path + " cannot be opened: " + std::strerror(errno));
  int width = 0, height = 0, channels = 0;
  if (png_size(file.get(), width, height)) check_size(path, width, height, max_pixels);
  if (!stbi_info_from_file(file.get(), &width, &height, &channels) || width < 1 || height < 1)
    throw IoError(path + " is not an image that can be read (PNG or JPEG): " + stbi_failure_reason());
  check_size(path, width, height, max_pixels);
  const auto count = static_cast<std::uint64_t>(width) * static_cast<std::uint64_t>(height);
  std::unique_ptr<stbi_uc, void (*)(void*)> bytes(stbi_load_from_file(file.get(), &width, &height, &channels, 4),
                                                  stbi_image_free);
  if (!bytes) throw IoError(path + " is damaged: " + stbi_failure_reason());
  Image image{static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height), std::vector<std::uint32_t>(count)};
  for (std::uint64_t i = 0; i < count; ++i) {
    const stbi_uc* p = bytes.get() + 4 * i;
    image.pixels[i] = p[0] | p[1] << 8 | p[2] << 16 | static_cast<std::uint32_t>(p[3]) << 24;
  }
  return image;
}

std::vector<std::uint8_t> encode_png(const Image& image) {
  std::vector<std::uint8_t> rgb;
  rgb.reserve(image.pixels.size() * 3);
  for (std::uint32_t p : image.pixels)
    for (int shift : {0, 8, 16}) rgb.push_back(static_cast<std::uint8_t>(p >> shift));
  std::vector<std::uint8_t> png;
  const auto append = [](void* to, void* data, int size) {
    auto& out = *static_cast<std::vector<std::uint8_t>*>(to);
    out.insert(out.end(), static_cast<std::uint8_t*>(data), static_cast<std::uint8_t*>(data) + size);
  };
  if (!stbi_write_png_to_func(append, &png, static_cast<int>(image.width), static_cast<int>(image.height), 3,
                              rgb.data(), static_cast<int>(image.width) * 3))
    throw OutOfMemory("the PNG of " + std::to_string(image.width) + " x " + std::to_string(image.height) +
                      " pixels cannot be encoded: out of memory");
  return png;
}

void write_file(const std::string& path, const void* data, std::size_t size) {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wb"), std::fclose);
  if (!file) throw IoError(path + " cannot be written: " + std::strerror(errno));
  if (std::fwrite(data, 1, size, file.get()) != size || std::fflush(file.get()) != 0)
    throw IoError(path + " cannot be written whole: " + std::strerror(errno));
}

}  // namespace weft::cli
