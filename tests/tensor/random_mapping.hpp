// Random mappings for property tests of tensors: some that hold every element once, and any at all.
#pragma once

#include <rapidcheck/gtest.h>

#include <map>
#include <string>
#include <vector>

#include <weft/mapping.hpp>

namespace weft {

inline const std::vector<Axis> all_axes{{detail::Name("A"), 12}, {detail::Name("B"), 16}, {detail::Name("C"), 5}};

inline std::uint64_t divisor(std::uint64_t n) {
  std::vector<std::uint64_t> all;
  for (std::uint64_t d = 1; d <= n; ++d)
    if (n % d == 0) all.push_back(d);
  return *rc::gen::elementOf(all);
}
inline std::uint64_t number(std::uint64_t from, std::uint64_t to) { return *rc::gen::inRange(from, to + 1); }
inline PaddingKind kind() { return *rc::gen::element(PaddingKind::Top, PaddingKind::Zero, PaddingKind::Bottom); }

/// `factors` in a random order, as one mapping.
inline Mapping shuffled(std::vector<Mapping> factors) {
  Mapping m;
  while (!factors.empty()) {
    const auto i = static_cast<std::ptrdiff_t>(number(0, factors.size() - 1));
    m = m == Mapping() ? factors[static_cast<std::size_t>(i)] : pair(factors[static_cast<std::size_t>(i)], m);
    factors.erase(factors.begin() + i);
  }
  return m;
}

/// Splits x into digits, each perhaps padded: all of its elements, once.
inline std::vector<Mapping> digits(const Mapping& x) {
  std::vector<Mapping> result;
  std::uint64_t below = 1, size = x.size();
  while (size > 1 && result.size() < 3) {
    const std::uint64_t n = number(0, 2) ? divisor(size) : size;
    if (n == 1) continue;
    Mapping digit = below == 1 ? x : x / below;
    if (n < size) digit = digit % n;
    if (!number(0, 4)) digit = pad(digit, n + number(0, 3), kind());
    result.push_back(digit);
    below *= n, size /= n;
  }
  if (size > 1) result.push_back(x / below);
  return result;
}

/// A mapping that holds every element of some axes once: digits in any order, with padding at any level.
inline Mapping permutation(std::size_t axes) {
  std::vector<Mapping> factors;
  for (std::size_t a = 0; a < axes; ++a) {
    Mapping x(all_axes[a]);
    if (!number(0, 2)) x = pad(x, x.size() + number(0, 6), kind());
    const auto parts = digits(x);
    factors.insert(factors.end(), parts.begin(), parts.end());
  }
  Mapping m = shuffled(std::move(factors));
  if (!number(0, 3) && m.size() < 4000) {
    const auto parts = digits(pad(m, m.size() + number(0, 9), kind()));
    m = shuffled(parts);
  }
  return number(0, 3) ? m : pad(m, m.size() + number(0, 9), kind());
}

/// Any mapping at all of the axes, with duplicates, truncation, broadcasts, overshoots.
inline Mapping anything(int depth) {
  if (depth == 0) return number(0, 4) ? Mapping(all_axes[number(0, 2)]) : Mapping(number(1, 3));
  const Mapping x = anything(depth - 1);
  const std::uint64_t size = x.size();
  switch (number(0, 5)) {
    case 0: return size ? x / divisor(size) : x;
    case 1: return size ? x % divisor(size) : x;
    case 2: return pad(x, number(0, size + 4), kind());
    case 3: return resize(x, number(0, size + 2));
    default: {
      const Mapping y = anything(static_cast<int>(number(0, static_cast<std::uint64_t>(depth) - 1)));
      return size * y.size() < 3000 ? pair(x, y) : x;
    }
  }
}

/// Coordinates of a live cell in range, by name.
inline std::map<std::string, std::uint64_t> element_of(const Cell& cell) {
  std::map<std::string, std::uint64_t> e;
  for (const IndexTerm& t : cell.index())
    if (t.value) e[to_string(t.name)] += t.value;
  return e;
}

}  // namespace weft
