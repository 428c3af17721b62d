#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "ir/derive.hpp"
#include "ir/text.hpp"
#include "ir/value_text.hpp"

namespace weft::ir {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
         c == '+' || c == '-';
}

class Parser {
 public:
  Parser(Graph& g, std::string_view text) : graph_(g), text_(text) {}

  Node parse() {
    Node root = nullptr;
    while (at_ < text_.size()) {
      skip_space();
      if (!at_end_of_line()) root = node();
      skip_space();
      if (!at_end_of_line()) fail("the end of the line");
      end_line();
    }
    if (!root) fail("a node: the text has none, and the last one would be the root");
    return root;
  }

 private:
  std::string place(std::size_t at) const {
    return "line " + std::to_string(line_) + ", column " + std::to_string(at - line_start_ + 1) + ": ";
  }
  [[noreturn]] void fail(const std::string& expected) const {
    std::string found = "the end of the text";
    if (at_ < text_.size()) {
      std::size_t end = at_ + 1;
      while (end < text_.size() && is_word(text_[end]) && is_word(text_[at_])) ++end;
      found = text_[at_] == '\n' ? "the end of the line" : in_quotes(one_line(text_.substr(at_, end - at_), 40));
    }
    throw FormatError(place(at_) + "Expected " + expected + ", found " + found + ".");
  }
  [[noreturn]] void fault(std::size_t at, const std::string& sentence) const {
    throw FormatError(place(at) + sentence);
  }

  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    if (at_ < text_.size() && text_[at_] == '#')
      while (at_ < text_.size() && text_[at_] != '\n') ++at_;
  }
  bool at_end_of_line() const { return at_ == text_.size() || text_[at_] == '\n'; }
  void end_line() {
    if (at_ == text_.size()) return;
    line_start_ = ++at_;
    ++line_;
  }
  void need(char c) {
    if (at_ == text_.size() || text_[at_] != c) fail(std::string("'") + c + "'");
    ++at_;
  }
  std::string_view word(const char* expected) {
    const std::size_t start = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    if (at_ == start) fail(expected);
    return text_.substr(start, at_ - start);
  }

  template <class T> T number(const char* expected) {
    const std::size_t start = at_;
    const std::string_view t = word(expected);
    T v{};
    const auto [end, error] = std::from_chars(t.data(), t.data() + t.size(), v);
    if (error != std::errc() || end != t.data() + t.size()) {
      at_ = start;
      fail(expected);
    }
    return v;
  }
  Integer integer() {
    const std::size_t start = at_;
    if (auto v = Integer::parse(word("a decimal integer"))) return *std::move(v);
    at_ = start;
    fail("a decimal integer of at most 5000 digits");
  }
  double real() {
    const std::size_t start = at_;
    if (auto v = parse_float(word("a float"))) return *v;
    at_ = start;
    fail("a float such as 0x1.8p+1, inf or nan");
  }
  std::string string() {
    need('"');
    std::string s;
    while (true) {
      if (at_end_of_line()) fail("a closing '\"'");
      char c = text_[at_++];
      if (c == '"') return s;
      if (c == '\\') {
        if (at_end_of_line()) fail("an escaped character");
        c = text_[at_++];
        if (c == 'x') {
          unsigned v = 0;
          const char* start = text_.data() + at_;
          if (text_.size() - at_ < 2 || std::from_chars(start, start + 2, v, 16).ptr != start + 2)
            fail("two hexadecimal digits");
          at_ += 2;
          c = static_cast<char>(v);
        } else if (c != '"' && c != '\\') {
          --at_;
          fail("\\\", \\\\ or \\xNN");
        }
      }
      s += c;
    }
  }

  std::uint64_t id() {
    need('%');
    return number<std::uint64_t>("the number of a node");
  }

  // What follows the operands: key=value pairs, in any order.
  struct Fields {
    std::optional<std::int64_t> number;
    std::optional<Op> op;
    std::string name;
    bool named = false;
    Storage storage;
    bool has_storage = false;
  };

  void field(Fields& f) {
    const std::size_t start = at_;
    const std::string_view key = word("an operand or an argument");
    need('=');
    Storage& s = f.storage;
    if (key == "number" || key == "axis" || key == "lane") {
      f.number = number<std::int64_t>("an integer");
      return;
    }
    if (key == "name") {
      f.name = string();
      f.named = true;
      return;
    }
    if (key == "op") {
      const std::size_t value = at_;
      f.op = parse_op(word("an op"));
      if (!f.op) at_ = value, fail("an op");
      return;
    }
    f.has_storage = true;
    if (key == "slot") s.slot = number<std::uint32_t>("a slot");
    else if (key == "size") s.size = number<std::uint64_t>("a size");
    else if (key == "index") s.index = number<std::uint32_t>("an index");
    else if (key == "call") s.call = number<std::uint32_t>("a call");
    else if (key == "min") s.vmin = integer();
    else if (key == "max") s.vmax = integer();
    else if (key == "fmin") s.fmin = real();
    else if (key == "fmax") s.fmax = real();
    else if (key == "space") s.space = one_of<Space>({"global", "alu", "workgroup"}, "global, alu or workgroup");
    else if (key == "source")
      s.source = one_of<Source>({"none", "array", "scalar", "length", "trip", "start", "step", "captured", "zero"},
                                "array, scalar, length, trip, start, step, captured or zero");
    else fault(start, "There is no argument " + in_quotes(one_line(key, 40)) + ".");
  }
  template <class E> E one_of(std::initializer_list<std::string_view> names, const char* expected) {
    const std::size_t start = at_;
    const std::string_view w = word(expected);
    const auto it = std::find(names.begin(), names.end(), w);
    if (it == names.end()) at_ = start, fail(expected);
    return static_cast<E>(it - names.begin());
  }

  Node literal() {
    const std::size_t start = at_;
    const std::string_view w = word("a literal");
    if (w == "true" || w == "false") return graph_.constant(w == "true");
    if (w == "invalid") return graph_.invalid();
    if (auto v = Integer::parse(w)) return graph_.constant(*v);
    if (auto v = parse_float(w)) return graph_.constant(*v);
    at_ = start;
    fail("a literal: an integer of at most 5000 digits, a float, true, false or invalid");
  }

  Node node() {
    const std::size_t start = at_;
    const std::uint64_t id_ = id();
    if (nodes_.contains(id_)) fault(start, "%" + std::to_string(id_) + " is given twice.");
    skip_space();
    need('=');
    skip_space();
    const std::size_t op_at = at_;
    const std::string_view op_name = word("an op");
    const std::optional<Op> op = parse_op(op_name);
    if (!op) fault(op_at, in_quotes(one_line(op_name, 40)) + " is no op.");
    skip_space();
    const std::size_t type_at = at_;
    const std::string_view type_name = word("a type");
    const std::optional<DType> type = parse_dtype(type_name);
    if (!type) fault(type_at, in_quotes(one_line(type_name, 40)) + " is no type.");

    std::vector<Node> src;
    Fields fields;
    Node n = nullptr;
    for (skip_space(); !at_end_of_line(); skip_space()) {
      const std::size_t operand_at = at_;
      if (*op == Op::CONST && !n && text_[at_] != '%') {
        n = literal();
      } else if (text_[at_] == '%') {
        const std::uint64_t operand = id();
        const auto it = nodes_.find(operand);
        if (it == nodes_.end()) fault(operand_at, "%" + std::to_string(operand) + " is no earlier node.");
        src.push_back(it->second);
      } else {
        field(fields);
      }
    }
    try {
      n = build(*op, *type, src, fields, n);
    } catch (const ConstructError& e) {
      ConstructError placed(place(op_at) + e.what());
      placed.node = static_cast<std::int64_t>(id_);
      throw placed;
    }
    if (n->dtype != *type)
      fault(type_at, std::string(op_name) + " derives " + to_string(n->dtype) + ", and the text states " +
                         std::string(type_name) + ".");
    nodes_.emplace(id_, n);
    return n;
  }

  Node build(Op op, DType type, const std::vector<Node>& src, Fields& f, Node literal) {
    if (op == Op::CONST) {
      if (!src.empty()) return graph_.make(op, src);  // says how many operands it takes
      if (!literal || f.has_storage || f.named || f.number || f.op) fail("one literal");
      return literal;
    }
    if (op == Op::PARAM || op == Op::BUFFER) {
      if (!src.empty()) return graph_.make(op, src);
      if (f.number || f.op) fail("the arguments that " + std::string(name(op)) + " takes");
      if (is_float(type.scalar) ? f.storage.vmin || f.storage.vmax : f.storage.fmin || f.storage.fmax)
        fail(std::string("the limits of ") +
             (is_float(type.scalar) ? "a float, fmin= and fmax=" : "an integer, min= and max="));
      f.storage.dtype = type;
      f.storage.name = f.name;
      return graph_.storage(op, f.storage);
    }
    if (f.has_storage || f.named != (op == Op::SPECIAL) || (f.op && op != Op::ATOMIC) ||
        (f.number && op == Op::SPECIAL))
      fail("the arguments that " + std::string(name(op)) + " takes");
    Arg a;
    if (op == Op::SPECIAL) {
      a.tag = Arg::Tag::text;
      a.text = &f.name;
    } else if (f.number) {
      if (f.op && (*f.number < 0 || *f.number > INT64_MAX / 256 - 1)) fail("a smaller number");
      a = Graph::number(f.op ? *f.number * 256 + static_cast<std::int64_t>(*f.op) : *f.number);
    } else if (f.op) {
      fail("number=, beside op=");
    }
    return graph_.make(op, src, a, type);
  }

  Graph& graph_;
  std::string_view text_;
  std::size_t at_ = 0, line_ = 1, line_start_ = 0;
  std::unordered_map<std::uint64_t, Node> nodes_;
};

}  // namespace

Node parse(Graph& g, std::string_view text) { return Parser(g, text).parse(); }

}  // namespace weft::ir
