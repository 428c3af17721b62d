// What a kernel's lambda takes and gives, and how calls pass each parameter.
#pragma once

#include <weft/array.hpp>
#include <weft/detail/call.hpp>
#include <weft/resident.hpp>
#include <weft/scalar.hpp>

#include <optional>
#include <span>
#include <tuple>
#include <vector>

namespace weft::detail {

struct ParamSpec {
  bool array = false, writable = false;
  DType dtype;
  std::optional<std::uint64_t> length{};  // of an array whose number of elements the kernel states: a tensor
};

/// An argument for a parameter of type P: what the call operator of a kernel takes.
template <class P> struct Arg {
  static_assert(!sizeof(P*), "weft: the parameters of a kernel's lambda are Array<T>, Array<const T> and Scalar<T>");
};

template <class T> struct Arg<Scalar<T>> {
  static constexpr ParamSpec spec{false, false, dtype_of<T>};
  Arg(T v) : value(v) {}
  T value;
  CallArg call_arg() const {
    ScalarValue s{dtype_of<T>, 0};
    if constexpr (std::is_same_v<T, float>) s.bits = __builtin_bit_cast(std::uint32_t, value);
    else if constexpr (std::is_same_v<T, double>) s.bits = __builtin_bit_cast(std::uint64_t, value);
    else s.bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
    return s;
  }
};

/// Host memory is borrowed until the call's future is ready (KER-CALL-02), so a temporary vector is refused.
template <class T> struct Arg<Array<T>> {
  static constexpr ParamSpec spec{true, true, dtype_of<T>};
  Arg(Resident<T>& r) : arg(r.arg()) {}
  Arg(const Resident<T>& r) : arg(r.arg()) {}
  Arg(Resident<T>&& r) : arg(r.arg()) {}
  template <class S>
    requires(is_vector<T> && std::is_same_v<S, scalar_of<T>>)  // KER-RES-03
  Arg(const Resident<S>& r) : arg(r.arg()) {}
  template <std::same_as<AnyResident> A> Arg(const A& r) : arg(r.arg()) {}  // the call checks its element
  Arg(std::span<T> s) : arg{nullptr, s.data(), s.size(), dtype_of<T>} {}
  Arg(std::vector<T>& v) : Arg(std::span<T>(v)) {}
  Arg(std::vector<T>&&) = delete;
  ArrayArg arg;
  CallArg call_arg() const { return arg; }
};
template <class T> struct Arg<Array<const T>> {
  static constexpr ParamSpec spec{true, false, dtype_of<T>};
  Arg(const Resident<T>& r) : arg(r.arg()) {}
  template <class S>
    requires(is_vector<T> && std::is_same_v<S, scalar_of<T>>)
  Arg(const Resident<S>& r) : arg(r.arg()) {}
  template <std::same_as<AnyResident> A> Arg(const A& r) : arg(r.arg()) {}
  Arg(std::span<const T> s) : arg{nullptr, const_cast<T*>(s.data()), s.size(), dtype_of<T>} {}
  Arg(std::span<T> s) : Arg(std::span<const T>(s)) {}
  Arg(const std::vector<T>& v) : Arg(std::span<const T>(v)) {}
  Arg(std::vector<T>&&) = delete;
  ArrayArg arg;
  CallArg call_arg() const { return arg; }
};

// --- what a lambda gives ---

/// The host type of one result: a weak integer as int64_t, a weak float as float.
template <class R> struct host_type {
  using type = std::remove_cvref_t<R>;
};
template <> struct host_type<WeakInt> {
  using type = std::int64_t;
};
template <> struct host_type<WeakFloat> {
  using type = float;
};

template <class R> struct result_of {
  static_assert(Operable<R>, "weft: a kernel's lambda returns nothing, a traced value, or a std::tuple of them");
  using type = typename host_type<traced_t<R>>::type;
  static constexpr std::size_t words = lane_count<type>;
};
template <> struct result_of<void> {
  using type = void;
  static constexpr std::size_t words = 0;
};
template <class... R> struct result_of<std::tuple<R...>> {
  using type = std::tuple<typename result_of<std::remove_cvref_t<R>>::type...>;
  static constexpr std::size_t words = (0 + ... + result_of<std::remove_cvref_t<R>>::words);
};

void give_result(const Operand&, DType);  // the next result of the kernel being traced

template <class R> void give(const R& r) { give_result(operand(r), dtype_of<typename result_of<R>::type>); }
template <class... R> void give(const std::tuple<R...>& r) {
  std::apply([](const auto&... one) { (give(one), ...); }, r);
}

/// One result from its words, at `at`, which moves on.
template <class T> T take(std::span<const ScalarValue> words, std::size_t& at) {
  if constexpr (is_vector<T>) {
    T v;
    for (std::size_t k = 0; k < lane_count<T>; ++k) v[k] = take<scalar_of<T>>(words, at);
    return v;
  } else {
    const std::uint64_t bits = words[at++].bits;
    if constexpr (std::is_same_v<T, bool>) return bits != 0;
    else if constexpr (std::is_same_v<T, float>) return __builtin_bit_cast(float, static_cast<std::uint32_t>(bits));
    else if constexpr (std::is_same_v<T, double>) return __builtin_bit_cast(double, bits);
    else return static_cast<T>(bits);
  }
}
template <class T> inline constexpr bool is_tuple = false;
template <class... T> inline constexpr bool is_tuple<std::tuple<T...>> = true;
template <class T> T take_result(std::span<const ScalarValue> words) {
  std::size_t at = 0;
  if constexpr (is_tuple<T>) {
    return [&]<class... E>(std::type_identity<std::tuple<E...>>) {
      return std::tuple<E...>{take<E>(words, at)...};
    }(std::type_identity<T>());
  } else {
    return take<T>(words, at);
  }
}

// --- the lambda's own signature ---

template <class F> struct call_signature;
template <class C, class R, class... P> struct call_signature<R (C::*)(P...)> {
  using type = R(std::remove_cvref_t<P>...);
};
template <class C, class R, class... P> struct call_signature<R (C::*)(P...) const> {
  using type = R(std::remove_cvref_t<P>...);
};
template <class C, class R, class... P> struct call_signature<R (C::*)(P...) noexcept> {
  using type = R(std::remove_cvref_t<P>...);
};
template <class C, class R, class... P> struct call_signature<R (C::*)(P...) const noexcept> {
  using type = R(std::remove_cvref_t<P>...);
};

template <class F>
concept PlainCallable = requires { &F::operator(); };
template <class F> struct signature_of {
  static_assert(
      !sizeof(F*),
      "weft: a kernel's lambda states the type of each parameter, as Array<const float> a: `auto` leaves none to trace with");
};
template <PlainCallable F> struct signature_of<F> : call_signature<decltype(&F::operator())> {};

template <class P> inline constexpr bool is_parameter = false;
template <class T> inline constexpr bool is_parameter<Array<T>> = true;
template <class T> inline constexpr bool is_parameter<Scalar<T>> = true;

}  // namespace weft::detail
