// Residents as the author holds them: checks at the call, then an item of the owner's queue.
#include <weft/resident.hpp>

#include <weft/device.hpp>
#include <weft/error.hpp>

#include <fmt/format.h>

#include "runtime/device_state.hpp"
#include "runtime/element_name.hpp"
#include "runtime/homes.hpp"
#include "runtime/resident_items.hpp"
#include "runtime/scope.hpp"

namespace weft::detail {
namespace {

using runtime::ResidentState;

constexpr std::uint64_t most_elements = 0xFFFFFFFF;

[[noreturn]] void empty_handle() {
  throw TypeError("a Resident that holds no array was used: it is default-constructed");
}

std::string use_of(const ResidentState& r, const char* use) { return fmt::format("{}.{}()", runtime::shown(r), use); }

std::shared_ptr<runtime::DeviceState> owner_for(const ResidentState& r, const char* use) {
  auto owner = r.owner.lock();
  if (!owner) throw StateError(fmt::format("{}: the device {} that made it is no more", use_of(r, use), r.owner_name));
  return owner;
}

void check_alive(const ResidentState& r, const char* use) {
  if (r.destroyed) throw TypeError(fmt::format("{}: the array was destroyed", use_of(r, use)));
}

}  // namespace

Shared<ResidentState> make_resident(const Shared<runtime::DeviceState>& device, DType element, std::uint64_t length,
                                    const void* from) {
  if (!device) throw StateError("resident: the Device was moved from");
  if (length > most_elements)
    throw RangeError(fmt::format("resident: {} elements are too many; an array holds up to {}", length, most_elements));
  auto r = std::make_shared<ResidentState>();
  r->owner = std::shared_ptr<runtime::DeviceState>(device);
  r->owner_name = device->name;
  r->element = element;
  r->length = length;
  if (from && length > 0) runtime::replace_host(*r, std::make_shared<runtime::HostBuffer>(r->bytes(), from));
  return r;
}

std::uint64_t ResidentBase::length() const {
  if (!state_) empty_handle();
  return state_->bytes() / element_.bytes();
}

const std::string& ResidentBase::owner() const {
  if (!state_) empty_handle();
  return state_->owner_name;
}

std::string ResidentBase::label() const {
  if (!state_) empty_handle();
  std::lock_guard lock(state_->label_mutex);
  return state_->label;
}

void ResidentBase::set_label(std::string name) {
  if (!state_) empty_handle();
  std::lock_guard lock(state_->label_mutex);
  state_->label = std::move(name);
}

ArrayArg ResidentBase::arg() const {
  if (!state_) empty_handle();
  return {state_, nullptr, length(), element_};
}

void ResidentBase::check_view(DType to) const {
  if (!state_) empty_handle();
  if (state_->bytes() % to.bytes() != 0)
    throw RangeError(fmt::format("{}: its {} {} cannot be viewed as {}: {} does not divide them",
                                 runtime::shown(*state_), length(), runtime::element_name(element_),
                                 runtime::element_name(to), to.lanes));
}

void ResidentBase::check_range(Range part, const char* use) const {
  if (!state_) empty_handle();
  check_alive(*state_, use);
  const std::uint64_t n = length();
  if (part.start > n || part.count > n - part.start)
    throw RangeError(fmt::format("{}: elements {} to {} are asked for, and the array has {}", use_of(*state_, use),
                                 part.start, part.start + part.count, n));
}

void ResidentBase::read_bytes(Range part, void* into, Shared<FutureBase> future, Function<void()> done) const {
  future->set_name(use_of(*state_, "read"));
  if (state_->scratch) return future->reject(runtime::scratch_refusal("read()"));
  runtime::refuse_in_scope(use_of(*state_, "read"));
  if (!into && part.count > 0) throw TypeError(use_of(*state_, "read") + ": it was given a null pointer to read into");
  const std::uint64_t size = element_.bytes();
  runtime::push(
      *owner_for(*state_, "read"),
      runtime::read_item(state_, part.start * size, std::span(static_cast<std::byte*>(into), part.count * size),
                         std::move(future), std::move(done)));
}

Future<void> ResidentBase::write_bytes(const void* from, std::uint64_t count, std::uint64_t at) {
  if (!state_) empty_handle();
  if (state_->scratch) std::rethrow_exception(runtime::scratch_refusal("write()"));
  runtime::refuse_in_scope(use_of(*state_, "write"));
  check_range({at, count}, "write");
  if (!from && count > 0) throw TypeError(use_of(*state_, "write") + ": it was given a null pointer to write from");
  auto future = std::make_shared<FutureState<void>>();
  future->set_name(use_of(*state_, "write"));
  const std::uint64_t size = element_.bytes();
  runtime::push(
      *owner_for(*state_, "write"),
      runtime::write_item(state_, at * size, std::make_shared<runtime::HostBuffer>(count * size, from), future));
  return Future<void>(std::move(future));
}

Future<void> ResidentBase::destroy() {
  if (!state_) empty_handle();
  auto future = std::make_shared<FutureState<void>>();
  if (state_->scratch) {  // FUSE-SCR-22
    future->resolve();
    return Future<void>(std::move(future));
  }
  runtime::refuse_in_scope(use_of(*state_, "destroy"));
  auto owner = owner_for(*state_, "destroy");
  if (state_->destroyed.exchange(true))
    throw TypeError(fmt::format("{}: the array was destroyed already", use_of(*state_, "destroy")));
  future->set_name(use_of(*state_, "destroy"));
  runtime::push(*owner, runtime::destroy_item(state_, future));
  return Future<void>(std::move(future));
}

}  // namespace weft::detail
