#include "kernel/moves.hpp"

#include <algorithm>
#include <vector>

#include "ir/simplify_index.hpp"
#include "kernel/core.hpp"

namespace weft::trace {

using ir::IndexDigit;
using ir::IndexSum;
using ir::Node;
using ir::Op;

namespace {

bool only_counts(const IndexSum& s, Node counter) {
  return s.constant >= 0 && std::all_of(s.digits.begin(), s.digits.end(),
                                        [&](const IndexDigit& d) { return d.y == counter && d.weight > 0; });
}

/// Where a digit of the counter begins or ends.
void add_cuts(const IndexSum& s, std::vector<std::uint64_t>& cuts) {
  for (const IndexDigit& d : s.digits) {
    cuts.push_back(static_cast<std::uint64_t>(d.divisor));
    if (d.modulus) cuts.push_back(static_cast<std::uint64_t>(d.divisor) * static_cast<std::uint64_t>(d.modulus));
  }
}

/// The step of the index where the counter steps by `cut`, below the next cut.
std::uint64_t stride_at(const IndexSum& s, std::uint64_t cut) {
  std::uint64_t stride = 0;
  for (const IndexDigit& d : s.digits) {
    const auto divisor = static_cast<std::uint64_t>(d.divisor), modulus = static_cast<std::uint64_t>(d.modulus);
    if (cut < divisor || (modulus && cut >= divisor * modulus)) continue;
    stride += static_cast<std::uint64_t>(d.weight) * (cut / divisor);
  }
  return stride;
}

std::optional<std::uint64_t> length_of(const KernelCore& core, Node place) {
  return core.facts.params[(*place)[0]->arg.storage->index].length;
}

/// `i / divisor % modulus < limit`, a part of the condition under which an element is moved.
struct Limit {
  std::uint64_t divisor, modulus, limit;
};

/// The limits that a condition is made of; false where it is made of something else.
bool limits_of(ir::Graph& g, Node condition, Node counter, std::uint64_t trip, std::vector<Limit>& limits) {
  std::vector<Node> todo{condition};
  while (!todo.empty()) {
    const Node n = todo.back();
    todo.pop_back();
    if (n->is(Op::AND)) {
      todo.push_back((*n)[1]), todo.push_back((*n)[0]);
      continue;
    }
    const auto limit = n->is(Op::CMPLT) ? ir::int_value((*n)[1]) : std::nullopt;
    if (!limit || *limit <= 0 || limits.size() == 8) return false;
    const IndexSum s = ir::index_sum(g, (*n)[0]);
    if (s.constant || s.digits.size() != 1 || s.digits[0].y != counter || s.digits[0].weight != 1) return false;
    const auto divisor = static_cast<std::uint64_t>(s.digits[0].divisor);
    if (trip % divisor != 0) return false;
    const std::uint64_t modulus =
        s.digits[0].modulus ? static_cast<std::uint64_t>(s.digits[0].modulus) : trip / divisor;
    if (static_cast<std::uint64_t>(*limit) >= modulus) return false;
    limits.push_back({divisor, modulus, static_cast<std::uint64_t>(*limit)});
  }
  return true;
}

/// The digits of the counter that both indices and all limits are told by, from 1 to the trip count; empty where they do not
/// divide one another, or a limit is on more than one of them.
std::vector<std::uint64_t> cuts_of(const IndexSum& source, const IndexSum& target, const std::vector<Limit>& limits,
                                   std::uint64_t trip) {
  std::vector<std::uint64_t> cuts{1, trip};
  add_cuts(source, cuts), add_cuts(target, cuts);
  for (const Limit& l : limits) cuts.push_back(l.divisor), cuts.push_back(l.divisor * l.modulus);
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  if (cuts.back() != trip) return {};
  for (std::size_t k = 0; k + 1 < cuts.size(); ++k)
    if (cuts[k + 1] % cuts[k] != 0) return {};
  for (const Limit& l : limits)
    for (const std::uint64_t cut : cuts)
      if (l.divisor < cut && cut < l.divisor * l.modulus) return {};
  return cuts;
}

/// Whether no element is written twice.
bool is_injective(const detail::CopyBox& arranged) {
  std::uint64_t below = 0;
  for (std::size_t k = arranged.dims.size(); k-- > 0;) {
    if (arranged.dims[k].to <= below) return false;
    below += (arranged.dims[k].extent - 1) * arranged.dims[k].to;
  }
  return true;
}

/// Whether the last element of a box is below a length.
bool ends_below(std::uint64_t first, const detail::CopyBox& box, std::uint64_t detail::CopyDim::* stride,
                std::uint64_t length) {
  unsigned __int128 last = first;
  for (const detail::CopyDim& d : box.dims) last += static_cast<unsigned __int128>(d.extent - 1) * (d.*stride);
  return last < length;
}

}  // namespace

std::optional<Move> find_move(KernelCore& core, const LoopIR& loop) {
  if (loop.whole || !loop.folds.empty() || loop.counter != loop.range || loop.body->count != 2) return std::nullopt;
  const Node load = (*loop.body)[0], store = (*loop.body)[1];
  if (!load->is(Op::LOAD) || !store->is(Op::STORE) || load->count != 1 || store->count != 2 || (*store)[1] != load)
    return std::nullopt;
  const Node from = (*load)[0], to = (*store)[0];
  if (!from->is(Op::INDEX) || !to->is(Op::INDEX) || (*from)[0] == (*to)[0] || from->dtype != to->dtype)
    return std::nullopt;
  const auto from_length = length_of(core, from), to_length = length_of(core, to);
  const ir::Storage& trip = *(*loop.range)[0]->arg.storage;
  if (!from_length || !to_length || trip.source != ir::Source::trip || !trip.vmax) return std::nullopt;
  const auto start = loop.start ? ir::int_value(loop.start) : 0, step = loop.step ? ir::int_value(loop.step) : 1;
  const auto stop = ir::int_value(loop.stop);
  if (start != 0 || step != 1 || !stop || *stop <= 0 || ir::Integer(*stop) != *trip.vmax) return std::nullopt;

  Move move{(*to)[0]->arg.storage->index, (*from)[0]->arg.storage->index, static_cast<std::uint64_t>(*stop), {}, {}};
  // `condition ? index : past the array` reads zero where the condition does not hold.
  Node index = (*from)[1];
  std::vector<Limit> limits;
  if (index->is(Op::WHERE)) {
    const auto outside = ir::int_value((*index)[2]);
    if (!outside || *outside < 0 || static_cast<std::uint64_t>(*outside) < *from_length) return std::nullopt;
    if (!limits_of(core.graph, (*index)[0], loop.range, move.trip, limits)) return std::nullopt;
    index = (*index)[1];
  }
  const IndexSum source = ir::index_sum(core.graph, index), target = ir::index_sum(core.graph, (*to)[1]);
  if (!only_counts(source, loop.range) || !only_counts(target, loop.range)) return std::nullopt;
  const std::vector<std::uint64_t> cuts = cuts_of(source, target, limits, move.trip);
  if (cuts.empty()) return std::nullopt;
  detail::CopyBox all{static_cast<std::uint64_t>(target.constant), static_cast<std::uint64_t>(source.constant), {}};
  for (std::size_t k = 0; k + 1 < cuts.size(); ++k) {
    all.dims.push_back({cuts[k + 1] / cuts[k], stride_at(target, cuts[k]), stride_at(source, cuts[k])});
    if (all.dims.back().to == 0) return std::nullopt;
  }
  if (!ends_below(all.to, all, &detail::CopyDim::to, *to_length)) return std::nullopt;

  // Limit by limit: what is past it is zero, and the next ones look at what is left.
  move.box = all;
  for (const Limit& l : limits) {
    const auto k = static_cast<std::size_t>(std::find(cuts.begin(), cuts.end(), l.divisor) - cuts.begin());
    if (l.limit >= move.box.dims[k].extent) continue;  // a smaller one was there
    detail::CopyBox past = move.box;
    past.to += l.limit * past.dims[k].to;
    past.dims[k].extent -= l.limit;
    past.from = 0;
    for (detail::CopyDim& d : past.dims) d.from = 0;
    move.zeros.push_back(std::move(past));
    move.box.dims[k].extent = l.limit;
  }
  if (!ends_below(move.box.from, move.box, &detail::CopyDim::from, *from_length)) return std::nullopt;
  detail::arrange(all);
  detail::arrange(move.box);
  for (detail::CopyBox& z : move.zeros) detail::arrange(z);
  if (!is_injective(all)) return std::nullopt;
  return move;
}

}  // namespace weft::trace
