// Two ways to do one thing, timed in turn. Memory bandwidth drifts by a factor of two within minutes on shared machines, so
// only the ratio of neighbours says anything; the median of many pairs is what a bench reports.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

namespace weft::bench {

template <class F> double seconds(F& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

inline double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
  return v[v.size() / 2];
}

/// Prints the median of (their time / our time): above 1, ours is faster. The first two pairs only warm up.
template <class Ours, class Theirs> double side_by_side(const char* what, int pairs, Ours ours, Theirs theirs) {
  std::vector<double> ratios, own, other;
  for (int k = -2; k < pairs; ++k) {
    double a = 0, b = 0;
    if (k % 2) a = seconds(ours), b = seconds(theirs);
    else b = seconds(theirs), a = seconds(ours);
    if (k < 0) continue;
    own.push_back(a * 1e3), other.push_back(b * 1e3), ratios.push_back(b / a);
  }
  std::vector<double> sorted = ratios;
  std::sort(sorted.begin(), sorted.end());
  std::printf("%-44s %2d pairs: %.3f of the speed of C++ (quartiles %.3f and %.3f); %.2f ms against %.2f ms\n", what,
              pairs, median(ratios), sorted[sorted.size() / 4], sorted[sorted.size() * 3 / 4], median(own),
              median(other));
  return median(ratios);
}

}  // namespace weft::bench
