#include "ir/simplify_index.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "ir/bounds.hpp"

namespace weft::ir {
namespace {

using Wide = __int128;

constexpr std::size_t max_terms = 64;
constexpr std::int64_t max_number = std::int64_t{1} << 62;  // past it nothing is looked into

using Digit = IndexDigit;
using Sum = IndexSum;
struct Interval {
  Wide lo, hi;
};

std::optional<std::int64_t> fitting(Wide v) {
  if (v > max_number || v < -max_number) return std::nullopt;
  return static_cast<std::int64_t>(v);
}
bool is_power_of_two(std::int64_t v) { return v > 0 && (v & (v - 1)) == 0; }
int log2(std::int64_t v) { return __builtin_ctzll(static_cast<unsigned long long>(v)); }

class Simplifier {
 public:
  explicit Simplifier(Graph& g) : g_(g) {}

  const Sum& sum(Node root) {
    for (Node n : reached(root)) done_.emplace(n, compute(n));
    return done_.at(root);
  }
  Node run(Node root) { return emit(sum(root)); }

 private:
  static bool opens(Node n) {
    if (n->dtype != Scalar::weakint) return false;
    for (Node source : n->src())
      if (source->dtype != Scalar::weakint) return false;
    switch (n->op) {
      case Op::ADD:
      case Op::SUB: return true;
      case Op::MUL: return int_value((*n)[0]) || int_value((*n)[1]);
      case Op::CDIV:
      case Op::CMOD:
      case Op::FLOORDIV:
      case Op::FLOORMOD:
      case Op::SHL:
      case Op::SHR:
      case Op::AND: return int_value((*n)[1]).has_value();
      default: return false;
    }
  }

  // What is looked into, sources first.
  static std::vector<Node> reached(Node root) {
    std::vector<Node> order, todo{root};
    std::unordered_map<Node, bool> closed;  // false: its sources are on the way
    while (!todo.empty()) {
      const Node n = todo.back();
      const auto [at, fresh] = closed.try_emplace(n, false);
      if (fresh && opens(n)) {
        for (Node s : n->src())
          if (!closed.contains(s)) todo.push_back(s);
        continue;
      }
      todo.pop_back();
      if (!at->second) order.push_back(n), at->second = true;
    }
    return order;
  }

  Sum compute(Node n) {
    if (n->is(Op::CONST))
      if (const auto v = int_value(n); v && fitting(*v)) return {*v, {}};
    if (opens(n))
      if (auto sum = operation(n)) return *std::move(sum);
    return whole(n);
  }
  static Sum whole(Node n) { return {0, {Digit{n}}}; }

  std::optional<Sum> operation(Node n) {
    const Sum& a = done_.at((*n)[0]);
    const Sum& b = done_.at((*n)[1]);
    const auto constant = b.digits.empty() ? std::optional(b.constant) : std::nullopt;
    switch (n->op) {
      case Op::ADD: return add(a, b, 1);
      case Op::SUB: return add(a, b, -1);
      case Op::MUL:
        if (constant) return scaled(a, *constant);
        return a.digits.empty() ? scaled(b, a.constant) : std::nullopt;  // a constant may be too large to be one here
      case Op::SHL:
        if (!constant || *constant < 0 || *constant > 61) return std::nullopt;
        return scaled(a, std::int64_t{1} << *constant);
      case Op::SHR:
        if (!constant || *constant < 0 || *constant > 61) return std::nullopt;
        return divide(a, std::int64_t{1} << *constant);
      case Op::AND:
        if (!constant || *constant < 0 || !is_power_of_two(*constant + 1)) return std::nullopt;
        return remainder(a, *constant + 1);
      case Op::CDIV:
      case Op::FLOORDIV: return constant && *constant > 0 ? divide(a, *constant) : std::nullopt;
      default: return constant && *constant > 0 ? remainder(a, *constant) : std::nullopt;
    }
  }

  // --- bounds ---
  std::optional<Interval> of(const Digit& d) {
    const Bounds& b = bounds(g_, d.y);
    const auto lo = b.lo.to_int64(), hi = b.hi.to_int64();
    if (b.real || !lo || !hi || !fitting(*lo) || !fitting(*hi)) return std::nullopt;
    Wide from = *lo, to = *hi;
    if (!d.is_plain()) {
      from /= d.divisor, to /= d.divisor;
      if (d.modulus && to >= d.modulus) from = 0, to = d.modulus - 1;
    }
    from *= d.weight, to *= d.weight;
    if (!fitting(from) || !fitting(to)) return std::nullopt;
    return d.weight < 0 ? Interval{to, from} : Interval{from, to};
  }
  std::optional<Interval> of(const Sum& s) {
    Interval r{s.constant, s.constant};
    for (const Digit& d : s.digits) {
      const auto i = of(d);
      if (!i) return std::nullopt;
      r.lo += i->lo, r.hi += i->hi;
      if (!fitting(r.lo) || !fitting(r.hi)) return std::nullopt;
    }
    return r;
  }

