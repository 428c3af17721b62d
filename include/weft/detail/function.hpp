// Function<R(A...)>: a copyable callable without its type, as std::function is. <functional> alone is a third of what
// <weft/weft.hpp> costs a compiler; this is the part of it that public headers need.
#pragma once

#include <weft/detail/shared.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

namespace weft::detail {

template <class Signature> class Function;

template <class R, class... A> class Function<R(A...)> {
 public:
  Function() = default;
  Function(std::nullptr_t) {}
  template <class F>
    requires(!std::same_as<std::remove_cvref_t<F>, Function> && std::is_invocable_r_v<R, std::remove_cvref_t<F>&, A...>)
  Function(F&& f) : held_(share<Held<std::remove_cvref_t<F>>>(std::forward<F>(f))) {}

  explicit operator bool() const { return held_ != nullptr; }
  R operator()(A... a) const { return held_->call(std::forward<A>(a)...); }

 private:
  struct Callable {
    virtual ~Callable() = default;
    virtual R call(A...) = 0;
  };
  template <class F> struct Held final : Callable {
    explicit Held(F f) : f(std::move(f)) {}
    R call(A... a) override { return f(std::forward<A>(a)...); }
    F f;
  };
  Shared<Callable> held_;  // copies share the callable
};

}  // namespace weft::detail
