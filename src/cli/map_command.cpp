#include "map_command.hpp"

#include <fmt/format.h>

#include <weft/error.hpp>
#include <weft/mapping.hpp>

#include <charconv>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>

#include "map_lines.hpp"
#include "map_table.hpp"

namespace weft::cli {
namespace {

struct Options {
  std::string expression, axes, svg, cells, cell, equivalent;
  std::vector<std::string> names, constants, tile;
  std::uint64_t index = 0;
  bool has_index = false, table = false, json = false, normalize = false, lines = false, is_mutable = false;
};

// `L = A, B`: a name and what it stands for.
std::pair<std::string, std::string> definition(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) throw CLI::ValidationError("--name", "it is written as 'L = A, B'");
  std::string name = text.substr(0, equals);
  while (!name.empty() && name.back() == ' ') name.pop_back();
  return {name, text.substr(equals + 1)};
}

std::uint64_t number(std::string_view text, const char* option) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  std::uint64_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc() || end != text.data() + text.size())
    throw CLI::ValidationError(option, fmt::format("`{}` is no unsigned integer", text));
  return n;
}

void print_tree(const Mapping& m, std::size_t n, int depth) {
  const auto& node = m.node(n);
  std::string text;
  switch (node.op) {
    case detail::MappingOp::axis: text = to_string(node.name); break;
    case detail::MappingOp::broadcast: text = fmt::format("broadcast {}", node.number); break;
    case detail::MappingOp::pair: text = "pair"; break;
    case detail::MappingOp::stride: text = fmt::format("/ {}", node.number); break;
    case detail::MappingOp::modulo: text = fmt::format("% {}", node.number); break;
    case detail::MappingOp::resize: text = fmt::format("= {}", node.number); break;
    default:
      text = fmt::format("#{} {}",
                         node.kind == PaddingKind::Top    ? ""
                         : node.kind == PaddingKind::Zero ? "{0}"
                                                          : "{!}",
                         node.number);
  }
  fmt::print("  {:{}}{:<{}} {}\n", "", 2 * depth, text, std::max(1, 24 - 2 * depth), m.size_of(n));
  if (node.left) print_tree(m, node.left, depth + 1);
  if (node.right) print_tree(m, node.right, depth + 1);
}

class Command {
 public:
  explicit Command(const Options& o) : o_(o) {}

  int run() {
    try {
      axes_ = weft::axes(o_.axes);
      for (const std::string& c : o_.constants) {
        const auto [name, value] = definition(c);
        names_.add_constant(name, number(value, "--constant"));
      }
      for (const std::string& n : o_.names) {
        const auto [name, expression] = definition(n);
        names_.add(name, parse(expression));
      }
      return answer(parse(o_.expression));
    } catch (const MappingError& e) { return refuse(e.kind, e.what()); } catch (const RangeError& e) {
      return refuse("range", e.what());
    }
  }

 private:
  Mapping parse(const std::string& text) const { return Mapping::parse(text, axes_, names_); }

  int refuse(std::string_view kind, const char* message) const {
    if (o_.json) fmt::print("{}\n", dump(error_json(kind, message)));
    else fmt::print(stderr, "weft map: {}\n", message);
    return 1;
  }
  void print(const nlohmann::json& json, const std::string& text) const {
    fmt::print("{}\n", o_.json ? dump(json) : text);
  }

  int answer(const Mapping& given) {
    const std::vector<std::string> warnings = lint(given);
    for (const std::string& w : warnings) fmt::print(stderr, "warning: {}\n", w);
    if (!o_.equivalent.empty()) return compare(given);
    if (!o_.tile.empty()) return check_tile(given);
    if (o_.has_index) {
      const Cell c = given.map(o_.index);
      if (c.is_live()) c.index().finalize();
      print({{"position", o_.index}, {"cell", to_string(c)}}, to_string(c));
      return 0;
    }
    if (!o_.cell.empty()) return locate(given);
    const Mapping m = o_.normalize ? normalize(given) : given;
    if (!o_.svg.empty()) {
      std::ofstream file(o_.svg, std::ios::binary);
      if (!(file << table_svg(m)) || !file.flush())
        throw IoError(fmt::format("The file {} cannot be written.", o_.svg));
      if (!o_.json && !o_.table) return 0;
    }
    if (o_.table) return fmt::print("{}", table_text(m)), 0;
    if (o_.json) return print_json(m);
    if (o_.normalize && o_.cells.empty()) return fmt::print("{}\n", to_string(m)), 0;
    if (o_.cells.empty()) {
      fmt::print("{}\nsize {}\n", to_string(m), m.size());
      print_tree(m, m.count, 0);
      fmt::print("normal form {}\n", to_string(normalize(m)));
      if (m.size() > 64) return 0;
    }
    const auto [first, last] = range(m);
    const detail::KeyedDecoder decode(m);
    for (std::uint64_t i = first; i < last; ++i) fmt::print("{:>6}  {}\n", i, to_string(decode(i)));
    return 0;
  }

