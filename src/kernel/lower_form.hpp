// The forms that operations take in a program: each means the same on every tier, traps nowhere, and leaves nothing to a
// driver's choice (KER-NUM-01, -02, -03, -09). They are built from operations whose meaning is plain; operands are
// committed and of one type.
#pragma once

#include <unordered_set>

#include "ir/graph.hpp"

namespace weft::trace {

/// What is known of a division's operands.
struct Quotient {
  bool divisor_not_zero = false;
  bool no_overflow = false;    // never the least value by -1
  bool both_positive = false;  // neither operand is negative
};

class LegalForms {
 public:
  explicit LegalForms(ir::Graph& g) : g_(g) {}

  /// A literal at a type, in every lane. An integer wraps.
  ir::Node literal(DType, const ir::Integer&);
  ir::Node literal(DType, double);

  /// The value as another type: integers wrap, floats round, a float becomes the nearest integer toward zero, saturated,
  /// NaN 0; a bool is 0 or 1, and a number is true where it is not 0.
  ir::Node convert(ir::Node, Scalar);

  /// A count of the width or more shifts every bit out; a signed count is read as its unsigned bits.
  ir::Node shift(ir::Op, ir::Node value, ir::Node count, bool count_below_width);
  /// CDIV CMOD FLOORDIV FLOORMOD: x / 0 = x, x % 0 = 0, and the least value by -1 wraps.
  ir::Node divide(ir::Op, ir::Node value, ir::Node divisor, Quotient);
  /// Integer power with a small exponent, wrapping; a negative one gives the truncated quotient.
  ir::Node power(ir::Node base, std::int64_t exponent);
  /// Integer power with an exponent that is negative: 0 but for the bases 1 and -1.
  ir::Node reciprocal_power(ir::Node base, ir::Node exponent);
  /// A NaN loses to a number, two NaN give the second, -0 < +0. Floats are compared as the integers of their bits.
  ir::Node min_max(ir::Op, ir::Node a, ir::Node b);
  /// Arithmetic of bools, as of numbers 0 and 1 with every other value read as true.
  ir::Node boolean(ir::Op, ir::Node a, ir::Node b);

  /// One operation on integers or floats of one type, in its form.
  ir::Node binary(ir::Op op, ir::Node a, ir::Node b) { return g_.make(op, {a, b}); }

 private:
  ir::Node select(ir::Node c, ir::Node a, ir::Node b) { return g_.make(ir::Op::WHERE, {c, a, b}); }
  ir::Node less(ir::Node a, ir::Node b) { return g_.make(ir::Op::CMPLT, {a, b}); }
  ir::Node saturate(ir::Node, DType);
  ir::Node bits(ir::Node, bool as_unsigned = false);
  ir::Node is_nan(ir::Node);
  ir::Node order_key(ir::Node);
  bool never_nan(ir::Node) const;

  ir::Graph& g_;
  std::unordered_set<ir::Node> numbers_;  // floats that are certainly not NaN
};

}  // namespace weft::trace
