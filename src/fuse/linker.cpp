#include "fuse/linker.hpp"

#include <weft/error.hpp>

#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace weft::fusion {

using ir::Graph;
using ir::Node;
using ir::Op;
using ir::Source;

namespace {

const trace::Facts& facts_of(const LinkCall& c) { return c.lowered->kernel->facts; }
const trace::LoopFacts& loop_of(const LinkCall& c) { return facts_of(c).loops[c.lowered->loop]; }

/// The array that an access goes to, as the parameter it was lowered with; null for a local of the call's own.
const ir::Storage* array_of(Node place) {
  if (!place->is(Op::INDEX) && !place->is(Op::SHRINK)) return nullptr;
  const Node from = (*place)[0];
  return from->is(Op::PARAM) && from->arg.storage->space == ir::Space::global ? from->arg.storage : nullptr;
}

class Linker {
 public:
  explicit Linker(const LinkRequest& request) : request_(request) {
    draft_.graph = Graph(request.calls.front().lowered->graph.default_float());
    draft_.workgroup = request.workgroup;
    draft_.config = request.config;
  }

  trace::Draft run() {
    for (std::size_t k = 0; k < request_.calls.size(); ++k) survey(k);
    for (std::size_t k = 0; k < request_.calls.size(); ++k) append(k);

    Graph& g = draft_.graph;
    std::vector<Node> grid{range_, g.make(Op::BLOCK, effects_, Graph::number(g.next_number()))};
    grid.insert(grid.end(), folds_.begin(), folds_.end());
    draft_.root = g.make(Op::GRID, grid, Graph::number(g.next_number()));
    return std::move(draft_);
  }

 private:
  using Key = std::pair<Place::Kind, std::uint32_t>;
  static Key key(const Place& p) { return {p.kind, p.number}; }

  /// The slots and locals that a call uses, and who reads them last.
  void survey(std::size_t k) {
    const LinkCall& call = request_.calls[k];
    draft_.label += (k == 0 ? "" : "+") + facts_of(call).name;
    draft_.needs_int64 |= call.lowered->needs_int64;
    for (const trace::Fold& f : loop_of(call).folds) draft_.folds.push_back({f.op, f.dtype});
    for (const trace::Access& at : loop_of(call).accesses) {
      const Place& place = call.places[at.param];
      const trace::ParamFact& param = facts_of(call).params[at.param];
      if (place.kind == Place::Kind::local) {
        if (!locals_.contains(place.number)) {
          const Node local = draft_.graph.local(param.dtype, draft_.graph.next_number());
          locals_[place.number] = local;
          if (!at.write || at.conditional) effects_.push_back(zero(local));  // a scratch array begins as zeros
        }
      } else {
        if (draft_.slots.size() <= place.number) draft_.slots.resize(place.number + 1);
        trace::Slot& slot = draft_.slots[place.number];
        if (slot.name.empty()) slot.element = param.dtype, slot.name = param.name;
        (at.write ? slot.written : slot.read) = true;
      }
      if (!at.write) last_reader_[key(place)] = k;
    }
  }

  Node zero(Node local) {
    Graph& g = draft_.graph;
    const DType t = local->dtype;
    const Node of_lane = t.is_float() ? g.cconst(t.scalar, g.constant(0.0)) : g.cconst(t.scalar, g.constant(0));
    const std::vector<Node> lanes(t.lanes, of_lane);
    const Node value = t.lanes == 1 ? of_lane : g.make(Op::VECTOR, lanes);
    return g.make(Op::STORE, {local, value}, Graph::number(g.next_number()));
  }

