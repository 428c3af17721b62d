#include "kernel/text.hpp"

#include <cmath>
#include <cstdio>

#include "kernel/tracer.hpp"

namespace weft::trace {

using ir::Node;
using ir::Op;

std::string counter_name(std::uint32_t depth) {
  constexpr std::uint32_t letters = 'z' - 'i' + 1;
  std::string s(1, static_cast<char>('i' + depth % letters));
  if (depth >= letters) s += std::to_string(depth / letters);
  return s;
}

std::string cpp_name(DType t) {
  const bool vector = t.lanes > 1;
  switch (t.scalar) {
    case Scalar::boolean: return "bool";
    case Scalar::float32: return vector ? "vec" + std::to_string(t.lanes) + "f" : "float";
    case Scalar::float64: return "double";
    case Scalar::int32: return vector ? "vec" + std::to_string(t.lanes) + "i" : "int32_t";
    case Scalar::uint32: return vector ? "vec" + std::to_string(t.lanes) + "u" : "uint32_t";
    case Scalar::int64: return "int64_t";
    case Scalar::uint64: return "uint64_t";
    default: return std::string(weft::name(t.scalar));
  }
}

namespace {

// Binding strength: smaller binds tighter.
enum : int {
  atom = 0,
  postfix = 1,
  prefix = 2,
  product = 3,
  sum = 4,
  shift = 5,
  order = 6,
  equality = 7,
  bit_and = 8,
  bit_xor = 9,
  bit_or = 10,
  both = 11,
  either = 12
};

struct Spelling {
  const char* text;
  int strength;
};

std::optional<Spelling> infix(Node n) {
  const bool truth = n->dtype.is_bool();
  switch (n->op) {
    case Op::ADD: return Spelling{" + ", sum};
    case Op::SUB: return Spelling{" - ", sum};
    case Op::MUL: return Spelling{" * ", product};
    case Op::CDIV:
    case Op::FDIV: return Spelling{" / ", product};
    case Op::CMOD: return Spelling{" % ", product};
    case Op::SHL: return Spelling{" << ", shift};
    case Op::SHR: return Spelling{" >> ", shift};
    case Op::CMPLT: return Spelling{" < ", order};
    case Op::CMPEQ: return Spelling{" == ", equality};
    case Op::CMPNE: return Spelling{" != ", equality};
    case Op::AND: return truth ? Spelling{" && ", both} : Spelling{" & ", bit_and};
    case Op::OR: return truth ? Spelling{" || ", either} : Spelling{" | ", bit_or};
    case Op::XOR: return Spelling{" ^ ", bit_xor};
    default: return std::nullopt;
  }
}

std::string function(Op op) {
  switch (op) {
    case Op::WHERE: return "select";
    case Op::FLOORDIV: return "floor_div";
    case Op::FLOORMOD: return "floor_mod";
    case Op::POPCOUNT: return "count_one_bits";
    case Op::REVBITS: return "reverse_bits";
    default: break;
  }
  std::string s(ir::name(op));
  for (char& c : s) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return s;
}

std::string literal(const ir::Arg& a) {
  switch (a.tag) {
    case ir::Arg::Tag::boolean: return a.boolean ? "true" : "false";
    case ir::Arg::Tag::integer: return a.integer->to_string();
    case ir::Arg::Tag::real: {
      char text[40];
      for (int digits : {6, 9, 17}) {  // the shortest that reads back
        std::snprintf(text, sizeof text, "%.*g", digits, a.real);
        if (std::strtod(text, nullptr) == a.real) break;
      }
      std::string s = text;
      if (std::isfinite(a.real) && s.find_first_of(".e") == std::string::npos) s += ".0";
      return s;
    }
    default: return "?";
  }
}

class Printer {
 public:
  explicit Printer(const Tracer& t) : t_(t) {}

