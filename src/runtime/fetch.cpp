// What is done on the queue's thread until it is done: compiling, and bringing an array to the host.
#include <optional>

#include "runtime/device_state.hpp"
#include "runtime/execute.hpp"
#include "runtime/homes.hpp"

namespace weft::runtime {

backend::CompiledId compile(backend::Backend& where, std::shared_ptr<const trace::Program> program) {
  if (where.lost())
    throw DeviceLost(program->label + ": the device was lost (" + where.info().adapter + "); make a new Device");
  auto result = std::make_shared<std::optional<backend::Expected<backend::CompiledId>>>();
  const std::string label = program->label;
  where.compile(std::move(program), [result](backend::Expected<backend::CompiledId> id) { *result = std::move(id); });
  while (!*result)
    if (!where.pump(std::chrono::milliseconds(1)) && !*result)
      throw DeviceError(label + ": " + where.info().adapter + " lost track of a program it was to compile");
  if (!**result) std::rethrow_exception(to_exception((*result)->error()));
  return ***result;
}

bool fetch(DeviceState& device, ResidentState& r) {
  Home* from = newest(r);
  if (!from || from->address) return false;
  backend::Backend& where = *from->where;
  if (where.lost()) throw DeviceLost(device.lost_message(where));
  const backend::Region region{from->memory, 0, r.bytes()};
  // Into the place on the host that the array has already, on the cpu tier or plain.
  Home* to = nullptr;
  for (Home& h : r.homes)
    if (h.address) to = &h;
  if (to && !to->where && r.host.use_count() > 1 && !r.host->callers()) {
    drop_home(r, to);  // a batch still reads the old contents
    to = nullptr;
  }
  if (!to) {
    r.host = std::make_shared<HostBuffer>(r.bytes());
    to = &r.homes.emplace_back(Home{nullptr, 0, 0, r.host->data()});
  }
  if (to->where) device.drain(*to->where);
  Builder builder(device, where, "fetch");
  builder.batch().passes.push_back({backend::Read{region, {to->address, r.bytes()}}, 0, "fetch"});
  builder.submit();
  while (!builder.done()) device.pump(std::chrono::milliseconds(1));
  builder.finish();
  to->version = r.version;
  return true;
}

}  // namespace weft::runtime
