// Chains of small kernels, drawn at random: what a property of fuse scopes is checked on. A chain names its arrays by
// number: three inputs, then what each stage wrote.
#pragma once

#include <weft/array.hpp>
#include <weft/control.hpp>
#include <weft/device.hpp>
#include <weft/fuse.hpp>
#include <weft/kernel.hpp>
#include <weft/loop.hpp>
#include <weft/math.hpp>
#include <weft/scalar.hpp>

#include <cmath>
#include <cstring>
#include <ostream>
#include <vector>

#include <rapidcheck.h>

namespace weft::test {

struct Stage {
  unsigned op = 0, p = 0, q = 0;
  bool scratch = false;
};
struct Chain {
  std::vector<Stage> stages;
  std::vector<unsigned> picks;  // which values the inputs hold
  bool sum = false;             // a reduction at the end
};

inline std::ostream& operator<<(std::ostream& out, const Chain& c) {
  for (const Stage& s : c.stages)
    out << "op" << s.op << "(" << s.p << ", " << s.q << ")" << (s.scratch ? " scratch; " : "; ");
  return out << (c.sum ? "sum; " : "") << c.picks.size() << " values";
}

// What drivers like to rearrange: products that are added, a + b - a, x * 3 * (1/3), signs and selections.
template <class F> auto operation(const char* signature, F f) {
  return kernel(signature, fusible,
                [f](Array<const float> p, Array<const float> q, Array<float> r, weft::Scalar<std::int32_t> n) {
                  loop(n, [&](Index i) { r[i] = f(p[i], q[i]); });
                });
}

/// Calls operation `op` (any number) on arrays of n floats.
inline void call(unsigned op, const Resident<float>& p, const Resident<float>& q, const Resident<float>& r,
                 std::int32_t n) {
  using V = const Value<float>&;
  static const auto mul = operation("mul(p, q, r, n)", [](V a, V b) { return a * b; });
  static const auto add = operation("add(p, q, r, n)", [](V a, V b) { return a + b; });
  static const auto sub = operation("sub(p, q, r, n)", [](V a, V b) { return a - b; });
  static const auto triple = operation("triple(p, q, r, n)", [](V a, V b) { return a * 3 + b * 0; });
  static const auto third = operation("third(p, q, r, n)", [](V a, V) { return a * (1.0f / 3); });
  static const auto muladd = operation("muladd(p, q, r, n)", [](V a, V b) { return a * b + a; });
  static const auto cross = operation("cross(p, q, r, n)", [](V a, V b) { return a * a - b * b; });
  static const auto pick = operation("pick(p, q, r, n)", [](V a, V b) { return select(a < b, a, b * 0.5f); });
  static const auto flip = operation("flip(p, q, r, n)", [](V a, V b) { return 0 - max(a, b); });
  static const auto near = operation("near(p, q, r, n)", [](V a, V b) { return abs(a - b) + b; });
  switch (op % 10) {
    case 0: mul(p, q, r, n); break;
    case 1: add(p, q, r, n); break;
    case 2: sub(p, q, r, n); break;
    case 3: triple(p, q, r, n); break;
    case 4: third(p, q, r, n); break;
    case 5: muladd(p, q, r, n); break;
    case 6: cross(p, q, r, n); break;
    case 7: pick(p, q, r, n); break;
    case 8: flip(p, q, r, n); break;
    default: near(p, q, r, n); break;
  }
}

inline Future<float> call_sum(const Resident<float>& p, std::int32_t n) {
  static const auto sum = kernel("sum(p, n)", fusible, [](Array<const float> p, weft::Scalar<std::int32_t> n) {
    Var<float> s = 0;
    loop(n, [&](Index i) { s += p[i]; });
    return s;
  });
  return sum(p, n);
}

/// Signed zeros, halves, thirds, neighbours of one, and magnitudes up to 2^12.
inline float value(unsigned pick) {
  static const float of[] = {0.0f,         -0.0f,           0.5f,         -0.5f,      1.0f,     -1.0f,    1.0f / 3,
                             1 + 0x1p-12f, -(1 + 0x1p-11f), 1 + 0x1p-23f, 3.0f,       -7.25f,   4095.75f, -4096.0f,
                             0x1p-12f,     1e-3f,           0.1f,         -1234.567f, 16777.2f, 2.5f};
  return of[pick % std::size(of)] * static_cast<float>(1 + pick / std::size(of) % 5);
}

/// The bits of everything that the chain wrote to residents, in a scope or call by call; `finite`: no value left the range.
inline std::vector<float> run(Device& device, const Chain& c, bool fused, FuseReport* report = nullptr) {
  const auto n = static_cast<std::int32_t>(c.picks.size() / 3);
  std::vector<Resident<float>> arrays;
  for (int k = 0; k < 3; ++k) {
    std::vector<float> in(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = value(c.picks[i * 3 + static_cast<std::size_t>(k)]);
    arrays.push_back(device.resident(in));
  }
  Future<float> total;
  const auto body = [&](auto&& scratch) {
    for (std::size_t k = 0; k < c.stages.size(); ++k) {
      const Stage& s = c.stages[k];
      // Late stages lean on what was written last, so that chains are chains.
      const auto from = [&](unsigned v) {
        return arrays[arrays.size() - 1 - v % std::min<std::size_t>(arrays.size(), 4)];
      };
      const Resident<float> p = from(s.p), q = from(s.q);
      const bool last = k + 1 == c.stages.size();
      arrays.push_back(s.scratch && !last ? scratch(static_cast<std::uint64_t>(n))
                                          : device.resident<float>(static_cast<std::uint64_t>(n)));
      call(s.op, p, q, arrays.back(), n);
    }
    if (c.sum) total = call_sum(arrays.back(), n);
  };
  if (fused) {
    FuseReport r = device.fuse([&](Scope& scope) { body([&](std::uint64_t k) { return scope.scratch(k); }); }).get();
    if (report) *report = std::move(r);
  } else {
    body([&](std::uint64_t k) { return device.resident<float>(k); });
  }
  std::vector<float> out;
  for (std::size_t k = 0; k < c.stages.size(); ++k) {
    if (c.stages[k].scratch && k + 1 != c.stages.size()) continue;
    const auto v = arrays[3 + k].read().get();
    out.insert(out.end(), v.begin(), v.end());
  }
  if (c.sum) out.push_back(total.get());
  return out;
}

inline bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}
inline bool finite(const std::vector<float>& v) {
  for (float f : v)
    if (!std::isfinite(f)) return false;
  return true;
}

}  // namespace weft::test

namespace rc {
template <> struct Arbitrary<weft::test::Chain> {
  static Gen<weft::test::Chain> arbitrary() {
    using weft::test::Chain;
    using weft::test::Stage;
    const auto stage =
        gen::build<Stage>(gen::set(&Stage::op, gen::inRange(0u, 10u)), gen::set(&Stage::p, gen::inRange(0u, 4u)),
                          gen::set(&Stage::q, gen::inRange(0u, 4u)), gen::set(&Stage::scratch));
    return gen::build<Chain>(gen::set(&Chain::stages, gen::mapcat(gen::inRange<std::size_t>(2, 7),
                                                                  [=](std::size_t k) {
                                                                    return gen::container<std::vector<Stage>>(k, stage);
                                                                  })),
                             gen::set(&Chain::picks, gen::mapcat(gen::inRange<std::size_t>(1, 100),
                                                                 [](std::size_t n) {
                                                                   return gen::container<std::vector<unsigned>>(
                                                                       3 * n, gen::inRange(0u, 100u));
                                                                 })),
                             gen::set(&Chain::sum, gen::map(gen::inRange(0, 4), [](int v) { return v == 0; })));
  }
};
}  // namespace rc
