#include "backends/cpu/split.hpp"

#include <algorithm>

namespace weft::cpu {

using ir::Node;
using ir::Op;

namespace {

// With at most 6 terms of at most 2^18 * 2^40 no sum below passes 2^61. Values of 32 bits are within by their type; the
// range function checks those of 64 bits (render_range.cpp).
constexpr std::int64_t largest_coefficient = 1 << 18, largest_constant = std::int64_t{1} << 58;
constexpr std::size_t most_terms = 6;
constexpr int deepest = 48;

bool within(std::int64_t v, std::int64_t limit) { return -limit <= v && v <= limit; }

bool small(const Linear& l) {
  return l.terms.size() <= most_terms && within(l.constant, largest_constant) &&
         std::all_of(l.terms.begin(), l.terms.end(), [](auto& t) { return within(t.second, largest_coefficient); });
}

std::optional<Linear> checked(Linear l) {
  std::erase_if(l.terms, [](auto& t) { return t.second == 0; });
  if (!small(l)) return std::nullopt;
  return l;
}

std::optional<Linear> add(Linear a, const Linear& b, std::int64_t sign) {
  a.constant += sign * b.constant;
  for (auto& [symbol, k] : b.terms) {
    auto it = std::find_if(a.terms.begin(), a.terms.end(), [&](auto& t) { return t.first == symbol; });
    if (it == a.terms.end()) a.terms.emplace_back(symbol, sign * k);
    else it->second += sign * k;
  }
  return checked(std::move(a));
}

std::optional<Linear> scale(Linear a, std::int64_t k) {
  if (!within(k, largest_coefficient) || !within(a.constant, std::int64_t{1} << 40)) return std::nullopt;
  a.constant *= k;
  for (auto& t : a.terms) t.second *= k;
  return checked(std::move(a));
}

bool counted(Node n) {
  return n->dtype.lanes == 1 && n->dtype.is_integer() && !n->dtype.is_weak() && bit_size(n->dtype.scalar) >= 32;
}

std::optional<std::int64_t> literal(Node n) { return ir::is_literal(n) ? ir::int_value(n) : std::nullopt; }

bool shareable(Node n) {
  switch (n->op) {
    case Op::CONST: return true;
    case Op::PARAM: return n->arg.storage->space == ir::Space::alu;
    // A division may stand under the condition that makes it safe.
    case Op::CDIV:
    case Op::CMOD:
    case Op::FLOORDIV:
    case Op::FLOORMOD: return literal((*n)[1]).value_or(0) > 0;
    case Op::CAST:
    case Op::BITCAST:
    case Op::WHERE:
    case Op::MULACC:
    case Op::FENCE: return true;
    default: return ir::is_unary(n->op) || ir::is_binary(n->op);
  }
}

// The conditions under which arithmetic of this type gave the exact value.
void fits(const Linear& l, Scalar type, std::vector<Linear>& needs) {
  const bool wide = bit_size(type) == 64;
  if (wide && !is_unsigned(type)) return;
  const std::int64_t low = is_unsigned(type) ? 0 : INT32_MIN, high = is_unsigned(type) ? UINT32_MAX : INT32_MAX;
  Linear least = l;
  least.constant -= low;
  needs.push_back(std::move(least));
  if (wide) return;
  Linear most{high - l.constant, l.terms};
  for (auto& t : most.terms) t.second = -t.second;
  needs.push_back(std::move(most));
}

bool is_negation(Node n) {  // of a bool: XOR true, CMPNE true, CMPEQ false
  if (!n->dtype.is_bool() || n->count != 2 || !(*n)[0]->dtype.is_bool() || !ir::is_literal((*n)[1])) return false;
  const auto value = ir::int_value((*n)[1]);
  return value && (n->is(Op::CMPEQ) ? *value == 0 : (n->is(Op::XOR) || n->is(Op::CMPNE)) && *value == 1);
}

}  // namespace

Split::Split(const trace::Program& program) : counter_((*program.root)[0]) {
  const std::vector<Node> order = ir::topological(program.root);
  for (Node n : order)
    if (shareable(n) && std::all_of(n->src().begin(), n->src().end(), [&](Node s) { return shared_.contains(s); }))
      shared_.insert(n);
  for (Node n : order) {
    if (!(n->is(Op::LOAD) || n->is(Op::STORE) || n->is(Op::ATOMIC)) || !(*n)[0]->is(Op::INDEX)) continue;
    const Node place = (*n)[0];
    if (place->count == 2 && !index_.contains((*place)[1])) {
      std::vector<Linear> needs;
      if (auto at = exact((*place)[1], needs)) {
        index_.emplace((*place)[1], std::move(*at));
        require(std::move(needs));
      }
    }
    const std::size_t gate = n->is(Op::LOAD) ? 1 : 2;
    if (n->count <= gate) continue;
    for (Node part : parts((*n)[gate])) {
      std::vector<Linear> needs;
      if (!holds_.contains(part) && condition_of(part, false, needs)) {
        holds_.insert(part);
        require(std::move(needs));
      }
    }
  }
}

const Linear* Split::index(Node n) const {
  const auto it = index_.find(n);
  return it == index_.end() ? nullptr : &it->second;
}

std::vector<Node> Split::parts(Node gate) {
  std::vector<Node> out, open{gate};
  while (!open.empty()) {
    const Node n = open.back();
    open.pop_back();
    if (n->is(Op::AND) && n->dtype.is_bool()) {
      open.push_back((*n)[1]);
      open.push_back((*n)[0]);
    } else {
      out.push_back(n);
    }
  }
  return out;
}

/// The value before it is reduced to the type's bits; `exact` also asks that this changes nothing.
std::optional<Linear> Split::linear(Node n, std::vector<Linear>& needs, int depth) const {
  if (depth > deepest || !counted(n)) return std::nullopt;
  if (ir::is_literal(n)) {
    const auto value = literal(n);
    if (!value || (*value < 0 && is_unsigned(n->dtype.scalar))) return std::nullopt;
    return checked({*value, {}});
  }
  const auto operand = [&](std::size_t k) -> std::optional<Linear> {
    // Bits above the operand's own width matter only where the result is wider.
    const Node s = (*n)[k];
    if (!counted(s)) return std::nullopt;
    return bit_size(s->dtype.scalar) < bit_size(n->dtype.scalar) ? exact(s, needs, depth + 1)
                                                                 : linear(s, needs, depth + 1);
  };
  if (n->is(Op::RANGE)) {
    if (n != counter_ && !shared((*n)[0])) return std::nullopt;  // its extent is not known before the grid
    return Linear{0, {{n, 1}}};
  }
  if (shared(n)) return Linear{0, {{n, 1}}};
  switch (n->op) {
    case Op::FENCE:
    case Op::CAST:
    case Op::BITCAST: return operand(0);
    case Op::ADD:
    case Op::SUB: {
      auto a = operand(0), b = operand(1);
      if (!a || !b) return std::nullopt;
      return add(std::move(*a), *b, n->is(Op::ADD) ? 1 : -1);
    }
    case Op::NEG:
      if (auto a = operand(0)) return scale(std::move(*a), -1);
      return std::nullopt;
    case Op::MUL: {
      auto a = operand(0), b = operand(1);
      if (!a || !b) return std::nullopt;
      if (a->terms.empty()) std::swap(a, b);
      if (!b->terms.empty()) return std::nullopt;
      return scale(std::move(*a), b->constant);
    }
    case Op::SHL: {
      const auto count = literal((*n)[1]);
      if (!count || *count < 0 || *count > 18) return std::nullopt;
      if (auto a = operand(0)) return scale(std::move(*a), std::int64_t{1} << *count);
      return std::nullopt;
    }
    case Op::MIN:
    case Op::MAX: {  // a clamped index: the interior is where the clamp changes nothing
      const bool left = shared((*n)[1]);
      if (!left && !shared((*n)[0])) return std::nullopt;
      auto a = exact((*n)[left ? 0 : 1], needs, depth + 1), limit = exact((*n)[left ? 1 : 0], needs, depth + 1);
      if (!a || !limit) return std::nullopt;
      auto inside = n->is(Op::MIN) ? add(*limit, *a, -1) : add(*a, *limit, -1);
      if (!inside) return std::nullopt;
      needs.push_back(std::move(*inside));
      return a;
    }
    default: return std::nullopt;
  }
}

std::optional<Linear> Split::exact(Node n, std::vector<Linear>& needs, int depth) const {
  auto l = linear(n, needs, depth);
  const bool by_itself =
      n->is(Op::RANGE) || ir::is_literal(n) || (shared(n) && l && l->terms.size() == 1 && l->terms[0].first == n);
  if (l && !by_itself) fits(*l, n->dtype.scalar, needs);
  return l;
}

bool Split::condition_of(Node part, bool negated, std::vector<Linear>& needs) const {
  while (is_negation(part)) {
    negated = !negated;
    part = (*part)[0];
  }
  if (part->dtype.lanes != 1) return false;
  if (ir::is_literal(part)) return ir::int_value(part).value_or(0) != (negated ? 1 : 0);
  if (!part->is(Op::CMPLT)) return false;
  const Node x = (*part)[0], y = (*part)[1];
  if (!counted(x) || !counted(y) || !is_integer(least_upper(x->dtype.scalar, y->dtype.scalar))) return false;
  auto a = exact(x, needs), b = exact(y, needs);
  if (!a || !b) return false;
  auto distance = negated ? add(std::move(*a), *b, -1) : add(std::move(*b), *a, -1);  // x >= y, or x < y
  if (!distance) return false;
  if (!negated) distance->constant -= 1;
  needs.push_back(std::move(*distance));
  return true;
}

void Split::require(std::vector<Linear> needs) {
  for (Linear& l : needs) {
    // Counters are never negative, so that many conditions say nothing.
    const bool always = l.constant >= 0 && std::all_of(l.terms.begin(), l.terms.end(),
                                                       [](auto& t) { return t.second >= 0 && t.first->is(Op::RANGE); });
    if (!always && std::find(conditions_.begin(), conditions_.end(), l) == conditions_.end())
      conditions_.push_back(std::move(l));
  }
}

}  // namespace weft::cpu
