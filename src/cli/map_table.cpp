#include "map_table.hpp"

#include <fmt/format.h>

#include <weft/error.hpp>

#include <algorithm>
#include <map>
#include <vector>

namespace weft::cli {
namespace {

struct Table {
  std::uint64_t rows = 1, columns = 1;
  std::string major, minor;  // the expressions of the two, empty where there is none
};

Table table_of(const Mapping& m) {
  Table t;
  const auto& root = m.node(m.count);
  const auto text = [&](std::size_t n) {
    Mapping part{Mapping::Empty{}};
    part.append(m, n);
    return to_string(part);
  };
  if (root.op == detail::MappingOp::pair) {
    t = {m.size_of(root.left), m.size_of(root.right), text(root.left), text(root.right)};
  } else {
    t.columns = m.size();
    t.minor = text(m.count);
  }
  if (m.size() > max_drawn_cells)
    throw RangeError(fmt::format("The mapping `{}` has {} positions, and at most {} are drawn.", to_string(m), m.size(),
                                 max_drawn_cells));
  return t;
}

std::vector<const IndexTerm*> sorted_terms(const Cell& c) {
  std::vector<const IndexTerm*> terms;
  for (const IndexTerm& t : c.index()) terms.push_back(&t);
  std::sort(terms.begin(), terms.end(), [](auto a, auto b) { return a->name < b->name; });
  return terms;
}

// A live cell with its zeros, as one writes an index; others by their sign.
std::string cell_text(const Cell& c) {
  if (!c.is_live() || c.index().overshoot() || c.index().size() == 0) return to_string(c);
  std::string text;
  for (const IndexTerm* t : sorted_terms(c))
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", to_string(t->name), t->value);
  return text;
}

std::string heading(const std::string& expression, std::uint64_t i) {
  return expression.empty()                          ? ""
         : expression.find(',') == std::string::npos ? fmt::format("{}: {}", expression, i)
                                                     : fmt::format("[{}]: {}", expression, i);
}

std::string escaped(const std::string& text) {
  std::string out;
  for (char c : text) out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  return out;
}

}  // namespace

std::string table_text(const Mapping& m) {
  const Table t = table_of(m);
  const detail::KeyedDecoder decode(m);
  std::vector<std::vector<std::string>> lines(t.rows + 1);
  lines[0].push_back("");
  for (std::uint64_t c = 0; c < t.columns; ++c) lines[0].push_back(heading(t.minor, c));
  for (std::uint64_t r = 0; r < t.rows; ++r) {
    lines[r + 1].push_back(heading(t.major, r));
    for (std::uint64_t c = 0; c < t.columns; ++c) lines[r + 1].push_back(cell_text(decode(r * t.columns + c)));
  }
  std::vector<std::size_t> width(t.columns + 1);
  for (const auto& line : lines)
    for (std::size_t c = 0; c < line.size(); ++c) width[c] = std::max(width[c], line[c].size());
  std::string text;
  for (const auto& line : lines) {
    for (std::size_t c = 0; c < line.size(); ++c) text += fmt::format("{}{:<{}}", c ? " | " : "", line[c], width[c]);
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  return text;
}

// Each axis has a colour; a live cell shows a bar of it for each of its coordinates, as long as the coordinate is far along.
std::string table_svg(const Mapping& m) {
  const Table t = table_of(m);
  const detail::KeyedDecoder decode(m);
  constexpr const char* colours[] = {"#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#bbbbbb"};
  std::map<std::string, const char*> colour_of;
  for (std::uint16_t i = 0; i < m.count; ++i)
    if (m.nodes[i].op == detail::MappingOp::axis) colour_of.emplace(to_string(m.nodes[i].name), nullptr);
  std::size_t next = 0;
  for (auto& [name, colour] : colour_of) colour = colours[next++ % std::size(colours)];

  std::vector<std::string> texts;
  std::size_t longest = 3, longest_row = 0, longest_column = 0;
  for (std::uint64_t i = 0; i < m.size(); ++i) {
    texts.push_back(cell_text(decode(i)));
    longest = std::max(longest, texts.back().size());
  }
  for (std::uint64_t r = 0; r < t.rows; ++r) longest_row = std::max(longest_row, heading(t.major, r).size());
  for (std::uint64_t c = 0; c < t.columns; ++c) longest_column = std::max(longest_column, heading(t.minor, c).size());
  const std::size_t cell_w = 7 * std::max(longest, longest_column) + 12, cell_h = 30,
                    left = longest_row ? 7 * longest_row + 16 : 8, top = 52;
  const std::size_t width = std::max<std::size_t>(left + cell_w * t.columns + 8, 7 * to_string(m).size() + 24),
                    height = top + cell_h * t.rows + 8;

  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" font-family=\"monospace\" font-size=\"11\">\n"
      "<title>{2}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<text x=\"8\" y=\"18\" font-size=\"13\">{2}</text>\n",
      width, height, escaped(to_string(m)));
  std::size_t x = 8;
  for (const auto& [name, colour] : colour_of) {
    svg +=
        fmt::format("<rect x=\"{}\" y=\"24\" width=\"9\" height=\"9\" fill=\"{}\"/><text x=\"{}\" y=\"32\">{}</text>\n",
                    x, colour, x + 12, name);
    x += 24 + 7 * name.size();
  }
  for (std::uint64_t c = 0; c < t.columns; ++c)
    svg += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" fill=\"#555\">{}</text>\n",
                       left + cell_w * c + cell_w / 2, top - 4, escaped(heading(t.minor, c)));
  for (std::uint64_t r = 0; r < t.rows; ++r) {
    svg += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\" fill=\"#555\">{}</text>\n", left - 6,
                       top + cell_h * r + 18, escaped(heading(t.major, r)));
    for (std::uint64_t c = 0; c < t.columns; ++c) {
      const std::uint64_t i = r * t.columns + c;
      const Cell cell = decode(i);
      const std::size_t cx = left + cell_w * c, cy = top + cell_h * r;
      const char* fill = cell.is_live()                        ? (cell.index().overshoot() ? "#ffd6d6" : "#f7fbff")
                         : cell.is_out_of_bounds()             ? "#ffffff"
                         : cell.padding() == PaddingKind::Top  ? "#dddddd"
                         : cell.padding() == PaddingKind::Zero ? "#eeeeee"
                                                               : "#999999";
      svg += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\" stroke=\"#888\"/>", cx, cy,
                         cell_w, cell_h, fill);
      std::size_t bar = 0;
      for (const IndexTerm* term : sorted_terms(cell)) {
        if (term->composite || term->value >= term->size) continue;
        const std::size_t length = static_cast<std::size_t>(
            static_cast<double>(cell_w - 4) * (static_cast<double>(term->value) + 1) / static_cast<double>(term->size));
        svg +=
            fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"3\" fill=\"{}\"/>", cx + 2,
                        cy + cell_h - 5 - 4 * bar, std::max<std::size_t>(length, 1), colour_of[to_string(term->name)]);
        if (++bar == 3) break;
      }
      svg += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", cx + cell_w / 2, cy + 14,
                         escaped(texts[i]));
    }
  }
  return svg + "</svg>\n";
}

}  // namespace weft::cli
