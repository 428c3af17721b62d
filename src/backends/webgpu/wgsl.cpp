#include "wgsl.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "wgsl_body.hpp"
#include "wgsl_fold.hpp"
#include "wgsl_value.hpp"

namespace weft::webgpu {
namespace {

using ir::Op;

// vec3 has a stride of 16 bytes in WGSL and 12 in Weft, so it is an array of scalars.
std::string element_name(DType t) {
  if (t.is_bool()) return type_name({Scalar::uint32, t.lanes});
  return t.lanes == 3 ? type_name(t.scalar) : type_name(t);
}

std::string bindings(const trace::Program& p) {
  std::string out;
  for (std::size_t s = 0; s < p.slots.size(); ++s)
    out += fmt::format("@group(0) @binding({0}) var<storage, {1}> b{0}: array<{2}>;\n", s,
                       p.slots[s].written ? "read_write" : "read", element_name(p.slots[s].element));
  for (std::size_t f = 0; f < p.folds.size(); ++f)
    out += fmt::format("@group(0) @binding({}) var<storage, read_write> p{}: array<u32>;\n", p.slots.size() + f, f);
  return out + fmt::format("@group(0) @binding({}) var<uniform> u: array<vec4<u32>, {}>;\n",
                           p.slots.size() + p.folds.size(), uniform_bytes(p) / 16);
}

bool orders_floats(const trace::Program& p) {
  for (const auto& f : p.folds)
    if (f.dtype.is_float() && (f.op == Op::MIN || f.op == Op::MAX)) return true;
  for (ir::Node n : ir::topological(p.root))
    if (n->dtype.is_float() && (n->is(Op::MIN) || n->is(Op::MAX))) return true;
  return false;
}

constexpr const char* fold_entry =
    "\n@compute @workgroup_size({})\n"
    "fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, "
    "@builtin(local_invocation_index) lane: u32) {{\n  let zero = {};\n";

// A loop without folds: an invocation past the end returns, as does one whose iteration ends early.
std::string map(const trace::Program& p) {
  const std::uint32_t workgroup = workgroup_of(p);
  // MODEL-12. The host chooses the groups so that no number passes 2^32 (grid.hpp).
  return fmt::format(
             "\n@compute @workgroup_size({0})\n"
             "fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {{\n"
             "  let zero = u[0].x;\n"
             "  let k = id.x + (id.y + id.z * groups.y) * (groups.x * {0}u);\n"
             "  if (k >= u[0].y) {{ return; }}\n",
             workgroup) +
         BodyWriter(p, "return;").write("k", 1) + "}\n";
}

// A loop with folds: the iteration is a function, so that whatever ends it comes back to the barriers (FUSE-RED-07).
std::string reduction(const trace::Program& p, std::uint32_t rounds) {
  const auto lanes = lanes_of(p.folds);
  std::string folded = "Folded(";
  std::string out = "\nstruct Folded {\n";
  for (std::size_t f = 0; f < p.folds.size(); ++f) {
    out += fmt::format("  f{}: {},\n", f, type_name(p.folds[f].dtype));
    folded += fmt::format("{}l{}", f ? ", " : "", (*p.root)[2 + f]->arg.number);
  }
  folded += ")";
  out += "}\n" + fold_declarations(lanes);
  out += "\nfn iteration(k: u32) -> Folded {\n  let zero = u[0].x;\n" +
         BodyWriter(p, fmt::format("return {};", folded)).write("k", 1) + fmt::format("  return {};\n}}\n", folded);

  std::string values = "      let folded = iteration(k);\n";
  for (std::size_t j = 0; j < lanes.size(); ++j) {
    const std::string field = fmt::format("folded.f{}", lanes[j].fold);
    const std::string value = lanes[j].lanes == 1 ? field : fmt::format("{}.{}", field, "xyzw"[lanes[j].lane]);
    values += fmt::format("      a{} = {};\n", j, to_bits(lanes[j].type, value));
  }
  return out + fmt::format(fmt::runtime(fold_entry), fold_width, "u[0].x") +
         fold_main(lanes, rounds, "u[0].y", values, "") + "}\n";
}

}  // namespace

std::uint32_t workgroup_of(const trace::Program& p) { return p.folds.empty() ? p.workgroup : fold_width; }

std::uint32_t uniform_bytes(const trace::Program& p) {
  const std::uint32_t least = 8;  // the run-time zero and the trip count
  return (std::max(p.uniform_bytes, least) + 15) / 16 * 16;
}

std::string render(const trace::Program& p, std::uint32_t rounds) {
  std::string out = bindings(p);
  if (orders_floats(p)) out += order_functions();
  return out + (p.folds.empty() ? map(p) : reduction(p, rounds));
}

std::string render_fold_level(std::span<const trace::ProgramFold> folds, std::uint32_t rounds) {
  const auto lanes = lanes_of(folds);
  std::string out, values;
  bool ordered = false;
  for (std::size_t f = 0; f < folds.size(); ++f) {
    out += fmt::format("@group(0) @binding({0}) var<storage, read_write> p{0}: array<u32>;\n", f);
    ordered = ordered || (folds[f].dtype.is_float() && (folds[f].op == Op::MIN || folds[f].op == Op::MAX));
  }
  out += fmt::format("@group(0) @binding({}) var<uniform> level: vec4<u32>;\n", folds.size());
  if (ordered) out += order_functions();
  for (std::size_t j = 0; j < lanes.size(); ++j)
    values += fmt::format("      a{} = {};\n", j, partial(lanes[j], "level.x + k"));
  return out + fold_declarations(lanes) + fmt::format(fmt::runtime(fold_entry), fold_width, "level.w") +
         fold_main(lanes, rounds, "level.y", values, "level.z + ") + "}\n";
}

}  // namespace weft::webgpu