  std::pair<std::uint64_t, std::uint64_t> range(const Mapping& m) const {
    std::uint64_t first = 0, last = m.size();
    if (!o_.cells.empty()) {
      const std::size_t dots = o_.cells.find("..");
      if (dots == std::string::npos) throw CLI::ValidationError("--cells", "a range is written 0..16");
      first = number(std::string_view(o_.cells).substr(0, dots), "--cells");
      last = number(std::string_view(o_.cells).substr(dots + 2), "--cells");
    }
    if (last > first && last - first > max_listed_positions)
      throw RangeError(fmt::format("{} positions were asked for, and at most {} are listed: --cells a..b names fewer.",
                                   last - first, max_listed_positions));
    return {first, last};
  }

  int print_json(const Mapping& m) const {
    const auto [first, last] = range(m);
    nlohmann::json cells = nlohmann::json::array();
    const detail::KeyedDecoder decode(m);
    for (std::uint64_t i = first; i < last; ++i) cells.push_back(to_string(decode(i)));
    nlohmann::ordered_json j{
        {"size", m.size()}, {"cells", std::move(cells)}, {"text", to_string(m)}, {"normal", to_string(normalize(m))}};
    fmt::print("{}\n", j.dump());
    return 0;
  }

  int compare(const Mapping& m) {
    const Mapping other = parse(o_.equivalent);
    const auto d = find_difference(m, other);
    if (!d) return print({{"equivalent", true}}, "yes"), 0;
    if (d->sizes)
      print({{"equivalent", false}, {"sizes", {m.size(), other.size()}}},
            fmt::format("no: the sizes are {} and {}", m.size(), other.size()));
    else
      print({{"equivalent", false}, {"position", d->position}, {"cells", {to_string(d->left), to_string(d->right)}}},
            fmt::format("no: at {} they are {} and {}", d->position, to_string(d->left), to_string(d->right)));
    return 1;
  }

  int check_tile(const Mapping& m) {
    const Mapping index = parse(o_.tile[0]);
    const std::uint64_t length = number(o_.tile[1], "--tile");
    const PaddingKind hole = o_.is_mutable ? PaddingKind::Bottom : PaddingKind::Top;
    const Tile t = o_.tile.size() == 3 ? weft::check_tile(m, index, length, parse(o_.tile[2]), hole)
                                       : tile(m, index, length, hole);
    if (t.fault) return refuse(name(t.fault.kind), std::string(t.fault.reason.view()).c_str());
    print({{"tile", "ok"}, {"stride", t.stride}, {"size", t.extent}, {"view", to_string(t.view)}},
          fmt::format("ok: stride {} over {}, as {}", t.stride, t.extent, to_string(t.view)));
    return 0;
  }

  int locate(const Mapping& m) {
    const Cell c = weft::cell(o_.cell, axes_, names_);
    nlohmann::json j{{"cell", to_string(c)}};
    std::string text = to_string(c);
    if (c.is_live()) {
      const auto at = inverse(m)(c.index().finalize());
      j["position"] = at ? nlohmann::json(*at) : nlohmann::json();
      text += at ? fmt::format(" is at {}", *at) : " is at no position";
    }
    print(j, text);
    return 0;
  }

  const Options& o_;
  Axes axes_;
  MappingNames names_;
};

}  // namespace
}  // namespace weft::cli

void add_map_command(CLI::App& app, int& exit_code) {
  auto o = std::make_shared<weft::cli::Options>();
  CLI::App* map = app.add_subcommand("map", "Show what a mapping expression says of each position of a buffer");
  map->add_option("expression", o->expression, "The mapping, as in WEFT_M(...)");
  map->add_option("--axes", o->axes, "The axes, as 'A = 8, B = 512'");
  map->add_option("--name", o->names, "A mapping that { L } stands for, as 'L = A, B'")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  map->add_option("--constant", o->constants, "A constant that { N } stands for, as 'N = 64'")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  map->add_flag("--table", o->table, "Draw a table: rows are the major, columns the minor dimension");
  map->add_option("--svg", o->svg, "Draw the table into this file");
  map->add_flag("--json", o->json, "Print data instead of text");
  map->add_option("--cells", o->cells, "The cells of these positions, as 0..16");
  map->add_flag("--normalize", o->normalize, "Show the normal form instead of the mapping");
  map->add_option_function<std::uint64_t>(
      "--index", [o](std::uint64_t i) { o->index = i, o->has_index = true; }, "The cell of one position");
  map->add_option("--cell", o->cell, "Where a cell is, as 'A: 2, B: 3'");
  map->add_option("--equivalent", o->equivalent,
                  "Whether another mapping has the same cells, or where they differ first");
  map->add_option("--tile", o->tile, "INDEX LENGTH [VIEW]: check a tile, or show the view that fits it")
      ->expected(2, 3);
  map->add_flag("--mutable", o->is_mutable, "The tile is written: its holes are #{!}");
  map->add_flag(
      "--lines", o->lines,
      "Read a JSON object {\"axes\", \"expr\", \"names\"?, \"constants\"?, \"positions\"?} a line; print one result a line");
  map->footer(
      "Examples:\n  weft map 'B / 4, B % 4' --axes 'B = 16' --table\n  weft map 'A # 8' --axes 'A = 6' --equivalent '[A # 8] / 4, [A # 8] % 4'\n"
      "  weft map 'A, B' --axes 'A = 8, B = 512' --tile B 2 --mutable");
  map->callback([o, &exit_code] {
    if (!o->lines && o->expression.empty()) throw CLI::RequiredError("expression");
    exit_code = o->lines ? weft::cli::map_lines(std::cin, std::cout) : weft::cli::Command(*o).run();
  });
}
