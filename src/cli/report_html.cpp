// The demo's report: one HTML file with everything inside it.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "demo.hpp"

namespace weft::cli {
namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  return out;
}

std::string base64(const std::vector<std::uint8_t>& bytes) {
  static constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 3; ++k) word = word << 8 | (k < left ? bytes[i + k] : 0u);
    for (std::size_t k = 0; k < 4; ++k) out += k <= left ? digits[word >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

std::string picture(const Image& image, std::string_view caption) {
  return fmt::format(
      "<figure><img alt=\"{0}\" src=\"data:image/png;base64,{1}\"><figcaption>{0}</figcaption></figure>\n",
      escaped(caption), base64(encode_png(image)));
}

// Breaks a reason into lines that fit beside the plan.
std::vector<std::string> wrapped(const std::string& text, std::size_t width) {
  std::vector<std::string> lines(1);
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t space = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, space - at);
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > width) lines.emplace_back();
    lines.back() += (lines.back().empty() ? "" : " ") + word;
    at = space + 1;
  }
  return lines;
}

// The plan, top to bottom: a box a group, its calls inside, the reason on each cut.
std::string plan_svg(const FuseReport& report) {
  constexpr int box_x = 8, box_w = 230, line_h = 18, gap = 44;
  std::string body;
  int y = 8;
  for (std::size_t g = 0; g < report.groups.size(); ++g) {
    const FuseGroup& group = report.groups[g];
    if (g > 0) {
      const int from = y - gap, to = y;
      body += fmt::format("<line x1='{0}' y1='{1}' x2='{0}' y2='{2}' class='cut'/>", box_x + box_w / 2, from, to - 2);
      if (group.why) {
        const auto lines = wrapped(*group.why, 72);
        int text_y = (from + to) / 2 + 4 - static_cast<int>(lines.size() - 1) * 7;
        for (const std::string& line : lines) {
          body +=
              fmt::format("<text x='{}' y='{}' class='why'>{}</text>", box_x + box_w / 2 + 14, text_y, escaped(line));
          text_y += 14;
        }
      }
    }
    const int height = 12 + line_h * static_cast<int>(group.calls.size());
    body += fmt::format("<rect x='{}' y='{}' width='{}' height='{}' rx='6' class='{}'/>", box_x, y, box_w, height,
                        group.fused ? "fused" : "lone");
    for (std::size_t c = 0; c < group.calls.size(); ++c)
      body += fmt::format("<text x='{}' y='{}'>{}</text>", box_x + 12, y + 20 + line_h * static_cast<int>(c),
                          escaped(group.calls[c]));
    std::string note;
    if (group.workgroup_shapes && !group.workgroup_shapes->empty())
      note = fmt::format("workgroups of {}", (*group.workgroup_shapes)[0][0]);
    if (group.gpu_time) note += fmt::format("{}{:.3f} ms", note.empty() ? "" : ", ", *group.gpu_time / 1e6);
    body += fmt::format("<text x='{}' y='{}' class='note'>{}</text>", box_x + box_w + 14, y + height / 2 + 4, note);
    y += height + gap;
  }
  return fmt::format("<svg viewBox='0 0 760 {0}' width='760' height='{0}' role='img'>{1}</svg>\n", y - gap + 8, body);
}

std::string bars(const DemoResult& result) {
  double longest = 0;
  for (const TierResult& t : result.tiers) longest = std::max({longest, t.apart_ms, t.fused_ms});
  std::string body;
  int y = 6;
  for (const TierResult& t : result.tiers) {
    body += fmt::format("<text x='0' y='{}'>{} ({})</text>", y + 12, name(t.tier), escaped(t.adapter));
    y += 20;
    for (auto [label, ms] : {std::pair{"apart", t.apart_ms}, std::pair{"fused", t.fused_ms}}) {
      const double width = longest > 0 ? 480 * ms / longest : 0;
      body += fmt::format(
          "<rect x='50' y='{}' width='{:.1f}' height='14' class='{}'/><text x='0' y='{}' class='note'>{}</text>"
          "<text x='{:.1f}' y='{}' class='note'>{:.2f} ms</text>",
          y, width, label, y + 12, label, 56 + width, y + 12, ms);
      y += 18;
    }
    y += 12;
  }
  return fmt::format("<svg viewBox='0 0 640 {0}' width='640' height='{0}' role='img'>{1}</svg>\n", y, body);
}

constexpr std::string_view style = R"(
body{font:15px/1.5 system-ui,sans-serif;margin:2em auto;max-width:1320px;padding:0 1em;color:#1d2330;background:#fcfcfa}
h1{font-size:1.6em}h2{font-size:1.2em;margin-top:2em;border-bottom:1px solid #d9dbe0}
figure{display:inline-block;margin:0 1em 1em 0}img{max-width:640px;width:100%;height:auto;display:block}
figcaption{color:#5a6170}table{border-collapse:collapse}td,th{padding:.25em .9em;text-align:left;border-bottom:1px solid #e4e6ea}
svg{max-width:100%;height:auto}svg text{font:13px system-ui,sans-serif;fill:#1d2330}svg .why{fill:#8a4b10;font-size:12px}svg .note{fill:#5a6170;font-size:12px}
.fused{fill:#dcebdc;stroke:#5b8f5b}.lone{fill:#eceef2;stroke:#9aa1b0}.apart{fill:#b9c0cf}svg rect.fused{fill:#9cc79c}.cut{stroke:#8a4b10;stroke-dasharray:4 3}
)";

}  // namespace

std::string report_html(const DemoResult& result) {
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Weft: {0}</title><style>{1}</style></head><body>\n"
      "<h1>{0} through {2} kernel calls</h1>\n",
      escaped(result.source), style, result.calls);
  out += picture(result.before, "before") + picture(result.after, "after");

  out +=
      "<h2>Tiers</h2>\n<table><tr><th>tier</th><th>device</th><th>apart: dispatches, submissions</th>"
      "<th>fused: dispatches, submissions</th><th>bits, apart and fused</th></tr>\n";
  for (const TierResult& t : result.tiers)
    out += fmt::format("<tr><td>{}</td><td>{}{}</td><td>{}, {}</td><td>{}, {}</td><td>{}</td></tr>\n", name(t.tier),
                       escaped(t.adapter), t.software ? " (software)" : "", t.apart_dispatches, t.apart_submissions,
                       t.report.dispatches, t.report.submissions, t.equal ? "equal" : "DIFFER");
  out += "</table>\n";
  for (const Agreement& a : result.agreements)
    out += a.equal ? fmt::format("<p>{} and {} give the same bits.</p>\n", escaped(a.a), escaped(a.b))
                   : fmt::format("<p>{} and {} differ in {} pixels.</p>\n", escaped(a.a), escaped(a.b), a.differing);
  for (auto& [tier, why] : result.absent)
    out += fmt::format("<p>{} did not take part: {}</p>\n", name(tier), escaped(why));

  out += "<h2>Time, first call to results on the host</h2>\n" + bars(result);
  for (const TierResult& t : result.tiers)
    out += fmt::format("<h2>The plan on {} ({})</h2>\n", name(t.tier), escaped(t.adapter)) + plan_svg(t.report);
  return out + "</body></html>\n";
}

}  // namespace weft::cli