  void append(std::size_t k) {
    const trace::Lowered& lowered = *request_.calls[k].lowered;
    call_ = k;
    hands_on_bits_ = stores_integers_for_later();
    stores_.clear(), loads_.clear(), top_.clear(), replaced_.clear();
    for (Node n : (*lowered.root)[1]->src()) top_.insert(n);
    const Node grid = ir::copy(draft_.graph, lowered.root, [&](Graph&, Node old, std::span<const Node> src) {
      return old == (*lowered.root)[0] ? range(src[0], old) : change(old, src);
    });
    for (Node n : (*grid)[1]->src())
      if (!hand_on(n)) effects_.push_back(n);
    folds_.insert(folds_.end(), grid->src().begin() + 2, grid->src().end());
  }

  Node change(Node old, std::span<const Node> src) {
    switch (old->op) {
      case Op::PARAM: return param(*old->arg.storage);
      case Op::INDEX:
      case Op::SHRINK:
        if (!src[0]->is(Op::LOCAL)) return nullptr;
        if (!old->is(Op::INDEX) || old->count != 2)
          throw UnsupportedError(draft_.label +
                                 ": a part of an element of a scratch array has no place in a fused entry");
        return src[0];
      case Op::LOAD: return load(old, src);
      case Op::STORE: return store(old, src);
      case Op::BLOCK: return block(old, src);
      case Op::BITCAST:
        if (hands_on_bits_ && (*old)[0]->dtype.is_float())
          return draft_.graph.bitcast(draft_.graph.make(Op::FENCE, {src[0]}), old->dtype);
        return nullptr;
      default: return renumbered(old, src);
    }
  }

  /// Numbers keep effects, locals and axes apart within one graph: those of another call get new ones.
  Node renumbered(Node old, std::span<const Node> src) {
    if (old->arg.tag != ir::Arg::Tag::number) return nullptr;
    if (!ir::is_effect(old->op) && !old->is(Op::LOCAL) && !old->is(Op::RANGE)) return nullptr;
    std::int64_t number = draft_.graph.next_number();
    if (old->is(Op::ATOMIC)) number = number * 256 + old->arg.number % 256;
    return draft_.graph.make(old->op, src, Graph::number(number), old->dtype);
  }

  /// All calls share one counter: their trip counts are equal (F2).
  Node range(Node end, Node old) {
    Graph& g = draft_.graph;
    if (range_ == nullptr) range_ = g.range(end, g.next_number());
    return g.cast(range_, old->dtype);  // its type may differ where a call computes in another (FUSE-F2-03)
  }

  Node param(ir::Storage s) {
    Graph& g = draft_.graph;
    if (s.space == ir::Space::global) {
      const Place& place = request_.calls[call_].places[s.index];
      if (place.kind == Place::Kind::local) return locals_.at(place.number);
      ir::Storage shared;  // equal for every call that takes the array
      shared.slot = shared.index = place.number;
      shared.dtype = draft_.slots[place.number].element;
      shared.source = Source::array;
      shared.name = draft_.slots[place.number].name;
      return g.storage(Op::PARAM, std::move(shared));
    }
    // Equal for every call of the group: the header of the loop, and the length of an array that they share.
    Node* known = nullptr;
    if (s.source == Source::trip || s.source == Source::start || s.source == Source::step)
      known = &header_[{s.source, s.dtype.scalar}], s.call = 0;
    else if (s.source != Source::zero) s.call = static_cast<std::uint32_t>(call_);
    if (s.source == Source::length)
      if (const Place& place = request_.calls[call_].places[s.index]; place.kind != Place::Kind::unused)
        known = &length_[{key(place), s.dtype.scalar}];
    if (known == nullptr) return g.storage(Op::PARAM, std::move(s));
    if (*known == nullptr) *known = g.storage(Op::PARAM, std::move(s));
    return *known;
  }

  bool read_later(const Place& place) const {
    const auto found = last_reader_.find(key(place));
    return found != last_reader_.end() && found->second > call_;
  }

