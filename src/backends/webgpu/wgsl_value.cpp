#include "wgsl_value.hpp"

#include <fmt/format.h>

#include <cmath>

#include "ir/literal.hpp"

namespace weft::webgpu {

std::string type_name(DType t) {
  const char* scalar = t.is_bool()                  ? "bool"
                       : t.scalar == Scalar::int32  ? "i32"
                       : t.scalar == Scalar::uint32 ? "u32"
                                                    : "f32";
  return t.lanes == 1 ? scalar : fmt::format("vec{}<{}>", t.lanes, scalar);
}

std::uint32_t literal_bits(ir::Node n) {
  const ir::Node constant = n->is(ir::Op::CAST) ? (*n)[0] : n;
  const DType type = n->dtype;
  const ir::Arg& arg = constant->arg;
  using Tag = ir::Arg::Tag;
  if (type.is_bool())
    return arg.tag == Tag::boolean ? arg.boolean : arg.tag == Tag::integer ? arg.integer->sign() != 0 : arg.real != 0;
  if (type.is_float()) {
    const double value = arg.tag == Tag::integer   ? ir::round_to(Scalar::float32, *arg.integer)
                         : arg.tag == Tag::boolean ? (arg.boolean ? 1.0 : 0.0)
                                                   : ir::round_to(Scalar::float32, arg.real);
    return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  }
  if (arg.tag == Tag::boolean) return arg.boolean;
  const ir::Integer value =
      arg.tag == Tag::integer ? *arg.integer : ir::Integer::from_double(arg.real).value_or(ir::Integer());
  return static_cast<std::uint32_t>((value & ir::Integer(0xFFFFFFFFu)).to_uint64().value_or(0));
}

std::string spell(Scalar type, std::uint32_t bits) {
  switch (type) {
    case Scalar::boolean: return bits ? "true" : "false";
    case Scalar::uint32: return fmt::format("{}u", bits);
    case Scalar::int32: {
      const auto value = static_cast<std::int32_t>(bits);
      // The literal 2147483648i does not exist, so the least value has no sign to put before it.
      if (value == INT32_MIN) return "i32(-2147483648)";
      return value < 0 ? fmt::format("({}i)", value) : fmt::format("{}i", value);
    }
    default: break;
  }
  const float value = std::bit_cast<float>(bits);
  if (bits != 0 && !std::isnormal(value)) return fmt::format("bitcast<f32>({:#x}u | zero)", bits);
  return value < 0 ? fmt::format("({}f)", value) : fmt::format("{}f", value);
}

std::string spell(ir::Node literal) {
  const std::string one = spell(literal->dtype.scalar, literal_bits(literal));
  return literal->dtype.lanes == 1 ? one : fmt::format("{}({})", type_name(literal->dtype), one);
}

std::string from_bits(Scalar type, const std::string& bits) {
  if (type == Scalar::uint32) return bits;
  if (type == Scalar::boolean) return fmt::format("({} != 0u)", bits);
  return fmt::format("bitcast<{}>({})", type_name(type), bits);
}

std::string to_bits(Scalar type, const std::string& value) {
  if (type == Scalar::uint32) return value;
  if (type == Scalar::boolean) return fmt::format("select(0u, 1u, {})", value);
  return fmt::format("bitcast<u32>({})", value);
}

}  // namespace weft::webgpu
