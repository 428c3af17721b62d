// Control inside an iteration: If/Else, the serial For and While, continue_if and break_if (KER-AUTH-06).
#pragma once

#include <weft/loop.hpp>

namespace weft {
namespace detail {
template <class C>
concept Condition = Traced<C> && std::is_same_v<traced_t<C>, bool>;

/// What If returns, for its Else.
class Branch {
 public:
  explicit Branch(const ir::UOp* handle) : handle_(handle) {}
  /// Must follow its If at once.
  template <class F> void Else(F&& f, std::source_location where = std::source_location::current()) const {
    trace_else(handle_, body(f), line_of(where));
  }
 private:
  const ir::UOp* handle_;
};
}  // namespace detail

/// `If(cond, [&] { ... }).Else([&] { ... })`.
template <detail::Condition C, class F>
detail::Branch If(const C& condition, F&& f, std::source_location where = std::source_location::current()) {
  return detail::Branch(detail::trace_if(detail::operand(condition), detail::body(f), detail::line_of(where)));
}

/// A serial loop inside an iteration: for j in start, start + step, ... before stop. A step of 0 runs nothing.
template <detail::Bound Start, detail::Bound Stop, detail::Bound Step, detail::LoopBody F>
void For(const Start& start, const Stop& stop, const Step& step, F&& f,
         std::source_location where = std::source_location::current()) {
  detail::trace_for(detail::operand(start), detail::operand(stop), detail::operand(step),
                    detail::counted_body<Index>(f), detail::line_of(where));
}
template <detail::Bound Start, detail::Bound Stop, detail::LoopBody F>
void For(const Start& start, const Stop& stop, F&& f, std::source_location where = std::source_location::current()) {
  For(start, stop, 1, f, where);
}
template <detail::Bound Stop, detail::LoopBody F>
void For(const Stop& stop, F&& f, std::source_location where = std::source_location::current()) {
  For(0, stop, 1, f, where);
}

/// Leaves the innermost For or While where the condition holds.
template <detail::Condition C> void break_if(const C& c, std::source_location where = std::source_location::current()) {
  detail::break_if(detail::operand(c), detail::line_of(where));
}
/// Ends this turn of the innermost For or While, or this iteration of the kernel's loop, where the condition holds.
template <detail::Condition C>
void continue_if(const C& c, std::source_location where = std::source_location::current()) {
  detail::continue_if(detail::operand(c), detail::line_of(where));
}

/// `While([&] { return k < n; }, [&] { ... })`: the condition is traced too, and computed before each turn.
template <class C, class F>
  requires detail::Condition<std::invoke_result_t<C&>>
void While(C&& condition, F&& f, std::source_location where = std::source_location::current()) {
  auto turn = [&] {
    detail::break_if(detail::apply(detail::Fn::logical_not, {detail::operand(condition())}, dtype_of<bool>),
                     detail::line_of(where));
    f();
  };
  detail::trace_while(detail::body(turn), detail::line_of(where));
}

}  // namespace weft
