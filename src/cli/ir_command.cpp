#include "ir_command.hpp"

#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <string>

#include "ir/bounds.hpp"
#include "ir/derive.hpp"
#include "ir/json.hpp"
#include "ir/passes.hpp"
#include "ir/text.hpp"
#include "ir/value_text.hpp"

namespace weft::ir {
namespace {

struct Options {
  std::string file, passes = "commit,lower,cast", default_float = "float32", from, to;
  bool bounds = false, lines = false, trace = false;
};

using Pass = Node (*)(Graph&, Node, const Trace&);

std::vector<Pass> parse_passes(const std::string& list) {
  const std::map<std::string, Pass> known{{"commit", commit_weak}, {"lower", lower_weak}, {"cast", cast_const}};
  std::vector<Pass> passes;
  if (list == "none") return passes;
  for (std::size_t start = 0; start <= list.size();) {
    const std::size_t end = std::min(list.find(',', start), list.size());
    const auto it = known.find(list.substr(start, end - start));
    if (it == known.end())
      throw CLI::ValidationError("--passes", "the passes are commit, lower and cast, in a list with commas, or none");
    passes.push_back(it->second);
    start = end + 1;
  }
  return passes;
}

struct Error {
  std::string_view kind;
  std::optional<std::int64_t> node;
  std::string message;
};

// A literal that the peer's type does not hold is kept whole by the passes, and wraps where it is evaluated.
void warn_of_wrapping(Node root) {
  for (Node n : topological(root)) {
    for (std::size_t i = 0; i < n->count; ++i) {
      const Node c = (*n)[i];
      if (!c->is(Op::CONST) || c->arg.tag != Arg::Tag::integer) continue;
      Scalar at = n->dtype.scalar;
      if (is_broadcastable(n->op)) {
        if (i == 1 && (n->is(Op::SHL) || n->is(Op::SHR) || n->is(Op::POW))) continue;
        at = least_upper(n->src());
      } else if (!n->is(Op::CAST)) {
        continue;
      }
      if (is_integer(at) && !is_weak(at) && wrap(*c->arg.integer, at) != *c->arg.integer)
        std::cerr << "warning: the literal " << one_line(c->arg.integer->to_string(), 60) << " does not fit "
                  << name(at) << ", and wraps to " << wrap(*c->arg.integer, at).to_string() << " in `" << print_node(n)
                  << "`.\n";
    }
  }
}

class Command {
 public:
  explicit Command(const Options& o)
      : options_(o), passes_(parse_passes(o.passes)), default_float_(*parse_scalar(o.default_float)) {}

  int run() {
    std::ifstream file;
    if (options_.file != "-") {
      file.open(options_.file, std::ios::binary);
      if (!file) {
        std::cerr << "weft ir: the file " << options_.file << " cannot be read.\n";
        return 1;
      }
    }
    std::istream& in = options_.file == "-" ? std::cin : file;
    return options_.lines ? run_lines(in) : run_whole(in);
  }

 private:
  // One graph a line, one result a line. A line that fails is reported in its place, and the others go on.
  int run_lines(std::istream& in) {
    int code = 0;
    for (std::string line; std::getline(in, line);) {
      if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
      std::string out;
      if (auto error = process(line, true, "json", out)) {
        out = print_json_error(error->kind, error->node, one_line(error->message)) + '\n';
        code = 1;
      }
      std::cout << out;
    }
    return code;
  }

  int run_whole(std::istream& in) {
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    bool json = options_.from == "json";
    if (options_.from.empty()) {
      const std::size_t first = text.find_first_not_of(" \t\r\n");
      json = first != std::string::npos && (text[first] == '[' || text[first] == '{');
    }
    const std::string to = options_.to.empty() ? (json ? "json" : "text") : options_.to;
    std::string out;
    if (auto error = process(text, json, to, out)) {
      if (to == "json") std::cout << print_json_error(error->kind, error->node, one_line(error->message)) << '\n';
      else std::cerr << "weft ir: " << one_line(error->message) << '\n';
      return 1;
    }
    std::cout << out;
    return 0;
  }

