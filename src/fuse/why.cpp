#include "fuse/why.hpp"

#include <fmt/format.h>

#include "fuse/planner.hpp"
#include "runtime/element_name.hpp"

namespace weft::fusion {

namespace {

// A sentence stays on its line, and its backquotes stay in pairs, whatever the author's names hold (FUSE-WHY-06).
std::string plain(std::string s, bool keep_backquotes = false) {
  for (char& c : s)
    if (c == '\n' || c == '\r' || c == '\v' || c == '\f' || (c == '`' && !keep_backquotes)) c = '?';
  return s;
}

std::string access(const PlannedCall& call, std::int64_t number) {
  const trace::Access& at = call.facts->loops.front().accesses[static_cast<std::size_t>(number)];
  return fmt::format("`{}` (line {})", plain(at.text), at.line);
}

std::string param(const PlannedCall& call, std::int64_t number) {
  return plain(call.facts->params[static_cast<std::size_t>(number)].name);
}

std::string array_type(const PlannedCall& call, std::int64_t number) {
  return fmt::format("array<{}>", runtime::element_name(call.facts->params[static_cast<std::size_t>(number)].dtype));
}

/// The clause after "because".
std::string clause(const Reason& r, const PlannedCall& a, const PlannedCall& b) {
  const std::string an = plain(a.facts->name), bn = plain(b.facts->name);
  const PlannedCall& x = r.about_a ? a : b;
  const std::string& xn = r.about_a ? an : bn;
  switch (r.kind) {
    using enum Reason::Kind;
    case not_fusible: return xn + " was built without weft::fusible";
    case loops: return fmt::format("{} has {} loops", xn, r.p);
    case scatters: return fmt::format("{} scatters into {}", xn, access(x, r.p));
    case continues: return fmt::format("{} continues its loop (line {})", xn, r.p);
    case no_iteration: return xn + " runs no iteration";
    case reduces: return an + " reduces";
    case start: return fmt::format("their loops start at {} and {}", r.p, r.q);
    case trip: return fmt::format("their loops run {} and {} iterations", r.p, r.q);
    case step: return fmt::format("their loops step by {} and {}", r.p, r.q);
    case writes_apart: return fmt::format("{} writes {}", an, access(a, r.p));
    case reads_apart: return fmt::format("{} reads {}", bn, access(b, r.p));
    case overlap_read:
    case overlap_write: {
      const std::string p = param(a, r.p), q = param(b, r.q);
      const char* verb = r.kind == overlap_read ? "reads" : "writes";
      return fmt::format("{} writes `{}`, which {} {}{}", bn, q, an, verb, p == q ? "" : fmt::format(" as `{}`", p));
    }
    case types:
      return fmt::format("{} takes `{}` as {} and {} as {}", an, param(a, r.p), array_type(a, r.p), bn,
                         array_type(b, r.q));
    case bindings: return fmt::format("they bind {} arrays and the device allows {}", r.p, r.q);
    case workgroups: return fmt::format("{} runs at workgroups of {} and {} at {}", an, r.p, bn, r.q);
    case not_built: return "their fused entry cannot be built";
    case cpu_face:
    case cpu_device:
    case gles:
    case after_cpu:
    case after_gles: break;  // whole sentences, below
  }
  return {};
}

}  // namespace

std::string text(const Reason& r, std::span<const PlannedCall> plan) {
  const PlannedCall &a = plan[r.a], &b = plan[r.b];
  const std::string an = plain(a.facts->name), bn = plain(b.facts->name);
  switch (r.kind) {
    using enum Reason::Kind;
    case cpu_face: return fmt::format("{} runs on the CPU, {}", bn, plain(*b.face_reason, true));
    case cpu_device: return fmt::format("{} runs on the CPU, {}", bn, plain(*b.device_reason, true));
    case gles: return "GLES runs the calls apart";
    case after_cpu: return fmt::format("{} runs apart from {}, which runs on the CPU", bn, an);
    case after_gles: return fmt::format("{} runs apart from {}, which runs on GLES", bn, an);
    default: return fmt::format("{} and {} run as two dispatches because {}", an, bn, clause(r, a, b));
  }
}

}  // namespace weft::fusion
