// The C++ types of traced expressions: what a literal is traced as, what two operands promote to, and which conversions
// an initialisation may make. All from the one lattice of dtype.hpp, so that a Value's type and its node's always agree.
#pragma once

#include <weft/detail/trace.hpp>

#include <type_traits>

namespace weft::detail {

template <ScalarType> struct cpp_type;
template <> struct cpp_type<ScalarType::weakint> {
  using type = WeakInt;
};
template <> struct cpp_type<ScalarType::weakfloat> {
  using type = WeakFloat;
};
template <> struct cpp_type<ScalarType::boolean> {
  using type = bool;
};
template <> struct cpp_type<ScalarType::int32> {
  using type = std::int32_t;
};
template <> struct cpp_type<ScalarType::uint32> {
  using type = std::uint32_t;
};
template <> struct cpp_type<ScalarType::int64> {
  using type = std::int64_t;
};
template <> struct cpp_type<ScalarType::uint64> {
  using type = std::uint64_t;
};
template <> struct cpp_type<ScalarType::float32> {
  using type = float;
};
template <> struct cpp_type<ScalarType::float64> {
  using type = double;
};

template <class T> struct lanes_of {
  using scalar = T;
  static constexpr unsigned count = 1;
};
template <class T, std::size_t N> struct lanes_of<Vec<T, N>> {
  using scalar = T;
  static constexpr unsigned count = N;
};
template <class T> using scalar_of = typename lanes_of<T>::scalar;
template <class T> inline constexpr unsigned lane_count = lanes_of<T>::count;
template <class T> inline constexpr bool is_vector = lane_count<T> != 1;
template <class T> inline constexpr ScalarType scalar_type = dtype_of<T>.scalar;

/// The same lanes of another scalar.
template <class T, class S> struct with_scalar {
  using type = S;
};
template <class T, std::size_t N, class S> struct with_scalar<Vec<T, N>, S> {
  using type = Vec<S, N>;
};
template <class T, class S> using with_scalar_t = typename with_scalar<T, S>::type;

/// Value, Var, an element, a scalar parameter, a component: what has a traced type.
template <class X>
concept Traced = requires { typename std::remove_cvref_t<X>::traced_type; };
template <class X>
concept Literal = std::is_arithmetic_v<std::remove_cvref_t<X>>;
template <class X> inline constexpr bool is_host_vector = false;
template <class T, std::size_t N> inline constexpr bool is_host_vector<Vec<T, N>> = true;
template <class X>
concept HostVector = is_host_vector<std::remove_cvref_t<X>>;
template <class X>
concept Operable = Traced<X> || Literal<X> || HostVector<X>;

template <class X> struct traced {};
template <Traced X> struct traced<X> {
  using type = typename X::traced_type;
};
template <HostVector X> struct traced<X> {
  using type = X;
};
template <Literal X> struct traced<X> {
  using type =
      std::conditional_t<std::is_same_v<X, bool>, bool, std::conditional_t<std::is_integral_v<X>, WeakInt, WeakFloat>>;
};
/// What an operand is traced as: a literal int as WeakInt.
template <class X> using traced_t = typename traced<std::remove_cvref_t<X>>::type;

/// What two types meet at; no member where they do not meet. A scalar beside a vector becomes its scalar type.
template <class A, class B> struct promote {};
template <class A, class B>
  requires(!is_vector<A> && !is_vector<B>)
struct promote<A, B> {
  using type = typename cpp_type<least_upper(scalar_type<A>, scalar_type<B>)>::type;
};
template <class A, class B>
  requires((is_vector<A> || is_vector<B>) && (lane_count<A> == lane_count<B> || !is_vector<A> || !is_vector<B>) &&
           least_upper(scalar_type<A>, scalar_type<B>) == (is_vector<A> ? scalar_type<A> : scalar_type<B>) &&
           (!is_vector<A> || !is_vector<B> || scalar_type<A> == scalar_type<B>))
struct promote<A, B> {
  using type = std::conditional_t<is_vector<A>, A, B>;
};
template <class A, class B> using promote_t = typename promote<A, B>::type;

/// Of functions that give a float (WEAK-TYPE-04).
template <class T> using float_t = with_scalar_t<T, typename cpp_type<least_upper_float(scalar_type<T>)>::type>;

template <class T> inline constexpr bool is_number = scalar_type<T> != ScalarType::void_ && !is_bool(scalar_type<T>);
template <class T> inline constexpr bool is_whole = is_integer(scalar_type<T>);
template <class T> inline constexpr bool is_real = is_float(scalar_type<T>);
template <class T> inline constexpr bool is_truth = is_bool(scalar_type<T>);

/// Zero of a type, as an initial value.
template <class T> Operand zero() {
  if constexpr (is_truth<T>) return Operand(false);
  else return Operand(0);
}

/// Whether an initialisation converts From to To: integers at any width (they wrap), integers to floats, a float to a
/// wider one, a scalar to every lane of a vector; a float becomes an integer by cast<T> only (KER-NUM-07).
constexpr bool converts(ScalarType to, ScalarType from) {
  if (to == from) return true;
  if (is_bool(to)) return false;
  if (is_integer(to)) return is_integer(from) || is_bool(from);
  return is_float(to) && (is_integer(from) || is_bool(from) || least_upper(to, from) == to);
}
template <class To, class From>
inline constexpr bool converts_to =
    (lane_count<To> == lane_count<From> ? !is_vector<To> || scalar_type<To> == scalar_type<From> : !is_vector<From>) &&
    converts(scalar_type<To>, scalar_type<From>);

/// The operand that an author's object stands for. A variable is read here.
template <Traced X> Operand operand(const X& x) { return x.traced(); }
template <Literal X> Operand operand(X x) {
  if constexpr (std::is_floating_point_v<X>) return Operand(static_cast<double>(x));
  else return Operand(x);
}
template <class T, std::size_t N> Operand operand(const Vec<T, N>& v) {
  if constexpr (N == 2) return vector({operand(v[0]), operand(v[1])}, dtype_of<Vec<T, N>>);
  else if constexpr (N == 3) return vector({operand(v[0]), operand(v[1]), operand(v[2])}, dtype_of<Vec<T, N>>);
  else return vector({operand(v[0]), operand(v[1]), operand(v[2]), operand(v[3])}, dtype_of<Vec<T, N>>);
}

}  // namespace weft::detail
