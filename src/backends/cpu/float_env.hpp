// The floating-point environment of kernels: round to nearest, subnormals kept, nothing trapped. A host program may have
// set other modes on some of its threads, and threads of a pool inherit what their creator had; a kernel's bits must
// depend on neither (KER-NUM-05, KER-BIT-01).
#pragma once

#if defined(__SSE__)
#include <xmmintrin.h>
#else
#include <cfenv>
#endif

namespace weft::cpu {

/// The default environment while it lives; what was there before comes back.
class FloatEnvironment {
 public:
  FloatEnvironment(const FloatEnvironment&) = delete;
  FloatEnvironment& operator=(const FloatEnvironment&) = delete;
#if defined(__SSE__)
  // The control register of SSE and AVX alone: fesetenv would also load the x87 state, which takes 100 times as long.
  FloatEnvironment() : before_(_mm_getcsr()) { _mm_setcsr(0x1F80); }
  ~FloatEnvironment() { _mm_setcsr(before_); }

 private:
  unsigned before_;
#else
  FloatEnvironment() {
    std::fegetenv(&before_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~FloatEnvironment() { std::fesetenv(&before_); }

 private:
  std::fenv_t before_;
#endif
};

}  // namespace weft::cpu
