#include "support/program_interpreter.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <functional>
#include <set>
#include <unordered_map>

#include "support/lane_ops.hpp"

namespace weft::test {
namespace {

using ir::Node;
using ir::Op;
using Register = std::array<std::uint64_t, 4>;

constexpr std::uint32_t none = ~0u;

/// One step of a block: a value to compute, or an effect. `in` are registers; a gate's is `none` where there is none.
struct Instruction {
  explicit Instruction(Node n) : node(n), op(n->op) {}
  Node node;
  Op op;
  std::uint32_t out = none;
  std::vector<std::uint32_t> in;
  std::uint32_t slot = none, index = none, gate = none, value = none;  // of an access
  std::vector<std::uint32_t> blocks;                                   // of IF, LOOP, WHILE
};
using Block = std::vector<Instruction>;

enum class Flow { next, left, ended };  // to the next statement, out of the loop, to the loop's next turn

bool is_statement(Op op) {
  switch (op) {
    case Op::LOAD:
    case Op::STORE:
    case Op::ATOMIC:
    case Op::IF:
    case Op::LOOP:
    case Op::WHILE:
    case Op::BREAK_IF:
    case Op::CONTINUE_IF:
    case Op::BLOCK:
    case Op::BARRIER: return true;
    default: return false;
  }
}

std::string spell(Node n) { return std::string(name(n->op)) + " (node " + std::to_string(n->id) + ")"; }

}  // namespace

struct ProgramInterpreter::Impl {
  std::shared_ptr<const trace::Program> program;
  std::vector<Block> blocks;
  std::vector<Register> initial;                               // literals in place, the rest 0
  std::vector<std::pair<std::uint32_t, std::size_t>> scalars;  // register, position in uniforms
  std::unordered_map<Node, std::uint32_t> registers;
  std::uint32_t counter = none, end = none, body = none;
  std::vector<std::uint32_t> folds;

  explicit Impl(std::shared_ptr<const trace::Program> p) : program(std::move(p)) {
    const Node root = program->root;
    if (!root->is(Op::GRID)) throw ContractBroken("the root of a program is a GRID, not " + spell(root));
    if (root->count - 2 != program->folds.size()) throw ContractBroken("a program lists each of its folds");
    std::set<Node> available;
    Node trip = (*root)[0]->sources[0];
    if (trip->is(Op::CAST) && trip->dtype == Scalar::int64)
      trip = (*trip)[0];  // one word, whatever the counter's width
    if (!trip->is(Op::PARAM) || trip->arg.storage->source != ir::Source::trip)
      throw ContractBroken("a GRID ends at the trip count, not at " + spell(trip));
    end = *leaf(trip);
    counter = define((*root)[0]);
    for (Node fold : root->src().subspan(2)) folds.push_back(define(fold));
    body = compile((*root)[1], available);
  }

  void check_type(Node n) const {
    const Scalar s = n->dtype.scalar;
    switch (s) {
      case Scalar::boolean:
      case Scalar::int32:
      case Scalar::uint32:
      case Scalar::float32:
      case Scalar::float64: return;
      case Scalar::int64:
      case Scalar::uint64:
        if (!program->needs_int64) throw ContractBroken("64-bit integers, but needs_int64 is not set: " + spell(n));
        return;
      default: throw ContractBroken("no program holds the type " + std::string(weft::name(s)) + ": " + spell(n));
    }
  }

  std::uint32_t define(Node n) {
    auto [at, fresh] = registers.try_emplace(n, static_cast<std::uint32_t>(initial.size()));
    if (fresh) {
      check_type(n);
      initial.push_back({});
    }
    return at->second;
  }

  static std::uint64_t literal_bits(Node n) {
    if (n->dtype.is_float()) {
      const double v = *ir::float_value(n);
      return n->dtype.scalar == Scalar::float32 ? std::bit_cast<std::uint32_t>(static_cast<float>(v))
                                                : std::bit_cast<std::uint64_t>(v);
    }
    if (n->dtype.is_bool()) return (*n)[0]->arg.boolean;
    const ir::Integer low =
        *(*n)[0]->arg.integer & (ir::Integer::power_of_two(static_cast<unsigned>(bit_size(n->dtype.scalar))) - 1);
    return *low.to_uint64();
  }

