// Weak index arithmetic in its simplest form, found by bounds (MAP-TEN-08): a sum of digits weight * ((y / divisor) % modulus).
// Divisions of sums go to their digits, nested divisions and remainders compose, what the bounds decide is folded, digits that
// stand beside each other become one again, and by powers of two only shifts and masks are left.
#pragma once

#include "ir/graph.hpp"

namespace weft::ir {

/// A weak integer with the value of `root`, whatever the values of what it is computed from within their bounds. Only weak
/// sums, products with constants, and divisions, remainders, shifts and masks by constants are looked into. Iterative.
Node simplify_index(Graph&, Node root);

}  // namespace weft::ir
