#include "wgsl_ops.hpp"

#include <fmt/format.h>

#include "wgsl_value.hpp"

namespace weft::webgpu {
namespace {

using ir::Op;
using Operands = std::span<const std::string>;

// KER-NUM-03: a NaN loses to a number and -0 < +0, so floats are compared by their bits; WGSL's own min and max leave both
// open. The lowering writes such compares out itself; this serves graphs made otherwise.
std::string by_bits(ir::Node n, Operands o, const char* function) {
  const auto lane = [&](const std::string& which) {
    return fmt::format("bitcast<f32>({}(bitcast<u32>({}{}), bitcast<u32>({}{})))", function, o[0], which, o[1], which);
  };
  if (n->dtype.lanes == 1) return lane("");
  std::string lanes;
  for (int i = 0; i < n->dtype.lanes; ++i) lanes += (i ? ", " : "") + lane(fmt::format(".{}", "xyzw"[i]));
  return fmt::format("{}({})", type_name(n->dtype), lanes);
}

std::string shift(ir::Node n, Operands o, const char* op) {
  const DType count = (*n)[1]->dtype;
  const std::string unsigned_type = type_name({Scalar::uint32, count.lanes});
  return count.scalar == Scalar::uint32 ? fmt::format("{} {} {}", o[0], op, o[1])
                                        : fmt::format("{} {} bitcast<{}>({})", o[0], op, unsigned_type, o[1]);
}

std::string cast(ir::Node n, Operands o) {
  const DType from = (*n)[0]->dtype;
  if (from == n->dtype) return o[0];
  return fmt::format("{}({})", type_name(n->dtype), o[0]);  // to bool: not zero
}

std::string bitcast(ir::Node n, Operands o) {
  const DType from = (*n)[0]->dtype;
  if (from == n->dtype) return o[0];
  if (from.is_bool()) return from_bits(n->dtype.scalar, to_bits(Scalar::boolean, o[0]));
  if (n->dtype.is_bool()) return from_bits(Scalar::boolean, to_bits(from.scalar, o[0]));
  return fmt::format("bitcast<{}>({})", type_name(n->dtype), o[0]);
}

std::string fence(ir::Node n, Operands o) {
  if (!n->dtype.is_float()) return o[0];
  if (n->dtype.lanes == 1) return fmt::format("bitcast<f32>(bitcast<u32>({}) | zero)", o[0]);
  const std::string bits = type_name({Scalar::uint32, n->dtype.lanes});
  return fmt::format("bitcast<{}>(bitcast<{}>({}) | {}(zero))", type_name(n->dtype), bits, o[0], bits);
}

const char* infix(Op op) {
  switch (op) {
    case Op::ADD: return "+";
    case Op::SUB: return "-";
    case Op::MUL: return "*";
    case Op::AND: return "&";
    case Op::OR: return "|";
    case Op::CDIV:
    case Op::FDIV: return "/";
    case Op::CMOD: return "%";
    case Op::CMPLT: return "<";
    case Op::CMPNE: return "!=";
    case Op::CMPEQ: return "==";
    default: return nullptr;
  }
}

const char* function(Op op) {
  switch (op) {
    case Op::TRUNC: return "trunc";
    case Op::FLOOR: return "floor";
    case Op::CEIL: return "ceil";
    case Op::ROUND: return "round";
    case Op::ABS: return "abs";
    case Op::SQRT: return "sqrt";
    case Op::SIN: return "sin";
    case Op::COS: return "cos";
    case Op::TAN: return "tan";
    case Op::ASIN: return "asin";
    case Op::ACOS: return "acos";
    case Op::ATAN: return "atan";
    case Op::SINH: return "sinh";
    case Op::COSH: return "cosh";
    case Op::TANH: return "tanh";
    case Op::EXP: return "exp";
    case Op::LOG: return "log";
    case Op::EXP2: return "exp2";
    case Op::LOG2: return "log2";
    case Op::POW: return "pow";
    case Op::ATAN2: return "atan2";
    case Op::FMA: return "fma";
    case Op::POPCOUNT: return "countOneBits";
    case Op::REVBITS: return "reverseBits";
    default: return nullptr;
  }
}

}  // namespace

std::optional<std::string> spell_operation(ir::Node n, Operands o) {
  const DType type = n->dtype;
  switch (n->op) {
    case Op::CAST: return cast(n, o);
    case Op::BITCAST: return bitcast(n, o);
    case Op::FENCE: return fence(n, o);
    case Op::NEG: return fmt::format("-{}", o[0]);
    case Op::RECIPROCAL: return fmt::format("{} / {}", type.lanes == 1 ? "1f" : type_name(type) + "(1f)", o[0]);
    case Op::SHL: return shift(n, o, "<<");
    case Op::SHR: return shift(n, o, ">>");
    case Op::XOR: return type.is_bool() ? fmt::format("{} != {}", o[0], o[1]) : fmt::format("{} ^ {}", o[0], o[1]);
    case Op::CMPLT:
      // WGSL orders no bools.
      if ((*n)[0]->dtype.is_bool()) return fmt::format("!{} & {}", o[0], o[1]);
      break;
    case Op::MIN:
    case Op::MAX: {
      const bool max = n->is(Op::MAX);
      if (type.is_bool()) return fmt::format("{} {} {}", o[0], max ? "|" : "&", o[1]);
      if (type.is_float()) return by_bits(n, o, max ? "maximum_bits" : "minimum_bits");
      return fmt::format("{}({}, {})", max ? "max" : "min", o[0], o[1]);
    }
    case Op::WHERE: return fmt::format("select({}, {}, {})", o[2], o[1], o[0]);
    case Op::MULACC: return fmt::format("{} * {} + {}", o[0], o[1], o[2]);
    case Op::VECTOR: return fmt::format("{}({})", type_name(type), fmt::join(o, ", "));
    case Op::EXTRACT: return fmt::format("{}.{}", o[0], "xyzw"[n->arg.number]);
    default: break;
  }
  if (const char* op = infix(n->op)) return fmt::format("{} {} {}", o[0], op, o[1]);
  if (const char* f = function(n->op)) return fmt::format("{}({})", f, fmt::join(o, ", "));
  return std::nullopt;
}

std::string refuses_operation(Op op) {
  switch (op) {
    case Op::ATOMIC: return "it uses an atomic operation";
    case Op::SPECIAL: return "it uses a hardware index";
    case Op::BUFFER: return "it has storage of its own";
    case Op::SHRINK:
    case Op::STACK:
    case Op::SINK:
    case Op::FLOORDIV:
    case Op::FLOORMOD: return fmt::format("it holds {}, which is not lowered", ir::name(op));
    default: return {};
  }
}

}  // namespace weft::webgpu