  std::optional<Error> process(std::string_view text, bool json, std::string_view to, std::string& out) const {
    JsonInput input;
    try {
      if (json) {
        input = parse_json_input(text, default_float_);
      } else {
        input.graph = std::make_unique<Graph>(default_float_);
        input.root = parse(*input.graph, text);
      }
    } catch (const ConstructError& e) {
      return Error{"construct", e.node, (json && e.node ? "node " + std::to_string(*e.node) + ": " : "") + e.what()};
    } catch (const FormatError& e) {
      return Error{"construct", std::nullopt, e.what()};
    } catch (const std::bad_alloc&) {
      return Error{"construct", std::nullopt, "line 1, column 1: The graph does not fit in the memory."};
    }
    Graph& g = *input.graph;
    try {
      Node root = input.root;
      const Trace trace = options_.trace ? Trace(print_rule) : Trace();
      for (Pass pass : passes_) root = pass(g, root, trace);
      if (!options_.lines) warn_of_wrapping(root);
      if (to == "json") out = print_json(root, options_.bounds ? &g : nullptr) + '\n';
      else if (to == "dot") out = print_dot(root);
      else out = options_.bounds ? print_with_bounds(g, root) : print(root);
    } catch (const RuleError& e) {
      // The node that failed may be one that a rule made; it is named by its text.
      std::optional<std::int64_t> node;
      std::string message = e.what();
      if (e.node) node = position(input.root, e.node), message += " In `" + print_node(e.node) + "`.";
      return Error{"rule", node, message};
    } catch (const ConstructError& e) { return Error{"rule", e.node, e.what()}; } catch (const FormatError& e) {
      return Error{"construct", std::nullopt, e.what()};
    }
    return std::nullopt;
  }

  static void print_rule(std::string_view pass, std::string_view rule, Node before, Node after) {
    std::cerr << pass << ": " << rule << ": " << print_node(before) << "  =>  " << print_node(after) << '\n';
  }

  // The place of a node in the topological order of the input, where it is one of its nodes.
  static std::optional<std::int64_t> position(Node root, Node n) {
    std::int64_t i = 0;
    for (Node m : topological(root)) {
      if (m == n) return i;
      ++i;
    }
    return std::nullopt;
  }

  Options options_;
  std::vector<Pass> passes_;
  Scalar default_float_;
};

}  // namespace
}  // namespace weft::ir

void add_ir_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<weft::ir::Options>();
  CLI::App* ir = app.add_subcommand("ir", "Give the weak types of a graph their widths, and print what became of it");
  ir->add_option("file", options->file, "The graph: a file, or - for the standard input")->required();
  ir->add_option("--passes", options->passes, "Which passes run, in this order: commit,lower,cast, or none")
      ->capture_default_str();
  ir->add_option("--default-float", options->default_float, "What a weak float becomes that nothing commits")
      ->check(CLI::IsMember(
          {"fp8e4m3", "fp8e5m2", "fp8e4m3fnuz", "fp8e5m2fnuz", "float16", "bfloat16", "float32", "float64"}))
      ->capture_default_str();
  ir->add_option("--from", options->from, "The form of the input; by default seen from its first character")
      ->check(CLI::IsMember({"text", "json"}));
  ir->add_option("--to", options->to, "The form of the output; by default that of the input")
      ->check(CLI::IsMember({"text", "json", "dot"}));
  ir->add_flag("--bounds", options->bounds, "Add the bounds of each value");
  ir->add_flag("--lines", options->lines,
               "Read one JSON graph, or {\"input\": graph, \"default_float\"?}, a line; print one result a line");
  ir->add_flag("--trace", options->trace,
               "Tell of each rule that fires, with the node before and after, on the standard error");
  ir->callback([options, &exit_code] { exit_code = weft::ir::Command(*options).run(); });
}
