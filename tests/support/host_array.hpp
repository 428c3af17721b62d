// Host arrays with an element type, and the arguments of a call: what evaluators, generators and differential tests pass
// around.
#pragma once

#include <weft/detail/call.hpp>

#include <bit>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

namespace weft::test {

struct HostArray {
  DType element;
  std::vector<std::byte> bytes;

  HostArray() = default;
  HostArray(DType type, std::size_t length) : element(type), bytes(length * type.bytes()) {}
  template <class T> static HostArray of(std::span<const T> values) {
    HostArray a(dtype_of<T>, values.size());
    if (!values.empty()) std::memcpy(a.bytes.data(), values.data(), a.bytes.size());
    return a;
  }
  template <class T> static HostArray of(std::initializer_list<T> values) {
    return of(std::span<const T>(values.begin(), values.size()));
  }
  template <class T> static HostArray of(const std::vector<T>& values) { return of(std::span<const T>(values)); }

  std::size_t length() const { return bytes.empty() ? 0 : bytes.size() / element.bytes(); }
  template <class T> std::vector<T> values() const {
    std::vector<T> v(bytes.size() / sizeof(T));
    if (!v.empty()) std::memcpy(v.data(), bytes.data(), bytes.size());
    return v;
  }
  bool operator==(const HostArray&) const = default;
};

/// The arguments of a call, by parameter: a scalar has an empty array, an array has an empty scalar.
struct Arguments {
  std::vector<HostArray> arrays;
  std::vector<detail::ScalarValue> scalars;
};

inline detail::ScalarValue scalar(float v) { return {ScalarType::float32, std::bit_cast<std::uint32_t>(v)}; }
inline detail::ScalarValue scalar(std::int32_t v) {
  return {ScalarType::int32, static_cast<std::uint64_t>(static_cast<std::int64_t>(v))};
}
inline detail::ScalarValue scalar(std::uint32_t v) { return {ScalarType::uint32, v}; }

}  // namespace weft::test
