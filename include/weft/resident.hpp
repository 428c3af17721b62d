// Resident<T>: an array that a device keeps where its calls need it (KER-RES). A handle is cheap to copy; copies and
// views are the same array. Data moves only when needed.
#pragma once

#include <weft/detail/call.hpp>
#include <weft/detail/function.hpp>
#include <weft/dtype.hpp>
#include <weft/future.hpp>

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace weft {

/// What an array may hold (KER-AUTH-02): float, double, int32_t, uint32_t and their vectors.
template <class T>
concept Element = !dtype_of<T>.is_void() && !dtype_of<T>.is_weak() && !dtype_of<T>.is_bool() &&
                  sizeof(T) == dtype_of<T>.bytes() && std::is_trivially_copyable_v<T>;

/// Part of an array: `count` elements from `start` on.
struct Range {
  std::uint64_t start = 0, count = 0;
};

namespace detail {
// std::data, which <span> declares, rather than <ranges> or <iterator>: either takes as long to compile as this header.
template <class R> using element_of = std::remove_cvref_t<decltype(*std::data(std::declval<const R&>()))>;
template <class R>
concept ElementRange = requires(const R& r) {
  std::data(r);
  std::size(r);
} && Element<element_of<R>>;

Shared<runtime::ResidentState> make_resident(const Shared<runtime::DeviceState>&, DType, std::uint64_t length,
                                             const void* from);

/// A resident of an element type known at run time; the untyped half of Resident<T>.
class ResidentBase {
 public:
  ResidentBase() = default;
  ResidentBase(Shared<runtime::ResidentState> s, DType element) : state_(std::move(s)), element_(element) {}

  /// Elements, of the view's type.
  std::uint64_t length() const;
  DType dtype() const { return element_; }
  /// The name of the device that made it.
  const std::string& owner() const;
  std::string label() const;
  /// Gives the array back, after every call made before; using it from now on is a TypeError.
  Future<void> destroy();
  bool valid() const { return state_ != nullptr; }

  ArrayArg arg() const;  // how a call takes it
  const Shared<runtime::ResidentState>& state() const { return state_; }

 protected:
  void set_label(std::string);
  void check_view(DType) const;  // KER-RES-03: RangeError
  /// A checked copy of part of the array: `into` lives until `done`, which then resolves `future`.
  void read_bytes(Range, void* into, Shared<FutureBase> future, Function<void()> done) const;
  void check_range(Range, const char* use) const;
  Future<void> write_bytes(const void* from, std::uint64_t count, std::uint64_t at);

 private:
  Shared<runtime::ResidentState> state_;
  DType element_;
};
}  // namespace detail

template <Element T> class Resident : public detail::ResidentBase {
 public:
  using value_type = T;

  /// Empty: using it is a TypeError.
  Resident() = default;
  explicit Resident(detail::Shared<runtime::ResidentState> s) : ResidentBase(std::move(s), dtype_of<T>) {}

  /// A fresh copy, after every call made before it. Holds the error that the last failed call left on the array.
  Future<std::vector<T>> read() const { return read(Range{0, length()}); }
  Future<std::vector<T>> read(Range part) const {
    check_range(part, "read");
    auto out = detail::share<std::vector<T>>(part.count);
    auto future = detail::share<detail::FutureState<std::vector<T>>>();
    read_bytes(part, out->data(), future, [out, future] { future->resolve(std::move(*out)); });
    return Future<std::vector<T>>(std::move(future));
  }
  /// Copies the first into.size() elements; `into` lives until the future is ready.
  Future<void> read(std::span<T> into) const {
    check_range({0, into.size()}, "read");
    auto future = detail::share<detail::FutureState<void>>();
    read_bytes({0, into.size()}, into.data(), future, [future] { future->resolve(); });
    return Future<void>(std::move(future));
  }
  /// Replaces elements from `at` on, after every call made before; `data` is copied before this returns.
  Future<void> write(std::span<const T> data, std::uint64_t at = 0) {
    return write_bytes(data.data(), data.size(), at);
  }
  Future<void> write(std::initializer_list<T> data, std::uint64_t at = 0) {
    return write_bytes(data.begin(), data.size(), at);
  }

  using ResidentBase::label;
  /// Names the array for messages and GPU tools.
  Resident& label(std::string name) & {
    set_label(std::move(name));
    return *this;
  }
  Resident label(std::string name) && {
    set_label(std::move(name));
    return std::move(*this);
  }

  /// The same memory as vectors of the same scalar (or as that scalar). RangeError where the length does not divide.
  template <Element V> Resident<V> as() const {
    static_assert(dtype_of<V>.scalar == dtype_of<T>.scalar, "a view has the scalar type of its array");
    check_view(dtype_of<V>);
    return Resident<V>(state());
  }
};

/// A resident whose element type is known at run time only.
class AnyResident : public detail::ResidentBase {
 public:
  using ResidentBase::ResidentBase;
  template <Element T> AnyResident(const Resident<T>& r) : ResidentBase(r.state(), dtype_of<T>) {}
};

}  // namespace weft
