#include "ir/bounds.hpp"
#include "ir/derive.hpp"
#include "ir/text.hpp"
#include "ir/value_text.hpp"

namespace weft::ir {
namespace {

std::string literal(const Arg& a) {
  switch (a.tag) {
    case Arg::Tag::boolean: return a.boolean ? "true" : "false";
    case Arg::Tag::integer: return a.integer->to_string();
    case Arg::Tag::real: return print_float(a.real);
    default: return "invalid";
  }
}

std::string_view text(Source s) {
  constexpr std::string_view names[] = {"none",  "array", "scalar",   "length", "trip",
                                        "start", "step",  "captured", "zero"};
  return names[static_cast<std::size_t>(s)];
}

std::string storage(const Storage& s) {
  std::string t = " slot=" + std::to_string(s.slot);
  if (s.size) t += " size=" + std::to_string(*s.size);
  if (s.space != Space::global) t += s.space == Space::alu ? " space=alu" : " space=workgroup";
  if (s.source != Source::none) (t += " source=") += text(s.source);
  if (s.index) t += " index=" + std::to_string(s.index);
  if (s.call) t += " call=" + std::to_string(s.call);
  if (s.vmin) t += " min=" + s.vmin->to_string();
  if (s.vmax) t += " max=" + s.vmax->to_string();
  if (s.fmin) t += " fmin=" + print_float(*s.fmin);
  if (s.fmax) t += " fmax=" + print_float(*s.fmax);
  if (!s.name.empty()) t += " name=" + in_quotes(s.name);
  return t;
}

std::string argument(Node n) {
  if (n->is(Op::CONST)) return ' ' + literal(n->arg);
  switch (n->arg.tag) {
    case Arg::Tag::storage: return storage(*n->arg.storage);
    case Arg::Tag::text: return " name=" + in_quotes(*n->arg.text);
    case Arg::Tag::number: break;
    default: return "";
  }
  const std::string number = std::to_string(n->arg.number);
  if (n->is(Op::RANGE)) return " axis=" + number;
  if (n->is(Op::EXTRACT)) return " lane=" + number;
  if (n->is(Op::ATOMIC) && n->arg.number >= 0 &&
      n->arg.number % 256 < static_cast<std::int64_t>(std::size(detail::op_table)))
    return " number=" + std::to_string(n->arg.number / 256) +
           " op=" + std::string(name(static_cast<Op>(n->arg.number % 256)));
  return " number=" + number;
}

template <class NumberOf> void append(std::string& t, Node n, const NumberOf& number) {
  ((((t += '%') += std::to_string(number(n))) += " = ") += name(n->op)) += ' ';
  t += to_string(n->dtype);
  for (Node s : n->src()) (t += " %") += std::to_string(number(s));
  t += argument(n);
}

template <class Extra> std::string print_graph(Node root, const Extra& extra) {
  std::vector<std::uint32_t> numbers(root->id + 1);
  std::uint32_t next = 0;
  std::string t;
  for (Node n : topological(root)) {
    numbers[n->id] = next++;
    append(t, n, [&](Node m) { return numbers[m->id]; });
    extra(t, n);
    t += '\n';
  }
  return t;
}

}  // namespace

std::string print(Node root) {
  return print_graph(root, [](std::string&, Node) {});
}

std::string print_with_bounds(Graph& g, Node root) {
  return print_graph(root, [&](std::string& t, Node n) {
    if (n->dtype.is_void()) return;
    const Bounds& b = bounds(g, n);
    t += "  # bounds: [" + (b.real ? print_float(b.low) : b.lo.to_string()) + ", " +
         (b.real ? print_float(b.high) : b.hi.to_string()) + ']';
  });
}

std::string print_node(Node n) {
  std::string t;
  append(t, n, [](Node m) { return m->id; });
  return t;
}

std::string print_dot(Node root) {
  std::string t = "digraph weft {\n  node [shape=box, fontname=\"monospace\"];\n";
  for (Node n : topological(root)) {
    const std::string id = "n" + std::to_string(n->id);
    std::string label(name(n->op));
    if (!n->dtype.is_void()) label += ' ' + to_string(n->dtype);
    std::string escaped;
    for (char c : label + argument(n)) {
      if (c == '"' || c == '\\') escaped += '\\';
      escaped += c;
    }
    t += "  " + id + " [label=\"" + escaped + '"' + (n->dtype.is_weak() ? ", style=dashed" : "") + "];\n";
    for (std::size_t i = 0; i < n->count; ++i)
      t += "  n" + std::to_string((*n)[i]->id) + " -> " + id +
           (n->count > 1 ? " [label=" + std::to_string(i) + "]" : "") + ";\n";
  }
  return t + "}\n";
}

}  // namespace weft::ir
