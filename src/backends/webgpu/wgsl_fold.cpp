#include "wgsl_fold.hpp"

#include <fmt/format.h>

#include <bit>

#include "wgsl.hpp"
#include "wgsl_value.hpp"

namespace weft::webgpu {
namespace {

using ir::Op;

std::string combine(const FoldLane& f) {
  const bool is_float = f.type == Scalar::float32;
  const auto typed = [&](const char* op) {
    // The fence keeps a driver from reassociating what stands before and after the tree.
    if (is_float) return fmt::format("bitcast<u32>(bitcast<f32>(a) {} bitcast<f32>(b)) | zero", op);
    return fmt::format("a {} b", op);
  };
  switch (f.op) {
    case Op::ADD: return typed("+");
    case Op::MUL: return typed("*");
    case Op::AND: return "a & b";
    case Op::OR: return "a | b";
    case Op::XOR: return "a ^ b";
    default: break;
  }
  const char* name = f.op == Op::MAX ? "max" : "min";
  if (is_float) return fmt::format("{}imum_bits(a, b)", name);
  if (f.type == Scalar::int32) return fmt::format("bitcast<u32>({}(bitcast<i32>(a), bitcast<i32>(b)))", name);
  return fmt::format("{}(a, b)", name);
}

}  // namespace

std::vector<FoldLane> lanes_of(std::span<const trace::ProgramFold> folds) {
  std::vector<FoldLane> lanes;
  for (std::uint32_t f = 0; f < folds.size(); ++f)
    for (std::uint32_t l = 0; l < folds[f].dtype.lanes; ++l)
      lanes.push_back({folds[f].op, folds[f].dtype.scalar, f, l, folds[f].dtype.lanes});
  return lanes;
}

std::uint32_t identity_bits(Op op, Scalar type) {
  const bool is_float = type == Scalar::float32;
  switch (op) {
    case Op::ADD: return is_float ? 0x80000000u : 0u;
    case Op::MUL: return is_float ? 0x3f800000u : 1u;
    case Op::AND: return type == Scalar::boolean ? 1u : 0xffffffffu;
    case Op::MIN:
      return is_float ? 0x7f800000u : type == Scalar::int32 ? 0x7fffffffu : type == Scalar::boolean ? 1u : 0xffffffffu;
    case Op::MAX: return is_float ? 0xff800000u : type == Scalar::int32 ? 0x80000000u : 0u;
    default: return 0u;
  }
}

std::string order_functions() {
  // rank: the bits of a float as an integer in its order, -0 before +0.
  return R"(fn is_nan(b: u32) -> bool { return (b & 0x7fffffffu) > 0x7f800000u; }
fn rank(b: u32) -> i32 { return bitcast<i32>(b ^ (u32(bitcast<i32>(b) >> 31u) & 0x7fffffffu)); }
fn minimum_bits(a: u32, b: u32) -> u32 {
  if (is_nan(a)) { return b; }
  if (is_nan(b)) { return a; }
  return select(b, a, rank(a) < rank(b));
}
fn maximum_bits(a: u32, b: u32) -> u32 {
  if (is_nan(a)) { return b; }
  if (is_nan(b)) { return a; }
  return select(b, a, rank(b) < rank(a));
}
)";
}

std::string fold_declarations(const std::vector<FoldLane>& lanes) {
  std::string out;
  for (std::size_t j = 0; j < lanes.size(); ++j)
    out += fmt::format(
        "var<workgroup> w{}: array<u32, {}>;\nfn fold{}(a: u32, b: u32, zero: u32) -> u32 {{ return {}; }}\n", j,
        fold_width, j, combine(lanes[j]));
  return out;
}

std::string fold_main(const std::vector<FoldLane>& lanes, std::uint32_t rounds, const std::string& count,
                      const std::string& values, const std::string& to) {
  const std::uint32_t width = fold_width / rounds;  // invocations of a block
  std::string out;
  const auto each = [&](const char* indent, auto text) {
    for (std::size_t j = 0; j < lanes.size(); ++j) out += indent + text(j) + "\n";
  };
  out += "  let group = id.x + (id.y + id.z * groups.y) * groups.x;\n";
  out += fmt::format("  let block = group * {}u + lane / {}u;\n  let place = lane % {}u;\n", rounds, width, width);
  // Rounds come in the order that makes the tree's pairs neighbours: 0, half, quarter, ... The value of a round waits in
  // h<level> for its partner; a round with as many trailing ones as there are levels completes the last pair.
  const int levels = std::countr_zero(rounds);
  for (int level = 0; level < levels; ++level)
    each("  ", [&](std::size_t j) { return fmt::format("var h{}_{}: u32;", level, j); });
  out += fmt::format("  for (var turn = 0u; turn < {}u; turn += 1u) {{\n", rounds);
  out += rounds == 1 ? "    let k = block * 256u + place;\n"
                     : fmt::format("    let k = block * {}u + place + (reverseBits(turn) >> {}u) * {}u;\n", fold_width,
                                   32 - levels, width);
  each("    ",
       [&](std::size_t j) { return fmt::format("var a{} = {:#x}u;", j, identity_bits(lanes[j].op, lanes[j].type)); });
  out += fmt::format("    if (k < {}) {{\n{}    }}\n", count, values);
  for (int level = 0; level < levels; ++level) {
    out += fmt::format("    if ((turn & {}u) == 0u) {{\n", 1u << level);
    each("      ", [&](std::size_t j) { return fmt::format("h{0}_{1} = a{1};", level, j); });
    out += "      continue;\n    }\n";
    each("    ", [&](std::size_t j) { return fmt::format("a{1} = fold{1}(h{0}_{1}, a{1}, zero);", level, j); });
  }
  each("    ", [&](std::size_t j) { return fmt::format("w{0}[lane] = a{0};", j); });
  out += "  }\n  workgroupBarrier();\n";
  for (std::uint32_t stride = width / 2; stride > 0; stride /= 2) {
    out += fmt::format("  if (place < {}u) {{\n", stride);
    each("    ", [&](std::size_t j) {
      return fmt::format("w{0}[lane] = fold{0}(w{0}[lane], w{0}[lane + {1}u], zero);", j, stride);
    });
    out += stride > 1 ? "  }\n  workgroupBarrier();\n" : "  }\n";
  }
  // A block past the end has no partial of its own.
  out += fmt::format("  if (place == 0u && block * {}u < {}) {{\n", fold_width, count);
  each("    ", [&](std::size_t j) { return fmt::format("{} = w{}[lane];", partial(lanes[j], to + "block"), j); });
  return out + "  }\n";
}

std::string partial(const FoldLane& f, const std::string& index) {
  return f.lanes == 1 ? fmt::format("p{}[{}]", f.fold, index)
                      : fmt::format("p{}[({}) * {}u + {}u]", f.fold, index, f.lanes, f.lane);
}

}  // namespace weft::webgpu
