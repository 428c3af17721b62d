// The seam between the author's templates and the tracer in the library: expressions without their C++ type, and the
// functions that record them. The templates check types; everything here trusts them and checks values and places.
#pragma once

#include <weft/dtype.hpp>

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <source_location>

namespace weft::ir {
struct UOp;
}

namespace weft::detail {

/// A traced expression: a node of the graph being traced, and which trace that is, so that a value that outlives its
/// kernel is refused by name instead of read.
struct Expr {
  const ir::UOp* node = nullptr;
  std::uint32_t trace = 0;
};

/// What an operator takes: a traced expression or a host literal, which stays weak until it meets something (KER-AUTH-04).
struct Operand {
  enum class Kind : std::uint8_t { traced, boolean, integer, natural, real };
  Kind kind;
  union {
    Expr expr;
    bool boolean;
    std::int64_t integer;
    std::uint64_t natural;  // an unsigned literal past the signed range
    double real;
  };
  Operand(Expr e) : kind(Kind::traced), expr(e) {}
  explicit Operand(bool v) : kind(Kind::boolean), boolean(v) {}
  explicit Operand(double v) : kind(Kind::real), real(v) {}
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  explicit Operand(T v) : kind(Kind::integer), integer(static_cast<std::int64_t>(v)) {
    if constexpr (std::unsigned_integral<T> && sizeof(T) == 8)
      if (integer < 0) kind = Kind::natural, natural = v;
  }
};

// clang-format off
/// The functions of the author's surface; apply.cpp says what each becomes.
enum class Fn : std::uint8_t {
  neg, bit_not, logical_not, abs, sign, floor, ceil, trunc, round, fract, sqrt, inverse_sqrt, exp, exp2, log, log2,
  sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, count_one_bits, reverse_bits, length, normalize, any, all,
  add, sub, mul, div, mod, shl, shr, bit_and, bit_or, bit_xor, lt, le, gt, ge, eq, ne,
  min, max, min_propagate, max_propagate, pow, atan2, floor_div, floor_mod, dot,
  select, clamp, mix, fma,
};
// clang-format on

// Values. Each throws StateError outside a kernel's lambda and RangeError for a literal that its peer cannot hold
// (KER-NUM-07).
Expr apply(Fn, std::initializer_list<Operand>, DType result);
Expr convert(const Operand&, DType);  // as an initialisation converts
Expr cast(const Operand&, DType);
Expr bitcast(const Operand&, DType);
Expr vector(std::initializer_list<Operand>, DType);
Expr shuffle(Expr vector, std::initializer_list<unsigned> lanes);  // one lane: a scalar
Expr insert(Expr vector, unsigned lane, const Operand&);
Expr combine(Fn, Expr left, const Operand& right, DType);  // as `left op= right` does: at the type of `left`

// Variables.
Expr declare(DType, const Operand& initial, std::uint32_t line);
Expr read(Expr variable);
void assign(Expr variable, const Operand&);
void update(Fn, Expr variable, const Operand&);  // variable = variable fn operand

// Arrays. `store` gives back the value as stored.
Expr load(Expr array, Expr index, std::uint32_t line);
Expr store(Expr array, Expr index, std::uint32_t line, const Operand&);
Expr length(Expr array);

/// A callable, borrowed for the length of one call; its argument is a loop's counter where there is one.
struct Body {
  void* self;
  void (*call)(void*, Expr);
};
template <class F> void* borrowed(F& f) { return const_cast<void*>(static_cast<const volatile void*>(&f)); }
template <class F> Body body(F& f) {
  return {borrowed(f), [](void* self, Expr) { (*static_cast<F*>(self))(); }};
}
template <class Counter, class F> Body counted_body(F& f) {
  return {borrowed(f), [](void* self, Expr i) { (*static_cast<F*>(self))(Counter(i)); }};
}

// Control. `trace_if` gives a handle by which an Else finds it.
const ir::UOp* trace_if(const Operand& condition, Body, std::uint32_t line);
void trace_else(const ir::UOp* handle, Body, std::uint32_t line);
void trace_for(const Operand& start, const Operand& stop, const Operand& step, Body, std::uint32_t line);
void trace_while(Body, std::uint32_t line);
void trace_loop(const Operand& start, const Operand& stop, const Operand& step, Body, std::uint32_t line);
void break_if(const Operand& condition, std::uint32_t line);
void continue_if(const Operand& condition, std::uint32_t line);

inline std::uint32_t line_of(const std::source_location& where) { return where.line(); }

}  // namespace weft::detail