  /// What needs no step: literals, scalars, locals and counters.
  std::optional<std::uint32_t> leaf(Node n) {
    if (n->is(Op::CAST) && (*n)[0]->is(Op::CONST)) {
      const std::uint32_t r = define(n);
      initial[r][0] = literal_bits(n);
      return r;
    }
    if (n->is(Op::LOCAL)) return define(n);
    if (n->is(Op::PARAM)) {
      const ir::Storage& s = *n->arg.storage;
      if (s.space != ir::Space::alu) throw ContractBroken("an array is no value: " + spell(n));
      if (s.slot >= program->uniforms.size()) throw ContractBroken("a scalar without a uniform: " + s.name);
      if (program->uniforms[s.slot].dtype != n->dtype) throw ContractBroken("a uniform of another type: " + s.name);
      const bool fresh = !registers.contains(n);
      const std::uint32_t r = define(n);
      if (fresh) scalars.emplace_back(r, s.slot);
      return r;
    }
    return std::nullopt;
  }

  /// The register of a value, with the steps that compute it added to `block` where they are not available yet.
  std::uint32_t value(Node root, Block& block, std::set<Node>& available) {
    std::vector<Node> stack{root};
    while (!stack.empty()) {
      const Node n = stack.back();
      if (leaf(n) || available.contains(n)) {
        stack.pop_back();
        continue;
      }
      if (n->is(Op::RANGE)) {
        if (!registers.contains(n)) throw ContractBroken("a counter outside its loop: " + spell(n));
        stack.pop_back();
        continue;
      }
      if (is_statement(n->op)) throw ContractBroken("a value is used before its statement: " + spell(n));
      if (n->is(Op::CONST)) throw ContractBroken("a bare literal: " + spell(n));
      bool ready = true;
      for (Node s : n->src())
        if (!leaf(s) && !available.contains(s) && !s->is(Op::RANGE)) stack.push_back(s), ready = false;
      if (!ready) continue;
      Instruction step(n);
      step.out = define(n);
      for (Node s : n->src()) step.in.push_back(registers.at(s));
      check_operands(n);
      block.push_back(std::move(step));
      available.insert(n);
      stack.pop_back();
    }
    return registers.at(root);
  }

  /// The operands of an operation have its type; only where it says otherwise, another one.
  void check_operands(Node n) const {
    const auto differ = [&] { throw ContractBroken("operands of different types: " + spell(n)); };
    switch (n->op) {
      case Op::CAST:
      case Op::BITCAST:
      case Op::EXTRACT:
      case Op::VECTOR: return;
      case Op::SHL:
      case Op::SHR:
        if ((*n)[1]->dtype != DType(Scalar::uint32, n->dtype.lanes)) differ();
        return;
      case Op::WHERE:
        if ((*n)[1]->dtype != n->dtype || (*n)[2]->dtype != n->dtype) differ();
        return;
      case Op::CMPLT:
      case Op::CMPNE:
      case Op::CMPEQ:
        if ((*n)[0]->dtype != (*n)[1]->dtype) differ();
        return;
      case Op::MIN:
      case Op::MAX:
      case Op::MULACC:
      case Op::RECIPROCAL:
      case Op::FLOORDIV:
      case Op::FLOORMOD:
        if (n->dtype.is_float() || !(n->is(Op::MIN) || n->is(Op::MAX)))
          throw ContractBroken("an operation that lowering replaces: " + spell(n));
        [[fallthrough]];
      default:
        for (Node s : n->src())
          if (s->dtype != n->dtype) differ();
    }
  }

