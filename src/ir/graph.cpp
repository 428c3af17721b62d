#include "ir/graph.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <new>
#include <unordered_set>

#include "ir/bounds.hpp"
#include "ir/derive.hpp"
#include "ir/literal.hpp"

namespace weft::ir {

namespace {

// One multiply per word: nodes are looked up far more often than anything else happens to them.
std::uint64_t mix(std::uint64_t h, std::uint64_t x) { return (std::rotl(h, 23) ^ x) * 0x9E3779B97F4A7C15u; }

std::uint64_t arg_bits(const Arg& a) {
  switch (a.tag) {
    case Arg::Tag::boolean: return a.boolean;
    case Arg::Tag::integer: return reinterpret_cast<std::uintptr_t>(a.integer);
    case Arg::Tag::real: return std::bit_cast<std::uint64_t>(a.real);
    case Arg::Tag::number: return static_cast<std::uint64_t>(a.number);
    case Arg::Tag::text: return reinterpret_cast<std::uintptr_t>(a.text);
    case Arg::Tag::storage: return reinterpret_cast<std::uintptr_t>(a.storage);
    default: return 0;
  }
}

bool same(const UOp& n, Op op, DType dtype, std::span<const Node> src, const Arg& arg) {
  return n.op == op && n.dtype == dtype && n.count == src.size() && n.arg.tag == arg.tag &&
         arg_bits(n.arg) == arg_bits(arg) && std::equal(src.begin(), src.end(), n.sources);
}

struct IntegerHash {
  std::size_t operator()(const Integer& i) const { return i.hash(); }
};
struct StorageHash {
  std::size_t operator()(const Storage& s) const {
    std::uint64_t h = mix(s.slot, static_cast<std::uint64_t>(s.dtype.scalar));
    h = mix(h, s.index + (static_cast<std::uint64_t>(s.call) << 32));
    h = mix(h, static_cast<std::uint64_t>(s.source) * 256 + static_cast<std::uint64_t>(s.space));
    if (s.vmin) h = mix(h, s.vmin->hash());
    if (s.vmax) h = mix(h, s.vmax->hash());
    return mix(h, std::hash<std::string>()(s.name));
  }
};
// Limits compare by bits: -0.0 and 0.0 print differently, and NaN equals itself.
struct StorageEqual {
  static std::optional<std::uint64_t> bits(std::optional<double> v) {
    return v ? std::optional(std::bit_cast<std::uint64_t>(*v)) : std::nullopt;
  }
  bool operator()(const Storage& a, const Storage& b) const {
    return a.slot == b.slot && a.dtype == b.dtype && a.space == b.space && a.source == b.source && a.index == b.index &&
           a.call == b.call && a.size == b.size && a.vmin == b.vmin && a.vmax == b.vmax &&
           bits(a.fmin) == bits(b.fmin) && bits(a.fmax) == bits(b.fmax) && a.name == b.name;
  }
};

bool is_numbered(Op op) { return is_effect(op) || op == Op::RANGE || op == Op::LOCAL; }

}  // namespace

struct Graph::Impl : Arena {
  std::int64_t last_number = 0;

  std::vector<std::unique_ptr<std::byte[]>> node_chunks;
  std::vector<std::unique_ptr<Node[]>> operand_chunks;
  std::size_t operands_left = 0;
  Node* operand_next = nullptr;

  // Open addressing: 1 + the id of a node, and enough of its hash to reject most others unseen. Passes build nodes over
  // nodes that they have just built, so a node is first looked for near the place of its youngest source, which is then in
  // the cache; where many share a source, the overflow goes to a place by the hash alone.
  struct Slot {
    std::uint32_t id_plus_1 = 0, hash = 0;
  };
  std::vector<Slot> slots = std::vector<Slot>(64);
  static constexpr std::size_t near_slots = 16;

  static std::size_t home(std::span<const Node> src, std::uint32_t hash) {
    std::uint32_t youngest = 0;
    for (Node s : src) youngest = std::max(youngest, s->id);
    return std::size_t{youngest} * 2 + (hash & 7);
  }

  // The slot of the first node for which `matches` holds, or else the empty slot where it belongs.
  template <class F> Slot& find_slot(std::size_t home, std::uint32_t hash, const F& matches) {
    const std::size_t mask = slots.size() - 1;
    for (std::size_t k = 0; k < near_slots; ++k)
      if (Slot& s = slots[(home + k) & mask]; s.id_plus_1 == 0 || (s.hash == hash && matches(s))) return s;
    for (std::size_t i = hash & mask;; i = (i + 1) & mask)
      if (Slot& s = slots[i]; s.id_plus_1 == 0 || (s.hash == hash && matches(s))) return s;
  }

