#include <algorithm>
#include <unordered_map>

#include <nlohmann/json.hpp>

#include "ir/derive.hpp"
#include "ir/json.hpp"
#include "ir/value_text.hpp"

namespace weft::ir {
namespace {

using Json = nlohmann::json;

constexpr std::size_t most_nesting = 64;

std::string place(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte, text.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t start = before.rfind('\n');
  const std::size_t column = 1 + before.size() - (start == std::string_view::npos ? 0 : start + 1);
  return "line " + std::to_string(line) + ", column " + std::to_string(column) + ": ";
}

// A text of a hundred million brackets would become as many objects before it is refused.
void check_nesting(std::string_view text) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      else if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > most_nesting)
        throw FormatError(place(text, i) + "Brackets are nested deeper than " + std::to_string(most_nesting) +
                          " levels.");
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
}

Json parse_document(std::string_view text) {
  check_nesting(text);
  try {
    return Json::parse(text.begin(), text.end());
  } catch (const Json::parse_error& e) {
    std::string_view what = e.what();  // "[json.exception...] parse error at line 1, column 2: syntax error ..."
    if (auto at = what.find(": "); at != std::string_view::npos) what.remove_prefix(at + 2);
    throw FormatError(place(text, e.byte == 0 ? 0 : e.byte - 1) + "The text is no JSON: " + one_line(what) + ".");
  } catch (const Json::out_of_range& e) {
    std::string_view number = e.what();  // "[json.exception...] number overflow parsing '1e999'"
    if (auto at = number.find('\''); at != std::string_view::npos)
      number = number.substr(at + 1, number.size() - at - 2);
    throw FormatError(place(text, std::min(text.find(number), text.size())) + "The number " + one_line(number, 40) +
                      " is out of range.");
  }
}

class Reader {
 public:
  explicit Reader(Graph& g) : graph_(g) {}

  Node read(const Json& list) {
    if (!list.is_array())
      throw FormatError("line 1, column 1: A graph is a list of nodes, and " + std::string(list.type_name()) +
                        " is given.");
    if (list.empty())
      throw FormatError("line 1, column 1: The list of nodes is empty, and its last node would be the root.");
    Node root = nullptr;
    for (position_ = 0; position_ < list.size(); ++position_) root = read_node(list[position_]);
    return root;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw FormatError((id_ ? "node " + std::to_string(*id_) : "node at position " + std::to_string(position_)) + ": " +
                      why);
  }

  const Json& field(const Json& object, const char* key) const {
    const auto it = object.find(key);
    if (it == object.end()) fail("The field " + in_quotes(key) + " is missing.");
    return *it;
  }

  std::string string(const Json& j, const char* what) const {
    if (!j.is_string()) fail(std::string(what) + " is to be a string.");
    return j.get<std::string>();
  }

  std::int64_t integer(const Json& j, const char* what) const {
    if (j.is_number_unsigned() ? j.get<std::uint64_t>() > INT64_MAX : !j.is_number_integer())
      fail(std::string(what) + " is to be an integer.");
    return j.get<std::int64_t>();
  }

  Scalar scalar(const Json& j, const char* what) const {
    const std::string text = string(j, what);
    if (auto s = parse_scalar(text)) return *s;
    if (parse_dtype(text)) fail(std::string(what) + " is the vector type " + text + ", which has no JSON form.");
    fail(in_quotes(one_line(text, 40)) + " is no type.");
  }

  Node value(const Json& j) const {
    const std::string text = string(j, "A value");
    const std::string_view body = std::string_view(text).substr(std::min<std::size_t>(2, text.size()));
    if (text == "invalid") return graph_.invalid();
    if (text == "b:0" || text == "b:1") return graph_.constant(text == "b:1");
    if (text.starts_with("i:"))
      if (auto v = Integer::parse(body)) return graph_.constant(*v);
    if (text.starts_with("f:"))
      if (auto v = parse_float(body)) return graph_.constant(*v);
    fail(in_quotes(one_line(text, 60)) + " is no value: i:<decimal>, f:<hex float>, b:0, b:1 or invalid is expected.");
  }

  void limit(const Json& j, const Storage& s, std::optional<Integer>& whole, std::optional<double>& real) const {
    const Arg& a = value(j)->arg;
    if (is_float(s.dtype.scalar)) {
      if (a.tag == Arg::Tag::real) real = a.real;
      else if (a.tag == Arg::Tag::integer) real = a.integer->to_double();
      else fail("A limit of a float is to be a number.");
    } else {
      if (a.tag == Arg::Tag::integer) whole = *a.integer;
      else if (a.tag == Arg::Tag::boolean) whole = a.boolean ? 1 : 0;
      else fail("A limit of an integer is to be an integer.");
    }
  }

