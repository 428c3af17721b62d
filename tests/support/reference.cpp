#include "support/reference.hpp"

#include <stdexcept>
#include <string>
#include <unordered_map>

#include "support/reference_value.hpp"

namespace weft::test {
namespace {

using ir::Node;
using ir::Op;

enum class Flow { next, left, ended };

class Evaluator {
 public:
  Evaluator(const trace::KernelCore& core, Arguments& args, Seen* seen)
      : core_(core), args_(args), seen_(seen), memo_(core.graph.size()) {}

  std::vector<detail::ScalarValue> run() {
    for (const trace::Step& step : core_.steps) {
      if (const auto* store = std::get_if<trace::HostStore>(&step)) {
        on_host_ = true;
        set(store->local, value(store->value));
        on_host_ = false;
      } else {
        loop(core_.loops[std::get<std::size_t>(step)]);
      }
    }
    on_host_ = true;
    std::vector<detail::ScalarValue> results;
    for (Node r : core_.results) {
      RefValue v = value(r);
      if (v.type.scalar == Scalar::weakint) v = ref_cast(v, Scalar::int64);
      if (v.type.scalar == Scalar::weakfloat) v = ref_cast(v, Scalar::float32);
      results.push_back({v.type, static_cast<std::uint64_t>(v.n[0])});  // an int32 with its sign
    }
    return results;
  }

 private:
  struct Memo {
    std::uint64_t turn = 0;
    RefValue value;
  };

  // --- values: a pure node is computed once between two changes of what it may depend on --------------------------

  RefValue value(Node n) {
    if (n->is(Op::LOCAL)) return locals_[n];
    if (n->is(Op::LOAD) && on_host_) return locals_[(*n)[0]];
    if (n->is(Op::LOAD) || n->is(Op::RANGE) || n->is(Op::ATOMIC)) {
      const auto found = produced_.find(n);
      if (found == produced_.end()) throw std::logic_error(core_.facts.name + ": a value is used before it is made");
      return found->second;
    }
    Memo& m = memo_.at(n->id);
    if (m.turn != turn_) {
      const RefValue v = compute(n);  // may move nothing: memo_ has one place per node
      look(v);
      m.value = v;
      m.turn = turn_;
    }
    return m.value;
  }

  void look(const RefValue& v) {
    if (!seen_ || v.type.scalar != Scalar::float32) return;
    for (std::size_t k = 0; k < v.type.lanes; ++k) {
      const auto magnitude = static_cast<std::uint32_t>(v.n[k]) & 0x7FFFFFFFu;
      seen_->non_finite |= magnitude >= 0x7F800000u;
      seen_->nan |= magnitude > 0x7F800000u;
      seen_->subnormal |= magnitude != 0 && magnitude < 0x00800000u;
    }
  }

  RefValue compute(Node n) {
    const auto in = [&](std::size_t i) { return value((*n)[i]); };
    switch (n->op) {
      case Op::CONST: return literal(n);
      case Op::PARAM: return param(*n->arg.storage);
      case Op::CAST: return ref_cast(in(0), n->dtype.scalar);
      case Op::BITCAST: return ref_bitcast(in(0), n->dtype);
      case Op::WHERE: return ref_where(in(0), in(1), in(2));
      case Op::MULACC: return ref_binary(Op::ADD, ref_binary(Op::MUL, in(0), in(1)), in(2));
      case Op::FMA: return ref_fma(in(0), in(1), in(2));
      case Op::FENCE: return in(0);
      case Op::VECTOR: return vector(n);
      case Op::EXTRACT: {
        const RefValue v = in(0);
        return {v.type.scalar, {v.n[static_cast<std::size_t>(n->arg.number)]}};
      }
      default: break;
    }
    if (n->count == 1) return ref_unary(n->op, in(0));
    if (n->count == 2 && ir::is_binary(n->op)) return ref_binary(n->op, in(0), in(1));
    throw std::logic_error("the reference evaluator does not know " + std::string(ir::name(n->op)));
  }