  // --- sums ---
  std::optional<Sum> add(Sum a, const Sum& b, std::int64_t sign) {
    const auto scaled_b = scaled(b, sign);
    if (!scaled_b) return std::nullopt;
    const auto constant = fitting(Wide(a.constant) + scaled_b->constant);
    if (!constant) return std::nullopt;
    a.constant = *constant;
    a.digits.insert(a.digits.end(), scaled_b->digits.begin(), scaled_b->digits.end());
    return joined(std::move(a));
  }
  static std::optional<Sum> scaled(Sum s, std::int64_t by) {
    if (by == 0) return Sum{};
    const auto constant = fitting(Wide(s.constant) * by);
    if (!constant) return std::nullopt;
    s.constant = *constant;
    for (Digit& d : s.digits) {
      const auto weight = fitting(Wide(d.weight) * by);
      if (!weight) return std::nullopt;
      d.weight = *weight;
    }
    return s;
  }

  /// Digits that nothing limits lose their remainder, digits that are 0 go, equal ones add up, and neighbours become one:
  /// w * (y / d % m) and m*w * (y / (d*m) % n) are w * (y / d % (m*n)).
  std::optional<Sum> joined(Sum s) {
    std::vector<Digit>& all = s.digits;
    for (bool again = true; again;) {
      again = false;
      for (Digit& d : all) tidy(d);
      std::erase_if(all, [](const Digit& d) { return d.weight == 0; });
      for (std::size_t i = 0; i < all.size() && !again; ++i)
        for (std::size_t j = 0; j < all.size() && !again; ++j)
          if (i != j && all[i].y == all[j].y) again = join(all, std::min(i, j), std::max(i, j));
    }
    if (all.size() > max_terms) return std::nullopt;
    return s;
  }
  static bool join(std::vector<Digit>& all, std::size_t i, std::size_t j) {
    const auto gone = all.begin() + static_cast<std::ptrdiff_t>(j);
    Digit &a = all[i], &b = all[j];
    if (a.divisor == b.divisor && a.modulus == b.modulus) {
      const auto weight = fitting(Wide(a.weight) + b.weight);
      if (!weight) return false;
      a.weight = *weight;
      all.erase(gone);
      return true;
    }
    const Digit &low = a.divisor < b.divisor ? a : b, &high = a.divisor < b.divisor ? b : a;
    if (!low.modulus || Wide(low.divisor) * low.modulus != high.divisor ||
        Wide(low.weight) * low.modulus != high.weight)
      return false;
    const auto modulus = fitting(Wide(low.modulus) * high.modulus);
    if (!modulus) return false;
    a = {low.y, low.divisor, *modulus, low.weight};
    all.erase(gone);
    return true;
  }
  void tidy(Digit& d) {
    if (d.is_plain()) return;
    const Bounds& b = bounds(g_, d.y);
    const auto hi = b.hi.to_int64();
    if (!hi) return;
    if (*hi / d.divisor == 0) d.weight = 0;
    if (d.modulus && *hi / d.divisor < d.modulus) d.modulus = 0;
  }

  // --- division by a constant above 0 ---

  /// floor(s / c) of an s that is not negative; nothing where that is not known.
  std::optional<Sum> divide(const Sum& s, std::int64_t c) {
    if (c == 1) return s;
    const auto range = of(s);
    if (!range || range->lo < 0) return std::nullopt;
    if (range->lo / c == range->hi / c) return Sum{static_cast<std::int64_t>(range->lo / c), {}};
    auto [multiple, rest] = split(s, c);
    const auto below = of(rest);
    if (!below) return std::nullopt;
    if (below->lo < 0) return Sum{0, {Digit{emit(s), c}}};
    const auto quotient = divide_rest(rest, *below, c);
    for (Digit& d : multiple.digits) d.weight /= c;
    multiple.constant /= c;
    return add(std::move(multiple), quotient, 1);
  }
  /// The part whose numbers c divides, and what is left, its constant from 0 to c - 1.
  static std::pair<Sum, Sum> split(const Sum& s, std::int64_t c) {
    Sum multiple, rest;
    rest.constant = (s.constant % c + c) % c;
    multiple.constant = s.constant - rest.constant;
    for (const Digit& d : s.digits) (d.weight % c == 0 ? multiple : rest).digits.push_back(d);
    return {std::move(multiple), std::move(rest)};
  }
  Sum divide_rest(const Sum& s, const Interval& range, std::int64_t c) {
    if (range.hi < c) return {};
    if (s.constant == 0 && s.digits.size() == 1) {
      Digit d = s.digits[0];
      if (d.weight > 0 && c % d.weight == 0) {
        const std::int64_t by = c / d.weight;
        const auto divisor = fitting(Wide(d.divisor) * by);
        if (divisor && (d.modulus == 0 || d.modulus % by == 0)) {
          d.divisor = *divisor, d.modulus /= by, d.weight = 1;
          if (d.modulus == 1) return {};
          tidy(d);
          return d.weight ? Sum{0, {d}} : Sum{};
        }
      }
    }
    if (auto cut = cut_low(s, c)) {
      auto& [low, high, g] = *cut;
      return divide_rest(high, *of(high), c / g);
    }
    return {0, {Digit{emit(s), c}}};
  }

