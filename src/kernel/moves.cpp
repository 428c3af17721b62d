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

  const IndexSum source = ir::index_sum(core.graph, (*from)[1]), target = ir::index_sum(core.graph, (*to)[1]);
  if (!only_counts(source, loop.range) || !only_counts(target, loop.range)) return std::nullopt;
  Move move{(*to)[0]->arg.storage->index, (*from)[0]->arg.storage->index, static_cast<std::uint64_t>(*stop), {}};
  std::vector<std::uint64_t> cuts{1, move.trip};
  add_cuts(source, cuts), add_cuts(target, cuts);
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  if (cuts.back() != move.trip) return std::nullopt;
  move.box.to = static_cast<std::uint64_t>(target.constant),
  move.box.from = static_cast<std::uint64_t>(source.constant);
  unsigned __int128 last_to = move.box.to, last_from = move.box.from;
  for (std::size_t k = 0; k + 1 < cuts.size(); ++k) {
    if (cuts[k + 1] % cuts[k] != 0) return std::nullopt;
    const detail::CopyDim d{cuts[k + 1] / cuts[k], stride_at(target, cuts[k]), stride_at(source, cuts[k])};
    if (d.to == 0) return std::nullopt;
    last_to += static_cast<unsigned __int128>(d.extent - 1) * d.to;
    last_from += static_cast<unsigned __int128>(d.extent - 1) * d.from;
    move.box.dims.push_back(d);
  }
  if (last_to >= *to_length || last_from >= *from_length) return std::nullopt;
  detail::arrange(move.box);
  std::uint64_t below = 0;  // no element is written twice
  for (std::size_t k = move.box.dims.size(); k-- > 0;) {
    const detail::CopyDim& d = move.box.dims[k];
    if (d.to <= below) return std::nullopt;
    below += (d.extent - 1) * d.to;
  }
  return move;
}

}  // namespace weft::trace
