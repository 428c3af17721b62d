// Why a group stands apart from the one before it: a kind and its facts, printed by one function (FUSE-WHY).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace weft::fusion {

struct PlannedCall;

/// `a` is a call of the previous group, `b` the first call of this one. In the order of the table of FUSE-WHY, by row.
struct Reason {
  enum class Kind : std::uint8_t {
    cpu_face,       // W2: b's kernel has a reason of its own
    cpu_device,     // W3: the device refused b
    gles,           // W5
    after_cpu,      // W6
    after_gles,     // W7
    not_fusible,    // W13: x
    loops,          // W14: x has p of them
    scatters,       // W15: x, at access `p`
    continues,      // W16: x, in line p
    no_iteration,   // W17: x
    reduces,        // W18: a
    start,          // W19: p and q
    trip,           //
    step,           //
    writes_apart,   // W20: a, at access `p`
    reads_apart,    // W21: b, at access `p`
    overlap_read,   // W22: b writes its parameter q, which a reads as its parameter p
    overlap_write,  //      ... which a writes
    types,          // W23: a takes its parameter p, b its parameter q
    bindings,       // W24: p arrays, q allowed
    workgroups,     // W25: p and q
    not_built,      // W26
  };
  Kind kind;
  std::size_t a = 0, b = 0;  // positions in the plan
  bool about_a = false;      // x is a (W13..W17); else b
  std::int64_t p = 0, q = 0;

  bool operator==(const Reason&) const = default;
};

/// The sentence, in the author's names, on one line (FUSE-WHY-02..06).
std::string text(const Reason&, std::span<const PlannedCall> plan);

}  // namespace weft::fusion
