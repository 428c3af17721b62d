// Why a mapping is refused (MAP-SYN-08): a kind, a place in the expression and a reason. It is data that both paths share:
// at compile time it becomes a template argument whose text the compiler prints, at run time a MappingError.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <weft/detail/mapping_node.hpp>

namespace weft {

enum class MappingErrorKind : std::uint8_t {
  none,
  syntax,
  unknown_axis,
  escape_not_a_mapping,
  escape_not_a_constant,
  factor_not_count,
  zero_factor,
  stride_not_divisible,
  modulo_not_divisible,
  size_overflow,
  too_many_nodes,
  name_too_long,
  overshoot,
  index_not_located,
  window_does_not_fit,
  unexpected_view,
  not_injective,
};

/// As it is spelled in JSON.
constexpr std::string_view name(MappingErrorKind k) {
  constexpr std::string_view names[] = {"none",
                                        "syntax",
                                        "unknown-axis",
                                        "escape-not-a-mapping",
                                        "escape-not-a-constant",
                                        "factor-not-count",
                                        "zero-factor",
                                        "stride-not-divisible",
                                        "modulo-not-divisible",
                                        "size-overflow",
                                        "too-many-nodes",
                                        "name-too-long",
                                        "overshoot",
                                        "index-not-located",
                                        "window-does-not-fit",
                                        "unexpected-view",
                                        "not-injective"};
  return names[static_cast<std::size_t>(k)];
}

namespace detail {

/// A sentence, made without allocation. What does not fit ends in "...".
struct Sentence {
  char chars[192]{};
  std::uint16_t count = 0;

  constexpr Sentence() = default;
  constexpr Sentence(std::string_view text) { *this << text; }
  constexpr Sentence(const char* text) : Sentence(std::string_view(text)) {}
  constexpr Sentence& operator<<(std::string_view text) {
    for (char c : text) {
      if (count + 1u < sizeof chars) chars[count++] = c;
      else chars[count - 1] = chars[count - 2] = chars[count - 3] = '.';
    }
    return *this;
  }
  constexpr Sentence& operator<<(std::uint64_t n) {
    char digits[20]{};
    std::size_t at = 20;
    do digits[--at] = static_cast<char>('0' + n % 10);
    while (n /= 10);
    return *this << std::string_view(digits + at, 20 - at);
  }
  constexpr Sentence& operator<<(const Name& n) {
    for (std::size_t i = 0; i < n.size(); ++i) {
      const char c = n[i];
      *this << std::string_view(&c, 1);
    }
    return *this;
  }
  constexpr bool operator==(const Sentence&) const = default;
  constexpr std::string_view view() const { return {chars, count}; }
};

struct MappingFault {
  MappingErrorKind kind{};
  std::uint32_t place = 0;  // the character of the expression at fault
  Sentence reason{};
  constexpr explicit operator bool() const { return kind != MappingErrorKind::none; }
};

/// What a step of building reports: a kind and two numbers, from which the sentence is made only where it is wanted.
struct SizeFault {
  MappingErrorKind kind{};
  std::uint64_t a = 0, b = 0;
  constexpr explicit operator bool() const { return kind != MappingErrorKind::none; }
  constexpr operator MappingFault() const {
    switch (kind) {
      case MappingErrorKind::none: return {};
      case MappingErrorKind::too_many_nodes:
        return {kind, 0, Sentence("a mapping has at most ") << max_mapping_nodes << " nodes (max_mapping_nodes)"};
      case MappingErrorKind::size_overflow:
        if (b) return {kind, 0, Sentence("a pair of sizes ") << a << " and " << b << " has a size past 2^63 - 1"};
        return {kind, 0, Sentence("a size is ") << a << ", past 2^63 - 1"};
      case MappingErrorKind::zero_factor: return {kind, 0, Sentence("the size ") << a << " is split by the factor 0"};
      default:
        return {kind, 0,
                Sentence("the size ") << a << " is not divisible by " << b << ", the factor of "
                                      << (kind == MappingErrorKind::stride_not_divisible ? "/" : "%")};
    }
  }
};

constexpr SizeFault too_large(std::uint64_t n) { return {MappingErrorKind::size_overflow, n, 0}; }
constexpr SizeFault too_large_pair(std::uint64_t l, std::uint64_t r) { return {MappingErrorKind::size_overflow, l, r}; }
constexpr SizeFault too_many_nodes() { return {MappingErrorKind::too_many_nodes, 0, 0}; }
/// x / n and x % n of an x of some size.
constexpr SizeFault check_split(MappingOp op, std::uint64_t size, std::uint64_t n) {
  if (n == 0) return {MappingErrorKind::zero_factor, size, 0};
  if (size % n == 0) return {};
  return {op == MappingOp::stride ? MappingErrorKind::stride_not_divisible : MappingErrorKind::modulo_not_divisible,
          size, n};
}

/// Throws the MappingError; not constexpr, so that a constant expression ends here.
[[noreturn]] void mapping_error(MappingErrorKind, std::string_view reason);
[[noreturn]] void mapping_error(const MappingFault&, std::string_view expression);

}  // namespace detail
}  // namespace weft
