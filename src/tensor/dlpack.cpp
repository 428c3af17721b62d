// Tensors to and from DLPack.
#include <string>
#include <vector>

#include <weft/error.hpp>
#include <weft/tensor_io.hpp>

#include "copy/strided_copy.hpp"
#include "tensor/element_text.hpp"
#include "tensor/layout.hpp"
#include "tensor/row_order.hpp"

namespace weft::detail {
namespace {

constexpr std::int32_t host = 1;

dlpack::DataType type_of(ElementCode e) {
  const std::uint8_t code = e.kind == 'i' ? 0 : e.kind == 'u' ? 1 : e.kind == 'f' ? 2 : e.kind == 'B' ? 4 : 6;
  return {code, static_cast<std::uint8_t>(e.bytes * 8), 1};
}

/// What a tensor that was given away keeps.
struct Lent {
  dlpack::ManagedTensor managed{};
  Shared<HostBuffer> buffer;
  std::vector<std::int64_t> shape, strides;
};

/// Whether positions 0 .. size - 1 are all elements, so that memory of the elements is memory of the mapping.
bool is_full(const Mapping& m, const Strides& s, const TensorAxes& axes) {
  std::uint64_t elements = 1;
  for (const Axis& a : axes) elements *= a.size;
  return s.offset == 0 && elements == m.size();
}

}  // namespace

Strides strides_of(const Mapping& m) {
  const TensorAxes axes = axes_of(m);
  const auto layout = layout_of(m, axes);
  Strides s;
  std::uint64_t extent[max_mapping_nodes];
  for (std::size_t a = 0; a < axes.size(); ++a) extent[a] = 1;
  bool strided = layout && layout->live.size() == 1;
  for (const Axis& a : axes)
    if (a.size == 0) return s;  // no element
  if (strided) {
    const Box& box = layout->live[0];
    s.offset = box.position;
    for (const Digit& d : box.digits) {
      if (d.target < 0) continue;  // of several positions, the first
      const auto a = static_cast<std::size_t>(d.target);
      strided = strided && d.stride == 1 && extent[a] == 1;
      extent[a] = d.extent, s.stride[a] = d.position;
    }
    for (std::size_t a = 0; a < axes.size(); ++a)
      strided = strided && extent[a] == axes[a].size && !box.base_at(static_cast<int>(a));
  }
  if (!strided)
    throw MappingError("HostTensor " + quoted(m) + ": its axes do not each have one stride; relayout it to " +
                           quoted(row_order(axes)) + " first.",
                       name(MappingErrorKind::unexpected_view));
  return s;
}

dlpack::ManagedTensor* to_dlpack(const Mapping& m, const Shared<HostBuffer>& buffer, ElementCode element) {
  const Strides s = strides_of(m);
  const TensorAxes axes = axes_of(m);
  auto* lent = new Lent;
  lent->buffer = buffer;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    lent->shape.push_back(static_cast<std::int64_t>(axes[a].size));
    lent->strides.push_back(static_cast<std::int64_t>(s.stride[a]));
  }
  lent->managed.dl_tensor = {buffer->data(),          {host, 0},          static_cast<std::int32_t>(axes.size()),
                             type_of(element),        lent->shape.data(), lent->strides.data(),
                             s.offset * element.bytes};
  lent->managed.manager_ctx = lent;
  lent->managed.deleter = [](dlpack::ManagedTensor* t) { delete static_cast<Lent*>(t->manager_ctx); };
  return &lent->managed;
}

Shared<HostBuffer> from_dlpack(dlpack::ManagedTensor* managed, const Mapping& m, ElementCode element) {
  const TensorAxes axes = axes_of(m);
  const auto fail = [&](const std::string& reason) {
    throw TypeError("HostTensor " + quoted(m) + " from DLPack: " + reason);
  };
  if (!managed) fail("the tensor is null.");
  const dlpack::Tensor& t = managed->dl_tensor;
  if (t.device.device_type != host)
    fail("its memory is of device type " + std::to_string(t.device.device_type) + "; host memory is type 1.");
  const dlpack::DataType want = type_of(element);
  if (t.dtype.code != want.code || t.dtype.bits != want.bits || t.dtype.lanes != 1)
    fail("its elements have type code " + std::to_string(t.dtype.code) + ", " + std::to_string(t.dtype.bits) +
         " bits, " + std::to_string(t.dtype.lanes) + " lanes; the tensor's code " + std::to_string(want.code) + ", " +
         std::to_string(want.bits) + " bits.");
  if (t.ndim < 0 || static_cast<std::size_t>(t.ndim) != axes.size() || (t.ndim && !t.shape))
    fail("it has " + std::to_string(t.ndim) + " dimensions, the mapping " + std::to_string(axes.size()) + " axes.");
  std::uint64_t elements = 1;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    if (t.shape[a] < 0 || static_cast<std::uint64_t>(t.shape[a]) != axes[a].size)
      fail("its dimension " + std::to_string(a) + " is " + std::to_string(t.shape[a]) + ", axis " +
           to_string(axes[a].name) + " has size " + std::to_string(axes[a].size) + ".");
    elements *= axes[a].size;
  }
  if (elements && !t.data) fail("its data is null.");

  // The box of its elements; absent strides are those of C order.
  CopyBox box;
  std::uint64_t stride = elements;
  for (std::size_t a = 0; a < axes.size() && elements; ++a) {
    stride /= axes[a].size;
    box.dims.push_back({axes[a].size, stride, t.strides ? static_cast<std::uint64_t>(t.strides[a]) : stride});
  }
  auto* data = static_cast<std::byte*>(t.data) + (t.data ? t.byte_offset : 0);
  const auto release = [](void* lender) {
    auto* lent = static_cast<dlpack::ManagedTensor*>(lender);
    if (lent->deleter) lent->deleter(lent);
  };
  const auto layout = layout_of(m, axes);
  bool same =
      elements && layout && layout->live.size() == 1 && reinterpret_cast<std::uintptr_t>(data) % element.bytes == 0;
  if (same) try {
      const Strides s = strides_of(m);
      same = is_full(m, s, axes);
      for (std::size_t a = 0; a < axes.size(); ++a)
        same = same && (axes[a].size == 1 || s.stride[a] == box.dims[a].from);
    } catch (const MappingError&) { same = false; }
  if (same) return share<HostBuffer>(data, managed, release);

  const Mapping rows = row_order(axes);
  auto result = share<HostBuffer>(m, element.bytes);
  const auto plan = make_relayout(rows, m);
  if (elements) {
    const HostBuffer copy(rows, element.bytes);
    arrange(box);
    copy_box(box, data, static_cast<std::byte*>(copy.data()), element.bytes);
    run_relayout(*plan, copy.data(), result->data(), element.bytes);
  }
  release(managed);
  return result;
}

}  // namespace weft::detail
