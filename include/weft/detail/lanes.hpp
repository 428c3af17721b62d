// How traced objects hold what they refer to, and the components of vectors: `v.x`, `v.rgb`, `v.swizzle<"zyx">()`. A
// component of a variable or an element may be assigned; that reads, changes and writes the whole vector.
#pragma once

#include <weft/detail/promote.hpp>

namespace weft::detail {

// What an object refers to. `get` reads, `put` writes where that is possible.
struct ValueRef {
  Expr expr;
  Expr get() const { return expr; }
};
struct VarRef {
  Expr variable;
  Expr get() const { return read(variable); }
  void put(const Operand& v) { assign(variable, v); }
};
struct ElementRef {
  Expr array, index, value;  // `value`: the element as read at the subscript, or as last written through this object
  std::uint32_t line = 0;
  Expr get() const { return value; }
  void put(const Operand& v) { value = store(array, index, line, v); }
};
template <class Ref>
concept Writable = requires(Ref& r, const Operand& v) { r.put(v); };

template <class To, class From> constexpr void check_conversion() {
  static_assert(lane_count<From> == 1 || lane_count<To> == lane_count<From>,
                "weft: a vector goes only where as many lanes are");
  static_assert(!(is_whole<To> && is_real<From>),
                "weft: a float becomes an integer only by cast<int32_t>(x) or the like");
  static_assert(!(is_truth<To> && !is_truth<From>), "weft: a number becomes a bool only by a comparison: x != 0");
  static_assert(converts_to<To, From>, "weft: this conversion loses something; write it as cast<T>(x)");
}

template <class T> struct NoTruth {
  template <class U = T> explicit operator bool() const {
    static_assert(!sizeof(U*), "weft: a traced Var<bool> has no value yet: use If(cond, ...) or select(cond, a, b)");
    return false;
  }
};

/// Assignments of an object of type T held by Ref; Self is the object's own class.
template <class Self, class T> struct Assignable {
  template <Operable U> Self& operator+=(const U& u) { return change(Fn::add, u); }
  template <Operable U> Self& operator-=(const U& u) { return change(Fn::sub, u); }
  template <Operable U> Self& operator*=(const U& u) { return change(Fn::mul, u); }
  template <Operable U> Self& operator/=(const U& u) { return change(Fn::div, u); }
  template <Operable U> Self& operator%=(const U& u) {
    static_assert(is_whole<T>, "weft: % is of integers");
    return change(Fn::mod, u);
  }
  template <Operable U> Self& operator<<=(const U& u) { return change(Fn::shl, u); }
  template <Operable U> Self& operator>>=(const U& u) { return change(Fn::shr, u); }
  template <Operable U> Self& operator&=(const U& u) { return change(Fn::bit_and, u); }
  template <Operable U> Self& operator|=(const U& u) { return change(Fn::bit_or, u); }
  template <Operable U> Self& operator^=(const U& u) { return change(Fn::bit_xor, u); }

 private:
  template <class U> Self& change(Fn fn, const U& u) {
    check_conversion<T, traced_t<U>>();
    auto& self = static_cast<Self&>(*this);
    self.put_changed(fn, operand(u));
    return self;
  }
};

/// One component of a vector that Ref refers to.
template <class Ref, class T, unsigned K> struct Component : NoTruth<T>, Assignable<Component<Ref, T, K>, T> {
  using traced_type = T;
  Ref ref;

  Component(const Component&) = default;
  Component& operator=(const Component& o) { return set(o.traced()); }
  template <Operable U> Component& operator=(const U& u) {
    static_assert(Writable<Ref>, "weft: a value is not assigned; make it a Var");
    check_conversion<T, traced_t<U>>();
    return set(operand(u));
  }
  Expr traced() const { return shuffle(ref.get(), {K}); }
  void put_changed(Fn fn, const Operand& u) { set(combine(fn, traced(), u, dtype_of<T>)); }

 private:
  Component& set(const Operand& v) {
    ref.put(insert(ref.get(), K, v));
    return *this;
  }
};

/// Several components, to be read.
template <class Ref, class T, unsigned... K> struct Components : NoTruth<T> {
  using traced_type = Vec<T, sizeof...(K)>;
  Ref ref;
  Expr traced() const { return shuffle(ref.get(), {K...}); }
};

/// The letters of swizzle<"xyz">.
template <std::size_t N> struct Letters {
  char text[N]{};
  consteval Letters(const char (&t)[N]) {
    for (std::size_t k = 0; k < N; ++k) text[k] = t[k];
  }
  static constexpr std::size_t count = N - 1;
  constexpr unsigned lane(std::size_t i) const {
    for (const char* set : {"xyzw", "rgba"})
      for (unsigned k = 0; k < 4; ++k)
        if (set[k] == text[i]) return k;
    return 4;
  }
};

/// The base of Value, Var and elements. Of a vector it is a union in which every name has the one Ref, so `v.x` costs nothing
/// until it is used.
template <class Ref, class T> struct Held {
  Ref ref;
  explicit Held(Ref r) : ref(r) {}
};
template <class Ref, class T> struct Held<Ref, Vec<T, 2>> {
  union {
    Ref ref;
    Component<Ref, T, 0> x, r;
    Component<Ref, T, 1> y, g;
    Components<Ref, T, 0, 1> xy;
  };
  explicit Held(Ref a) : ref(a) {}
};
template <class Ref, class T> struct Held<Ref, Vec<T, 3>> {
  union {
    Ref ref;
    Component<Ref, T, 0> x, r;
    Component<Ref, T, 1> y, g;
    Component<Ref, T, 2> z, b;
    Components<Ref, T, 0, 1> xy;
    Components<Ref, T, 1, 2> yz;
    Components<Ref, T, 0, 1, 2> xyz, rgb;
  };
  explicit Held(Ref a) : ref(a) {}
};
template <class Ref, class T> struct Held<Ref, Vec<T, 4>> {
  union {
    Ref ref;
    Component<Ref, T, 0> x, r;
    Component<Ref, T, 1> y, g;
    Component<Ref, T, 2> z, b;
    Component<Ref, T, 3> w, a;
    Components<Ref, T, 0, 1> xy;
    Components<Ref, T, 2, 3> zw;
    Components<Ref, T, 0, 1, 2> xyz, rgb;
  };
  explicit Held(Ref v) : ref(v) {}
};

}  // namespace weft::detail
