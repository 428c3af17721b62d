// A kernel's straight code at a call (MODEL-10), and the host's share of a reduction (KER-RED).
#include <weft/error.hpp>

#include <limits>

#include "kernel/core.hpp"
#include "kernel/host_eval.hpp"

namespace weft::trace {

using detail::ScalarValue;
using ir::Node;
using ir::Op;
using ir::Source;

struct HostFrame::Impl {
  std::shared_ptr<const KernelCore> kernel;
  std::vector<ScalarValue> scalars;
  std::vector<std::uint64_t> lengths;
  std::size_t next = 0;             // step
  std::optional<std::size_t> loop;  // stopped at
  std::unordered_map<std::int64_t, HostValue> locals;
  HostEvaluator evaluate{[this](Node n) { return leaf(n); }};

  HostValue leaf(Node n) {
    if (n->is(Op::LOAD)) return locals.at((*n)[0]->arg.number);
    const ir::Storage& s = *n->arg.storage;
    HostValue v;
    if (s.source == Source::scalar) {
      v = from_bits(scalars.at(s.index));
    } else {
      v.dtype = Scalar::weakint;
      v.i[0] = lengths.at(s.index);
    }
    return v;
  }

  const HostValue& value(Node n) {
    try {
      return evaluate(n);
    } catch (const std::overflow_error& e) { throw RangeError(kernel->facts.name + ": " + e.what() + "."); }
  }
  __int128 integer(Node n) { return value(n).i[0]; }
  const LoopIR& current() const { return kernel->loops.at(loop.value()); }
  std::string its_loop() const {
    return kernel->facts.name + ": its loop" + (kernel->loops.size() > 1 ? " " + std::to_string(*loop + 1) : "");
  }
};

HostFrame::HostFrame(std::shared_ptr<const KernelCore> k, std::vector<ScalarValue> scalars,
                     std::vector<std::uint64_t> lengths)
    : impl_(std::make_shared<Impl>()) {
  impl_->kernel = std::move(k);
  impl_->scalars = std::move(scalars);
  impl_->lengths = std::move(lengths);
}

std::optional<std::size_t> HostFrame::advance() {
  Impl& f = *impl_;
  f.loop.reset();
  while (f.next < f.kernel->steps.size()) {
    const Step& s = f.kernel->steps[f.next++];
    if (const auto* loop = std::get_if<std::size_t>(&s)) return f.loop = *loop;
    const HostStore& store = std::get<HostStore>(s);
    f.locals[store.local->arg.number] = f.value(store.value);
  }
  return std::nullopt;
}

namespace {
std::string decimal(__int128 v) { return ir::Integer(static_cast<std::int64_t>(v)).to_string(); }
constexpr __int128 most = std::numeric_limits<std::int64_t>::max();
}  // namespace

LoopHeader HostFrame::iterations() const {
  Impl& f = *impl_;
  const LoopIR& l = f.current();
  const __int128 start = f.integer(l.start), stop = f.integer(l.stop), step = f.integer(l.step);
  if (step == 0) throw RangeError(f.its_loop() + " has a step of 0; a step goes toward the stop.");
  for (__int128 v : {start, stop, step})
    if (v > most || v < -most) throw RangeError(f.its_loop() + " has a bound past 64 bits.");
  const __int128 span = step > 0 ? stop - start : start - stop, by = step > 0 ? step : -step;
  const __int128 trip = span <= 0 ? 0 : (span + by - 1) / by;
  if (trip > 0xFFFFFFFF)
    throw RangeError(f.its_loop() + " runs " + decimal(trip) + " iterations; at most 4294967295 run.");
  return {static_cast<std::int64_t>(start), static_cast<std::int64_t>(step), static_cast<std::uint64_t>(trip)};
}

LoopHeader HostFrame::header() const {
  Impl& f = *impl_;
  LoopHeader h = iterations();
  const LoopIR& l = f.current();
  if (l.whole) {
    h.trip = h.trip != 0;
    return h;
  }
  if (h.trip < 2) return h;  // one iteration shares with nobody
  for (const ProofCheck& c : l.checks) {
    const __int128 scale = f.integer(c.scale), rest = f.integer(c.rest);
    const Access& a = f.kernel->facts.loops[*f.loop].accesses[c.access];
    const std::string access = f.kernel->facts.name + ": its index `" + a.text + "`" +
                               (a.line ? " (line " + std::to_string(a.line) + ")" : "");
    if (c.block && scale <= 0) continue;  // the inner loop makes no turn
    if (scale == 0)
      throw RangeError(access + " is one element for every iteration, because what multiplies the counter is 0.");
    if (!c.wraps) continue;
    const __int128 first = scale * h.start,
                   last = scale * (h.start + static_cast<__int128>(h.step) * (static_cast<__int128>(h.trip) - 1));
    const __int128 low = (first < last ? first : last) + rest + c.low,
                   high = (first < last ? last : first) + rest + c.high;
    // Equal modulo 2^32 and less than that apart is equal.
    if (high - low + 2 * (scale < 0 ? -scale : scale) >= (static_cast<__int128>(1) << 32))
      throw RangeError(access + " runs from " + decimal(low) + " to " + decimal(high) +
                       " and would wrap in 32 bits; compute it from the counter and lengths alone.");
  }
  return h;
}

ScalarValue HostFrame::captured(std::uint32_t index) const {
  return to_bits(impl_->value(impl_->current().captured.at(index)));
}
ScalarValue HostFrame::scalar(std::uint32_t param) const { return impl_->scalars.at(param); }
std::uint64_t HostFrame::length(std::uint32_t param) const { return impl_->lengths.at(param); }

void HostFrame::fold(std::size_t k, ScalarValue folded) {
  const FoldIR& fold = impl_->current().folds.at(k);
  HostValue& target = impl_->locals.at(fold.target->arg.number);
  target = from_bits(fold.replaces ? ScalarValue{fold.target->dtype, folded.bits}
                                   : fold_step(fold.op, to_bits(target), folded));
}

std::vector<ScalarValue> HostFrame::results() const {
  std::vector<ScalarValue> r;
  for (Node n : impl_->kernel->results) r.push_back(to_bits(impl_->value(n)));
  return r;
}

ScalarValue fold_identity(Op op, DType dtype) {
  const Scalar s = dtype.scalar;
  HostValue v;
  v.dtype = dtype;
  const double inf = std::numeric_limits<double>::infinity();
  const int bits = bit_size(s);
  const __int128 greatest = (static_cast<__int128>(1) << (bits - (is_unsigned(s) ? 0 : 1))) - 1;
  switch (op) {
    case Op::ADD: v.f[0] = -0.0; break;
    case Op::MUL: v.f[0] = 1, v.i[0] = 1; break;
    case Op::AND: v.i[0] = is_bool(s) ? 1 : -1; break;
    case Op::MIN: v.f[0] = inf, v.i[0] = is_bool(s) ? 1 : greatest; break;
    case Op::MAX: v.f[0] = -inf, v.i[0] = is_unsigned(s) || is_bool(s) ? 0 : -greatest - 1; break;
    default: break;  // or, xor: 0
  }
  if (!is_float(s)) return to_bits(from_bits({dtype, static_cast<std::uint64_t>(v.i[0])}));
  return to_bits(v);
}

ScalarValue fold_step(Op op, ScalarValue a, ScalarValue b) {
  ir::Graph g;
  ir::Storage s;
  s.dtype = a.dtype;
  s.space = ir::Space::alu;
  s.source = Source::scalar;
  const Node x = g.storage(Op::PARAM, s);
  s.slot = s.index = 1;
  const Node y = g.storage(Op::PARAM, s);
  HostEvaluator evaluate([&](Node n) { return from_bits(n == x ? a : ScalarValue{a.dtype, b.bits}); });
  return to_bits(evaluate(g.make(op, {x, y})));
}

}  // namespace weft::trace
