#include "bit_class.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>

#include "ir/graph.hpp"
#include "ir/scalar_name.hpp"
#include "kernel/lower.hpp"

namespace weft::webgpu {
namespace {

using ir::Node;
using ir::Op;

enum Expression : std::size_t { add, mul, div, root, fused, is_nan, less, not_greater, chain, expressions };

/// The same expressions on the host; compiled without contraction, as all of Weft is.
std::array<float, expressions> evaluate(float x, float y) {
  const float product = x * y;
  return {x + y,
          product,
          x / y,
          std::sqrt(x),
          std::fma(x, y, x),
          x != x ? 1.f : 0.f,
          x < y ? 1.f : 0.f,
          !(x > y) ? 1.f : 0.f,
          product - x};
}

std::shared_ptr<const trace::Program> program() {
  auto p = std::make_shared<trace::Program>();
  ir::Graph& g = p->graph;
  const auto storage = [&](std::uint32_t slot, DType type, ir::Space space, ir::Source source) {
    ir::Storage s;
    s.slot = slot;
    s.dtype = type;
    s.space = space;
    s.source = source;
    return g.storage(Op::PARAM, s);
  };
  p->uniforms = {{ir::Source::zero, 0, 0, Scalar::uint32, 0}, {ir::Source::trip, 0, 0, Scalar::int32, 4}};
  p->uniform_bytes = 8;
  p->slots = {
      {Scalar::float32, true, false, "x"}, {Scalar::float32, true, false, "y"}, {Scalar::float32, false, true, "z"}};
  p->label = "bit class";
  p->key = "weft bit class";
  const Node range = g.range(storage(1, Scalar::int32, ir::Space::alu, ir::Source::trip), g.next_number());
  std::vector<Node> effects;
  const auto effect = [&](Op op, std::initializer_list<Node> src) {
    effects.push_back(g.make(op, src, ir::Graph::number(g.next_number())));
    return effects.back();
  };
  const auto array = [&](std::uint32_t slot) {
    return storage(slot, Scalar::float32, ir::Space::global, ir::Source::array);
  };
  const auto number = [&](std::int64_t v) { return g.cast(g.constant(v), Scalar::int32); };
  const auto fence = [&](Node n) { return g.make(Op::FENCE, {n}); };
  const Node x = effect(Op::LOAD, {g.make(Op::INDEX, {array(0), range})});
  const Node y = effect(Op::LOAD, {g.make(Op::INDEX, {array(1), range})});
  const Node one = g.cast(g.constant(1.0), Scalar::float32), none = g.cast(g.constant(0.0), Scalar::float32);
  const Node product = fence(g.make(Op::MUL, {x, y}));
  const std::array<Node, expressions> values{fence(g.make(Op::ADD, {x, y})),
                                             product,
                                             fence(g.make(Op::FDIV, {x, y})),
                                             fence(g.make(Op::SQRT, {x})),
                                             fence(g.make(Op::FMA, {x, y, x})),
                                             g.make(Op::WHERE, {g.make(Op::CMPNE, {x, x}), one, none}),
                                             g.make(Op::WHERE, {g.make(Op::CMPLT, {x, y}), one, none}),
                                             g.make(Op::WHERE, {g.make(Op::CMPLT, {y, x}), none, one}),
                                             fence(g.make(Op::SUB, {product, x}))};
  for (std::size_t e = 0; e < expressions; ++e) {
    const Node at =
        g.make(Op::ADD, {g.make(Op::MUL, {range, number(expressions)}), number(static_cast<std::int64_t>(e))});
    effect(Op::STORE, {g.make(Op::INDEX, {array(2), at}), values[e]});
  }
  const Node block = g.make(Op::BLOCK, std::span<const Node>(effects), ir::Graph::number(g.next_number()));
  p->root = g.make(Op::GRID, {range, block}, ir::Graph::number(g.next_number()));
  return p;
}

/// Pairs of special values, and ordinary ones whose quotients, roots and products need rounding.
std::array<std::vector<float>, 2> arguments() {
  std::array<std::vector<float>, 2> a;
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const float special[] = {0.f, -0.f, 1.f, 0.5f, -2.f, 1e38f, 0x1p-126f, 0x1p-127f, 0x1p-149f, inf, -inf, nan};
  for (float x : special)
    for (float y : special) a[0].push_back(x), a[1].push_back(y);
  std::uint32_t state = 1;  // a fixed sequence: the class of a driver does not depend on luck
  const auto next = [&] {
    state = state * 1664525u + 1013904223u;
    return std::bit_cast<float>((state >> 9) | 0x3f800000u) * std::ldexp(1.f, static_cast<int>(state >> 5 & 15) - 8);
  };
  while (a[0].size() < 512) {
    a[0].push_back(next());
    a[1].push_back(next());
  }
  return a;
}

bool same(float a, float b) {
  return std::isnan(a) ? std::isnan(b) : std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}
bool is_subnormal(float f) { return std::fpclassify(f) == FP_SUBNORMAL; }

std::vector<std::string> classify(const std::array<std::vector<float>, 2>& in, const std::vector<float>& out) {
  bool subnormal = false, non_finite = false, nan_compared = false;
  std::array<bool, expressions> wrong{};
  for (std::size_t i = 0; i < in[0].size(); ++i) {
    const float x = in[0][i], y = in[1][i];
    const auto want = evaluate(x, y);
    for (std::size_t e = 0; e < expressions; ++e) {
      if (same(want[e], out[i * expressions + e])) continue;
      const bool compares = e == is_nan || e == less || e == not_greater;
      if (e == fused) wrong[e] = true;
      else if (compares && (std::isnan(x) || std::isnan(y))) nan_compared = true;
      else if (is_subnormal(x) || is_subnormal(y) || is_subnormal(want[e]) || is_subnormal(want[mul])) subnormal = true;
      else if (!std::isfinite(x) || !std::isfinite(y) || !std::isfinite(want[e]) || !std::isfinite(want[mul]))
        non_finite = true;
      else wrong[e] = true;
    }
  }
  std::vector<std::string> clauses;
  if (subnormal) clauses.push_back("subnormal floats are flushed to zero");
  if (non_finite) clauses.push_back("infinities and NaN may come out as other values");
  if (nan_compared) clauses.push_back("a comparison may take NaN for a number");
  if (wrong[add] || wrong[mul] || wrong[chain]) clauses.push_back("float sums and products are not rounded one by one");
  if (wrong[is_nan] || wrong[less] || wrong[not_greater]) clauses.push_back("float comparisons are not exact");
  if (wrong[div]) clauses.push_back("float division is not correctly rounded");
  if (wrong[root]) clauses.push_back("sqrt is not correctly rounded");
  if (wrong[fused]) clauses.push_back("fma rounds twice");
  return clauses;
}

/// Nothing where the device cannot run the probe: then nothing about it is known.
std::vector<std::string> probe(backend::Backend& device) {
  const std::vector<std::string> unknown{"its arithmetic could not be probed"};
  const auto in = arguments();
  const std::size_t n = in[0].size();
  std::vector<float> out(n * expressions);
  std::array<backend::MemoryId, 3> memory{};
  const std::array<std::uint64_t, 3> sizes{n * 4, n * 4, out.size() * 4};
  bool made = true;
  for (std::size_t m = 0; m < 3; ++m) {
    auto id = device.create({sizes[m], "bit class"});
    made = made && id;
    if (id) memory[m] = *id;
  }
  backend::CompiledId compiled = 0;
  device.compile(program(), [&](backend::Expected<backend::CompiledId> id) { compiled = id ? *id : 0; });
  bool ran = false, done = false;
  if (made && compiled) {
    backend::Run run;
    run.program = compiled;
    for (std::size_t m = 0; m < 3; ++m) run.bound.push_back({memory[m], 0, sizes[m]});
    run.uniforms.resize(8);
    run.n = n;
    backend::Batch batch;
    batch.label = "bit class";
    for (std::size_t m = 0; m < 2; ++m)
      batch.passes.push_back({backend::Upload{run.bound[m], std::as_bytes(std::span(in[m]))}, 0, "bit class"});
    batch.passes.push_back({run, 0, "bit class"});
    batch.passes.push_back({backend::Read{run.bound[2], std::as_writable_bytes(std::span(out))}, 0, "bit class"});
    device.submit(std::move(batch), [&](backend::Expected<backend::Outcome> outcome) {
      ran = bool(outcome);
      done = true;
    });
    while (!done) device.pump(std::chrono::seconds(1));
  }
  for (backend::MemoryId id : memory)
    if (id) device.destroy(id);
  return ran ? classify(in, out) : unknown;
}

}  // namespace

std::vector<std::string> inexact(backend::Backend& device) {
  static std::mutex mutex;
  static std::map<std::pair<std::string, std::string>, std::vector<std::string>> known;
  std::lock_guard guard(mutex);
  const std::pair key(device.info().adapter, device.info().driver);
  const auto found = known.find(key);
  return found != known.end() ? found->second : known.emplace(key, probe(device)).first->second;
}

}  // namespace weft::webgpu
