// What the planner and the call layer know of a kernel: pure data, made once by tracing. Nothing here depends on array
// lengths, values or a device.
#pragma once

#include <weft/dtype.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/graph.hpp"

namespace weft::trace {

enum class ParamKind : std::uint8_t { array, scalar };  // textures, maps and sets come to stand here

struct ParamFact {
  std::string name;
  ParamKind kind = ParamKind::array;
  DType dtype;                            // element type
  bool writable = false;                  // Array<T>, not Array<const T>
  std::optional<std::uint64_t> length{};  // elements, where the kernel states them: a tensor
};

/// An index in terms of the loop's counter i (KER-LOOP-03, MODEL-5).
struct Affine {
  enum class Form : std::uint8_t {
    constant,  // a*i + c, both constant (a may be 0)
    scaled,    // coefficient*i + c: the coefficient is run-time but unchanged by the loop
    block,     // i*W + x with an inner counter 0 <= x < W; `a` holds W where constant, else `coefficient`
    opaque,
  };
  Form form = Form::opaque;
  std::int64_t a = 0, c = 0;
  ir::Node coefficient = nullptr;
  bool exactly_i() const { return form == Form::constant && a == 1 && c == 0; }
};

struct Access {
  std::uint16_t param = 0;
  bool write = false;
  bool conditional = false;  // under If, in an inner loop that may not run, or after a continue_if
  bool scatter = false;
  Affine at;
  std::string text;  // as the author wrote it, in terms of the counter: t[i - 1]
  std::uint32_t line = 0;
  std::int64_t number = 0;  // of the LOAD or STORE in the traced graph
};

struct Fold {
  ir::Op op = ir::Op::ADD;  // ADD MUL AND OR XOR MIN MAX
  DType dtype;
};

/// Why a loop was not proved parallel (KER-LOOP-04): data, printed by `text` in the author's names.
struct NotParallel {
  enum class Kind : std::uint8_t {
    writes_shared,    // an index that two iterations may share
    reads_written,    // reads a written array elsewhere than it writes
    carries,          // a variable carried between iterations that is no reduction
    reads_reduction,  // a reduction variable's running value is used
    float_scatter,
    step_unknown,
  };
  Kind kind;
  std::optional<std::size_t> access;  // into LoopFacts::accesses
  std::string variable;               // its expression or a description
  std::uint32_t line = 0;
};

struct LoopFacts {
  std::vector<Access> accesses;            // in program order, operands left to right (never creation order)
  std::vector<std::uint16_t> length_read;  // array parameters whose length the header or the body reads
  std::vector<Fold> folds;
  std::optional<std::size_t> scatter;         // the access that scatters
  std::optional<std::uint32_t> own_continue;  // line
  bool needs_folded = false;                  // reads a value folded by an earlier loop
  std::optional<NotParallel> not_parallel;
};

struct Facts {
  std::string name;
  std::vector<ParamFact> params;
  std::vector<LoopFacts> loops;
  bool fusible = false;
  std::optional<std::uint32_t> workgroup;  // declared size
  std::optional<std::string> no_gpu;       // MODEL-26: a clause that follows "<name> runs on the CPU, "
};

/// "reads `t[i - 1]` (line 9), which it writes" and the like.
std::string text(const NotParallel&, const Facts&, const LoopFacts&);

}  // namespace weft::trace
