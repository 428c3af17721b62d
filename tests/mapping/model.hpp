// An independent model of docs/reference/mapping.md: a plain reading of MAP-POS-01 to -06 on trees of its own. It shares no
// code with the library and is as slow as it is simple. With it, the generator of random mappings, which prints them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace weft::model {

struct Node;
using Tree = std::shared_ptr<const Node>;
struct Node {
  char op;  // 'A' axis, '1' broadcast, ',' pair, / % # =
  std::uint64_t number = 0;
  char kind = '*';
  std::string name;
  Tree left, right;
};

inline Tree axis(std::string name, std::uint64_t size) {
  return std::make_shared<Node>(Node{'A', size, '*', std::move(name), {}, {}});
}
inline Tree broadcast(std::uint64_t n) { return std::make_shared<Node>(Node{'1', n, '*', "", {}, {}}); }
inline Tree pair(Tree l, Tree r) { return std::make_shared<Node>(Node{',', 0, '*', "", std::move(l), std::move(r)}); }
inline Tree step(Tree x, char op, std::uint64_t n, char kind = '*') {
  return std::make_shared<Node>(Node{op, n, kind, "", std::move(x), {}});
}

inline std::uint64_t size(const Tree& t) {  // MAP-POS-01
  switch (t->op) {
    case ',': return size(t->left) * size(t->right);
    case '/': return size(t->left) / t->number;
    default: return t->number;
  }
}

inline std::string print(const Tree& t) {
  if (t->op == 'A') return t->name;
  if (t->op == '1') return std::to_string(t->number);
  const auto operand = [](const Tree& x) { return x->op == ',' ? "[" + print(x) + "]" : print(x); };
  if (t->op == ',') return operand(t->left) + ", " + print(t->right);
  std::string op(1, t->op);
  if (t->op == '#' && t->kind != '*') op += std::string("{") + t->kind + "}";
  return operand(t->left) + " " + op + " " + std::to_string(t->number);
}

struct Cell {
  char dead = 0;  // * 0 ! or - out of bounds
  std::map<std::string, std::uint64_t> terms;
};

inline Cell cell_of(const Tree& t, std::uint64_t i);

/// Whether the last cell hangs on which composites are taken for one: two that are written differently met, or one without
/// coordinates, or one that is a split itself.
inline bool undecided = false;

// A mapping without what has no effect: units of pairs, steps to the size that is there, / 1.
inline Tree plain(Tree t) {
  for (;;) {
    if (t->op == ',' && t->left->op == '1' && t->left->number == 1) t = t->right;
    else if (t->op == ',' && t->right->op == '1' && t->right->number == 1) t = t->left;
    else if ((t->op == '#' || t->op == '=' || t->op == '/') && size(t) == size(t->left)) t = t->left;
    else return t;
  }
}

// What tells one composite from another: all its cells. (The library compares normal forms.)
inline const std::string& key(const Tree& t) {
  static std::map<Tree, std::string> known;
  if (known.size() > 5000) known.clear();
  std::string& text = known[t];
  if (text.empty()) {
    text = std::to_string(size(t)) + ":";
    for (std::uint64_t i = 0; i < size(t); ++i) {
      const Cell c = cell_of(t, i);
      if (c.dead) text += c.dead == '0' ? 'z' : c.dead;
      for (const auto& [name, value] : c.terms)
        if (value) text += name + "=" + std::to_string(value) + ",";
      text += ";";
    }
  }
  return text;
}

struct Contribution {
  enum { dead, term, digit } what;
  char kind = 0;
  std::string name;  // of an axis, or the key
  std::uint64_t value = 0;
  Tree composite;
};

inline void contributions(const Tree& t, std::uint64_t i, std::vector<Contribution>& out) {
  if (i >= size(t)) {
    out.push_back({Contribution::dead, '-', "", 0, {}});
    return;
  }
  switch (t->op) {
    case 'A': out.push_back({Contribution::term, 0, t->name, i, {}}); return;
    case '1': return;
    case ',':
      contributions(t->left, i / size(t->right), out);
      contributions(t->right, i % size(t->right), out);
      return;
    case '#':
      if (i >= size(t->left)) out.push_back({Contribution::dead, t->kind, "", 0, {}});
      else contributions(t->left, i, out);
      return;
    case '=': contributions(t->left, i, out); return;
    default: break;
  }
  Tree base = t;
  std::uint64_t at = i;
  while (base->op == '/' || base->op == '%') {
    if (base->op == '/') at *= base->number;
    const Tree inner = plain(base->left);
    undecided |= inner != base->left && (inner->op == '/' || inner->op == '%');
    base = inner;
  }
  const bool empty_of_axes = base->op != 'A' && key(base).find_first_not_of("0123456789:;") == std::string::npos;
  if (size(base) == 0) out.push_back({Contribution::dead, '-', "", 0, {}});
  else if (empty_of_axes) undecided |= base->op != '1';
  else if (base->op == 'A') out.push_back({Contribution::term, 0, base->name, at, {}});
  else out.push_back({Contribution::digit, 0, key(base), at, base});
}

inline Cell cell_of(const Tree& t, std::uint64_t i);
inline Cell cell(const Tree& t, std::uint64_t i) {
  undecided = false;
  return cell_of(t, i);
}

