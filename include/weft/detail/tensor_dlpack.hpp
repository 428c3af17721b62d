// DLPack's C structures, field for field as https://dmlc.github.io/dlpack defines them, under names of Weft's: a pointer to
// one may be cast to the other.
#pragma once

#include <cstdint>

namespace weft::dlpack {

struct Device {
  std::int32_t device_type;  // 1 is host memory
  std::int32_t device_id;
};
struct DataType {
  std::uint8_t code;  // 0 int, 1 unsigned, 2 float, 4 bfloat, 6 bool
  std::uint8_t bits;
  std::uint16_t lanes;
};
struct Tensor {
  void* data;
  Device device;
  std::int32_t ndim;
  DataType dtype;
  std::int64_t* shape;
  std::int64_t* strides;  // in elements; null: C order
  std::uint64_t byte_offset;
};
/// DLManagedTensor.
struct ManagedTensor {
  Tensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(ManagedTensor* self);
};

}  // namespace weft::dlpack
