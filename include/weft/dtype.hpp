// Data types and their promotion: what a value is made of, and what two values meet at. The weak types have a kind but
// no width yet (spec weak.md, WEAK-TYPE); everything else is committed. All of it is constexpr: the C++ types of traced
// expressions and the types of IR nodes come from the one lattice below.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace weft {

/// The scalar types (WEAK-TYPE-01), in the order of WEAK-TYPE-02: by priority, then bits, then name.
/// (`weft::Scalar<T>` is a kernel's parameter, scalar.hpp.)
enum class ScalarType : std::uint8_t {
  void_,
  boolean,
  weakint,
  int8,
  uint8,
  int16,
  uint16,
  int32,
  uint32,
  int64,
  uint64,
  weakfloat,
  fp8e4m3,
  fp8e4m3fnuz,
  fp8e5m2,
  fp8e5m2fnuz,
  float16,
  bfloat16,
  float32,
  float64,
};
inline constexpr std::size_t scalar_count = 20;

enum class Kind : std::uint8_t { none, boolean, integer, floating };

namespace detail {
struct ScalarInfo {
  std::string_view name;
  int priority;  // WEAK-TYPE-02: the order among common ancestors
  int bits;      // WEAK-TYPE-05
  Kind kind;
  bool is_unsigned, weak;
  std::uint32_t parents;  // bit set of the types one step up the lattice
};

constexpr std::uint32_t bit(ScalarType s) { return 1u << static_cast<unsigned>(s); }

inline constexpr std::array<ScalarInfo, scalar_count> scalar_table{{
    {"void", -1, 0, Kind::none, false, false, 0},
    {"bool", 0, 1, Kind::boolean, false, false, bit(ScalarType::weakint)},
    {"weakint", 0, 800, Kind::integer, false, true, bit(ScalarType::int8) | bit(ScalarType::uint8)},
    {"int8", 1, 8, Kind::integer, false, false, bit(ScalarType::int16)},
    {"uint8", 2, 8, Kind::integer, true, false, bit(ScalarType::int16) | bit(ScalarType::uint16)},
    {"int16", 3, 16, Kind::integer, false, false, bit(ScalarType::int32)},
    {"uint16", 4, 16, Kind::integer, true, false, bit(ScalarType::int32) | bit(ScalarType::uint32)},
    {"int32", 5, 32, Kind::integer, false, false, bit(ScalarType::int64)},
    {"uint32", 6, 32, Kind::integer, true, false, bit(ScalarType::int64) | bit(ScalarType::uint64)},
    {"int64", 7, 64, Kind::integer, false, false, bit(ScalarType::weakfloat)},
    {"uint64", 8, 64, Kind::integer, true, false, bit(ScalarType::weakfloat)},
    {"weakfloat", 9, 800, Kind::floating, false, true,
     bit(ScalarType::fp8e4m3) | bit(ScalarType::fp8e5m2) | bit(ScalarType::fp8e4m3fnuz) | bit(ScalarType::fp8e5m2fnuz)},
    {"fp8e4m3", 10, 8, Kind::floating, false, false, bit(ScalarType::float16) | bit(ScalarType::bfloat16)},
    {"fp8e4m3fnuz", 10, 8, Kind::floating, false, false, bit(ScalarType::float16) | bit(ScalarType::bfloat16)},
    {"fp8e5m2", 11, 8, Kind::floating, false, false, bit(ScalarType::float16) | bit(ScalarType::bfloat16)},
    {"fp8e5m2fnuz", 11, 8, Kind::floating, false, false, bit(ScalarType::float16) | bit(ScalarType::bfloat16)},
    {"float16", 12, 16, Kind::floating, false, false, bit(ScalarType::float32)},
    {"bfloat16", 13, 16, Kind::floating, false, false, bit(ScalarType::float32)},
    {"float32", 14, 32, Kind::floating, false, false, bit(ScalarType::float64)},
    {"float64", 15, 64, Kind::floating, false, false, 0},
}};

static_assert(
    [] {
      for (std::size_t i = 1; i < scalar_count; ++i) {
        const ScalarInfo &a = scalar_table[i - 1], &b = scalar_table[i];
        if (a.priority != b.priority ? a.priority > b.priority : a.bits != b.bits ? a.bits > b.bits : a.name >= b.name)
          return false;
      }
      return true;
    }(),
    "the types are in the order of (priority, bits, name)");

/// Of each type, the set of it and everything above it. Parents come later in the order.
inline constexpr auto ancestor_table = [] {
  std::array<std::uint32_t, scalar_count> t{};
  for (std::size_t i = scalar_count; i-- > 0;) {
    t[i] = 1u << i;
    for (std::size_t p = i + 1; p < scalar_count; ++p)
      if (scalar_table[i].parents >> p & 1u) t[i] |= t[p];
  }
  return t;
}();
constexpr std::uint32_t ancestors(ScalarType s) { return ancestor_table[static_cast<std::size_t>(s)]; }

/// The first member of a set in the order of the types; void of the empty one.
constexpr ScalarType smallest(std::uint32_t set) {
  return set ? static_cast<ScalarType>(std::countr_zero(set)) : ScalarType::void_;
}
}  // namespace detail

