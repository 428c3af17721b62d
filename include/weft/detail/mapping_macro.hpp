// The macros (MAP-SYN-01, -05, -06, -11; MAP-POS-08). WEFT_M turns its arguments into text that the parser reads during
// compilation. What a name means follows C++ scopes: each declaration adds an overload of weft_scope to the namespace it
// stands in, ranked above what was visible before it, and its result type holds the new names and that earlier scope. So
// `weft_scope(ScopeRank<...>)`, looked up where WEFT_M stands, is the innermost chain of declarations.
#pragma once

#include <weft/detail/mapping_cell.hpp>
#include <weft/detail/mapping_decode.hpp>
#include <weft/detail/mapping_parse.hpp>

namespace weft::detail {

/// A string literal as a template argument.
template <std::size_t N> struct Text {
  char chars[N]{};
  constexpr Text(const char (&text)[N]) {
    for (std::size_t i = 0; i < N; ++i) chars[i] = text[i];
  }
  constexpr std::string_view view() const { return {chars, N - 1}; }
};

inline constexpr int max_scope_declarations = 128;  // that are visible at one place
/// Only a type that a text makes.
template <Text T> struct TextOf;
template <int N> struct ScopeRank : ScopeRank<N - 1> {
  static_assert(N <= max_scope_declarations,
                "weft: too many declarations of axes, mappings and constants are visible here");
};
template <> struct ScopeRank<0> {};

/// The name that a declaration `A = 8` begins with.
consteval Name declared_name(std::string_view text) {
  MappingScanner scan(text);
  Name n;
  if (!is_letter(scan.peek()) || !scan.name(n))
    throw "weft: the name of an axis, mapping or constant is a letter, then letters, digits and _, 31 at most";
  return n;
}

/// Where no declaration is visible.
struct EmptyScope {
  static constexpr int rank = 0;
  static constexpr bool axis(const Name&, std::uint64_t&) { return false; }
  static constexpr const Mapping* mapping(const Name&) { return nullptr; }
  static constexpr bool constant(const Name&, std::uint64_t&) { return false; }
};
consteval EmptyScope weft_scope(ScopeRank<0>) { return {}; }

template <std::size_t N> struct AxisList {
  Axis axes[N];
};
template <class... T> AxisList(T...) -> AxisList<sizeof...(T)>;

/// A name hides the same one of the scope before, whatever it names there.
template <class Before, AxisList Declared> struct AxisScope {
  static constexpr int rank = Before::rank + 1;
  static constexpr const Axis* find(const Name& n) {
    for (const Axis& a : Declared.axes)
      if (a.name == n) return &a;
    return nullptr;
  }
  static constexpr bool axis(const Name& n, std::uint64_t& size) {
    if (const Axis* a = find(n)) return size = a->size, true;
    return Before::axis(n, size);
  }
  static constexpr const Mapping* mapping(const Name& n) { return find(n) ? nullptr : Before::mapping(n); }
  static constexpr bool constant(const Name& n, std::uint64_t& value) { return !find(n) && Before::constant(n, value); }
};
template <class Before, Name Declared, const Mapping& Value> struct MappingScope {
  static constexpr int rank = Before::rank + 1;
  static constexpr bool axis(const Name& n, std::uint64_t& size) { return n != Declared && Before::axis(n, size); }
  static constexpr const Mapping* mapping(const Name& n) { return n == Declared ? &Value : Before::mapping(n); }
  static constexpr bool constant(const Name& n, std::uint64_t& value) {
    return n != Declared && Before::constant(n, value);
  }
};
template <class Before, Name Declared, std::uint64_t Value> struct ConstantScope {
  static constexpr int rank = Before::rank + 1;
  static constexpr bool axis(const Name& n, std::uint64_t& size) { return n != Declared && Before::axis(n, size); }
  static constexpr const Mapping* mapping(const Name& n) { return n == Declared ? nullptr : Before::mapping(n); }
  static constexpr bool constant(const Name& n, std::uint64_t& value) {
    return n == Declared ? (value = Value, true) : Before::constant(n, value);
  }
};

/// Not defined: naming it makes the compiler print the expression and why it is refused.
template <Text Expression, Text Kind, Text Reason> struct mapping_error_in;

template <std::size_t N> consteval Text<N + 1> text_of(std::string_view s) {
  char chars[N + 1]{};
  for (std::size_t i = 0; i < N; ++i) chars[i] = s[i];
  return Text<N + 1>(chars);
}

template <Text Expression, class Scope> struct ParsedInScope {
  static constexpr ParsedMapping result = parse_mapping(Expression.view(), Scope());
};
template <Text Expression, class Scope> consteval const Mapping& mapping_in_scope() {
  constexpr const ParsedMapping& parsed = ParsedInScope<Expression, Scope>::result;
  if constexpr (parsed.fault.kind != MappingErrorKind::none) {
    constexpr std::string_view kind = name(parsed.fault.kind), reason = parsed.fault.reason.view();
    return mapping_error_in<Expression, text_of<kind.size()>(kind), text_of<reason.size()>(reason)>::value;
  } else {
    return parsed.mapping;
  }
}

/// WEFT_I evaluates `true ? m : v` and `false ? m : v`: the mapping, and the value as whatever type m has.
template <Name N> constexpr Cell assigned(const NamedAxis<N>& axis, const NamedAxis<N>& value) {
  return assigned(Mapping(axis), value.size);
}
constexpr Cell assigned(const Axis& axis, const Axis& value) { return assigned(Mapping(axis), value.size); }
constexpr Cell assigned(const Mapping& m, const Mapping& value) { return assigned(m, value.size()); }

/// Combines assignments in the order written.
struct Assignments {
  Cell cell{};
  template <class M> constexpr Assignments with(const M& mapping, const M& value) const {
    return {combine(cell, assigned(mapping, value))};
  }
};

}  // namespace weft::detail

