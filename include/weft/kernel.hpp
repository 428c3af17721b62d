// kernel: makes a Kernel of a lambda, by running it once on the host and recording what it would do (KER-AUTH). A Kernel is
// called with residents, host memory and scalars, and gives a Future of its result.
#pragma once

#include <weft/control.hpp>
#include <weft/detail/signature.hpp>
#include <weft/error.hpp>
#include <weft/future.hpp>
#include <weft/math.hpp>
#include <weft/types.hpp>

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace weft {
namespace detail {

struct FusibleOption {};
struct WorkgroupOption {
  std::uint32_t size;
};

struct KernelOptions {
  bool fusible = false;
  std::optional<std::uint32_t> workgroup;
  std::optional<weft::Bits> bits;
  void set(FusibleOption) { fusible = true; }
  void set(WorkgroupOption w) { workgroup = w.size; }
  void set(weft::Bits b) { bits = b; }
};
template <class O>
concept KernelOption = requires(KernelOptions& k, const O& o) { k.set(o); };

/// The lambda, borrowed: runs it with its parameters.
struct KernelBody {
  void* self;
  void (*run)(void* self, std::span<const Expr> params);
};
Shared<const trace::KernelCore> trace_kernel(std::string_view signature, const KernelOptions&,
                                             std::span<const ParamSpec>, KernelBody);
const std::string& kernel_name(const trace::KernelCore&);
std::string explain(const Shared<const trace::KernelCore>&);

}  // namespace detail

/// The kernel may be fused with its neighbours in a fuse scope (MODEL-27).
inline constexpr detail::FusibleOption fusible;
/// Invocations of a workgroup on a GPU: a power of two from 1 to 1024, else the kernel is refused with a TypeError.
constexpr detail::WorkgroupOption workgroup_size(std::uint32_t n) { return {n}; }

template <class Signature> class Kernel;

/// A traced kernel; cheap to copy, safe to use from any thread (KER-AUTH-09).
template <class R, class... P> class Kernel<R(P...)> {
 public:
  using Result = typename detail::result_of<R>::type;
  explicit Kernel(detail::Shared<const trace::KernelCore> core) : core_(std::move(core)) {}

  /// Queues a call on the owner of its residents, or on the default device (KER-CALL-01). Throws TypeError at once for
  /// residents of two owners; every other failure is in the future.
  Future<Result> operator()(detail::Arg<P>... args) const {
    auto state = detail::share<detail::FutureState<Result>>();
    detail::CallRequest request(core_, state);
    (request.add(args.call_arg()), ...);
    request.deliver = [state =
                           state.get()](std::span<const detail::ScalarValue> words) {  // the request holds the state
      if constexpr (std::is_void_v<Result>) state->resolve();
      else state->resolve(detail::take_result<Result>(words));
    };
    detail::enqueue(std::move(request));
    return Future<Result>(std::move(state));
  }

  /// As in the signature.
  const std::string& name() const { return detail::kernel_name(*core_); }
  /// Per loop: what was proved, the accesses, the reductions; per tier the emitted code or why there is none.
  std::string explain() const { return detail::explain(core_); }

  const detail::Shared<const trace::KernelCore>& core() const { return core_; }  // the library's

 private:
  detail::Shared<const trace::KernelCore> core_;
};

namespace detail {

template <class F, class R, class... P>
Kernel<R(P...)> make_kernel(std::string_view signature, const KernelOptions& options, F& f,
                            std::type_identity<R(P...)>) {
  static_assert((is_parameter<P> && ...),
                "weft: the parameters of a kernel's lambda are Array<T>, Array<const T> and Scalar<T>");
  if constexpr ((is_parameter<P> && ...)) {
    static constexpr std::array<ParamSpec, sizeof...(P)> specs{Arg<P>::spec...};
    const auto run = [](void* self, std::span<const Expr> params) {
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        std::tuple<P...> args{P(params[I])...};
        if constexpr (std::is_void_v<R>) std::apply(*static_cast<F*>(self), args);
        else give(std::apply(*static_cast<F*>(self), args));
      }(std::index_sequence_for<P...>());
    };
    return Kernel<R(P...)>(trace_kernel(signature, options, specs, {borrowed(f), run}));
  } else {
    return Kernel<R(P...)>(nullptr);
  }
}

template <class... O> void set_options(KernelOptions& k, const O&... options) {
  static_assert((KernelOption<O> && ...),
                "weft: a kernel's options are fusible, workgroup_size(n) and Bits; its lambda comes last");
  (k.set(options), ...);
}

}  // namespace detail

/// Makes a kernel. `signature` is "name(p1, p2, ...)": the names of the kernel and of the lambda's parameters, used in every
/// message and report (KER-AUTH-01); then options (fusible, workgroup_size(n), Bits), then the lambda. Throws TypeError for
/// a malformed signature, and what the lambda does wrong, in the author's names.
template <class... A> auto kernel(std::string_view signature, A&&... options_and_lambda) {
  static_assert(sizeof...(A) > 0, "weft: a kernel needs a lambda");
  auto all = std::forward_as_tuple(options_and_lambda...);
  auto& f = std::get<sizeof...(A) - 1>(all);
  detail::KernelOptions options;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    detail::set_options(options, std::get<I>(all)...);
  }(std::make_index_sequence<sizeof...(A) - 1>());
  using F = std::remove_cvref_t<decltype(f)>;
  return detail::make_kernel(signature, options, f, std::type_identity<typename detail::signature_of<F>::type>());
}

}  // namespace weft