  // An element that an earlier call stored in every iteration is the value it stored (FUSE-BIT-09); one of an array that
  // no call writes is loaded once. The gates of lowering are guards only: a local has no end, and a value that is there was
  // stored inside its array.
  Node load(Node old, std::span<const Node> src) {
    const Node place = src[0];
    if (const auto known = handed_on_.find(place); known != handed_on_.end())
      return replaced_.insert(old), known->second;
    if (place->is(Op::LOCAL)) {
      loads_.insert(place);
      return renumbered(old, src.first(1));
    }
    const ir::Storage* array = array_of(place);
    if (array == nullptr || draft_.slots[array->slot].written) return renumbered(old, src);
    const std::pair at{place, src.size() > 1 ? src[1] : nullptr};
    if (const auto loaded = loaded_.find(at); loaded != loaded_.end()) return replaced_.insert(old), loaded->second;
    const Node n = renumbered(old, src);
    if (top_.contains(old)) loaded_[at] = n;
    return n;
  }

  Node store(Node old, std::span<const Node> src) {
    const ir::Storage* array = array_of((*old)[0]);
    if (array == nullptr) return renumbered(old, src);
    std::vector<Node> operands(src.begin(), src.end());
    if (src[0]->is(Op::LOCAL)) operands.resize(2);
    if (src[1]->dtype.is_float() && read_later(request_.calls[call_].places[array->index]))
      operands[1] = draft_.graph.make(Op::FENCE, {src[1]});
    const Node n = renumbered(old, operands);
    stores_[key(request_.calls[call_].places[array->index])].push_back(
        top_.contains(old) && operands.size() == 2 ? n : nullptr);
    return n;
  }

  /// Loads that became values, or a load further up, leave their block.
  Node block(Node old, std::span<const Node> src) {
    std::vector<Node> kept;
    for (std::size_t k = 0; k < src.size(); ++k)
      if (!replaced_.contains((*old)[k])) kept.push_back(src[k]);
    return renumbered(old, kept);
  }

  /// The one store of a call to an array, made in every iteration: later calls use its value. True when nothing reads the
  /// local that it stored in.
  bool hand_on(Node n) {
    if (!n->is(Op::STORE)) return false;
    for (const auto& [array, stores] : stores_) {
      if (stores.size() != 1 || stores.front() != n) continue;
      if (loads_.contains((*n)[0])) return false;  // the call itself reads what it stored, or the zero before
      handed_on_[(*n)[0]] = (*n)[1];
      return (*n)[0]->is(Op::LOCAL);
    }
    return false;
  }

  /// Float bits may travel in an array of integers: then a driver could see the operation behind them all the same.
  bool stores_integers_for_later() const {
    const LinkCall& call = request_.calls[call_];
    for (const trace::Access& at : loop_of(call).accesses)
      if (at.write && !facts_of(call).params[at.param].dtype.is_float() && read_later(call.places[at.param]))
        return true;
    return false;
  }

  const LinkRequest& request_;
  trace::Draft draft_;
  Node range_ = nullptr;
  std::vector<Node> effects_, folds_;
  std::map<std::uint32_t, Node> locals_;
  std::map<Key, std::size_t> last_reader_;  // the last call that reads it
  std::map<std::pair<Source, ScalarType>, Node> header_;
  std::map<std::pair<Key, ScalarType>, Node> length_;
  std::unordered_map<Node, Node> handed_on_;      // by place, LOCAL or INDEX: the value it holds from here on
  std::map<std::pair<Node, Node>, Node> loaded_;  // by place and gate: a load in front of what follows

  // of the call being appended
  std::size_t call_ = 0;
  bool hands_on_bits_ = false;
  std::unordered_set<Node> top_;             // statements of its own block
  std::map<Key, std::vector<Node>> stores_;  // null: under a condition or a gate
  std::unordered_set<Node> loads_;           // locals it loads
  std::unordered_set<Node> replaced_;        // its loads that are no loads of their own any more
};

}  // namespace

trace::Draft link(const LinkRequest& request) { return Linker(request).run(); }

}  // namespace weft::fusion
