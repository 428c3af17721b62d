// What passes from the compiler to the loader: one object file of machine code for this host. The compiler (compile.hpp)
// makes it from a program, the loader (load.hpp) makes it callable; neither knows the other, so that a process that has
// the object already needs no compiler.
#pragma once

#include <cstdint>
#include <string>

namespace weft::cpu {

struct Object {
  std::string bytes;
};

/// A program has two codes (see split.hpp): `interior` for the iterations in which every affine access is in bounds, and
/// `edge`, with every gate, for the others.
enum class Variant : std::uint8_t { interior, edge };

/// Iterations [begin, end). `arrays[s]` is the first byte of slot s. Fold k's value at the end of iteration i goes to the
/// (i - base)-th element of folds[k]; the lanes of a vector are folds of their own.
using BodyFunction = void (*)(std::int64_t begin, std::int64_t end, void* const* arrays, const void* uniforms,
                              void* const* folds, std::int64_t base);
inline constexpr const char* body_symbol = "weft_body";  // in both variants

/// Of the interior: its iterations are within[0] <= i < within[1] (not clipped to the trip count, and maybe none).
using RangeFunction = void (*)(const void* uniforms, std::int64_t* within);
inline constexpr const char* range_symbol = "weft_range";

/// Of the interior of a program whose iterations are so simple that 16 of them are computed as one vector and folded in
/// registers, without a place for the values: whole blocks of 256 iterations [begin, end), to 16 lanes for each block at
/// vectors[k].
using DirectFunction = void (*)(std::int64_t begin, std::int64_t end, void* const* arrays, const void* uniforms,
                                void* const* vectors);
inline constexpr const char* direct_symbol = "weft_direct";

/// Folds in the tree order (KER-RED-02): 4 blocks of 256 elements to 4 times 16 lanes; the lanes of 16 blocks to 16
/// results; one block to one result.
using FoldFunction = void (*)(const void* in, void* out);
inline constexpr const char* fold_blocks_symbol = "weft_fold_blocks";
inline constexpr const char* fold_lanes_symbol = "weft_fold_lanes";
inline constexpr const char* fold_block_symbol = "weft_fold_block";

}  // namespace weft::cpu