  void put(Node n, int within) {
    if (text.size() > 240 || depth_ > 100) {  // deep or shared expressions stay a line
      if (!text.ends_with("...")) text += "...";
      return;
    }
    ++depth_;
    node(n, within);
    --depth_;
  }

  std::string text;

 private:
  void infixed(const char* spelled, int strength, Node a, Node b, int within) {
    if (strength > within) text += '(';
    put(a, strength);
    text += spelled;
    put(b, strength - 1);
    if (strength > within) text += ')';
  }

  void call(const std::string& name, std::span<const Node> args) {
    text += name + '(';
    for (std::size_t k = 0; k < args.size(); ++k) {
      if (k) text += ", ";
      put(args[k], either);
    }
    text += ')';
  }

  void variable(Node local, int within) {
    const auto found = t_.variables.find(local->arg.number);
    if (found != t_.variables.end() && found->second.stores == 1 && found->second.value)
      return put(found->second.value, within);
    // No name of the author's reaches the trace: the number of its declaration.
    text += "v" + std::to_string(local->arg.number);
  }

  bool is_true(Node n) { return n->is(Op::CONST) && n->arg.tag == ir::Arg::Tag::boolean && n->arg.boolean; }

  void node(Node n, int within) {
    if (const auto c = t_.counters.find(n); c != t_.counters.end()) {
      text += c->second;
      return;
    }
    switch (n->op) {
      case Op::CONST: {
        const std::string s = literal(n->arg);
        text += s.starts_with('-') && within < sum ? '(' + s + ')' : s;
        return;
      }
      case Op::PARAM: text += n->arg.storage->name; return;
      case Op::CAST:
        if (n->dtype.is_weak() || (*n)[0]->is(Op::CONST) || t_.implicit.contains(n)) return put((*n)[0], within);
        return call("cast<" + cpp_name(n->dtype.scalar) + ">", n->src());
      case Op::BITCAST: return call("bitcast<" + cpp_name(n->dtype.scalar) + ">", n->src());
      case Op::LOAD: return (*n)[0]->is(Op::LOCAL) ? variable((*n)[0], within) : put((*n)[0], within);
      case Op::LOCAL: return variable(n, within);
      case Op::INDEX:
        if (const auto c = t_.coordinates.find(n); c != t_.coordinates.end()) {
          put((*n)[0], postfix);
          return call("", c->second);
        }
        put((*n)[0], postfix);
        text += '[';
        put((*n)[1], either);
        text += ']';
        return;
      case Op::EXTRACT:
        put((*n)[0], postfix);
        text += '.';
        text += "xyzw"[n->arg.number & 3];
        return;
      case Op::NEG:
        if (prefix > within) text += '(';
        text += '-';
        put((*n)[0], prefix - 1);
        if (prefix > within) text += ')';
        return;
      case Op::XOR:
        if (n->dtype.is_bool() && is_true((*n)[1])) {
          const Node a = (*n)[0];
          if (a->is(Op::CMPLT)) return infixed(" <= ", order, (*a)[1], (*a)[0], within);
          text += '!';
          return put(a, prefix);
        }
        break;
      case Op::OR:
        if (n->dtype.is_bool() && (*n)[0]->is(Op::CMPLT) && (*n)[1]->is(Op::CMPEQ) &&
            (*n)[0]->src()[0] == (*n)[1]->src()[0] && (*n)[0]->src()[1] == (*n)[1]->src()[1])
          return infixed(" <= ", order, (*(*n)[0])[0], (*(*n)[0])[1], within);
        break;
      default: break;
    }
    if (const auto s = infix(n)) return infixed(s->text, s->strength, (*n)[0], (*n)[1], within);
    if (n->is(Op::VECTOR)) return call("vector", n->src());
    call(function(n->op), n->src());
  }

  const Tracer& t_;
  int depth_ = 0;
};

}  // namespace

std::string print(const Tracer& t, Node n) {
  Printer p(t);
  p.put(n, either);
  return std::move(p.text);
}

}  // namespace weft::trace