  static RefValue literal(Node n) {
    const ir::Arg& a = n->arg;
    if (a.tag == ir::Arg::Tag::boolean) return ref_integer(Scalar::boolean, a.boolean);
    if (a.tag == ir::Arg::Tag::real) return ref_weakfloat(a.real);
    const auto s = a.integer->to_int64();
    return ref_integer(Scalar::weakint, s ? Int128(*s) : Int128(a.integer->to_uint64().value()));
  }

  RefValue vector(Node n) {
    RefValue v{{Scalar::boolean, static_cast<std::uint8_t>(n->count)}, {}};
    Scalar t = value((*n)[0]).type.scalar;
    for (Node s : n->src()) t = weft::least_upper(t, value(s).type.scalar);
    v.type.scalar = t;
    for (std::size_t k = 0; k < n->count; ++k) v.n[k] = ref_cast(value((*n)[k]), t).n[0];
    return v;
  }

  RefValue param(const ir::Storage& s) {
    switch (s.source) {
      case ir::Source::length: return ref_integer(s.dtype, static_cast<Int128>(args_.arrays[s.index].length()));
      case ir::Source::trip: return ref_integer(s.dtype, trip_);
      case ir::Source::start: return ref_integer(s.dtype, start_);
      case ir::Source::step: return ref_integer(s.dtype, step_);
      case ir::Source::captured: return captured_.at(s.index);
      case ir::Source::scalar: return ref_from_bits(s.dtype, &args_.scalars[s.index].bits);
      default: throw std::logic_error("the reference evaluator does not know this scalar: " + s.name);
    }
  }

  void changed() { ++turn_; }
  void set(Node local, const RefValue& v) {
    locals_[local] = local->dtype.is_weak() ? v : ref_cast(v, local->dtype.scalar);
    changed();
  }

  // --- statements ---------------------------------------------------------------------------------------------------

  Flow block(Node b) {
    for (Node n : b->src())
      if (const Flow f = statement(n); f != Flow::next) return f;
    return Flow::next;
  }

  Flow statement(Node n) {
    switch (n->op) {
      case Op::LOAD:
        look(produced_[n] = load(n));
        changed();
        return Flow::next;
      case Op::STORE: store(n); return Flow::next;
      case Op::ATOMIC: {
        RefValue& old = produced_[n];
        old = element((*n)[0], nullptr);
        const RefValue next =
            ref_cast(ref_binary(static_cast<Op>(n->arg.number % 256), old, value((*n)[1])), old.type.scalar);
        element((*n)[0], &next);
        changed();
        return Flow::next;
      }
      case Op::BLOCK: return block(n);
      case Op::IF:
        if (ref_true(value((*n)[0]))) return block((*n)[1]);
        return n->count > 2 ? block((*n)[2]) : Flow::next;
      case Op::LOOP: {
        const Node range = (*n)[0];
        const RefValue end = value((*range)[0]);
        for (Int128 k = 0; k < end.n[0]; ++k) {
          produced_[range] = ref_integer(end.type, k);
          changed();
          if (block((*n)[1]) == Flow::left) break;
        }
        return Flow::next;
      }
      case Op::WHILE:
        while (block((*n)[0]) != Flow::left) {}
        return Flow::next;
      case Op::BREAK_IF: return ref_true(value((*n)[0])) ? Flow::left : Flow::next;
      case Op::CONTINUE_IF: return ref_true(value((*n)[0])) ? Flow::ended : Flow::next;
      default: return Flow::next;  // a pure value that stands in the block
    }
  }

  RefValue load(Node n) {
    const Node place = (*n)[0];
    if (place->is(Op::LOCAL)) return locals_[place];
    if (n->count > 1 && !ref_true(value((*n)[1]))) return {place->dtype, {}};
    return element(place, nullptr);
  }

  void store(Node n) {
    const Node place = (*n)[0];
    const RefValue v = value((*n)[1]);
    if (place->is(Op::LOCAL)) return set(place, v);
    if (n->count > 2 && !ref_true(value((*n)[2]))) return;
    const RefValue at_type = ref_cast(v, place->dtype.scalar);
    element(place, &at_type);
  }