  void access(Instruction& step, Node place, Block& block, std::set<Node>& available) {
    if (place->is(Op::LOCAL)) {
      step.value = define(place);
      return;
    }
    if (!place->is(Op::INDEX) || place->count != 2) throw ContractBroken("no place of an element: " + spell(place));
    const Node array = (*place)[0];
    if (!array->is(Op::PARAM) || array->arg.storage->space != ir::Space::global ||
        array->arg.storage->slot >= program->slots.size())
      throw ContractBroken("no array of the program: " + spell(array));
    step.slot = array->arg.storage->slot;
    const trace::Slot& slot = program->slots[step.slot];
    if (slot.element != array->dtype) throw ContractBroken("a slot of another element type: " + slot.name);
    if (!(step.op == Op::LOAD ? slot.read : step.op == Op::STORE ? slot.written : slot.read && slot.written))
      throw ContractBroken("a slot that does not say how it is used: " + slot.name);
    if (!(*place)[1]->dtype.is_integer() || (*place)[1]->dtype.lanes != 1)
      throw ContractBroken("no index: " + spell(place));
    step.index = value((*place)[1], block, available);
  }

  std::uint32_t compile(Node node, std::set<Node> available) {
    if (!node->is(Op::BLOCK)) throw ContractBroken("no block: " + spell(node));
    Block block;
    for (Node n : node->src()) {
      Instruction step(n);
      const auto operand = [&](std::size_t i) { return value((*n)[i], block, available); };
      switch (n->op) {
        case Op::LOAD:
          access(step, (*n)[0], block, available);
          if (n->count > 1) step.gate = operand(1);
          step.out = define(n);
          available.insert(n);
          break;
        case Op::STORE:
        case Op::ATOMIC:
          if ((*n)[1]->dtype != (*n)[0]->dtype)
            throw ContractBroken("a value of another type than its place: " + spell(n));
          step.in = {operand(1)};
          access(step, (*n)[0], block, available);
          if (n->count > 2) step.gate = operand(2);
          if (n->is(Op::ATOMIC)) step.out = define(n), available.insert(n);
          break;
        case Op::IF:
          step.in = {operand(0)};
          for (Node b : n->src().subspan(1)) step.blocks.push_back(compile(b, available));
          break;
        case Op::LOOP:
          step.in = {value((*n)[0]->sources[0], block, available)};
          if ((*n)[0]->dtype != (*n)[0]->sources[0]->dtype)
            throw ContractBroken("a counter of another type than its end");
          step.out = define((*n)[0]);
          step.blocks.push_back(compile((*n)[1], available));
          break;
        case Op::WHILE: step.blocks.push_back(compile((*n)[0], available)); break;
        case Op::BREAK_IF:
        case Op::CONTINUE_IF: step.in = {operand(0)}; break;
        case Op::BLOCK: step.blocks.push_back(compile(n, available)); break;
        default:  // a pure value that stands in the block
          value(n, block, available);
          continue;
      }
      block.push_back(std::move(step));
    }
    blocks.push_back(std::move(block));
    return static_cast<std::uint32_t>(blocks.size() - 1);
  }

  // --- running ---------------------------------------------------------------------------------------------------

  struct Frame {
    std::vector<Register> r;
    std::span<const std::span<std::byte>> bound;
    std::vector<std::uint64_t> lengths;  // elements of each slot
  };

  static std::int64_t as_index(std::uint64_t bits, Scalar s) {
    switch (s) {
      case Scalar::int32: return static_cast<std::int32_t>(bits);
      case Scalar::uint64: return bits > INT64_MAX ? -1 : static_cast<std::int64_t>(bits);
      default: return static_cast<std::int64_t>(bits);
    }
  }

  std::byte* element(const Instruction& s, Frame& f) const {
    const DType type = program->slots[s.slot].element;
    const std::int64_t at = as_index(f.r[s.index][0], (*(*s.node)[0])[1]->dtype.scalar);
    if (at < 0 || static_cast<std::uint64_t>(at) >= f.lengths[s.slot])
      throw ContractBroken(program->label + ": " + std::string(name(s.op)) + " of " + program->slots[s.slot].name +
                           "[" + std::to_string(at) + "], which has " + std::to_string(f.lengths[s.slot]) +
                           " elements");
    return f.bound[s.slot].data() + static_cast<std::uint64_t>(at) * type.bytes();
  }