  std::unordered_set<Integer, IntegerHash> integers;
  std::unordered_set<std::string> texts;
  std::unordered_set<Storage, StorageHash, StorageEqual> storages;
  BoundsTable bounds;

  const Node* copy_operands(std::span<const Node> src) {
    if (src.empty()) return nullptr;
    if (src.size() > operands_left) {
      const std::size_t n = std::max<std::size_t>(src.size(), 2 * chunk_size);
      operand_chunks.push_back(std::make_unique_for_overwrite<Node[]>(n));
      operand_next = operand_chunks.back().get();
      operands_left = n;
    }
    Node* at = operand_next;
    std::copy(src.begin(), src.end(), at);
    operand_next += src.size();
    operands_left -= src.size();
    return at;
  }

  void grow() {
    std::vector<Slot> old(slots.size() * (slots.size() < 65536 ? 4 : 2));
    old.swap(slots);
    for (const Slot& s : old)
      if (s.id_plus_1 != 0)
        find_slot(home(at(s.id_plus_1 - 1)->src(), s.hash), s.hash, [](const Slot&) { return false; }) = s;
  }

  Arg own(Arg a) {  // an argument may come from another graph
    if (a.tag == Arg::Tag::integer) a.integer = &*integers.insert(*a.integer).first;
    else if (a.tag == Arg::Tag::text) a.text = &*texts.insert(*a.text).first;
    else if (a.tag == Arg::Tag::storage) a.storage = &*storages.insert(*a.storage).first;
    else if (a.tag == Arg::Tag::real && std::isnan(a.real)) a.real = std::numeric_limits<double>::quiet_NaN();
    return a;
  }

