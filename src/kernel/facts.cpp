#include "kernel/facts.hpp"

namespace weft::trace {

namespace {
// A text of one line: the author's names may hold anything (FUSE-WHY-06).
std::string quoted(const std::string& text) {
  std::string s = "`";
  for (char c : text) s += c == '\n' || c == '\r' || c == '`' ? '?' : c;
  return s + "`";
}
std::string on(std::uint32_t line) { return line ? " (line " + std::to_string(line) + ")" : ""; }
}  // namespace

std::string text(const NotParallel& n, const Facts& facts, const LoopFacts& loop) {
  const Access* a = n.access ? &loop.accesses.at(*n.access) : nullptr;
  const std::string access = a ? quoted(a->text) + on(a->line) : "";
  switch (n.kind) {
    case NotParallel::Kind::writes_shared: return "writes " + access + ", which two iterations may share";
    case NotParallel::Kind::reads_written:
      return "reads " + access + ", and writes " + quoted(facts.params.at(a->param).name) + " elsewhere";
    case NotParallel::Kind::carries: return "carries a variable" + on(n.line) + " from one iteration to the next";
    case NotParallel::Kind::reads_reduction: return "reads a variable" + on(n.line) + " that it also folds";
    case NotParallel::Kind::float_scatter: return "adds into " + access + ", and a sum of floats depends on its order";
    case NotParallel::Kind::step_unknown: return "has a step that is not known before it";
  }
  return {};
}

}  // namespace weft::trace