  /// The element at a place: read, or written. Outside the array: zero, or nothing happens.
  RefValue element(Node place, const RefValue* write) {
    HostArray& a = args_.arrays[(*place)[0]->arg.storage->index];
    const Int128 at = value((*place)[1]).n[0];
    const DType t = place->dtype;
    RefValue v{t, {}};
    if (at < 0 || at >= static_cast<Int128>(a.length())) return v;
    const std::size_t size = t.bytes() / t.lanes;
    std::byte* bytes = a.bytes.data() + static_cast<std::size_t>(at) * t.bytes();
    std::uint64_t lanes[4] = {};
    for (std::size_t k = 0; k < t.lanes; ++k) {
      if (write) lanes[k] = ref_bits(*write, k), std::memcpy(bytes + k * size, &lanes[k], size);
      else std::memcpy(&lanes[k], bytes + k * size, size);
    }
    return ref_from_bits(t, lanes);
  }

  // --- parallel loops, one iteration after the other ------------------------------------------------------------------

  Int128 header(Node n, Int128 otherwise) { return n ? value(n).n[0] : otherwise; }

  void loop(const trace::LoopIR& l) {
    on_host_ = true;
    changed();
    start_ = header(l.start, 0);
    const Int128 stop = header(l.stop, 0);
    step_ = header(l.step, 1);
    captured_.clear();
    for (Node c : l.captured) captured_.push_back(value(c));
    on_host_ = false;
    if (step_ == 0) throw std::logic_error(core_.facts.name + ": a step of 0");
    const Int128 span = step_ > 0 ? stop - start_ : start_ - stop, stride = step_ > 0 ? step_ : -step_;
    trip_ = span <= 0 ? 0 : (span + stride - 1) / stride;
    if (l.whole && trip_ != 0) trip_ = 1;  // its body holds the loop
    changed();
    std::vector<std::vector<RefValue>> folded(l.folds.size());
    std::vector<RefValue> targets;
    for (const trace::FoldIR& f : l.folds) targets.push_back(locals_[f.target]);
    for (Int128 k = 0; k < trip_; ++k) {
      produced_[l.range] = ref_integer(Scalar::weakint, k);
      changed();
      for (const trace::FoldIR& f : l.folds) set(f.local, ref_identity(f.op, f.local->dtype));
      block(l.body);
      for (std::size_t i = 0; i < folded.size(); ++i) folded[i].push_back(locals_[l.folds[i].local]);
    }
    for (std::size_t i = 0; i < folded.size(); ++i) {
      const trace::FoldIR& f = l.folds[i];
      if (trip_ == 0) continue;
      if (f.replaces) set(f.target, folded[i][0]);
      else set(f.target, ref_binary(f.op, targets[i], tree(f.op, folded[i])));
    }
    changed();
  }

  /// KER-RED-02, as it is worded there.
  RefValue tree(Op op, std::vector<RefValue> v) {
    const RefValue identity = ref_identity(op, v[0].type);
    while (true) {
      v.resize((v.size() + 255) / 256 * 256, identity);
      for (std::size_t block = 0; block < v.size(); block += 256)
        for (std::size_t stride = 128; stride >= 1; stride /= 2)
          for (std::size_t k = block; k < block + stride; ++k) look(v[k] = ref_binary(op, v[k], v[k + stride]));
      std::vector<RefValue> next;
      for (std::size_t block = 0; block < v.size(); block += 256) next.push_back(v[block]);
      if (next.size() == 1) return next[0];
      v = std::move(next);
    }
  }

  const trace::KernelCore& core_;
  Arguments& args_;
  Seen* seen_;
  std::vector<Memo> memo_;
  std::uint64_t turn_ = 1;
  bool on_host_ = false;
  Int128 start_ = 0, step_ = 1, trip_ = 0;
  std::vector<RefValue> captured_;
  std::unordered_map<Node, RefValue> locals_, produced_;
};

}  // namespace

std::vector<detail::ScalarValue> reference_call(const trace::KernelCore& core, Arguments& arguments, Seen* seen) {
  return Evaluator(core, arguments, seen).run();
}

}  // namespace weft::test