constexpr const detail::ScalarInfo& info(ScalarType s) { return detail::scalar_table[static_cast<std::size_t>(s)]; }
constexpr std::string_view name(ScalarType s) { return info(s).name; }
constexpr int bit_size(ScalarType s) { return info(s).bits; }
constexpr bool is_weak(ScalarType s) { return info(s).weak; }
constexpr bool is_integer(ScalarType s) { return info(s).kind == Kind::integer; }
constexpr bool is_float(ScalarType s) { return info(s).kind == Kind::floating; }
constexpr bool is_unsigned(ScalarType s) { return info(s).is_unsigned; }
constexpr bool is_bool(ScalarType s) { return s == ScalarType::boolean; }

/// The least upper type of two (WEAK-TYPE-02, -03); void when one of them is void: it promotes with nothing.
constexpr ScalarType least_upper(ScalarType a, ScalarType b) {
  return detail::smallest(detail::ancestors(a) & detail::ancestors(b));
}

/// The least upper type of a set, added one by one. It is the set's: two by two, three types may meet higher (two kinds of
/// fp8 at float16, and then with bfloat16 at float32, where all three meet at bfloat16).
class LeastUpper {
 public:
  constexpr LeastUpper& add(ScalarType s) {
    if (empty_) last_ = result_ = s, empty_ = false;
    else if (s != last_ && s != result_) {
      result_ = pair_ ? detail::smallest(common_ & detail::ancestors(s)) : least_upper(result_, s);
      pair_ = true, last_ = s;
    }
    common_ &= detail::ancestors(s);
    return *this;
  }
  /// void for the empty set, and where void is a member beside others.
  constexpr ScalarType type() const { return result_; }

 private:
  std::uint32_t common_ = ~0u;  // the ancestors of all members
  ScalarType result_ = ScalarType::void_, last_ = ScalarType::void_;
  bool empty_ = true, pair_ = false;
};

/// The least upper float of a type (WEAK-TYPE-04).
constexpr ScalarType least_upper_float(ScalarType s, ScalarType default_float = ScalarType::float32) {
  return s == ScalarType::weakint ? ScalarType::weakfloat : is_float(s) ? s : least_upper(s, default_float);
}

constexpr std::optional<ScalarType> parse_scalar(std::string_view text) {
  for (std::size_t i = 0; i < scalar_count; ++i)
    if (detail::scalar_table[i].name == text) return static_cast<ScalarType>(i);
  return std::nullopt;
}

/// A scalar type with a number of lanes: vectors are types, not a second IR. Arithmetic is lane by lane.
struct DType {
  ScalarType scalar = ScalarType::void_;
  std::uint8_t lanes = 1;

  constexpr DType() = default;
  constexpr DType(ScalarType s, std::uint8_t n = 1) : scalar(s), lanes(n) {}
  constexpr bool operator==(const DType&) const = default;
  constexpr bool is_weak() const { return weft::is_weak(scalar); }
  constexpr bool is_void() const { return scalar == ScalarType::void_; }
  constexpr bool is_integer() const { return weft::is_integer(scalar); }
  constexpr bool is_float() const { return weft::is_float(scalar); }
  constexpr bool is_bool() const { return weft::is_bool(scalar); }
  /// Bytes of one element in memory: lanes are packed (KER-AUTH-02), a bool takes 4 bytes.
  constexpr std::size_t bytes() const {
    return (is_bool() ? 4u : static_cast<std::size_t>(bit_size(scalar)) / 8u) * lanes;
  }
};

/// Vectors as the host holds them: packed components, no padding, no alignment beyond the scalar's.
template <class T, std::size_t N> struct Vec {
  std::array<T, N> lane{};
  constexpr T& operator[](std::size_t i) { return lane[i]; }
  constexpr const T& operator[](std::size_t i) const { return lane[i]; }
  constexpr bool operator==(const Vec&) const = default;
};
using f32 = float;
using i32 = std::int32_t;
using u32 = std::uint32_t;
using vec2f = Vec<float, 2>;
using vec3f = Vec<float, 3>;
using vec4f = Vec<float, 4>;
using vec2i = Vec<std::int32_t, 2>;
using vec3i = Vec<std::int32_t, 3>;
using vec4i = Vec<std::int32_t, 4>;
using vec2u = Vec<std::uint32_t, 2>;
using vec3u = Vec<std::uint32_t, 3>;
using vec4u = Vec<std::uint32_t, 4>;

/// The kinds without a width, as C++ types of traced expressions.
struct WeakInt {};
struct WeakFloat {};

/// dtype_of<T>: the DType of a C++ element or traced type; void for any other type.
template <class T> inline constexpr DType dtype_of{};
template <> inline constexpr DType dtype_of<bool>{ScalarType::boolean};
template <> inline constexpr DType dtype_of<float>{ScalarType::float32};
template <> inline constexpr DType dtype_of<double>{ScalarType::float64};
template <> inline constexpr DType dtype_of<std::int32_t>{ScalarType::int32};
template <> inline constexpr DType dtype_of<std::uint32_t>{ScalarType::uint32};
template <> inline constexpr DType dtype_of<std::int64_t>{ScalarType::int64};
template <> inline constexpr DType dtype_of<std::uint64_t>{ScalarType::uint64};
template <> inline constexpr DType dtype_of<WeakInt>{ScalarType::weakint};
template <> inline constexpr DType dtype_of<WeakFloat>{ScalarType::weakfloat};
template <class T, std::size_t N>
inline constexpr DType dtype_of<Vec<T, N>>{dtype_of<T>.scalar, static_cast<std::uint8_t>(N)};

}  // namespace weft
