// A linked body becomes a program: fences, the layout of its uniforms, how it uses its slots, its key.
#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "ir/text.hpp"
#include "kernel/lower.hpp"
#include "kernel/lower_fence.hpp"

namespace weft::trace {

using ir::Node;
using ir::Op;
using ir::Source;
using ir::Space;
using ir::Storage;

namespace {

using ScalarKey = std::tuple<Source, std::uint32_t, std::uint32_t>;

/// Every call of a group runs the same number of iterations.
ScalarKey key_of(const Storage& s) {
  return s.source == Source::trip ? ScalarKey{Source::trip, 0, 0} : ScalarKey{s.source, s.index, s.call};
}

bool is_scalar(Node n) { return n->is(Op::PARAM) && n->arg.storage->space == Space::alu; }

/// The zero word, the trip count, then what the body uses in the order of its walk, 64-bit words before the others so that
/// they are aligned.
std::map<ScalarKey, std::uint32_t> lay_out(Program& p, const std::vector<Node>& order) {
  std::vector<Uniform> words, pairs;
  Uniform trip{Source::trip, 0, 0, Scalar::uint32, 4};
  std::map<ScalarKey, std::uint32_t> at;
  for (Node n : order) {
    if (!is_scalar(n)) continue;
    const Storage& s = *n->arg.storage;
    if (s.source == Source::trip) trip.dtype = s.dtype;
    if (!at.emplace(key_of(s), 0).second || s.source == Source::trip || s.source == Source::zero) continue;
    (s.dtype.bytes() % 8 == 0 && s.dtype.lanes == 1 ? pairs : words).push_back({s.source, s.index, s.call, s.dtype, 0});
  }
  p.uniforms = {{Source::zero, 0, 0, Scalar::uint32, 0}, trip};
  std::uint32_t offset = 8;
  for (const auto* list : {&pairs, &words})
    for (Uniform u : *list) {
      u.offset = offset;
      offset += static_cast<std::uint32_t>(u.dtype.bytes());
      p.uniforms.push_back(u);
    }
  p.uniform_bytes = (offset + 15) / 16 * 16;  // the size that a uniform buffer has on the strictest tier
  for (std::uint32_t k = 0; k < p.uniforms.size(); ++k)
    at[{p.uniforms[k].source, p.uniforms[k].index, p.uniforms[k].call}] = k;
  return at;
}

/// Slots and uniforms in the arguments, and new numbers in the order of the walk, so that equal code is equal text however
/// it was made.
class Numbering {
 public:
  Numbering(const Program& p, std::map<ScalarKey, std::uint32_t> at) : p_(p), at_(std::move(at)) {}

  Node change(ir::Graph& g, Node old, std::span<const Node> src) {
    if (old->is(Op::PARAM)) return param(g, *old->arg.storage);
    if (old->arg.tag != ir::Arg::Tag::number || old->is(Op::EXTRACT)) return nullptr;
    const std::int64_t number =
        numbers_.emplace(old->is(Op::ATOMIC) ? old->arg.number / 256 : old->arg.number, next_).first->second;
    if (number == next_) ++next_;
    const std::int64_t arg = old->is(Op::ATOMIC) ? number * 256 + old->arg.number % 256 : number;
    return g.make(old->op, src, ir::Graph::number(arg), old->dtype);
  }

 private:
  Node param(ir::Graph& g, const Storage& old) const {
    Storage s;
    s.dtype = old.dtype;
    s.space = old.space;
    s.source = old.source;
    if (old.space != Space::alu) {
      s.slot = old.slot;
      s.name = p_.slots.at(old.slot).name;
      return g.storage(Op::PARAM, std::move(s));
    }
    s = old;
    s.slot = at_.at(key_of(old));
    const Uniform& u = p_.uniforms[s.slot];
    s.index = u.index, s.call = u.call, s.dtype = u.dtype;
    const Node n = g.storage(Op::PARAM, std::move(s));
    return u.dtype == old.dtype ? n : g.cast(n, old.dtype);
  }

  const Program& p_;
  std::map<ScalarKey, std::uint32_t> at_;
  std::map<std::int64_t, std::int64_t> numbers_;
  std::int64_t next_ = 1;
};

void note_uses(Program& p) {
  for (Slot& s : p.slots) s.read = s.written = false;
  for (Node n : ir::topological(p.root)) {
    const bool loads = n->is(Op::LOAD) || n->is(Op::ATOMIC), stores = n->is(Op::STORE) || n->is(Op::ATOMIC);
    if (!(loads || stores) || !(*n)[0]->is(Op::INDEX)) continue;
    Slot& s = p.slots.at((*(*n)[0])[0]->arg.storage->slot);
    s.read |= loads;
    s.written |= stores;
  }
}

/// 128 bits of FNV-1a.
std::string hash(const std::string& text) {
  __extension__ using Wide = unsigned __int128;
  const Wide prime = (Wide{1} << 88) + 0x13B;
  Wide h = (Wide{0x6C62272E07BB0142u} << 64) + 0x62B821756295C58Du;
  for (unsigned char c : text) h = (h ^ c) * prime;
  std::string hex;
  for (int k = 124; k >= 0; k -= 4) hex += "0123456789abcdef"[static_cast<unsigned>(h >> k) & 15];
  return hex;
}

/// All that a backend makes code from. No length, trip count or scalar value is in it.
std::string content(const Program& p) {
  std::string t = "loop 1 workgroup " + std::to_string(p.workgroup);
  t += p.config.bits == Bits::exact ? " exact" : " fast";
  if (p.config.wide) t += " wide";
  if (!p.config.fences) t += " unfenced";
  if (p.serial) t += " serial";
  for (const Slot& s : p.slots) t += "\nslot " + s.name + (s.read ? " r" : "") + (s.written ? " w" : "");
  for (const Uniform& u : p.uniforms) t += "\nuniform " + std::to_string(u.offset);
  for (const ProgramFold& f : p.folds)
    t += "\nfold " + std::string(ir::name(f.op)) + ' ' + std::string(weft::name(f.dtype.scalar));
  if (p.move) t += "\nmove of " + std::to_string(p.move->trip);
  return t + '\n' + ir::print(p.root);
}

}  // namespace

std::shared_ptr<const Program> finish(Draft draft) {
  auto p = std::make_shared<Program>();
  p->slots = std::move(draft.slots);
  p->workgroup = draft.workgroup;
  p->config = draft.config;
  p->needs_int64 = draft.needs_int64;
  p->serial = draft.serial;
  p->label = std::move(draft.label);
  p->folds = std::move(draft.folds);
  p->move = std::move(draft.move);

  ir::Graph fenced(draft.graph.default_float());
  const Node root = place_fences(fenced, draft.root, p->config);
  p->graph = ir::Graph(draft.graph.default_float());
  Numbering numbering(*p, lay_out(*p, ir::topological(root)));
  p->root = ir::copy(p->graph, root,
                     [&](ir::Graph& g, Node old, std::span<const Node> src) { return numbering.change(g, old, src); });
  note_uses(*p);
  p->key = hash(content(*p));
  return p;
}

}  // namespace weft::trace
