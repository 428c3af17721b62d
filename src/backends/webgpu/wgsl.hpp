// From a Program to WGSL. Names in the text are generated; the author's stand in the labels of the GPU objects only
// (FUSE-LIM-02). Bindings of group 0: the slots, then one array of partials for each fold, then the uniforms.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "kernel/lower.hpp"

namespace weft::webgpu {

/// Reductions run in workgroups of this size on every device: it is the width of a block of the tree order (KER-RED-02).
inline constexpr std::uint32_t fold_width = 256;

/// The workgroup size a program runs with.
std::uint32_t workgroup_of(const trace::Program&);
/// Bytes of its uniforms, filled up to whole vec4<u32>.
std::uint32_t uniform_bytes(const trace::Program&);

/// Values that an invocation of a reduction folds by itself (a power of two up to 16). More of them leave fewer barriers,
/// which a software adapter pays dearly for, and fewer workgroups, which a GPU needs many of.
inline constexpr std::uint32_t rounds_on_software = 16, rounds_on_hardware = 4;

/// The shader of a program that `refuses` has let pass. Throws ir::ConstructError for a graph without structure.
std::string render(const trace::Program&, std::uint32_t rounds);

/// The shader of one further level of the tree, for all folds of a program at once: it takes `count` partials from
/// element `from` of each array to blocks at `to`. Uniforms: {from, count, to, zero}.
std::string render_fold_level(std::span<const trace::ProgramFold>, std::uint32_t rounds);

}  // namespace weft::webgpu
