#include "ir/derive.hpp"

namespace weft::ir {

std::string to_string(DType t) {
  std::string s(name(t.scalar));
  if (t.lanes != 1) s += 'x' + std::to_string(t.lanes);
  return s;
}

std::optional<DType> parse_dtype(std::string_view text) {
  if (auto scalar = parse_scalar(text)) return DType(*scalar);
  if (text.size() > 2 && text[text.size() - 2] == 'x' && text.back() >= '2' && text.back() <= '4')
    if (auto scalar = parse_scalar(text.substr(0, text.size() - 2)); scalar && *scalar != Scalar::void_)
      return DType(*scalar, static_cast<std::uint8_t>(text.back() - '0'));
  return std::nullopt;
}

namespace {

[[noreturn]] void fail(Op op, std::span<const Node> src, const std::string& why) {
  std::string types;
  for (Node s : src.first(std::min<std::size_t>(src.size(), 8)))
    types += (types.empty() ? "" : ", ") + to_string(s->dtype);
  if (src.size() > 8) types += ", ...";
  throw ConstructError(std::string(name(op)) + " of (" + types + ") cannot be built: " + why + ".");
}

struct Arity {
  std::size_t least, most;
};

Arity arity(Op op) {
  constexpr std::size_t any = static_cast<std::size_t>(-1);
  switch (op) {
    case Op::VECTOR: return {2, 4};
    case Op::INDEX: return {1, any};
    case Op::LOAD: return {1, 2};
    case Op::STORE:
    case Op::ATOMIC:
    case Op::IF: return {2, 3};
    case Op::GRID: return {2, any};
    default:
      if (operands(op) < 0) return {0, any};
      return {static_cast<std::size_t>(operands(op)), static_cast<std::size_t>(operands(op))};
  }
}

void check_count(Op op, std::span<const Node> src) {
  const auto [least, most] = arity(op);
  if (src.size() >= least && src.size() <= most) return;
  std::string takes = least == most ? std::to_string(least)
                      : most > 99   ? "at least " + std::to_string(least)
                                    : std::to_string(least) + " to " + std::to_string(most);
  fail(op, src,
       "it takes " + takes + (takes == "1" || takes == "at least 1" ? " operand" : " operands") + ", and " +
           std::to_string(src.size()) + (src.size() == 1 ? " is" : " are") + " given");
}

std::uint8_t common_lanes(Op op, std::span<const Node> all, std::span<const Node> src) {
  std::uint8_t lanes = 0;
  for (Node s : src) {
    if (s->is(Op::CONST) && s->arg.tag == Arg::Tag::invalid) continue;
    if (lanes != 0 && s->dtype.lanes != lanes) fail(op, all, "its operands have different numbers of lanes");
    lanes = s->dtype.lanes;
  }
  return lanes == 0 ? 1 : lanes;
}

Scalar promote(Op op, std::span<const Node> all, std::span<const Node> src) {
  Scalar t = least_upper(src);
  if (t == Scalar::void_ && !src.empty())
    if (src.size() > 1 || is_arithmetic(op)) fail(op, all, "void promotes with nothing");
  return t;
}

void need_bool(Op op, std::span<const Node> src) {
  if (!src[0]->dtype.is_bool())
    fail(op, src, "its condition is " + to_string(src[0]->dtype) + ", and a condition must be bool");
}

DType literal_type(const Arg& arg) {
  switch (arg.tag) {
    case Arg::Tag::boolean:
    case Arg::Tag::invalid: return Scalar::boolean;
    case Arg::Tag::integer: return Scalar::weakint;
    case Arg::Tag::real: return Scalar::weakfloat;
    default: throw ConstructError("CONST cannot be built: its argument is no literal.");
  }
}

}  // namespace

DType detail::derive_any_type(Op op, std::span<const Node> src, const Arg& arg, DType stated, Scalar default_float) {
  check_count(op, src);
  switch (op) {
    case Op::CONST: return literal_type(arg);
    case Op::PARAM:
    case Op::BUFFER:
      if (arg.tag != Arg::Tag::storage) fail(op, src, "its argument is no storage");
      return arg.storage->dtype;
    case Op::LOCAL: return stated;

    case Op::CAST:
      if (stated.lanes != src[0]->dtype.lanes)
        fail(op, src, "a cast to " + to_string(stated) + " would change the lanes");
      if (stated.is_void()) fail(op, src, "nothing is cast to void");
      if (src[0]->dtype.is_void()) fail(op, src, "void is cast to nothing");
      return stated;
    case Op::BITCAST:
      if (stated.is_weak() || src[0]->dtype.is_weak())
        fail(op, src, "a weak type has no bits yet (a bitcast to " + to_string(stated) + ")");
      if (stated.is_void() || src[0]->dtype.is_void()) fail(op, src, "void has no bits");
      return stated;

    case Op::NEG:
    case Op::TRUNC:
    case Op::FLOOR:
    case Op::CEIL:
    case Op::ROUND:
    case Op::ABS:
    case Op::POPCOUNT:
    case Op::REVBITS: promote(op, src, src); return src[0]->dtype;
    case Op::SIN:
    case Op::EXP2:
    case Op::LOG2:
    case Op::SQRT:
    case Op::RECIPROCAL:
    case Op::COS:
    case Op::TAN:
    case Op::ASIN:
    case Op::ACOS:
    case Op::ATAN:
    case Op::SINH:
    case Op::COSH:
    case Op::TANH:
    case Op::EXP:
    case Op::LOG: return {least_upper_float(promote(op, src, src), default_float), src[0]->dtype.lanes};

    case Op::SHL:
    case Op::SHR:
      for (Node s : src)
        if (!s->dtype.is_integer()) fail(op, src, "only integers are shifted, and by integers");
      common_lanes(op, src, src);
      return src[0]->dtype;
    case Op::CMPLT:
    case Op::CMPNE:
    case Op::CMPEQ: promote(op, src, src); return {Scalar::boolean, common_lanes(op, src, src)};
    case Op::FDIV:
    case Op::ATAN2: return {least_upper_float(promote(op, src, src), default_float), common_lanes(op, src, src)};
    case Op::WHERE: {
      need_bool(op, src);
      const auto arms = src.subspan(1);
      const std::uint8_t lanes = common_lanes(op, src, arms);
      if (src[0]->dtype.lanes != 1 && src[0]->dtype.lanes != lanes)
        fail(op, src, "its condition has another number of lanes than its arms");
      return {promote(op, src, arms), lanes};
    }
    case Op::STACK: return promote(op, src, src);
    case Op::VECTOR: {
      const Scalar t = promote(op, src, src);
      if (common_lanes(op, src, src) != 1) fail(op, src, "a vector is made of scalars");
      return {t, static_cast<std::uint8_t>(src.size())};
    }
    case Op::EXTRACT:
      if (arg.tag != Arg::Tag::number || arg.number < 0 || arg.number >= src[0]->dtype.lanes)
        fail(op, src, "its operand has no such lane");
      return src[0]->dtype.scalar;

    case Op::FENCE:
    case Op::RANGE:
    case Op::SPECIAL:
    case Op::INDEX:
    case Op::SHRINK:
    case Op::LOAD:
    case Op::ATOMIC: return src[0]->dtype;

    case Op::IF:
    case Op::BREAK_IF:
    case Op::CONTINUE_IF: need_bool(op, src); return Scalar::void_;
    case Op::STORE:
    case Op::SINK:
    case Op::BLOCK:
    case Op::LOOP:
    case Op::WHILE:
    case Op::GRID:
    case Op::BARRIER: return Scalar::void_;

    default: break;  // the other binary ops, MULACC, FMA
  }
  return {promote(op, src, src), common_lanes(op, src, src)};
}

}  // namespace weft::ir
