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

constexpr MappingFault too_large(std::uint64_t n) {
  return {MappingErrorKind::size_overflow, 0, Sentence("a size is ") << n << ", past 2^63 - 1"};
}
constexpr MappingFault too_large_pair(std::uint64_t l, std::uint64_t r) {
  return {MappingErrorKind::size_overflow, 0,
          Sentence("a pair of sizes ") << l << " and " << r << " has a size past 2^63 - 1"};
}
constexpr MappingFault too_many_nodes() {
  return {MappingErrorKind::too_many_nodes, 0,
          Sentence("a mapping has at most ") << max_mapping_nodes << " nodes (max_mapping_nodes)"};
}
/// x / n and x % n of an x of some size.
constexpr MappingFault check_split(MappingOp op, std::uint64_t size, std::uint64_t n) {
  const bool stride = op == MappingOp::stride;
  if (n == 0)
    return {MappingErrorKind::zero_factor, 0,
            Sentence("the factor of ") << (stride ? "/" : "%") << " is 0; the size before it is " << size};
  if (size % n == 0) return {};
  return {stride ? MappingErrorKind::stride_not_divisible : MappingErrorKind::modulo_not_divisible, 0,
          Sentence("the size ") << size << " is not divisible by " << n << ", the factor of " << (stride ? "/" : "%")};
}

/// Throws the MappingError; not constexpr, so that a constant expression ends here.
[[noreturn]] void mapping_error(MappingErrorKind, std::string_view reason);
[[noreturn]] void mapping_error(const MappingFault&, std::string_view expression);

}  // namespace detail
}  // namespace weft
