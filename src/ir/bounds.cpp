#include "ir/bounds.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "ir/derive.hpp"
#include "ir/literal.hpp"

namespace weft::ir {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::array<Bounds, scalar_count> make_limits() {
  std::array<Bounds, scalar_count> t;
  for (std::size_t i = 0; i < scalar_count; ++i) {
    const auto s = static_cast<Scalar>(i);
    if (is_bool(s)) t[i] = Bounds::of(0, 1);
    if (!is_integer(s)) continue;
    const auto bits = static_cast<unsigned>(bit_size(s));
    t[i] = is_unsigned(s) ? Bounds::of(0, Integer::power_of_two(bits) - 1)
                          : Bounds::of(-Integer::power_of_two(bits - 1), Integer::power_of_two(bits - 1) - 1);
  }
  return t;
}

bool integral(Scalar s) { return is_integer(s) || is_bool(s); }

// WEAK-BND-02: bounds as a type holds them, where it does not hold them as they are.
std::optional<Bounds> settled(const Bounds& b, Scalar s) {
  if (is_weak(s) || !integral(s) || holds(s, b)) return std::nullopt;
  if (b.lo == b.hi && is_integer(s)) {
    const Integer v = wrap(b.lo, s);
    return Bounds::of(v, v);
  }
  return Bounds::whole(s);
}

// A value as an operation reads it at its own type: mostly as it is.
class Read {
 public:
  Read(const Bounds& b, Scalar own, Scalar at) : as_it_is_(b) {
    if (own == at || b.real) return;
    if (is_float(at)) other_ = Bounds::of_real(b.lo.to_double(), b.hi.to_double());
    else other_ = settled(b, at);
  }
  operator const Bounds&() const { return other_ ? *other_ : as_it_is_; }