  /// s = low + g * high with 0 <= low < g, where g divides c: the low part decides no quotient by c.
  struct Cut {
    Sum low, high;
    std::int64_t g;
  };
  std::optional<Cut> cut_low(const Sum& s, std::int64_t c) {
    std::vector<Digit> digits = s.digits;
    std::stable_sort(digits.begin(), digits.end(),
                     [](const Digit& a, const Digit& b) { return std::abs(a.weight) < std::abs(b.weight); });
    for (std::size_t k = 0; k < digits.size(); ++k) {
      std::int64_t g = c;
      for (std::size_t i = k; i < digits.size(); ++i) g = std::gcd(g, digits[i].weight);
      if (g == 1) continue;
      Cut cut{{}, {}, g};
      cut.low.constant = s.constant % g;
      cut.high.constant = s.constant / g;
      cut.low.digits.assign(digits.begin(), digits.begin() + static_cast<std::ptrdiff_t>(k));
      const auto range = of(cut.low);
      if (!range || range->lo < 0 || range->hi >= g) continue;
      cut.high.digits.assign(digits.begin() + static_cast<std::ptrdiff_t>(k), digits.end());
      for (Digit& d : cut.high.digits) d.weight /= g;
      return cut;
    }
    return std::nullopt;
  }

  /// s mod c of an s that is not negative.
  std::optional<Sum> remainder(const Sum& s, std::int64_t c) {
    if (c == 1) return Sum{};
    const auto range = of(s);
    if (!range || range->lo < 0) return std::nullopt;
    if (range->lo / c == range->hi / c) return add(s, Sum{static_cast<std::int64_t>(range->lo / c * c), {}}, -1);
    const Sum rest = split(s, c).second;
    const auto below = of(rest);
    if (!below) return std::nullopt;
    if (below->lo < 0) return Sum{0, {Digit{emit(s), 1, c}}};
    return remainder_rest(rest, *below, c);
  }
  std::optional<Sum> remainder_rest(const Sum& s, const Interval& range, std::int64_t c) {
    if (range.hi < c) return s;
    if (s.constant == 0 && s.digits.size() == 1) {
      Digit d = s.digits[0];
      if (d.weight > 0 && c % d.weight == 0 && (d.modulus == 0 || d.modulus % (c / d.weight) == 0)) {
        d.modulus = c / d.weight;
        if (d.modulus == 1) return Sum{};
        return Sum{0, {d}};
      }
    }
    if (auto cut = cut_low(s, c)) {
      auto& [low, high, g] = *cut;
      if (const auto above = remainder_rest(high, *of(high), c / g))
        if (const auto shifted = scaled(*above, g)) return add(std::move(low), *shifted, 1);
    }
    return Sum{0, {Digit{emit(s), 1, c}}};
  }

  // --- nodes ---
  Node number(std::int64_t v) { return g_.constant(v); }
  Node emit(const Digit& d) {
    Node n = d.y;
    if (d.divisor != 1)
      n = is_power_of_two(d.divisor) ? g_.make(Op::SHR, {n, number(log2(d.divisor))})
                                     : g_.make(Op::CDIV, {n, number(d.divisor)});
    if (d.modulus)
      n = is_power_of_two(d.modulus) ? g_.make(Op::AND, {n, number(d.modulus - 1)})
                                     : g_.make(Op::CMOD, {n, number(d.modulus)});
    if (d.weight == 1) return n;
    if (is_power_of_two(d.weight)) return g_.make(Op::SHL, {n, number(log2(d.weight))});
    return g_.make(Op::MUL, {n, number(d.weight)});
  }
  // From large weights to small ones: equal sums of different weights are one node, however they came about.
  Node emit(const Sum& s) {
    std::vector<Digit> digits = s.digits;
    std::stable_sort(digits.begin(), digits.end(), [](const Digit& a, const Digit& b) { return a.weight > b.weight; });
    Node n = nullptr;
    for (const Digit& d : digits) n = n ? g_.make(Op::ADD, {n, emit(d)}) : emit(d);
    if (!n) return number(s.constant);
    return s.constant ? g_.make(Op::ADD, {n, number(s.constant)}) : n;
  }

  Graph& g_;
  std::unordered_map<Node, Sum> done_;
};

}  // namespace

Node simplify_index(Graph& g, Node root) {
  if (root->dtype != Scalar::weakint) return root;
  return Simplifier(g).run(root);
}

IndexSum index_sum(Graph& g, Node root) { return Simplifier(g).sum(root); }

}  // namespace weft::ir
