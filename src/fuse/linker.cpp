#include "fuse/linker.hpp"

#include <weft/error.hpp>

#include <map>
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
    std::vector<Node> effects;
    for (const auto& [number, local] : locals_) effects.push_back(zero(local));  // a scratch array begins as zeros
    std::vector<Node> folds;
    for (std::size_t k = 0; k < request_.calls.size(); ++k) append(k, effects, folds);

    Graph& g = draft_.graph;
    std::vector<Node> grid{range_, g.make(Op::BLOCK, effects, Graph::number(g.next_number()))};
    grid.insert(grid.end(), folds.begin(), folds.end());
    draft_.root = g.make(Op::GRID, grid, Graph::number(g.next_number()));
    return std::move(draft_);
  }

 private:
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
        locals_.try_emplace(place.number, nullptr);
        if (locals_[place.number] == nullptr)
          locals_[place.number] = draft_.graph.local(param.dtype, draft_.graph.next_number());
      } else {
        if (draft_.slots.size() <= place.number) draft_.slots.resize(place.number + 1);
        trace::Slot& slot = draft_.slots[place.number];
        if (slot.name.empty()) slot.element = param.dtype, slot.name = param.name;
        (at.write ? slot.written : slot.read) = true;
      }
      if (!at.write) last_reader_[{place.kind, place.number}] = k;
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

  void append(std::size_t k, std::vector<Node>& effects, std::vector<Node>& folds) {
    const trace::Lowered& lowered = *request_.calls[k].lowered;
    const Node old_range = (*lowered.root)[0];
    const bool hands_on_bits = stores_integers_for_later(k);
    const Node grid = ir::copy(draft_.graph, lowered.root, [&](Graph& g, Node old, std::span<const Node> src) -> Node {
      if (old == old_range) return range(src[0], old);
      switch (old->op) {
        case Op::PARAM: return param(k, *old->arg.storage);
        case Op::INDEX:
        case Op::SHRINK:
          if (!src[0]->is(Op::LOCAL)) return nullptr;
          if (!old->is(Op::INDEX) || old->count != 2)
            throw UnsupportedError(draft_.label + ": a part of an element of a scratch array has no place in a fused entry");
          return src[0];
        case Op::STORE: return store(k, old, src);
        case Op::BITCAST:
          if (hands_on_bits && (*old)[0]->dtype.is_float()) return g.bitcast(g.make(Op::FENCE, {src[0]}), old->dtype);
          return nullptr;
        case Op::CONTINUE_IF:  // F1 keeps own ones out; those of inner loops are like any effect
        default: return renumbered(old, src);
      }
    });
    effects.insert(effects.end(), (*grid)[1]->src().begin(), (*grid)[1]->src().end());
    folds.insert(folds.end(), grid->src().begin() + 2, grid->src().end());
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

  Node param(std::size_t k, ir::Storage s) {
    Graph& g = draft_.graph;
    if (s.space == ir::Space::global) {
      const Place& place = request_.calls[k].places[s.index];
      if (place.kind == Place::Kind::local) return locals_.at(place.number);
      ir::Storage shared;  // equal for every call that takes the array
      shared.slot = shared.index = place.number;
      shared.dtype = draft_.slots[place.number].element;
      shared.source = Source::array;
      shared.name = draft_.slots[place.number].name;
      return g.storage(Op::PARAM, std::move(shared));
    }
    if (s.source == Source::trip || s.source == Source::start || s.source == Source::step) {
      Node& header = header_[{s.source, s.dtype.scalar}];
      if (header == nullptr) s.call = 0, header = g.storage(Op::PARAM, std::move(s));
      return header;
    }
    if (s.source != Source::zero) s.call = static_cast<std::uint32_t>(k);
    return g.storage(Op::PARAM, std::move(s));
  }

  bool read_later(std::size_t k, const Place& place) const {
    const auto found = last_reader_.find({place.kind, place.number});
    return found != last_reader_.end() && found->second > k;
  }

  Node store(std::size_t k, Node old, std::span<const Node> src) {
    const ir::Storage* array = array_of((*old)[0]);
    std::vector<Node> operands(src.begin(), src.end());
    if (array != nullptr && src[1]->dtype.is_float() && read_later(k, request_.calls[k].places[array->index]))
      operands[1] = draft_.graph.make(Op::FENCE, {src[1]});
    return draft_.graph.make(Op::STORE, operands, Graph::number(draft_.graph.next_number()));
  }

  /// Float bits may travel in an array of integers: then a driver could see the operation behind them all the same.
  bool stores_integers_for_later(std::size_t k) const {
    const LinkCall& call = request_.calls[k];
    for (const trace::Access& at : loop_of(call).accesses)
      if (at.write && !facts_of(call).params[at.param].dtype.is_float() && read_later(k, call.places[at.param])) return true;
    return false;
  }

  const LinkRequest& request_;
  trace::Draft draft_;
  Node range_ = nullptr;
  std::map<std::uint32_t, Node> locals_;
  std::map<std::pair<Place::Kind, std::uint32_t>, std::size_t> last_reader_;  // the last call that reads it
  std::map<std::pair<Source, ScalarType>, Node> header_;
};

}  // namespace

trace::Draft link(const LinkRequest& request) { return Linker(request).run(); }

}  // namespace weft::fusion