  Storage storage(const Json& arg) const {
    if (!arg.is_object()) fail("The argument of a PARAM or BUFFER is to be an object.");
    Storage s;
    const std::int64_t slot = integer(field(arg, "slot"), "The slot");
    if (slot < -1 || slot > 0xFFFFFFFE) fail("The slot is out of range.");
    s.slot = static_cast<std::uint32_t>(slot);
    s.dtype = scalar(field(arg, "dtype"), "The type of the storage");
    if (s.dtype.is_void()) fail("A storage of void holds nothing.");
    for (const auto& [key, v] : arg.items()) {
      if (key == "slot" || key == "dtype" || v.is_null()) continue;
      if (key == "size") {
        const std::int64_t size = integer(v, "The size");
        if (size < 0) fail("The size is negative.");
        s.size = static_cast<std::uint64_t>(size);
      } else if (key == "name") {
        s.name = string(v, "The name");
      } else if (key == "vmin") {
        limit(v, s, s.vmin, s.fmin);
      } else if (key == "vmax") {
        limit(v, s, s.vmax, s.fmax);
      } else if (key == "addrspace") {
        const std::string space = string(v, "The addrspace");
        if (space == "ALU") s.space = Space::alu;
        else if (space != "GLOBAL")
          fail(in_quotes(one_line(space, 40)) + " is no addrspace: \"ALU\" is expected, or none.");
      } else {
        fail("A storage has no field " + in_quotes(one_line(key, 40)) + ".");
      }
    }
    return s;
  }

  std::vector<Node> sources(const Json& j) const {
    if (!j.is_array()) fail("The field \"src\" is to be a list of ids.");
    std::vector<Node> src;
    for (const Json& s : j) {
      const std::int64_t id = integer(s, "An id in \"src\"");
      const auto it = nodes_.find(id);
      if (it == nodes_.end()) fail("The source " + std::to_string(id) + " is no earlier node.");
      src.push_back(it->second);
    }
    return src;
  }

  Node read_node(const Json& j) {
    id_.reset();
    if (!j.is_object()) fail("A node is to be an object.");
    const std::int64_t id = integer(field(j, "id"), "The id");
    id_ = id;
    if (nodes_.contains(id)) fail("The id is given twice.");
    const std::string op_name = string(field(j, "op"), "The op");
    const std::optional<Op> op = parse_op(op_name);
    if (!op) fail(in_quotes(one_line(op_name, 40)) + " is no op.");
    if (is_kernel_op(*op)) fail(op_name + " is a kernel op, which has no JSON form.");
    const std::vector<Node> src = j.contains("src") ? sources(j["src"]) : std::vector<Node>();
    Node n;
    try {
      n = build(*op, src, j);
    } catch (ConstructError& e) {
      e.node = id;
      throw;
    }
    if (const auto dtype = j.find("dtype"); dtype != j.end() && *dtype != "?")
      if (const Scalar stated = scalar(*dtype, "The dtype"); stated != n->dtype.scalar)
        fail(op_name + " is stated as " + std::string(name(stated)) + " and derives " + to_string(n->dtype) + ".");
    nodes_.emplace(id, n);
    return n;
  }

  Node build(Op op, const std::vector<Node>& src, const Json& j) const {
    const Json none, &arg = j.contains("arg") ? j["arg"] : none;
    switch (op) {
      case Op::CONST:
        if (!src.empty()) graph_.make(op, src);  // says how many operands it takes
        return value(field(j, "arg"));
      case Op::CAST:
      case Op::BITCAST: return graph_.make(op, src, {}, scalar(field(j, "arg"), "The target type"));
      case Op::PARAM:
      case Op::BUFFER:
        if (!src.empty()) graph_.make(op, src);
        return graph_.storage(op, storage(field(j, "arg")));
      case Op::RANGE:
        if (!field(j, "arg").is_object()) fail("The argument of RANGE is to be an object with an axis.");
        return graph_.make(op, src, Graph::number(integer(field(arg, "axis"), "The axis")));
      case Op::SPECIAL: {
        const std::string text = string(field(j, "arg"), "The name");
        Arg a;
        a.tag = Arg::Tag::text;
        a.text = &text;
        return graph_.make(op, src, a);
      }
      default:
        if (is_effect(op) && arg.is_object())
          return graph_.make(op, src, Graph::number(integer(field(arg, "number"), "The number")));
        if (!arg.is_null()) fail(std::string(name(op)) + " takes no argument.");
        return graph_.make(op, src);
    }
  }

  Graph& graph_;
  std::unordered_map<std::int64_t, Node> nodes_;
  std::size_t position_ = 0;
  std::optional<std::int64_t> id_;
};

}  // namespace

Node parse_json(Graph& g, std::string_view text) { return Reader(g).read(parse_document(text)); }

JsonInput parse_json_input(std::string_view text, Scalar default_float) {
  const Json document = parse_document(text);
  const Json* list = &document;
  if (document.is_object()) {
    const auto it = document.find("input");
    if (it == document.end())
      throw FormatError("line 1, column 1: The object has no field \"input\", which would be the graph.");
    list = &*it;
    if (const auto f = document.find("default_float"); f != document.end()) {
      const auto s = f->is_string() ? parse_scalar(f->get<std::string>()) : std::nullopt;
      if (!s || !is_float(*s) || is_weak(*s))
        throw FormatError("line 1, column 1: \"default_float\" is to be the name of a committed float type.");
      default_float = *s;
    }
  }
  JsonInput r{std::make_unique<Graph>(default_float)};
  r.root = Reader(*r.graph).read(*list);
  return r;
}

}  // namespace weft::ir
