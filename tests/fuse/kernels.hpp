// Kernels that the tests of fuse scopes call.
#pragma once

#include <weft/array.hpp>
#include <weft/control.hpp>
#include <weft/kernel.hpp>
#include <weft/loop.hpp>
#include <weft/math.hpp>
#include <weft/scalar.hpp>

namespace weft::test {

/// q = p * k, fusible.
inline const auto& scale() {
  static const auto k =
      kernel("scale(p, q, k)", fusible, [](Array<const float> p, Array<float> q, weft::Scalar<float> k) {
        loop(q.length(), [&](Index i) { q[i] = p[i] * k; });
      });
  return k;
}
/// q = p + k over n iterations: no length is read.
inline const auto& add() {
  static const auto k = kernel("add(p, q, n, k)", fusible,
                               [](Array<const float> p, Array<float> q, weft::Scalar<std::int32_t> n,
                                  weft::Scalar<float> k) { loop(n, [&](Index i) { q[i] = p[i] + k; }); });
  return k;
}
inline const auto& sum() {
  static const auto k = kernel("sum(p, n)", fusible, [](Array<const float> p, weft::Scalar<std::int32_t> n) {
    Var<float> s = 0;
    loop(n, [&](Index i) { s += p[i]; });
    return s;
  });
  return k;
}
/// Not fusible.
inline const auto& old() {
  static const auto k = kernel(
      "old(p, q)", [](Array<const float> p, Array<float> q) { loop(q.length(), [&](Index i) { q[i] = p[i] + 1; }); });
  return k;
}
/// Reads its neighbour.
inline constexpr int shift_line = __LINE__ + 4;
inline const auto& shift() {
  static const auto k =
      kernel("shift(t, q, n)", fusible, [](Array<const float> t, Array<float> q, weft::Scalar<std::int32_t> n) {
        loop(n, [&](Index i) { q[i] = t[i - 1]; });
      });
  return k;
}

/// Not proved parallel: the cpu tier runs it, in order.
inline const auto& running() {
  static const auto k = kernel("running(p, q)", fusible, [](Array<const float> p, Array<float> q) {
    loop(1, q.length(), [&](Index i) { q[i] = q[i - 1] + p[i]; });
  });
  return k;
}
/// Two loops.
inline const auto& twice() {
  static const auto k = kernel("twice(p, q)", fusible, [](Array<const float> p, Array<float> q) {
    loop(q.length(), [&](Index i) { q[i] = p[i]; });
    loop(q.length(), [&](Index i) { q[i] = q[i] + 1; });
  });
  return k;
}
/// Writes where p is positive only.
inline const auto& positive() {
  static const auto k =
      kernel("positive(p, q, n)", fusible, [](Array<const float> p, Array<float> q, weft::Scalar<std::int32_t> n) {
        loop(n, [&](Index i) { If(p[i] > 0, [&] { q[i] = p[i]; }); });
      });
  return k;
}

}  // namespace weft::test