  void memory(const Instruction& s, Frame& f) const {
    if (s.slot == none) {
      if (s.op == Op::LOAD) f.r[s.out] = f.r[s.value];
      else f.r[s.value] = f.r[s.in[0]];
      return;
    }
    const bool open = s.gate == none || f.r[s.gate][0];
    if (s.out != none) f.r[s.out] = {};
    if (!open) return;
    std::byte* at = element(s, f);
    const DType type = program->slots[s.slot].element;
    const std::size_t size = type.bytes() / type.lanes;
    for (std::uint8_t k = 0; k < type.lanes; ++k) {
      std::uint64_t old = 0;
      std::memcpy(&old, at + k * size, size);
      if (s.op != Op::STORE) f.r[s.out][k] = old;
      if (s.op == Op::LOAD) continue;
      std::uint64_t v = f.r[s.in[0]][k];
      if (s.op == Op::ATOMIC) v = fold_lane(static_cast<Op>(s.node->arg.number % 256), type.scalar, old, v);
      std::memcpy(at + k * size, &v, size);
    }
  }

  void compute(const Instruction& s, Frame& f) const {
    const Node n = s.node;
    Register out{};
    if (s.op == Op::VECTOR) {
      for (std::size_t k = 0; k < s.in.size(); ++k) out[k] = f.r[s.in[k]][0];
    } else if (s.op == Op::EXTRACT) {
      out[0] = f.r[s.in[0]][static_cast<std::size_t>(n->arg.number)];
    } else {
      const Scalar from = n->count ? (*n)[0]->dtype.scalar : Scalar::void_;
      const auto in = [&](std::size_t i, std::size_t lane) {
        if (i >= s.in.size()) return std::uint64_t{0};
        return f.r[s.in[i]][(*n)[i]->dtype.lanes == 1 ? 0 : lane];  // one condition may choose whole vectors
      };
      for (std::size_t k = 0; k < n->dtype.lanes; ++k)
        out[k] = lane_op(s.op, n->dtype.scalar, from, in(0, k), in(1, k), in(2, k));
    }
    f.r[s.out] = out;
  }

  Flow run_loop(const Instruction& s, Frame& f) const {
    const Scalar type = (*s.node)[0]->dtype.scalar;
    const std::int64_t count = as_index(f.r[s.in[0]][0], type);
    const std::uint64_t mask = bit_size(type) == 64 ? ~std::uint64_t{0} : 0xFFFFFFFFu;
    for (std::int64_t k = 0; k < count; ++k) {
      f.r[s.out] = {static_cast<std::uint64_t>(k) & mask};
      if (run_block(s.blocks[0], f) == Flow::left) break;
    }
    return Flow::next;
  }

  Flow run_block(std::uint32_t index, Frame& f) const {
    for (const Instruction& s : blocks[index]) {
      switch (s.op) {
        case Op::LOAD:
        case Op::STORE:
        case Op::ATOMIC: memory(s, f); break;
        case Op::IF: {
          const std::size_t branch = f.r[s.in[0]][0] ? 0 : 1;
          if (branch < s.blocks.size())
            if (const Flow flow = run_block(s.blocks[branch], f); flow != Flow::next) return flow;
          break;
        }
        case Op::BLOCK:
          if (const Flow flow = run_block(s.blocks[0], f); flow != Flow::next) return flow;
          break;
        case Op::LOOP: run_loop(s, f); break;
        case Op::WHILE:
          while (run_block(s.blocks[0], f) != Flow::left) {}
          break;
        case Op::BREAK_IF:
          if (f.r[s.in[0]][0]) return Flow::left;
          break;
        case Op::CONTINUE_IF:
          if (f.r[s.in[0]][0]) return Flow::ended;
          break;
        default: compute(s, f);
      }
    }
    return Flow::next;
  }

