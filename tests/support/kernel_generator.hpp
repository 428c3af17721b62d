// Random kernels with their arguments, for the differential tests of every tier. A kernel is made from a tape of numbers,
// so that a failure is reproduced from its tape and RapidCheck can shrink it by shortening and zeroing. What is generated
// is parallel by construction: outputs are written at one form a*i + c each and read nowhere else; inputs are read anywhere.
#pragma once

#include <rapidcheck.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernel/core.hpp"
#include "support/host_array.hpp"

namespace weft::test {

struct GeneratorOptions {
  std::size_t operations = 24;  // about
  bool float_division = false;  // exact everywhere only where the device divides exactly
  bool square_root = false;
  bool special_values = false;  // infinities, NaN, subnormals, -0.0 among the inputs
  bool large_loops = true;      // 70,000 iterations now and then
  bool any_access = true;       // data-dependent indices, and indices outside the arrays
  bool reductions = true;
  bool inner_loops = true;
};

struct GeneratedKernel {
  std::shared_ptr<const trace::KernelCore> core;
  Arguments arguments;
};

/// Missing numbers of the tape read as 0; the empty tape gives the simplest kernel.
GeneratedKernel generate_kernel(std::span<const std::uint32_t> tape, const GeneratorOptions& = {});

/// Tapes of up to 400 numbers.
rc::Gen<std::vector<std::uint32_t>> kernel_tapes();

/// The kernel's loops in text form, for a failing test's log.
std::string describe(const trace::KernelCore&);

}  // namespace weft::test