 private:
  const Bounds& as_it_is_;
  std::optional<Bounds> other_;
};

Bounds ordered(Integer a, Integer b) {
  return a <= b ? Bounds::of(std::move(a), std::move(b)) : Bounds::of(std::move(b), std::move(a));
}

Bounds join(const Bounds& a, const Bounds& b) {
  if (a.real) return Bounds::of_real(std::min(a.low, b.low), std::max(a.high, b.high));
  return Bounds::of(std::min(a.lo, b.lo), std::max(a.hi, b.hi));
}

// Of an operation that is monotone in each operand.
template <class F> Bounds corners(const Bounds& a, const Bounds& b, F f) {
  const Bounds low = ordered(f(a.lo, b.lo), f(a.hi, b.lo));
  return b.lo == b.hi ? low : join(low, ordered(f(a.lo, b.hi), f(a.hi, b.hi)));
}

Bounds logic(bool can_be_false, bool can_be_true) { return Bounds::of(can_be_false ? 0 : 1, can_be_true ? 1 : 0); }

bool excludes_zero(const Bounds& b) { return b.lo.sign() * b.hi.sign() > 0; }

Bounds truncated_remainder(const Bounds& x, const Bounds& d) {
  const Integer most = std::max(d.lo.sign() < 0 ? -d.lo : d.lo, d.hi.sign() < 0 ? -d.hi : d.hi) - 1;
  return Bounds::of(x.lo.sign() >= 0 ? Integer(0) : std::max(x.lo, -most),
                    x.hi.sign() <= 0 ? Integer(0) : std::min(x.hi, most));
}

Bounds floored_remainder(const Bounds& x, const Bounds& d) {
  if (d.lo == d.hi && floor_div(x.lo, d.lo) == floor_div(x.hi, d.lo))
    return Bounds::of(floor_mod(x.lo, d.lo), floor_mod(x.hi, d.lo));
  return d.lo.sign() > 0 ? Bounds::of(0, d.hi - 1) : Bounds::of(d.lo + 1, 0);
}

// For one known count; past every width the bits are gone, whatever they were.
std::optional<Bounds> shifted(Op op, Node n, const Bounds& x, const Bounds& count) {
  if (count.lo != count.hi || count.lo.sign() < 0) return std::nullopt;
  const bool committed = !n->dtype.is_weak();
  if (op == Op::SHL) {
    if (x.lo.sign() == 0 && x.hi.sign() == 0) return x;
    if (committed && count.lo >= bit_size(n->dtype.scalar)) return Bounds::of(0, 0);
    if (count.lo > 16384)
      throw RuleError("The bounds of SHL pass 2^16384: it shifts by " + count.lo.to_string().substr(0, 40) + ".", n);
    const auto c = static_cast<unsigned>(*count.lo.to_uint64());
    return Bounds::of(x.lo << c, x.hi << c);
  }
  const auto c = static_cast<unsigned>(std::min(count.lo, Integer(20000)).to_uint64().value());
  return Bounds::of(x.lo >> c, x.hi >> c);
}

// Integer and bool results of the binary operations (WEAK-BND-03); nothing where they are unknown.
std::optional<Bounds> integer_binary(Node n, const Bounds& a, const Bounds& b) {
  const bool boolean = n->dtype.is_bool();
  switch (n->op) {
    case Op::ADD: return Bounds::of(a.lo + b.lo, a.hi + b.hi);
    case Op::SUB: return Bounds::of(a.lo - b.hi, a.hi - b.lo);
    case Op::MUL: return corners(a, b, std::multiplies<Integer>());
    case Op::MAX: return Bounds::of(std::max(a.lo, b.lo), std::max(a.hi, b.hi));
    case Op::MIN: return Bounds::of(std::min(a.lo, b.lo), std::min(a.hi, b.hi));
    case Op::SHL:
    case Op::SHR: return shifted(n->op, n, a, b);
    case Op::AND:
      if (boolean) return Bounds::of(a.lo & b.lo, a.hi & b.hi);
      if (b.lo != b.hi || b.lo.sign() < 0) return std::nullopt;
      if (a.lo.sign() < 0) return Bounds::of(0, b.lo);
      return Bounds::of(0,
                        std::min(a.hi, b.lo & (Integer::power_of_two(static_cast<unsigned>(a.hi.bit_length())) - 1)));
    case Op::OR:
      if (boolean) return Bounds::of(a.lo | b.lo, a.hi | b.hi);
      return std::nullopt;
    case Op::XOR:
      if (!boolean && b.lo == -1 && b.hi == -1) return Bounds::of(~a.hi, ~a.lo);
      return std::nullopt;
    case Op::CDIV:
      if (!excludes_zero(b)) return std::nullopt;
      return corners(a, b, std::divides<Integer>());
    case Op::FLOORDIV:
      if (!excludes_zero(b)) return std::nullopt;
      return corners(a, b, floor_div);
    case Op::CMOD: return excludes_zero(b) ? std::optional(truncated_remainder(a, b)) : std::nullopt;
    case Op::FLOORMOD: return excludes_zero(b) ? std::optional(floored_remainder(a, b)) : std::nullopt;
    default: return std::nullopt;
  }
}

// One rounding of a committed float moves an end by less than this.
std::optional<Bounds> float_binary(Op op, Scalar s, const Bounds& a, const Bounds& b) {
  if (is_weak(s)) return std::nullopt;
  double low, high;
  if (op == Op::ADD) low = a.low + b.low, high = a.high + b.high;
  else if (op == Op::SUB) low = a.low - b.high, high = a.high - b.low;
  else if (op == Op::MUL) {
    const std::array<double, 4> c{a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
    for (double v : c)
      if (std::isnan(v)) return std::nullopt;
    low = *std::min_element(c.begin(), c.end()), high = *std::max_element(c.begin(), c.end());
  } else {
    return std::nullopt;
  }
  Grid g = grid(s);
  if (s == Scalar::fp8e4m3fnuz || s == Scalar::fp8e5m2fnuz) g.smallest_normal *= 2;  // the margin of their siblings
  low = low - std::fabs(low) * g.epsilon - g.smallest_normal;
  high = high + std::fabs(high) * g.epsilon + g.smallest_normal;
  // 8-bit floats saturate and never overflow.
  const double limit = bit_size(s) == 8 ? std::numeric_limits<double>::max() : g.largest;
  if (!(std::fabs(low) <= limit && std::fabs(high) <= limit)) return std::nullopt;
  return Bounds::of_real(low, high);
}

// Compared as the type that both are read at rounds them: rounding is monotone, so what the ends decide holds.
std::optional<Bounds> comparison(Op op, Scalar at, Bounds a, Bounds b) {
  if (is_float(at)) {
    for (Bounds* x : {&a, &b}) {
      x->low = round_to(at, x->low), x->high = round_to(at, x->high);
      if (std::isnan(x->low) || std::isnan(x->high)) return std::nullopt;
    }
    if (op == Op::CMPLT) return logic(!(a.high < b.low), a.low < b.high);
    return logic(!(a.high < b.low || b.high < a.low), !(a.exact() && b.exact() && a.low == b.low));
  }
  if (op == Op::CMPLT) return logic(!(a.hi < b.lo), a.lo < b.hi);
  return logic(!(a.hi < b.lo || b.hi < a.lo), !(a.exact() && b.exact() && a.lo == b.lo));
}

std::optional<Bounds> cast(const Bounds& from, Scalar to) {
  if (is_integer(to)) {
    if (!from.real) return from;
    const Bounds& type = limits(to);
    const auto low = Integer::from_double(from.low), high = Integer::from_double(from.high);
    Integer lo = low ? *low : from.low < 0 ? type.lo : type.hi + 1;
    Integer hi = high ? *high : from.high > 0 ? type.hi : type.lo - 1;
    if (!low || !high) lo = std::min(lo, Integer(0)), hi = std::max(hi, Integer(0));  // NaN becomes 0
    if (hi < type.lo || lo > type.hi) return std::nullopt;
    return Bounds::of(std::max(lo, type.lo), std::min(hi, type.hi));
  }
  if (is_float(to)) {
    const double low = from.real ? round_to(to, from.low) : round_to(to, from.lo);
    const double high = from.real ? round_to(to, from.high) : round_to(to, from.hi);
    if (std::isnan(low) || std::isnan(high)) return std::nullopt;
    return Bounds::of_real(low, high);
  }
  return std::nullopt;
}

std::optional<Bounds> literal(const Arg& a) {
  switch (a.tag) {
    case Arg::Tag::boolean: return Bounds::of(a.boolean ? 1 : 0, a.boolean ? 1 : 0);
    case Arg::Tag::integer: return Bounds::of(*a.integer, *a.integer);
    case Arg::Tag::real:
      if (std::isnan(a.real)) return std::nullopt;
      return Bounds::of_real(a.real, a.real);
    default: return std::nullopt;
  }
}

std::optional<Bounds> stated(const Storage& s) {
  Bounds b = Bounds::whole(s.dtype.scalar);
  if (b.real) {
    if (!s.fmin && !s.fmax) return std::nullopt;
    if (s.fmin && !std::isnan(*s.fmin)) b.low = *s.fmin;
    if (s.fmax && !std::isnan(*s.fmax)) b.high = *s.fmax;
  } else {
    if (s.vmin) b.lo = *s.vmin;
    if (s.vmax) b.hi = *s.vmax;
  }
  return b;
}

// Whether the bounds of the sources matter.
bool looks_at_sources(Node n) {
  if (n->dtype.is_void()) return false;
  switch (n->op) {
    case Op::LOAD:
    case Op::ATOMIC:
    case Op::SHRINK:
    case Op::BITCAST:
    case Op::POW:
    case Op::MULACC:
    case Op::FMA:
    case Op::FDIV:
    case Op::ATAN2:
    case Op::CMPEQ: return false;
    case Op::INDEX:
    case Op::STACK:
    case Op::VECTOR:
    case Op::EXTRACT:
    case Op::FENCE:
    case Op::CAST:
    case Op::RANGE:
    case Op::SPECIAL:
    case Op::WHERE:
    case Op::TRUNC:
    case Op::NEG:
    case Op::FLOOR:
    case Op::CEIL:
    case Op::ROUND:
    case Op::ABS: return true;
    default: return is_binary(n->op);
  }
}

class Evaluator {
 public:
  explicit Evaluator(Graph& g) : table_(g.bounds_table()) {}

  const Bounds& operator()(Node root) {
    if (const Bounds* known = table_.find(root->id)) return *known;
    std::vector<Node>& stack = table_.work;
    stack.clear();  // what an error has left
    stack.push_back(root);
    while (true) {
      const Node n = stack.back();
      const std::size_t before = stack.size();
      if (looks_at_sources(n))
        for (Node s : n->src())
          if (!table_.find(s->id)) stack.push_back(s);
      if (stack.size() != before) continue;
      const Bounds& b = add(n);
      do {
        stack.pop_back();
        if (stack.empty()) return b;
      } while (table_.find(stack.back()->id));
    }
  }

 private:
  const Bounds& of(Node n) const { return *table_.find(n->id); }
  Read read_source(Node n, std::size_t i, Scalar at) const { return {of((*n)[i]), (*n)[i]->dtype.scalar, at}; }

  const Bounds& add(Node n) {
    const Scalar s = n->dtype.scalar;
    std::optional<Bounds> b = compute(n);
    if (!b) b = Bounds::whole(s);
    else if (auto other = settled(*b, s)) b = std::move(other);
    for (const Integer* end : {&b->lo, &b->hi})
      if (!end->is_small() && end->bit_length() > 16384 && *end != Integer::power_of_two(16384) &&
          *end != -Integer::power_of_two(16384))
        throw RuleError("The bounds of " + std::string(name(n->op)) + " (" + to_string(n->dtype) + ") pass 2^16384.",
                        n);
    return table_.add(n->id, *std::move(b));
  }

  std::optional<Bounds> compute(Node n) const {
    const Scalar s = n->dtype.scalar;
    if (n->dtype.is_void()) return Bounds{};
    switch (n->op) {
      case Op::CONST: return literal(n->arg);
      case Op::PARAM:
      case Op::BUFFER: return stated(*n->arg.storage);
      case Op::RANGE:
      case Op::SPECIAL:
        if (of((*n)[0]).real) return std::nullopt;
        return Bounds::of(0, of((*n)[0]).hi - 1);
      case Op::INDEX:
      case Op::FENCE:
      case Op::EXTRACT: return of((*n)[0]);
      case Op::STACK:
      case Op::VECTOR: return join_all(n, 0);
      case Op::WHERE: return where(n);
      case Op::CAST: return cast(of((*n)[0]), s);
      case Op::NEG:
        if (!is_float(s)) return std::nullopt;
        return Bounds::of_real(-of((*n)[0]).high, -of((*n)[0]).low);
      case Op::TRUNC: return rounded(n, [](double v) { return std::trunc(v); });
      case Op::FLOOR: return rounded(n, [](double v) { return std::floor(v); });
      case Op::CEIL: return rounded(n, [](double v) { return std::ceil(v); });
      case Op::ROUND: return rounded(n, [](double v) { return std::nearbyint(v); });
      case Op::ABS: return absolute(of((*n)[0]));
      case Op::POPCOUNT: return Bounds::of(0, bit_size(s));
      case Op::CMPLT:
      case Op::CMPNE: {
        const Scalar at = least_upper(n->src());
        return comparison(n->op, at, read_source(n, 0, at), read_source(n, 1, at));
      }
      default: break;
    }
    if (!is_binary(n->op) || !looks_at_sources(n)) return std::nullopt;
    if (is_float(s)) return float_binary(n->op, s, read_source(n, 0, s), read_source(n, 1, s));
    if (!integral(s)) return std::nullopt;
    if (n->op == Op::SHL || n->op == Op::SHR) return integer_binary(n, read_source(n, 0, s), of((*n)[1]));
    return integer_binary(n, read_source(n, 0, s), read_source(n, 1, s));
  }

  template <class F> std::optional<Bounds> rounded(Node n, F f) const {
    const Bounds& x = of((*n)[0]);
    if (!x.real) return n->op == Op::TRUNC ? std::nullopt : std::optional(x);
    return Bounds::of_real(f(x.low), f(x.high));
  }

  static Bounds absolute(const Bounds& x) {
    if (x.real) {
      if (x.low >= 0) return x;
      return Bounds::of_real(x.high <= 0 ? -x.high : 0.0, std::max(-x.low, x.high));
    }
    if (x.lo.sign() >= 0) return x;
    return Bounds::of(x.hi.sign() <= 0 ? -x.hi : Integer(0), std::max(-x.lo, x.hi));
  }

  std::optional<Bounds> join_all(Node n, std::size_t first) const {
    if (n->count == first) return std::nullopt;
    Bounds b = read_source(n, first, n->dtype.scalar);
    for (std::size_t i = first + 1; i < n->count; ++i) b = join(b, read_source(n, i, n->dtype.scalar));
    return b;
  }

  // where(x < c, x, y): the arm x is known to lie below c; where(x < c, y, x): not below it.
  Bounds where(Node n) const {
    const Scalar s = n->dtype.scalar;
    Bounds yes = read_source(n, 1, s), no = read_source(n, 2, s);
    const Node c = (*n)[0];
    if (c->is(Op::CMPLT) && is_float(s) && (*c)[0]->dtype.is_float() && (*c)[1]->dtype.is_float()) {
      const Node l = (*c)[0], r = (*c)[1];
      const Bounds &left = of(l), &right = of(r);
      if ((*n)[1] == l) yes.high = std::min(yes.high, right.high);
      if ((*n)[1] == r) yes.low = std::max(yes.low, left.low);
      if ((*n)[2] == l) no.low = std::max(no.low, right.low);
      if ((*n)[2] == r) no.high = std::min(no.high, left.high);
    }
    return join(yes, no);
  }

  BoundsTable& table_;
};

}  // namespace

Bounds Bounds::whole(Scalar s) {
  if (is_float(s)) return of_real(-infinity, infinity);
  return limits(s);
}

const Bounds& limits(Scalar s) {
  static const std::array<Bounds, scalar_count> table = make_limits();
  return table[static_cast<std::size_t>(s)];
}

bool holds(Scalar s, const Bounds& b) {
  const Bounds& type = limits(s);
  return !b.real && type.lo <= b.lo && b.hi <= type.hi;
}

Integer wrap(const Integer& v, Scalar s) {
  const Integer modulus = Integer::power_of_two(static_cast<unsigned>(bit_size(s)));
  Integer r = floor_mod(v, modulus);
  return r > limits(s).hi ? r - modulus : r;
}

const Bounds& bounds(Graph& g, Node n) { return Evaluator(g)(n); }

Scalar commit_integer(const Bounds& b, Scalar default_integer) {
  for (Scalar s : {default_integer, Scalar::int32, Scalar::int64, Scalar::uint64})
    if (holds(s, b)) return s;
  if (b.lo == b.hi) {
    std::string digits = b.lo.to_string();
    if (digits.size() > 60) digits = digits.substr(0, 60) + "...";
    throw RuleError(digits + " fits no integer type: int64 and uint64 are the widest.");
  }
  return Scalar::int64;
}

Scalar commit_dtype(Graph& g, Node n) {
  const Scalar s = n->dtype.scalar;
  if (s == Scalar::weakfloat) return g.default_float();
  if (s != Scalar::weakint) return s;
  try {
    return commit_integer(bounds(g, n));
  } catch (const RuleError& e) { throw RuleError(e.what(), e.node ? e.node : n); }
}

bool fits_no_int(Graph& g, Node n) {
  const Bounds& b = bounds(g, n);
  return !holds(Scalar::int64, b) && !holds(Scalar::uint64, b);
}

}  // namespace weft::ir
