// Weak index arithmetic in its simplest form, found by bounds (MAP-TEN-08): a sum of digits weight * ((y / divisor) % modulus).
// Divisions of sums go to their digits, nested divisions and remainders compose, what the bounds decide is folded, digits that
// stand beside each other become one again, and by powers of two only shifts and masks are left.
#pragma once

#include <optional>
#include <vector>

#include "ir/graph.hpp"

namespace weft::ir {

/// weight * ((y / divisor) % modulus); no remainder where the modulus is 0. Where there is a divisor or a modulus, y >= 0.
struct IndexDigit {
  Node y;
  std::int64_t divisor = 1, modulus = 0, weight = 1;
  bool is_plain() const { return divisor == 1 && modulus == 0; }
};
struct IndexSum {
  std::int64_t constant = 0;
  std::vector<IndexDigit> digits;
};
/// A weak integer as such a sum, whatever it is made of: `y` are what is not looked into.
IndexSum index_sum(Graph&, Node);

/// A weak integer with the value of `root`, whatever the values of what it is computed from within their bounds. Only weak
/// sums, products with constants, and divisions, remainders, shifts and masks by constants are looked into. Iterative.
Node simplify_index(Graph&, Node root);

}  // namespace weft::ir