  void load_uniforms(Frame& f, std::span<const std::byte> uniforms, std::uint64_t n) const {
    if (uniforms.size() != program->uniform_bytes)
      throw ContractBroken("the uniforms have another size than the program says");
    std::uint32_t zero = 1, trip = 0;
    std::memcpy(&zero, uniforms.data(), 4);
    std::memcpy(&trip, uniforms.data() + 4, 4);
    if (zero != 0) throw ContractBroken("the zero word is not 0");
    if (trip != n) throw ContractBroken("the trip count of the uniforms is not that of the run");
    for (auto [reg, at] : scalars) {
      const trace::Uniform& u = program->uniforms[at];
      std::memcpy(&f.r[reg][0], uniforms.data() + u.offset, u.dtype.bytes());
    }
  }

  /// KER-RED-02: blocks of 256, padded with the identity, level by level.
  static std::uint64_t tree(std::vector<std::uint64_t> v, Op op, Scalar type) {
    const std::uint64_t identity = fold_identity_bits(op, type);
    if (v.empty()) return identity;
    do {
      std::vector<std::uint64_t> next;
      for (std::size_t at = 0; at < v.size(); at += 256) {
        std::array<std::uint64_t, 256> block;
        for (std::size_t k = 0; k < 256; ++k) block[k] = at + k < v.size() ? v[at + k] : identity;
        for (std::size_t stride = 128; stride > 0; stride /= 2)
          for (std::size_t k = 0; k < stride; ++k) block[k] = fold_lane(op, type, block[k], block[k + stride]);
        next.push_back(block[0]);
      }
      v = std::move(next);
    } while (v.size() > 1);
    return v[0];
  }
};

ProgramInterpreter::ProgramInterpreter(std::shared_ptr<const trace::Program> p)
    : impl_(std::make_unique<Impl>(std::move(p))) {}
ProgramInterpreter::~ProgramInterpreter() = default;
const trace::Program& ProgramInterpreter::program() const { return *impl_->program; }

std::vector<detail::ScalarValue> ProgramInterpreter::run(std::span<const std::span<std::byte>> bound,
                                                         std::span<const std::byte> uniforms, std::uint64_t n) const {
  const trace::Program& p = *impl_->program;
  if (bound.size() != p.slots.size()) throw ContractBroken("a run binds each slot of its program");
  Impl::Frame f{impl_->initial, bound, {}};
  for (std::size_t s = 0; s < bound.size(); ++s) f.lengths.push_back(bound[s].size() / p.slots[s].element.bytes());
  impl_->load_uniforms(f, uniforms, n);
  const std::uint64_t mask = bit_size((*p.root)[0]->dtype.scalar) == 64 ? ~std::uint64_t{0} : 0xFFFFFFFFu;
  if (f.r[impl_->end][0] != n) throw ContractBroken("the grid does not end at the trip count");

  std::vector<std::vector<std::uint64_t>> values(p.folds.size());
  for (std::uint64_t i = 0; i < n; ++i) {
    f.r[impl_->counter] = {i & mask};
    for (std::size_t k = 0; k < values.size(); ++k)
      f.r[impl_->folds[k]] = {fold_identity_bits(p.folds[k].op, p.folds[k].dtype.scalar)};
    impl_->run_block(impl_->body, f);
    for (std::size_t k = 0; k < values.size(); ++k) values[k].push_back(f.r[impl_->folds[k]][0]);
  }
  std::vector<detail::ScalarValue> folded;
  for (std::size_t k = 0; k < values.size(); ++k)
    folded.push_back({p.folds[k].dtype, Impl::tree(std::move(values[k]), p.folds[k].op, p.folds[k].dtype.scalar)});
  return folded;
}

std::vector<std::byte> pack_uniforms(const trace::Program& p, std::uint64_t trip,
                                     const std::function<std::uint64_t(const trace::Uniform&)>& bits_of) {
  std::vector<std::byte> bytes(p.uniform_bytes);
  for (const trace::Uniform& u : p.uniforms) {
    const std::uint64_t bits = u.source == ir::Source::zero ? 0 : u.source == ir::Source::trip ? trip : bits_of(u);
    std::memcpy(bytes.data() + u.offset, &bits, u.dtype.bytes());
  }
  return bytes;
}

}  // namespace weft::test
