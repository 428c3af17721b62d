// The UOp graph: immutable nodes {op, dtype, src..., arg} in an arena. Pure nodes are hash-consed, so equal values are one
// pointer; effects and loads carry a sequence number in their argument, so that two equal stores, or loads on both sides
// of a store, stay apart. Nodes are small, trivially destructible, and live as long as their graph.
#pragma once

#include <weft/dtype.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "ir/integer.hpp"
#include "ir/op.hpp"

namespace weft::ir {

struct UOp;
using Node = const UOp*;

enum class Space : std::uint8_t { global, alu, workgroup };

/// Where a scalar parameter of a kernel gets its value; the host fills it in at the call.
enum class Source : std::uint8_t {
  none,      // an exchange graph's PARAM
  array,     // global storage: `index` is the array parameter's number
  scalar,    // a Scalar<T> parameter: `index` is its parameter number
  length,    // the length of array parameter `index`, a weak integer
  trip,      // the trip count of the loop, a weak integer
  start,     // its start, a weak integer (left out where it is the constant 0)
  step,      // its step, a weak integer (left out where it is a constant)
  captured,  // a value computed by straight code before the loop: `index` numbers them in the loop
  zero,      // the run-time zero of the fences (uint32)
};

/// The argument of PARAM and BUFFER.
struct Storage {
  std::uint32_t slot = 0;  // identity among the storages of a graph, or of a program once linked
  DType dtype;             // element type; for alu space the type of the scalar
  Space space = Space::global;
  Source source = Source::none;
  std::uint32_t index = 0;
  std::uint32_t call = 0;             // which of a fused group's calls it belongs to
  std::optional<std::uint64_t> size;  // elements
  std::optional<Integer> vmin, vmax;  // stated limits (alu) of an integer or a bool
  std::optional<double> fmin, fmax;   // and of a float
  std::string name;                   // the author's
  bool operator==(const Storage&) const = default;
};

/// A node's argument: one small tagged value; what is larger is interned in the graph and compared by pointer.
struct Arg {
  enum class Tag : std::uint8_t { none, boolean, integer, real, invalid, number, text, storage };
  Tag tag = Tag::none;
  union {
    bool boolean;             // CONST
    const Integer* integer;   // CONST (interned)
    double real;              // CONST; compared by bits
    std::int64_t number = 0;  // RANGE axis, EXTRACT lane, LOCAL number, sequence number of an effect or load
    const std::string* text;  // SPECIAL name (interned)
    const Storage* storage;   // PARAM, BUFFER (interned)
  };
};

struct UOp {
  Op op;
  DType dtype;
  std::uint32_t id;     // position in its graph's arena: sources have smaller ids
  std::uint32_t count;  // of sources
  const Node* sources;
  Arg arg;

  /// The id of a candidate (Graph::candidate).
  static constexpr std::uint32_t no_id = 0xFFFFFFFF;

  std::span<const Node> src() const { return {sources, count}; }
  Node operator[](std::size_t i) const { return sources[i]; }
  bool is(Op o) const { return op == o; }
};

/// A node that cannot be built (WEAK-NODE-06): the message names op and types. `node` is the offending node's id in the
/// input where known.
struct ConstructError : std::runtime_error {
  using std::runtime_error::runtime_error;
  std::optional<std::int64_t> node;
};
/// A rule that cannot go on (for example a shift count no integer type holds); `node` is where, while its graph lives.
struct RuleError : std::runtime_error {
  using std::runtime_error::runtime_error;
  RuleError(const std::string& what, Node at) : std::runtime_error(what), node(at) {}
  Node node = nullptr;
};

class BoundsTable;  // bounds.hpp

class Graph {
 public:
  explicit Graph(Scalar default_float = Scalar::float32);
  ~Graph();
  Graph(Graph&&) noexcept;
  Graph& operator=(Graph&&) noexcept;

  Scalar default_float() const { return default_float_; }  // WEAK-TYPE-04
  std::size_t size() const { return arena_->size; }        // nodes in the arena
  Node at(std::uint32_t id) const { return arena_->at(id); }

  // Literals: bool, weakint, weakfloat.
  Node constant(bool);
  Node constant(std::int64_t);
  Node constant(int v) { return constant(static_cast<std::int64_t>(v)); }
  Node constant(const Integer&);
  Node constant(double);
  Node invalid();

  /// The node {op, src, arg}; its type is derived (WEAK-NODE-02). `dtype` states it for CAST, BITCAST and LOCAL only.
  /// Pure nodes intern; so do effects, whose arg.number (from `next_number`) keeps them apart. Throws ConstructError.
  Node make(Op op, std::span<const Node> src, Arg arg = {}, DType dtype = {});
  Node make(Op op, std::initializer_list<Node> src, Arg arg = {}, DType dtype = {}) {
    return make(op, std::span(src.begin(), src.size()), arg, dtype);
  }
  Node storage(Op param_or_buffer, Storage);
  Node local(DType, std::int64_t number);
  Node special(std::string_view name, Node end);
  Node range(Node end, std::int64_t axis);
  /// The same op and argument over other sources; the type is derived again (WEAK-NODE-01).
  Node rebuild(Node, std::span<const Node> src);
  /// What rebuild would give, without a place in the graph: for a rule that may make something else of it at once. It is
  /// valid as long as `src` is.
  UOp candidate(Node, std::span<const Node> src) const;
  Node place(const UOp& candidate);  // what rebuild gives

  Node cast(Node, DType);     // WEAK-NODE-05: x itself when it has the type
  Node bitcast(Node, DType);  // x itself when it has the type
  Node ccast(Node, Scalar);   // a CONST made again at the type, else a cast
  Node cconst(Scalar,
              Node constant);  // always a CAST over the CONST, which keeps its value where it has the type's kind

  /// Numbers for effects, loads, locals and axes: 1, 2, ... in this graph, past every number already used in it.
  std::int64_t next_number();
  static Arg number(std::int64_t n) {
    Arg a;
    a.tag = Arg::Tag::number;
    a.number = n;
    return a;
  }

  BoundsTable& bounds_table();  // the cache behind bounds() (bounds.hpp)

 private:
  // The nodes, in chunks that stay where they are. Part of Impl.
  struct Arena {
    static constexpr std::uint32_t chunk_bits = 12, chunk_size = 1u << chunk_bits;
    std::uint32_t size = 0;
    std::vector<UOp*> chunks;
    UOp* at(std::uint32_t id) const { return chunks[id >> chunk_bits] + (id & (chunk_size - 1)); }
  };
  struct Impl;
  std::unique_ptr<Impl> impl_;
  const Arena* arena_;
  Scalar default_float_;
};

/// True for a CAST over a CONST, the spelling of a committed literal, and for a CONST.
bool is_literal(Node);
/// The value of a literal (cast or bare) as a 64-bit integer, where it is an integer that fits.
std::optional<std::int64_t> int_value(Node);
std::optional<double> float_value(Node);

/// Nodes that `root` reaches, sources before users, in the order of a walk of the operands left to right (never of
/// creation, which depends on the compiler). Iterative.
std::vector<Node> topological(Node root);

/// Copies `root` into `to`. For each node, sources first, `change` may give the node to stand for it (made in `to` from
/// the new sources), or null to rebuild it as it is. Iterative, memoised. Numbers of effects, loads, locals and axes are
/// kept: who puts two programs in one graph gives new ones through `change`.
using Change = std::function<Node(Graph& to, Node old, std::span<const Node> src)>;
Node copy(Graph& to, Node root, const Change& change = {});

}  // namespace weft::ir
