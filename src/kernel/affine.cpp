#include "kernel/affine.hpp"

#include <algorithm>

namespace weft::trace {

using ir::Graph;
using ir::Node;
using ir::Op;

namespace {

constexpr std::size_t most_terms = 24, most_atoms = 4;
constexpr int most_depth = 200;

bool is_integer_cast(Node n) {
  return n->is(Op::CAST) && n->dtype.lanes == 1 && n->dtype.is_integer() && (*n)[0]->dtype.is_integer();
}
bool narrow(Node n) { return !n->dtype.is_weak() && weft::bit_size(n->dtype.scalar) <= 32; }

bool add_term(Polynomial& p, const std::vector<std::uint32_t>& atoms, std::int64_t c) {
  std::int64_t& at = p.terms[atoms];
  if (__builtin_add_overflow(at, c, &at)) return false;
  if (at == 0) p.terms.erase(atoms);
  return p.terms.size() <= most_terms;
}

std::optional<Polynomial> add(const Polynomial& a, const Polynomial& b, std::int64_t sign) {
  Polynomial r = a;
  r.wraps |= b.wraps;
  for (const auto& [atoms, c] : b.terms) {
    std::int64_t v;
    if (__builtin_mul_overflow(c, sign, &v) || !add_term(r, atoms, v)) return std::nullopt;
  }
  return r;
}

std::optional<Polynomial> multiply(const Polynomial& a, const Polynomial& b) {
  Polynomial r;
  r.wraps = a.wraps || b.wraps;
  for (const auto& [x, c] : a.terms)
    for (const auto& [y, d] : b.terms) {
      std::vector<std::uint32_t> atoms;
      std::merge(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(atoms));
      std::int64_t v;
      if (atoms.size() > most_atoms || __builtin_mul_overflow(c, d, &v) || !add_term(r, atoms, v)) return std::nullopt;
    }
  return r;
}

}  // namespace

Polynomial Polynomials::single(Node n) {
  atoms_[n->id] = n;
  Polynomial p;
  p.terms[{n->id}] = 1;
  return p;
}

Polynomial Polynomials::of(Node n) { return walk(n, 0); }

Polynomial Polynomials::walk(Node n, int depth) {
  if (const auto f = done_.find(n); f != done_.end()) return f->second;
  const auto made = [&]() -> std::optional<Polynomial> {
    if (n == stop_ || depth > most_depth || n->dtype.lanes != 1 || !n->dtype.is_integer()) return std::nullopt;
    if (ir::is_literal(n)) {
      const auto v = ir::int_value(n);
      if (!v) return std::nullopt;
      Polynomial p;
      if (*v) p.terms[{}] = *v;
      return p;
    }
    const auto operand = [&](std::size_t k) { return walk((*n)[k], depth + 1); };
    std::optional<Polynomial> p;
    if (is_integer_cast(n)) {
      p = operand(0);
      // A conversion that may change the value: to fewer bits, or to the other sign. The counter itself is within both.
      const Node from = (*n)[0];
      const bool plain = p->terms.size() <= 1 && p->constant() == 0 &&
                         (p->terms.empty() || p->terms.begin()->second == 1) && from == stop_;
      const bool shrinks = narrow(n) && !narrow(from);
      const bool turns = !n->dtype.is_weak() && !from->dtype.is_weak() &&
                         is_unsigned(n->dtype.scalar) != is_unsigned(from->dtype.scalar);
      if ((shrinks || turns) && !plain) p->wraps = true;
      return p;
    }
    switch (n->op) {
      case Op::ADD: p = add(operand(0), operand(1), 1); break;
      case Op::SUB: p = add(operand(0), operand(1), -1); break;
      case Op::MUL: p = multiply(operand(0), operand(1)); break;
      case Op::NEG: p = add({}, operand(0), -1); break;
      case Op::SHL:
        if (const auto by = ir::int_value((*n)[1]); by && *by >= 0 && *by < 31) {
          Polynomial two;
          two.terms[{}] = std::int64_t{1} << *by;
          p = multiply(operand(0), two);
        }
        break;
      default: return std::nullopt;
    }
    if (p && narrow(n)) p->wraps = true;
    return p;
  }();
  Polynomial p = made ? *made : single(n);
  if (n != stop_) done_.emplace(n, p);
  return p;
}

std::optional<std::int64_t> constant_difference(Node a, Node b) {
  Polynomials polynomials;
  const Polynomial p = polynomials.of(a), q = polynomials.of(b);
  if (p.wraps || q.wraps) return std::nullopt;
  const auto d = add(p, q, -1);
  if (!d || d->terms.size() > 1 || (d->terms.size() == 1 && !d->terms.begin()->first.empty())) return std::nullopt;
  return d->constant();
}

bool Forms::unchanged(Node root) {
  std::vector<Node> todo{root};
  while (!todo.empty()) {
    const Node n = todo.back();
    if (unchanged_.contains(n)) {
      todo.pop_back();
      continue;
    }
    if (n == counter_ || n->is(Op::LOAD) || n->is(Op::RANGE) || n->is(Op::LOCAL) || ir::is_effect(n->op)) {
      unchanged_[n] = false;
      todo.pop_back();
      continue;
    }
    bool all = true, ready = true;
    for (Node s : n->src()) {
      const auto f = unchanged_.find(s);
      if (f == unchanged_.end()) todo.push_back(s), ready = false;
      else all &= f->second;
    }
    if (!ready) continue;
    unchanged_[n] = all;
    todo.pop_back();
  }
  return unchanged_.at(root);
}

Form Forms::of(Node index) {
  Form f;
  f.whole = polynomials_.of(index);
  bool scaled = false;
  Node run_range = nullptr;  // the inner counter whose end is not a constant
  for (const auto& [atoms, c] : f.whole.terms) {
    std::vector<std::uint32_t> others;
    std::uint32_t counters = 0, changing = 0;
    Node changes = nullptr;
    for (std::uint32_t id : atoms) {
      const Node n = polynomials_.atom(id);
      if (n == counter_) ++counters;
      else {
        others.push_back(id);
        if (!unchanged(n)) ++changing, changes = n;
      }
    }
    if (counters == 1 && changing == 0) {
      if (scaled) return f;  // a run-time scale of two terms: i * (W + V)
      scaled = true;
      f.a = c;
      f.scale = others;
    } else if (counters == 0 && changing == 0) {
      if (atoms.empty()) f.low += c, f.high += c;
      else f.rest.terms[atoms] = c;
    } else if (counters == 0 && atoms.size() == 1 && changes->is(Op::RANGE)) {
      f.varies = true;
      const auto end = ir::int_value((*changes)[0]);
      if (end) {
        const __int128 reach = static_cast<__int128>(c) * std::max<std::int64_t>(*end - 1, 0);
        if (reach > INT64_MAX / 4 || reach < INT64_MIN / 4) return f;
        (c > 0 ? f.high : f.low) += static_cast<std::int64_t>(reach);
      } else if (c == 1 && !run_range) {
        run_range = changes;
      } else {
        return f;
      }
    } else {
      return f;
    }
  }
  if (run_range) {
    // 0 <= x < W with the W of i*W: the end of the range is W, or max(W, 0).
    Node end = (*run_range)[0];
    while (end->is(Op::CAST) && (*end)[0]->dtype.is_integer()) end = (*end)[0];
    if (end->is(Op::MAX) && ir::int_value((*end)[1]) == 0) end = (*end)[0];
    Polynomial w;
    if (!scaled || f.scale.empty()) return f;
    w.terms[f.scale] = f.a;
    if (!(polynomials_.of(end) == w) || f.low != f.high) return f;
    f.block = true;
  }
  f.usable = true;
  return f;
}

Node Forms::product(Graph& g, const std::vector<std::uint32_t>& atoms, std::int64_t factor) {
  Node n = nullptr;
  for (std::uint32_t id : atoms) n = n ? g.make(Op::MUL, {n, polynomials_.atom(id)}) : polynomials_.atom(id);
  if (!n) return g.constant(factor);
  return factor == 1 ? n : g.make(Op::MUL, {n, g.constant(factor)});
}

Node Forms::sum(Graph& g, const Polynomial& p) {
  Node n = nullptr;
  for (const auto& [atoms, c] : p.terms) {
    const Node t = product(g, atoms, c);
    n = n ? g.make(Op::ADD, {n, t}) : t;
  }
  return n ? n : g.constant(0);
}

Affine Forms::affine(Graph& g, const Form& f) {
  Affine r;
  if (!f.usable || !f.rest.terms.empty()) return r;
  if (f.block) {
    r.form = Affine::Form::block;
    r.c = f.low;
    r.coefficient = product(g, f.scale, f.a);
  } else if (f.varies) {
    // i*W + x with a constant W, the whole of x within 0 <= x < W.
    if (!f.scale.empty() || f.a <= 0 || f.high - f.low >= f.a) return r;
    r.form = Affine::Form::block;
    r.a = f.a;
    r.c = f.low;
  } else if (f.scale.empty()) {
    r.form = Affine::Form::constant;
    r.a = f.a;
    r.c = f.low;
  } else {
    r.form = Affine::Form::scaled;
    r.c = f.low;
    r.coefficient = product(g, f.scale, f.a);
  }
  return r;
}

}  // namespace weft::trace
