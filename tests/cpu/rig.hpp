// What the tests of the cpu tier share: a backend with a given number of threads, and kernels run on it the way of a call,
// without a device above it.
#pragma once

#include <gtest/gtest.h>
#include <weft/kernel.hpp>

#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "backends/cpu/backend.hpp"
#include "kernel/core.hpp"

namespace weft::cpu::test {

class Rig {
 public:
  explicit Rig(unsigned threads = 0);

  CpuBackend& backend() { return backend_; }

  /// Runs every loop of a kernel over host memory, used in place; gives its results.
  std::vector<detail::ScalarValue> call(const std::shared_ptr<const trace::KernelCore>&,
                                        const std::vector<detail::CallArg>&, trace::Config = {});
  template <class R, class... P> auto run(const Kernel<R(P...)>& kernel, detail::Arg<std::type_identity_t<P>>... args) {
    const auto results = call(kernel.core(), {args.call_arg()...});
    using Result = typename Kernel<R(P...)>::Result;
    if constexpr (!std::is_void_v<Result>) return detail::take_result<Result>(results);
  }

  backend::Expected<backend::CompiledId> compile(const std::shared_ptr<const trace::Program>&);
  backend::Expected<backend::Outcome> submit(backend::Batch);
  backend::Expected<backend::Outcome> submit(backend::Pass pass) {
    backend::Batch b;
    b.passes.push_back(std::move(pass));
    return submit(std::move(b));
  }

 private:
  CpuBackend backend_;
};

/// Finite values of mixed size and sign.
inline std::vector<float> random_floats(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> value(-100, 100);
  std::vector<float> v(n);
  for (float& x : v) x = value(random);
  return v;
}

template <class T> bool same_bits(const T& a, const T& b) { return std::memcmp(&a, &b, sizeof a) == 0; }
template <class T> bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

inline std::uint32_t bits(float x) { return std::bit_cast<std::uint32_t>(x); }

}  // namespace weft::cpu::test
