// loop: a kernel's parallel loops (KER-LOOP). Called at the top level of a kernel's lambda; runs in parallel where that is
// proved to give what the iterations in order would give, else in order on the cpu tier, with the reason.
#pragma once

#include <weft/value.hpp>

namespace weft {
namespace detail {
template <class F>
concept LoopBody = requires(F& f, Index i) { f(i); };
template <class B>
concept Bound = Operable<B> && is_whole<traced_t<B>> && !is_vector<traced_t<B>>;
}  // namespace detail

/// The body for each i in start, start + step, ... before stop; bounds are of literals, scalars, lengths and folded values.
/// A step of 0 is a RangeError at the call; a negative one counts down (KER-LOOP-01).
template <detail::Bound Start, detail::Bound Stop, detail::Bound Step, detail::LoopBody F>
void loop(const Start& start, const Stop& stop, const Step& step, F&& body,
          std::source_location where = std::source_location::current()) {
  detail::trace_loop(detail::operand(start), detail::operand(stop), detail::operand(step),
                     detail::counted_body<Index>(body), detail::line_of(where));
}
template <detail::Bound Start, detail::Bound Stop, detail::LoopBody F>
void loop(const Start& start, const Stop& stop, F&& body,
          std::source_location where = std::source_location::current()) {
  loop(start, stop, 1, body, where);
}
template <detail::Bound Stop, detail::LoopBody F>
void loop(const Stop& stop, F&& body, std::source_location where = std::source_location::current()) {
  loop(0, stop, 1, body, where);
}

}  // namespace weft
