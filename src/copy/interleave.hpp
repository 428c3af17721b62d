// Registers of 16 bytes whose elements are interleaved: transposing N x N elements, and merging or splitting 2, 4, .. streams,
// are the same few steps. GCC's and clang's vector extensions, which are SSE2, NEON or plain code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace weft::detail {

template <std::size_t Bytes> struct RegisterOf;
template <> struct RegisterOf<1> {
  typedef std::uint8_t type __attribute__((vector_size(16)));
};
template <> struct RegisterOf<2> {
  typedef std::uint16_t type __attribute__((vector_size(16)));
};
template <> struct RegisterOf<4> {
  typedef std::uint32_t type __attribute__((vector_size(16)));
};
template <> struct RegisterOf<8> {
  typedef std::uint64_t type __attribute__((vector_size(16)));
};

/// Of elements of so many bytes.
template <std::size_t Bytes> struct Lanes {
  using Register = typename RegisterOf<Bytes>::type;
  static constexpr std::size_t count = 16 / Bytes;

  static Register load(const std::byte* p) {
    Register r;
    std::memcpy(&r, p, 16);
    return r;
  }
  static void store(std::byte* p, Register r) { std::memcpy(p, &r, 16); }

  // a0 b0 a1 b1 ..: of the lower or the upper halves.
  static Register low(Register a, Register b) {
    if constexpr (Bytes == 8) return __builtin_shufflevector(a, b, 0, 2);
    else if constexpr (Bytes == 4) return __builtin_shufflevector(a, b, 0, 4, 1, 5);
    else if constexpr (Bytes == 2) return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
    else return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  }
  static Register high(Register a, Register b) {
    if constexpr (Bytes == 8) return __builtin_shufflevector(a, b, 1, 3);
    else if constexpr (Bytes == 4) return __builtin_shufflevector(a, b, 2, 6, 3, 7);
    else if constexpr (Bytes == 2) return __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
    else return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  }

  /// K registers, a stream each, become one stream of K registers: element i of stream k is then at i * K + k. With K =
  /// count that is a transposed square.
  template <std::size_t K> static void merge(Register (&r)[K]) {
    if constexpr (K > 1) {
      for (std::size_t step = 1; step < K; step *= 2) {
        Register t[K];
        for (std::size_t i = 0; i < K / 2; ++i)
          t[2 * i] = low(r[i], r[i + K / 2]), t[2 * i + 1] = high(r[i], r[i + K / 2]);
        for (std::size_t i = 0; i < K; ++i) r[i] = t[i];
      }
    }
  }
  /// The way back: merging once more and again until all bits of the order have gone round.
  template <std::size_t K> static void split(Register (&r)[K]) {
    for (std::size_t step = 1; step < count; step *= 2) {
      Register t[K];
      for (std::size_t i = 0; i < K / 2; ++i)
        t[2 * i] = low(r[i], r[i + K / 2]), t[2 * i + 1] = high(r[i], r[i + K / 2]);
      for (std::size_t i = 0; i < K; ++i) r[i] = t[i];
    }
  }
};

}  // namespace weft::detail