inline Cell cell_of(const Tree& t, std::uint64_t i) {
  std::vector<Contribution> all;
  contributions(t, i, all);
  std::vector<Contribution> order;
  for (const Contribution& c : all) {
    auto same = std::find_if(order.begin(), order.end(), [&](const Contribution& o) {
      return c.what == Contribution::digit && o.what == Contribution::digit && o.name == c.name;
    });
    if (same == order.end()) order.push_back(c);
    else {
      same->value += c.value;
      undecided |= print(same->composite) != print(c.composite);
    }
  }
  Cell result;
  for (const Contribution& c : order) {
    if (c.what == Contribution::dead) return {c.kind, {}};
    if (c.what == Contribution::term) {
      result.terms[c.name] += c.value;
    } else if (c.value >= size(c.composite)) {
      result.terms["the split " + c.name] += c.value;
    } else {
      Cell inner = cell_of(c.composite, c.value);
      if (inner.dead) return inner;
      for (const auto& [name, value] : inner.terms) result.terms[name] += value;
    }
  }
  return result;
}

/// As MAP-VIS-01 writes it.
inline std::string print(const Cell& c, const std::map<std::string, std::uint64_t>& axes) {
  if (c.dead) return std::string(1, c.dead);
  std::string text;
  for (const auto& [name, value] : c.terms) {
    if (value == 0) continue;
    const auto axis = axes.find(name);
    if (axis == axes.end() || value >= axis->second) return ">";
    text += (text.empty() ? "" : ",") + name + "=" + std::to_string(value);
  }
  return text.empty() ? "." : text;
}

/// Random mappings, nested a few deep; subtrees come back, split into two or three digits with other things between them.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {
    constexpr std::uint64_t sizes[] = {1, 2, 3, 4, 5, 6, 8, 12, 13, 16};
    for (const char* name : {"A", "B", "C", "D"}) axes_[name] = sizes[below(10)];
  }
  const std::map<std::string, std::uint64_t>& axes() const { return axes_; }
  std::uint64_t below(std::uint64_t n) { return random_() % n; }

  Tree tree(int depth) {
    Tree t = grow(depth);
    // What grew past any test's patience is cut to size, which keeps its first positions.
    return size(t) > 20000 ? step(t, '=', 1 + below(3000)) : t;
  }

 private:
  Tree leaf() {
    if (below(5) == 0) return broadcast(below(8) == 0 ? 0 : 1 + below(4));
    auto it = axes_.begin();
    std::advance(it, below(axes_.size()));
    return axis(it->first, it->second);
  }
  std::uint64_t divisor(std::uint64_t n) {
    if (n == 0) return 1 + below(4);
    std::vector<std::uint64_t> all;
    for (std::uint64_t d = 1; d <= n && d <= 4096; ++d)
      if (n % d == 0) all.push_back(d);
    return all[below(all.size())];
  }
  Tree remember(Tree t) {
    if (t->left && size(t) <= 3000) seen_.push_back(t);
    return t;
  }
  Tree again(int depth) { return seen_.empty() || below(2) ? grow(depth) : seen_[below(seen_.size())]; }
  // The same mapping with no meaning added.
  Tree disguised(Tree t) {
    switch (below(8)) {
      case 0: return pair(t, broadcast(1));
      case 1: return pair(broadcast(1), t);
      case 2: return t->op == ',' && t->right->op == ',' ? pair(pair(t->left, t->right->left), t->right->right) : t;
      default: return t;
    }
  }

  Tree grow(int depth) {
    if (depth <= 0 || below(10) == 0) return leaf();
    const std::uint64_t choice = below(12);
    if (choice < 4) {
      Tree l = again(depth - 1), r = again(depth - 1);
      return remember(size(l) && size(r) > 40000 / size(l) ? l : pair(l, r));
    }
    if (choice < 6) {  // digits of one mapping
      const Tree x = again(depth - 1);
      const std::uint64_t n = divisor(size(x));
      Tree major = step(disguised(x), '/', n), minor = step(disguised(x), '%', n);
      if (size(x) && below(3) == 0) {
        const std::uint64_t k = divisor(n);
        minor = pair(step(step(x, '%', n), '/', k), step(x, '%', k));
      }
      if (size(x) > 3000) return major;
      if (below(3) == 0) {
        Tree between = again(depth - 2);
        if (size(between) * size(x) <= 20000) minor = pair(between, minor);
      }
      return remember(below(4) ? pair(major, minor) : pair(minor, major));
    }
    const Tree x = again(depth - 1);
    const std::uint64_t n = size(x);
    switch (choice) {
      case 6: {
        const std::uint64_t stride = divisor(n), whole = n / stride;
        return remember(below(2) ? step(x, '/', stride) : step(step(x, '/', stride), '%', divisor(whole)));
      }
      case 7: return remember(step(x, '%', divisor(n)));
      case 8: return remember(step(x, '=', n ? (below(5) ? 1 + below(n) : n + below(4)) : below(3)));
      case 9: {  // to a rounder size
        const std::uint64_t unit = std::uint64_t{1} << below(5);
        return remember(step(x, '#', (n + unit) / unit * unit, "*0!"[below(3)]));
      }
      default: return remember(step(x, '#', below(6) ? n + below(5) : below(n + 1), "*0!"[below(3)]));
    }
  }

  std::mt19937_64 random_;
  std::map<std::string, std::uint64_t> axes_;
  std::vector<Tree> seen_;
};

}  // namespace weft::model
