#include <nlohmann/json.hpp>

#include "ir/bounds.hpp"
#include "ir/derive.hpp"
#include "ir/json.hpp"
#include "ir/value_text.hpp"

namespace weft::ir {
namespace {

std::string json_string(std::string_view text) {
  return nlohmann::json(std::string(text)).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string value(const Integer& v, Scalar s) {
  if (is_bool(s)) return v.sign() == 0 ? "\"b:0\"" : "\"b:1\"";
  return "\"i:" + v.to_string() + '"';
}
std::string value(double v) { return "\"f:" + print_float(v, true) + '"'; }

std::string literal(const Arg& a) {
  switch (a.tag) {
    case Arg::Tag::boolean: return a.boolean ? "\"b:1\"" : "\"b:0\"";
    case Arg::Tag::integer: return value(*a.integer, Scalar::weakint);
    case Arg::Tag::real: return value(a.real);
    default: return "\"invalid\"";
  }
}

std::string storage(const Storage& s) {
  std::string t = "{\"slot\": " + (s.slot == 0xFFFFFFFF ? std::string("-1") : std::to_string(s.slot)) +
                  ", \"dtype\": \"" + to_string(s.dtype) + '"';
  if (s.size) t += ", \"size\": " + std::to_string(*s.size);
  if (s.vmin) t += ", \"vmin\": " + value(*s.vmin, s.dtype.scalar);
  if (s.vmax) t += ", \"vmax\": " + value(*s.vmax, s.dtype.scalar);
  if (s.fmin) t += ", \"vmin\": " + value(*s.fmin);
  if (s.fmax) t += ", \"vmax\": " + value(*s.fmax);
  if (!s.name.empty()) t += ", \"name\": " + json_string(s.name);
  if (s.space == Space::alu) t += ", \"addrspace\": \"ALU\"";
  return t + '}';
}

std::string argument(Node n) {
  switch (n->op) {
    case Op::CONST: return literal(n->arg);
    case Op::CAST:
    case Op::BITCAST: return '"' + to_string(n->dtype) + '"';
    case Op::PARAM:
    case Op::BUFFER: return storage(*n->arg.storage);
    case Op::RANGE: return "{\"axis\": " + std::to_string(n->arg.number) + '}';
    case Op::SPECIAL: return n->arg.tag == Arg::Tag::text ? json_string(*n->arg.text) : "\"\"";
    default: return n->arg.tag == Arg::Tag::number ? "{\"number\": " + std::to_string(n->arg.number) + '}' : "";
  }
}

void check(Node n) {
  const std::string what(name(n->op));
  if (is_kernel_op(n->op)) throw FormatError(what + " is a kernel op, which has no JSON form.");
  if (n->dtype.lanes != 1)
    throw FormatError(what + " has the vector type " + to_string(n->dtype) + ", which has no JSON form.");
  if (n->arg.tag == Arg::Tag::storage)
    if (n->arg.storage->source != Source::none || n->arg.storage->space == Space::workgroup)
      throw FormatError(what + " is a kernel's own storage, which has no JSON form.");
}

}  // namespace

std::string print_json(Node root, Graph* with_bounds) {
  const std::vector<Node> order = topological(root);
  std::vector<std::uint32_t> number(root->id + 1);
  std::string t = "[";
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Node n = order[i];
    check(n);
    number[n->id] = static_cast<std::uint32_t>(i);
    if (i) t += ", ";
    (t += "{\"id\": ") += std::to_string(i);
    ((t += ", \"op\": \"") += name(n->op)) += "\", \"dtype\": \"";
    (t += name(n->dtype.scalar)) += "\", \"src\": [";
    for (std::size_t s = 0; s < n->count; ++s) (t += s ? ", " : "") += std::to_string(number[(*n)[s]->id]);
    t += ']';
    if (std::string a = argument(n); !a.empty()) (t += ", \"arg\": ") += a;
    if (with_bounds && !n->dtype.is_void()) {
      const Bounds& b = bounds(*with_bounds, n);
      t += ", \"bounds\": [";
      if (b.real) ((t += value(b.low)) += ", ") += value(b.high);
      else ((t += value(b.lo, n->dtype.scalar)) += ", ") += value(b.hi, n->dtype.scalar);
      t += ']';
    }
    t += '}';
  }
  return t + ']';
}

std::string print_json_error(std::string_view kind, std::optional<std::int64_t> node, std::string_view message) {
  return "{\"error\": " + json_string(kind) + ", \"node\": " + (node ? std::to_string(*node) : "null") +
         ", \"message\": " + json_string(message) + '}';
}

}  // namespace weft::ir
