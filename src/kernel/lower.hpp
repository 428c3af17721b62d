// From a traced loop to a program a backend can render: limits for the index width, guards, the weak passes, legal forms
// for what tiers leave open, and the fences. One call and a fused group take the same way: `lower_loop` for each call,
// then `finish` over the linked body.
#pragma once

#include <weft/types.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernel/core.hpp"

namespace weft::trace {

struct Config {
  Bits bits = Bits::exact;
  bool wide = false;   // KER-ACC-05: indices in 64 bits
  bool fences = true;  // false only in positive controls of tests
  bool operator==(const Config&) const = default;
};

/// A loop of a kernel after cast_const, guards explicit as gates of LOAD and STORE, shifts, divisions and conversions in
/// forms that mean the same on every tier; without fences. Its root is a GRID.
struct Lowered {
  std::shared_ptr<const KernelCore> kernel;  // valid while this lives; it does not keep the kernel by itself
  std::size_t loop = 0;
  ir::Graph graph;
  ir::Node root = nullptr;
  Config config;
  std::uint64_t limit = 0;  // trip count, lengths, |start|, |step|, |stop| and captured weak integers may be up to this
                            // (KER-ACC-05); a call past the limit of the narrow class takes the wide one
  bool needs_int64 = false;  // it holds 64-bit integers: a tier without them refuses it
};

/// Cached with the kernel; thread-safe. Global PARAMs have Storage::slot = Storage::index = the parameter's number; alu PARAMs
/// are told apart by source and index. Throws RangeError, UnsupportedError, CompileError.
std::shared_ptr<const Lowered> lower_loop(const std::shared_ptr<const KernelCore>&, std::size_t loop, const Config&);

/// One array a program binds.
struct Slot {
  DType element;
  bool read = false, written = false;
  std::string name;  // the author's, for labels
};

/// One 4-byte word (two for 64-bit values) of a program's uniforms. The word at offset 0 is always the run-time zero of
/// the fences and the second the trip count.
struct Uniform {
  ir::Source source = ir::Source::zero;
  std::uint32_t index = 0;  // as in ir::Storage
  std::uint32_t call = 0;
  DType dtype;
  std::uint32_t offset = 0;  // bytes
};

struct ProgramFold {
  ir::Op op = ir::Op::ADD;
  DType dtype;
};

/// What a backend compiles. Global PARAMs of `graph` have Storage::slot = position in `slots`; alu PARAMs have
/// Storage::slot = position in `uniforms`. Types: bool, int32, uint32, float32 and their vectors; int64, uint64, float64
/// only where the tier has them. Everything is committed; literals are CAST over CONST, and hold a value of their type.
///
/// What a renderer may rely on, and has to mean (tests/support/program_interpreter.cpp checks and runs just this):
/// - Operands have the type of their operation, lane by lane. Exceptions: the count of a shift is uint32; the two sides of
///   a comparison have one type and the result is bool; one scalar condition of WHERE may choose between vectors; CAST,
///   BITCAST, VECTOR, EXTRACT.
/// - Integers: ADD SUB MUL NEG (signed) ABS (signed) wrap. SHL and SHR: the count is below the width, SHR keeps the sign of
///   a signed value. CDIV, CMOD truncate; the divisor is never 0, and never -1 beside the least value. MIN MAX AND OR XOR
///   POPCOUNT REVBITS.
/// - bool: AND OR XOR CMPEQ CMPNE, WHERE; a literal `true` at CMPNE or XOR is a NOT.
/// - Floats: ADD SUB MUL FDIV NEG ABS FLOOR CEIL TRUNC ROUND (halves to even) SQRT, FMA (one rounding), and the functions
///   SIN ... POW ATAN2. No MIN or MAX (they are comparisons of bits), no RECIPROCAL, no MULACC. FENCE: the value as rounded
///   here; nothing looks through.
/// - CAST goes between numbers only: integers wrap, to a float rounds to nearest, and from a float the value always fits.
///   Nothing casts to or from bool. BITCAST goes between types of one size, never bool.
/// - Memory: LOAD and STORE are of INDEX[PARAM, i] with one index of int32, uint32, int64 or uint64, or of a LOCAL. Where
///   the gate is false the element must not be touched: LOAD gives zero, STORE does nothing. Without a gate the index is in
///   the array. Loads stand in a BLOCK, and happen there.
/// - GRID[RANGE over the trip PARAM (in the wide class over a CAST of it to int64), BLOCK, fold LOCAL...]: `folds` says the operator of each. Steps of the tree are those
///   of legal_fold_step.
struct Program {
  enum class Kind : std::uint8_t { loop };  // entry and draw come to stand here
  Kind kind = Kind::loop;
  ir::Graph graph;
  ir::Node root = nullptr;  // GRID
  std::vector<Slot> slots;
  std::vector<Uniform> uniforms;
  std::uint32_t uniform_bytes = 0;
  std::vector<ProgramFold> folds;
  std::uint32_t workgroup = 64;
  Config config;
  bool needs_int64 = false;
  bool serial = false;       // not proved parallel: the cpu tier runs it in order on one thread
  std::optional<Move> move;  // what it does, where it only moves elements: a tier may copy memory instead
  std::string label;         // the author's names: "scale", "mul+blur"
  std::string key;           // content: equal keys, equal code
};

/// A linked body before its fences.
struct Draft {
  ir::Graph graph;
  ir::Node root = nullptr;
  std::vector<Slot> slots;  // indexed by the slot of the global PARAMs
  std::uint32_t workgroup = 64;
  Config config;
  bool needs_int64 = false, serial = false;
  std::string label;
  std::vector<ProgramFold> folds;  // of the fold locals of `root`, in their order
  std::optional<Move> move{};
};

/// One step of a fold, `a op b`, in the forms that a renderer takes (KER-NUM-03 for float MIN and MAX).
ir::Node legal_fold_step(ir::Graph&, ir::Op, ir::Node a, ir::Node b);

/// Puts the fences in, lays out the uniforms that the body uses, makes the key.
std::shared_ptr<const Program> finish(Draft);

/// The program of one loop called alone: slot s is the s-th array parameter that the loop touches; `params` gives the
/// parameter number of each slot. `same` maps parameters that are bound to one array (KER-ACC-04) to the first of them.
struct LoneProgram {
  std::shared_ptr<const Program> program;
  std::vector<std::uint16_t> params;
};
LoneProgram lone_program(const std::shared_ptr<const Lowered>&, std::span<const std::uint16_t> same = {});

}  // namespace weft::trace