// --- FOR_EACH over up to 256 arguments ---
#define WEFT_PARENS_ ()
#define WEFT_EXPAND_(...) WEFT_EXPAND4_(WEFT_EXPAND4_(WEFT_EXPAND4_(WEFT_EXPAND4_(__VA_ARGS__))))
#define WEFT_EXPAND4_(...) WEFT_EXPAND3_(WEFT_EXPAND3_(WEFT_EXPAND3_(WEFT_EXPAND3_(__VA_ARGS__))))
#define WEFT_EXPAND3_(...) WEFT_EXPAND2_(WEFT_EXPAND2_(WEFT_EXPAND2_(WEFT_EXPAND2_(__VA_ARGS__))))
#define WEFT_EXPAND2_(...) WEFT_EXPAND1_(WEFT_EXPAND1_(WEFT_EXPAND1_(WEFT_EXPAND1_(__VA_ARGS__))))
#define WEFT_EXPAND1_(...) __VA_ARGS__
#define WEFT_EACH_(macro, ...) __VA_OPT__(WEFT_EXPAND_(WEFT_EACH_STEP_(macro, __VA_ARGS__)))
#define WEFT_EACH_STEP_(macro, first, ...) macro(first) __VA_OPT__(WEFT_EACH_AGAIN_ WEFT_PARENS_(macro, __VA_ARGS__))
#define WEFT_EACH_AGAIN_() WEFT_EACH_STEP_

// The declarations that are visible here, as a type.
#define WEFT_SCOPE_ decltype(weft_scope(::weft::detail::ScopeRank<::weft::detail::max_scope_declarations>{}))
// The overload of one declaration. Its text is in the signature, so that two of one rank in one namespace, seen by
// different translation units, are different functions.
#define WEFT_DECLARE_SCOPE_(text, ...)                                                                                 \
  [[maybe_unused]] consteval __VA_ARGS__ weft_scope(                                                                   \
      ::weft::detail::ScopeRank<WEFT_SCOPE_::rank + 1>,                                                                \
      const ::weft::detail::TextOf<::weft::detail::Text{text}>* = nullptr) {                                           \
    return {};                                                                                                         \
  }
#define WEFT_AXIS_(declaration)                                                                                        \
  inline constexpr ::weft::NamedAxis<::weft::detail::declared_name(#declaration)> declaration;

/// WEFT_AXES(A = 8, B = 512) declares axes, at namespace scope.
#define WEFT_AXES(...)                                                                                                 \
  WEFT_EACH_(WEFT_AXIS_, __VA_ARGS__)                                                                                  \
  WEFT_DECLARE_SCOPE_("axes " #__VA_ARGS__,                                                                            \
                      ::weft::detail::AxisScope<WEFT_SCOPE_, ::weft::detail::AxisList{__VA_ARGS__}>)

/// WEFT_MAPPING(L, A, B # 64) names a mapping, `constexpr weft::Mapping L`, that { L } uses in the notation.
#define WEFT_MAPPING(name, ...)                                                                                        \
  inline constexpr ::weft::Mapping name = WEFT_M(__VA_ARGS__);                                                         \
  WEFT_DECLARE_SCOPE_("mapping " #name,                                                                                \
                      ::weft::detail::MappingScope<WEFT_SCOPE_, ::weft::detail::declared_name(#name), name>)

/// WEFT_CONSTANT(N, 4 * 16) names a constant that { N } and { N + 1 } use as a factor.
#define WEFT_CONSTANT(name, ...)                                                                                       \
  inline constexpr std::uint64_t name = ::weft::detail::Count(__VA_ARGS__).value;                                      \
  WEFT_DECLARE_SCOPE_("constant " #name,                                                                               \
                      ::weft::detail::ConstantScope<WEFT_SCOPE_, ::weft::detail::declared_name(#name), name>)

/// WEFT_M(A, B # 64): a constexpr weft::Mapping.
#define WEFT_M(...) (::weft::detail::mapping_in_scope<::weft::detail::Text{#__VA_ARGS__}, WEFT_SCOPE_>())

#define WEFT_ASSIGNED_(m) .with((true ? m), (false ? m))
/// WEFT_I(A: 2, B: i % 512): the cell of these assignments, combined in the order written. The values are any expressions.
#define WEFT_I(...) (::weft::detail::Assignments() WEFT_EACH_(WEFT_ASSIGNED_, __VA_ARGS__).cell)
