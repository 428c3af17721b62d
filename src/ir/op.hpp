// The operations of the IR, one line each: name, number of operands (-1: any), what it computes. Two families in one
// list: the exchange ops of spec weak.md (WEAK-TOOL-02), which also have a JSON form, and the kernel ops, which have a
// text form only (WEAK-TOOL-05).
#pragma once

#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>

#include "ir/scalar_name.hpp"

namespace weft::ir {

// X(name, operands, flags): P pure, U unary arithmetic, B binary arithmetic, C comparison, E effect (keeps its place in
// a BLOCK), K kernel op (no JSON form).
// clang-format off: one op a line, its meaning beside it
#define WEFT_OPS(X)                                                                                                    \
  /* values without operands */                                                                                        \
  X(CONST, 0, P)        /* a literal: bool, weakint, weakfloat or invalid */                                           \
  X(PARAM, 0, P)        /* what the caller binds: global storage, or a scalar (space alu) */                           \
  X(BUFFER, 0, P)       /* storage of the kernel's own: global, alu (a scalar) or workgroup */                         \
  X(SPECIAL, 1, P)      /* [end]: a named hardware index, 0..end-1 */                                                  \
  X(RANGE, 1, P)        /* [end]: the counter of a loop, 0..end-1; arg: axis, a number unique in the graph */          \
  /* conversions */                                                                                                    \
  X(CAST, 1, P)         /* value conversion; float to integer truncates, saturates, NaN -> 0 */                        \
  X(BITCAST, 1, P)      /* the same bits */                                                                            \
  /* unary */                                                                                                          \
  X(NEG, 1, U)                                                                                                         \
  X(TRUNC, 1, U)                                                                                                       \
  X(SIN, 1, U)                                                                                                         \
  X(EXP2, 1, U)                                                                                                        \
  X(LOG2, 1, U)                                                                                                        \
  X(SQRT, 1, U)                                                                                                        \
  X(RECIPROCAL, 1, U)                                                                                                  \
  X(FLOOR, 1, UK)                                                                                                      \
  X(CEIL, 1, UK)                                                                                                       \
  X(ROUND, 1, UK)       /* halves to even */                                                                           \
  X(ABS, 1, UK)                                                                                                        \
  X(COS, 1, UK)                                                                                                        \
  X(TAN, 1, UK)                                                                                                        \
  X(ASIN, 1, UK)                                                                                                       \
  X(ACOS, 1, UK)                                                                                                       \
  X(ATAN, 1, UK)                                                                                                       \
  X(SINH, 1, UK)                                                                                                       \
  X(COSH, 1, UK)                                                                                                       \
  X(TANH, 1, UK)                                                                                                       \
  X(EXP, 1, UK)                                                                                                        \
  X(LOG, 1, UK)                                                                                                        \
  X(POPCOUNT, 1, UK)                                                                                                   \
  X(REVBITS, 1, UK)                                                                                                    \
  /* binary */                                                                                                         \
  X(ADD, 2, B)                                                                                                         \
  X(SUB, 2, B)                                                                                                         \
  X(MUL, 2, B)                                                                                                         \
  X(MAX, 2, B)          /* KER-NUM-03 */                                                                               \
  X(MIN, 2, BK)                                                                                                        \
  X(AND, 2, B)                                                                                                         \
  X(OR, 2, B)                                                                                                          \
  X(XOR, 2, B)                                                                                                         \
  X(SHL, 2, B)                                                                                                         \
  X(SHR, 2, B)                                                                                                         \
  X(CDIV, 2, B)                                                                                                        \
  X(CMOD, 2, B)         /* truncating */                                                                               \
  X(FLOORDIV, 2, B)                                                                                                    \
  X(FLOORMOD, 2, B)                                                                                                    \
  X(FDIV, 2, B)                                                                                                        \
  X(POW, 2, B)                                                                                                         \
  X(ATAN2, 2, BK)                                                                                                      \
  X(CMPLT, 2, C)                                                                                                       \
  X(CMPNE, 2, C)                                                                                                       \
  X(CMPEQ, 2, C)                                                                                                       \
  /* ternary */                                                                                                        \
  X(WHERE, 3, P)        /* [condition, a, b] */                                                                        \
  X(MULACC, 3, P)       /* a*b + c, rounded twice */                                                                   \
  X(FMA, 3, K)          /* a*b + c, rounded once */                                                                    \
  /* groups of values */                                                                                               \
  X(STACK, -1, P)       /* its elements, as one value of no lane structure (exchange form) */                          \
  X(VECTOR, -1, K)      /* 2..4 scalars of one type -> one value with that many lanes */                               \
  X(EXTRACT, 1, K)      /* one lane of a vector; arg: lane */                                                          \
  X(FENCE, 1, K)        /* this value is rounded here, and nothing looks through (design, Bits) */                     \
  /* memory */                                                                                                         \
  X(INDEX, -1, P)       /* [storage, index...]: an element's place */                                                  \
  X(SHRINK, 3, P)       /* [storage, offset, size] */                                                                  \
  X(LOCAL, 0, K)        /* a variable of one iteration; arg: number (identity), dtype */                               \
  X(LOAD, -1, E)        /* [INDEX|SHRINK|LOCAL, gate?]: the element, or zero where the gate is false */                \
  X(STORE, -1, E)       /* [INDEX|LOCAL, value, gate?]: nothing where the gate is false */                             \
  X(ATOMIC, -1, EK)     /* [INDEX, value, gate?]: arg: number * 256 + operator (an Op: ADD MIN MAX AND OR XOR) */      \
  /* structure */                                                                                                      \
  X(SINK, -1, E)        /* [effects...]: the root of an exchange graph */                                              \
  X(BLOCK, -1, EK)      /* [effects...], one after the other; loads stand in it too */                                 \
  X(IF, -1, EK)         /* [condition, then BLOCK, else BLOCK?] */                                                     \
  X(LOOP, 2, EK)        /* [RANGE, BLOCK]: the block for each value of the range, in order */                          \
  X(WHILE, 1, EK)       /* [BLOCK]: until a BREAK_IF of its own leaves it */                                           \
  X(BREAK_IF, 1, EK)    /* [condition]: leaves the innermost LOOP or WHILE */                                          \
  X(CONTINUE_IF, 1, EK) /* [condition]: ends this turn of the innermost LOOP, WHILE or GRID */                         \
  X(GRID, -1, EK)       /* [RANGE, BLOCK, fold LOCAL...]: the parallel loop; the root of a program. Each fold          \
                           local starts an iteration at its identity, and its values at the ends of the iterations     \
                           are folded in the tree order (KER-RED-02) */                                                \
  X(BARRIER, 0, EK)
// clang-format on

enum class Op : std::uint8_t {
#define X(name, operands, flags) name,
  WEFT_OPS(X)
#undef X
};

namespace detail {
enum : unsigned { P = 0, U = 1, B = 2, C = 2 | 4, E = 8, K = 16, UK = U | K, BK = B | K, EK = E | K };
struct OpInfo {
  std::string_view name;
  int operands;
  unsigned flags;
};
inline constexpr OpInfo op_table[] = {
#define X(name, operands, flags) {#name, operands, flags},
    WEFT_OPS(X)
#undef X
};
}  // namespace detail

constexpr std::string_view name(Op op) { return detail::op_table[static_cast<unsigned>(op)].name; }
constexpr int operands(Op op) { return detail::op_table[static_cast<unsigned>(op)].operands; }
constexpr bool is_unary(Op op) { return detail::op_table[static_cast<unsigned>(op)].flags & detail::U; }
constexpr bool is_binary(Op op) { return detail::op_table[static_cast<unsigned>(op)].flags & detail::B; }
constexpr bool is_comparison(Op op) { return detail::op_table[static_cast<unsigned>(op)].flags & 4; }
constexpr bool is_effect(Op op) { return detail::op_table[static_cast<unsigned>(op)].flags & detail::E; }
constexpr bool is_kernel_op(Op op) { return detail::op_table[static_cast<unsigned>(op)].flags & detail::K; }
/// A binary op whose type is the least upper type of its operands (WEAK-NODE-02).
constexpr bool meets_at_least_upper(Op op) {
  return is_binary(op) && !is_comparison(op) && op != Op::SHL && op != Op::SHR && op != Op::FDIV && op != Op::ATAN2;
}
/// WEAK-NODE-04
constexpr bool is_broadcastable(Op op) { return is_binary(op) || op == Op::WHERE || op == Op::MULACC || op == Op::FMA; }
constexpr bool is_arithmetic(Op op) { return is_unary(op) || is_broadcastable(op); }

constexpr std::optional<Op> parse_op(std::string_view text) {
  for (unsigned i = 0; i < std::size(detail::op_table); ++i)
    if (detail::op_table[i].name == text) return static_cast<Op>(i);
  return std::nullopt;
}

}  // namespace weft::ir
