// Runs a lowered program on host memory, one iteration after the other: the plainest reading of the contract that
// lower.hpp states for renderers. It is strict: whatever the contract promises a renderer (a gated access, a divisor that
// is not 0, a shift count below the width, no weak type) it checks and reports as ContractBroken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernel/lower.hpp"

namespace weft::test {

struct ContractBroken : std::logic_error {
  using std::logic_error::logic_error;
};

class ProgramInterpreter {
 public:
  /// Throws ContractBroken where the program holds what no program may hold.
  explicit ProgramInterpreter(std::shared_ptr<const trace::Program>);
  ~ProgramInterpreter();

  /// Runs `n` iterations over `bound` (by slot) with the program's uniforms, in order of the counter; gives the value of
  /// each fold, from the tree of KER-RED-02. Thread-safe.
  std::vector<detail::ScalarValue> run(std::span<const std::span<std::byte>> bound, std::span<const std::byte> uniforms,
                                       std::uint64_t n) const;
  const trace::Program& program() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The uniforms of a call, by asking for each value but the zero word and the trip count.
std::vector<std::byte> pack_uniforms(const trace::Program&, std::uint64_t trip,
                                     const std::function<std::uint64_t(const trace::Uniform&)>& bits_of);

}  // namespace weft::test
