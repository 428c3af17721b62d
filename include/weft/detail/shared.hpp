// Shared<T>: an object with several owners, as std::shared_ptr has it. <memory> alone is half of what a compiler would
// need for <weft/weft.hpp>, most of it for streams; this is the part of it that public headers use. It converts from and
// to std::shared_ptr where that is known (the library's src/kernel/shared.hpp).
#pragma once

#include <concepts>
#include <cstddef>
#include <utility>

namespace weft::detail {

/// The count of an object's owners and the way to destroy it.
class Owners;
Owners* own(void* object, void (*destroy)(void*));  // the first owner; destroys the object where it throws
void retain(Owners*) noexcept;                      // null has no owners
void release(Owners*) noexcept;

template <class P>
concept StandardShared = requires {
  typename P::element_type;
  typename P::weak_type;
};
template <StandardShared P> Owners* own_standard(P);
template <StandardShared P> P standard(Owners*, typename P::element_type*);

template <class T> class Shared {
 public:
  using Object = T;
  Shared() = default;
  Shared(std::nullptr_t) {}
  /// Owns `object`, made by new.
  template <class U>
    requires std::convertible_to<U*, T*>
  explicit Shared(U* object)
      : object_(object),
        owners_(own(const_cast<void*>(static_cast<const void*>(object)), [](void* o) { delete static_cast<U*>(o); })) {}
  Shared(const Shared& o) noexcept : object_(o.object_), owners_(o.owners_) { retain(owners_); }
  Shared(Shared&& o) noexcept
      : object_(std::exchange(o.object_, nullptr)), owners_(std::exchange(o.owners_, nullptr)) {}
  template <class U>
    requires std::convertible_to<U*, T*>
  Shared(const Shared<U>& o) noexcept : object_(o.object_), owners_(o.owners_) {
    retain(owners_);
  }
  template <class U>
    requires std::convertible_to<U*, T*>
  Shared(Shared<U>&& o) noexcept
      : object_(std::exchange(o.object_, nullptr)), owners_(std::exchange(o.owners_, nullptr)) {}
  template <StandardShared P>
    requires std::convertible_to<typename P::element_type*, T*>
  Shared(P p) : object_(p.get()), owners_(own_standard(std::move(p))) {}
  Shared& operator=(Shared o) noexcept {
    std::swap(object_, o.object_);
    std::swap(owners_, o.owners_);
    return *this;
  }
  ~Shared() { release(owners_); }

  T* get() const { return object_; }
  T& operator*() const { return *object_; }
  T* operator->() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }
  template <class U> bool operator==(const Shared<U>& o) const { return object_ == o.get(); }
  bool operator==(std::nullptr_t) const { return object_ == nullptr; }
  template <StandardShared P>
    requires std::convertible_to<T*, typename P::element_type*>
  operator P() const {
    return standard<P>(owners_, object_);
  }

 private:
  template <class> friend class Shared;
  T* object_ = nullptr;
  Owners* owners_ = nullptr;
};

template <class T, class... A> Shared<T> share(A&&... a) { return Shared<T>(new T(std::forward<A>(a)...)); }

}  // namespace weft::detail