  Node intern(Op op, DType dtype, std::span<const Node> src, const Arg& arg) {
    std::uint64_t h =
        mix(static_cast<std::uint64_t>(op) << 16 | static_cast<std::uint64_t>(dtype.scalar) << 8 | dtype.lanes,
            arg_bits(arg) + static_cast<std::uint64_t>(arg.tag));
    for (Node s : src) h = mix(h, s->id);
    const auto hash = static_cast<std::uint32_t>(h >> 32);
    Slot& slot = find_slot(home(src, hash), hash,
                           [&](const Slot& s) { return same(*at(s.id_plus_1 - 1), op, dtype, src, arg); });
    if (slot.id_plus_1 != 0) return at(slot.id_plus_1 - 1);

    if (size == std::numeric_limits<std::uint32_t>::max() - 1)
      throw ConstructError("The graph is full: it holds 2^32 nodes.");
    if ((size & (chunk_size - 1)) == 0) {
      node_chunks.push_back(std::make_unique_for_overwrite<std::byte[]>(sizeof(UOp) * chunk_size));
      chunks.push_back(reinterpret_cast<UOp*>(node_chunks.back().get()));
    }
    const Node* operands = copy_operands(src);
    const UOp* n = new (at(size)) UOp{op, dtype, size, static_cast<std::uint32_t>(src.size()), operands, arg};
    slot = {++size, hash};
    if (size * 2ull > slots.size()) grow();
    return n;
  }
};

Graph::Graph(Scalar default_float)
    : impl_(std::make_unique<Impl>()), arena_(impl_.get()), default_float_(default_float) {}
Graph::~Graph() = default;
Graph::Graph(Graph&&) noexcept = default;
Graph& Graph::operator=(Graph&&) noexcept = default;

BoundsTable& Graph::bounds_table() { return impl_->bounds; }
std::int64_t Graph::next_number() { return ++impl_->last_number; }

Node Graph::make(Op op, std::span<const Node> src, Arg arg, DType dtype) {
  if (arg.tag != Arg::Tag::none) arg = impl_->own(arg);
  const DType derived = derive_type(op, src, arg, dtype, default_float_);
  if (arg.tag == Arg::Tag::number && is_numbered(op))
    impl_->last_number = std::max(impl_->last_number, op == Op::ATOMIC ? arg.number / 256 : arg.number);
  return impl_->intern(op, derived, src, arg);
}

Node Graph::constant(bool v) {
  Arg a;
  a.tag = Arg::Tag::boolean;
  a.boolean = v;
  return make(Op::CONST, {}, a);
}
Node Graph::constant(std::int64_t v) { return constant(Integer(v)); }
Node Graph::constant(const Integer& v) {
  Arg a;
  a.tag = Arg::Tag::integer;
  a.integer = &v;
  return make(Op::CONST, {}, a);
}
Node Graph::constant(double v) {
  Arg a;
  a.tag = Arg::Tag::real;
  a.real = v;
  return make(Op::CONST, {}, a);
}
Node Graph::invalid() {
  Arg a;
  a.tag = Arg::Tag::invalid;
  return make(Op::CONST, {}, a);
}

Node Graph::storage(Op op, Storage s) {
  Arg a;
  a.tag = Arg::Tag::storage;
  a.storage = &s;
  return make(op, {}, a);
}
Node Graph::local(DType dtype, std::int64_t n) { return make(Op::LOCAL, {}, number(n), dtype); }
Node Graph::special(std::string_view name, Node end) {
  const std::string text(name);
  Arg a;
  a.tag = Arg::Tag::text;
  a.text = &text;
  return make(Op::SPECIAL, {end}, a);
}
Node Graph::range(Node end, std::int64_t axis) { return make(Op::RANGE, {end}, number(axis)); }
Node Graph::rebuild(Node n, std::span<const Node> src) { return make(n->op, src, n->arg, n->dtype); }
UOp Graph::candidate(Node n, std::span<const Node> src) const {
  const DType derived = derive_type(n->op, src, n->arg, n->dtype, default_float_);
  return {n->op, derived, UOp::no_id, static_cast<std::uint32_t>(src.size()), src.data(), n->arg};
}
Node Graph::place(const UOp& c) { return impl_->intern(c.op, c.dtype, c.src(), c.arg); }

Node Graph::cast(Node n, DType dtype) { return n->dtype == dtype ? n : make(Op::CAST, {n}, {}, dtype); }
Node Graph::bitcast(Node n, DType dtype) { return n->dtype == dtype ? n : make(Op::BITCAST, {n}, {}, dtype); }
Node Graph::ccast(Node n, Scalar s) {
  if (!n->is(Op::CONST)) return cast(n, {s, n->dtype.lanes});
  if (n->arg.tag == Arg::Tag::invalid) return n;
  return cast(literal_at(*this, n, s), s);
}
Node Graph::cconst(Scalar s, Node n) {
  if (n->arg.tag == Arg::Tag::invalid) return n;
  const bool same_kind = info(n->dtype.scalar).kind == info(s).kind;
  return make(Op::CAST, {same_kind ? n : literal_at(*this, n, s)}, {}, s);
}

bool is_literal(Node n) { return n->is(Op::CONST) || (n->is(Op::CAST) && (*n)[0]->is(Op::CONST)); }

namespace {
Node bare(Node n) { return n->is(Op::CAST) ? (*n)[0] : n; }
}  // namespace

std::optional<std::int64_t> int_value(Node n) {
  if (!is_literal(n) || !(n->dtype.is_integer() || n->dtype.is_bool())) return std::nullopt;
  const Arg& a = bare(n)->arg;
  if (a.tag == Arg::Tag::boolean) return a.boolean;
  if (a.tag != Arg::Tag::integer) return std::nullopt;
  // A cast over a literal that its type does not hold wraps when it is evaluated (WEAK-TYPE-06).
  return n->dtype.is_weak() || n->dtype.is_bool() ? a.integer->to_int64()
                                                  : wrap(*a.integer, n->dtype.scalar).to_int64();
}

std::optional<double> float_value(Node n) {
  if (!is_literal(n)) return std::nullopt;
  const Arg& a = bare(n)->arg;
  if (a.tag == Arg::Tag::real)
    return n->dtype.is_float() ? std::optional(round_to(n->dtype.scalar, a.real)) : std::nullopt;
  if (a.tag == Arg::Tag::integer && n->dtype.is_float()) return round_to(n->dtype.scalar, *a.integer);
  return std::nullopt;
}

std::vector<Node> topological(Node root) {
  std::vector<Node> order, stack{root};
  std::vector<bool> entered(root->id + 1), left(root->id + 1);  // sources have smaller ids
  while (!stack.empty()) {
    const Node n = stack.back();
    if (entered[n->id]) {
      stack.pop_back();
      if (!left[n->id]) left[n->id] = true, order.push_back(n);
      continue;
    }
    entered[n->id] = true;
    for (std::size_t i = n->count; i-- > 0;)
      if (!entered[(*n)[i]->id]) stack.push_back((*n)[i]);
  }
  return order;
}

Node copy(Graph& to, Node root, const Change& change) {
  std::vector<Node> made(root->id + 1), src;
  for (Node n : topological(root)) {
    src.clear();
    for (Node s : n->src()) src.push_back(made[s->id]);
    Node m = change ? change(to, n, src) : nullptr;
    made[n->id] = m ? m : to.rebuild(n, src);
  }
  return made[root->id];
}

}  // namespace weft::ir
