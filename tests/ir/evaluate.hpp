// An evaluator of integer and bool graphs, independent of the library's: exact integers at weak types, two's complement
// at committed ones. Nothing where a value is undefined (a division by 0) or not an integer's.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "ir/bounds.hpp"
#include "ir/derive.hpp"
#include "ir/graph.hpp"

namespace weft::ir {

class Evaluation {
 public:
  explicit Evaluation(Graph& g) : graph_(g) {}
  void set(const std::string& name, Integer v) { named_[name] = std::move(v); }
  void set(Node n, Integer v) { known_[n] = std::move(v); }

  std::optional<Integer> operator()(Node root) {
    for (Node n : topological(root))
      if (!known_.contains(n)) known_[n] = settle(evaluate(n), n->dtype.scalar);
    return known_[root];
  }

 private:
  using Value = std::optional<Integer>;

  static Value settle(Value v, Scalar s) {
    if (!v || !(is_integer(s) || is_bool(s))) return std::nullopt;
    if (is_bool(s)) return Integer(v->sign() != 0 ? 1 : 0);
    return is_weak(s) ? v : wrap_by_hand(*v, static_cast<unsigned>(bit_size(s)), is_unsigned(s));
  }
  static Integer wrap_by_hand(const Integer& v, unsigned bits, bool is_unsigned) {
    const Integer low = v & (Integer::power_of_two(bits) - 1);
    return !is_unsigned && low >= Integer::power_of_two(bits - 1) ? low - Integer::power_of_two(bits) : low;
  }

  Value named(const std::string& name) const {
    const auto it = named_.find(name);
    return it == named_.end() ? std::nullopt : std::optional(it->second);
  }

  Value evaluate(Node n) {
    const auto raw = [&](std::size_t i) { return known_[(*n)[i]]; };
    const Scalar at = is_comparison(n->op) ? least_upper(n->src()) : n->dtype.scalar;
    const auto in = [&](std::size_t i) { return settle(raw(i), at); };
    switch (n->op) {
      case Op::CONST:
        if (n->arg.tag == Arg::Tag::boolean) return Integer(n->arg.boolean ? 1 : 0);
        if (n->arg.tag == Arg::Tag::integer) return *n->arg.integer;
        return std::nullopt;
      case Op::PARAM:
      case Op::BUFFER: return named(n->arg.storage->name);
      case Op::RANGE: return named("r" + std::to_string(n->arg.number));
      case Op::SPECIAL: return named(*n->arg.text);
      case Op::CAST: return raw(0);
      case Op::WHERE:
        if (!raw(0)) return std::nullopt;
        return raw(0)->sign() != 0 ? in(1) : in(2);
      case Op::NEG: return in(0) ? Value(-*in(0)) : std::nullopt;
      case Op::TRUNC: return in(0);
      case Op::MULACC: return in(0) && in(1) && in(2) ? Value(*in(0) * *in(1) + *in(2)) : std::nullopt;
      case Op::SHL:
      case Op::SHR: return in(0) && raw(1) ? shift(n, *in(0), *raw(1)) : std::nullopt;
      case Op::POW: return in(0) && raw(1) && is_integer(at) ? power(*in(0), *raw(1), at) : std::nullopt;
      default: break;
    }
    if (!is_binary(n->op) || !(is_integer(at) || is_bool(at)) || !in(0) || !in(1)) return std::nullopt;
    return binary(n->op, *in(0), *in(1));
  }

  static Value binary(Op op, const Integer& a, const Integer& b) {
    switch (op) {
      case Op::ADD: return a + b;
      case Op::SUB: return a - b;
      case Op::MUL: return a * b;
      case Op::MAX: return std::max(a, b);
      case Op::MIN: return std::min(a, b);
      case Op::AND: return a & b;
      case Op::OR: return a | b;
      case Op::XOR: return a ^ b;
      case Op::CMPLT: return Integer(a < b ? 1 : 0);
      case Op::CMPNE: return Integer(a != b ? 1 : 0);
      case Op::CMPEQ: return Integer(a == b ? 1 : 0);
      default: break;
    }
    if (b.sign() == 0) return std::nullopt;
    switch (op) {
      case Op::CDIV: return a / b;
      case Op::CMOD: return a % b;
      case Op::FLOORDIV: return floor_div(a, b);
      case Op::FLOORMOD: return floor_mod(a, b);
      default: return std::nullopt;
    }
  }

  // A count of the width or more shifts every bit out.
  static Value shift(Node n, const Integer& x, const Integer& count) {
    if (count.sign() < 0 || count > 4000) {
      if (n->dtype.is_weak()) return std::nullopt;
      if (count.sign() < 0) return std::nullopt;
      return n->is(Op::SHL) ? Integer(0) : Integer(x.sign() < 0 ? -1 : 0);
    }
    const auto c = static_cast<unsigned>(*count.to_int64());
    return n->is(Op::SHL) ? x << c : x >> c;
  }

  static Value power(const Integer& x, const Integer& exponent, Scalar at) {
    if (exponent.sign() < 0 || exponent > 300) return std::nullopt;
    Integer v = 1;
    for (std::int64_t i = 0; i < *exponent.to_int64(); ++i) v = *settle(v * x, at);
    return v;
  }

  Graph& graph_;
  std::map<std::string, Integer> named_;
  std::map<Node, Value> known_;
};

}  // namespace weft::ir
