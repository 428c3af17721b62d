// Fuse scopes: the calls that a body makes run as one plan, in as few dispatches as their accesses allow, with the bits
// of the same calls made one by one. Recording needs the core library only; what plans and runs is the module weft-fuse.
//
//   weft::FuseReport report = device.fuse([&](weft::Scope& scope) {
//     auto t = scope.scratch(x.length());
//     scale(x, t, 2.0f);
//     scale(t, y, 0.5f);
//   }).get();
#pragma once

#include <weft/device.hpp>
#include <weft/dtype.hpp>
#include <weft/future.hpp>
#include <weft/resident.hpp>
#include <weft/types.hpp>

#include <array>
#include <concepts>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace weft {

/// What a plan may be told (FUSE-CHU will add the chunk).
struct FuseOptions {};

/// Calls that ran together, or one that stood alone (FUSE-REP-08).
struct FuseGroup {
  std::vector<std::string> calls;  // names of the kernels, in call order
  bool fused = false;              // two or more calls as one dispatch (FUSE-REP-09)
  bool indirect = false;           // only ever true of an entry call with indirect counts
  std::optional<std::string> why;  // why it stands apart from the group before it (FUSE-WHY)
  /// Workgroup sizes, one for each loop dispatched; none where the group did not run on WebGPU (FUSE-WGS).
  std::optional<std::vector<std::array<std::uint32_t, 3>>> workgroup_shapes;
  std::optional<double> gpu_time;  // nanoseconds in its passes; none where it was not measured (FUSE-TIM-07)
  bool operator==(const FuseGroup&) const;
};

/// How a plan ran (FUSE-REP). The default is the report of a plan without calls (FUSE-REP-13).
struct FuseReport {
  Tier tier = Tier::cpu;          // the most capable that a call of the plan used
  std::uint64_t dispatches = 0;   // of GPU tiers, fold levels of reductions included
  std::uint64_t submissions = 0;  // to a GPU, and reads of residents from it that a call on the host needed
  std::vector<FuseGroup> groups;
  bool operator==(const FuseReport&) const;
};

/// Several plans reported as one: sums, groups one after the other, the most capable tier (FUSE-REP-12..16).
FuseReport merge_reports(std::span<const FuseReport>);

namespace detail {
struct ScopeAccess;
struct ScopeThread;
}  // namespace detail

/// What a body gets: makes scratch arrays. A thread has one Scope for all its scopes; it may be kept, and refuses once the
/// body has returned or on another thread (FUSE-SCR-06, REC-14).
class Scope {
 public:
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  /// An array for values between calls, which the host never sees: zeros when the plan begins, gone when it is over.
  /// `length` is a whole number in 0..4294967295 of any arithmetic type, else TypeError (FUSE-SCR-04); of vec4f it counts
  /// vectors.
  template <class T = float, class N>
    requires std::is_arithmetic_v<N>
  Resident<T> scratch(N length) {
    static_assert(std::same_as<T, float> || std::same_as<T, std::int32_t> || std::same_as<T, std::uint32_t> ||
                      std::same_as<T, vec4f>,
                  "a scratch array holds float, int32_t, uint32_t or vec4f");
    return Resident<T>(make(dtype_of<T>, count(length)));
  }
  /// With an element of "f32", "i32", "u32" or "vec4f", else TypeError; every array parameter takes the result, and the
  /// plan checks its element (FUSE-SCR-07).
  template <class N>
    requires std::is_arithmetic_v<N>
  AnyResident scratch(N length, std::string_view element) {
    const std::uint64_t n = count(length);
    const DType dtype = element_named(element);
    return AnyResident(make(dtype, n), dtype);
  }

 private:
  friend struct detail::ScopeAccess;
  explicit Scope(detail::Shared<detail::ScopeThread> thread) : thread_(std::move(thread)) {}

  template <class N> static std::uint64_t count(N length) {
    if constexpr (std::is_floating_point_v<N>) return whole(static_cast<long double>(length));
    else if constexpr (std::is_signed_v<N>) return whole(static_cast<std::int64_t>(length));
    else return whole(static_cast<std::uint64_t>(length));
  }
  static std::uint64_t whole(long double);
  static std::uint64_t whole(std::int64_t);
  static std::uint64_t whole(std::uint64_t);
  detail::Shared<runtime::ResidentState> make(DType element, std::uint64_t length);
  static DType element_named(std::string_view);

  detail::Shared<detail::ScopeThread> thread_;  // the one it works on
};

namespace detail {

template <class T> inline constexpr bool is_future = false;
template <class T> inline constexpr bool is_future<Future<T>> = true;
/// What a body may not return: its work would go on after the scope is closed (FUSE-REF-10).
template <class T>
concept Asynchronous =
    is_future<std::remove_cvref_t<T>> || requires { typename std::remove_cvref_t<T>::promise_type; } ||
    requires(T t) { t.await_ready(); } || requires(T t) { std::forward<T>(t).operator co_await(); } ||
    requires(T t) { operator co_await(std::forward<T>(t)); };

/// The scope while a body runs: opens one on `device` (null: the default device), or joins the one that this thread has
/// open (FUSE-NEST-01).
class OpenScope {
 public:
  explicit OpenScope(Shared<runtime::DeviceState> device);
  OpenScope(const OpenScope&) = delete;
  OpenScope& operator=(const OpenScope&) = delete;
  ~OpenScope();

  Scope& scope();
  /// The body has returned: the plan takes its place in the device's queue (FUSE-QUE-01).
  Future<FuseReport> close();
  /// The body threw: what it recorded is taken out, and the futures of those calls reject (FUSE-REF-12, NEST-05).
  void drop(std::exception_ptr);

 private:
  struct Impl;
  Shared<Impl> impl_;
};

/// The body of Device::fuse and of weft::fuse.
template <class Body> Future<FuseReport> run_scope(Shared<runtime::DeviceState> device, Body&& body) {
  constexpr bool takes_scope = std::is_invocable_v<Body&, Scope&>;
  static_assert(takes_scope || std::is_invocable_v<Body&>, "the body of fuse is called as body() or body(Scope&)");
  if constexpr (takes_scope)
    static_assert(!Asynchronous<std::invoke_result_t<Body&, Scope&>>,
                  "the body of fuse must be synchronous: it may not return a Future or anything that is awaited");
  else if constexpr (std::is_invocable_v<Body&>)
    static_assert(!Asynchronous<std::invoke_result_t<Body&>>,
                  "the body of fuse must be synchronous: it may not return a Future or anything that is awaited");
  OpenScope open(std::move(device));
  try {
    if constexpr (takes_scope) static_cast<void>(body(open.scope()));
    else static_cast<void>(body());
  } catch (...) {
    open.drop(std::current_exception());
    throw;
  }
  return open.close();
}

}  // namespace detail

/// Runs `body` once, now, on this thread, and queues the calls it makes as one plan of the default device. The body may
/// not read, write or destroy residents, or wait for its own calls: each throws TypeError (FUSE-REF). The future gives
/// the report once the plan is done, or its first error.
template <class Body> Future<FuseReport> fuse(Body&& body) {
  return detail::run_scope(nullptr, std::forward<Body>(body));
}

template <class Body> Future<FuseReport> Device::fuse(Body&& body) {
  return detail::run_scope(state_, std::forward<Body>(body));
}
template <class Body> Future<FuseReport> Device::fuse(Body&& body, FuseOptions) {
  return detail::run_scope(state_, std::forward<Body>(body));
}

}  // namespace weft
