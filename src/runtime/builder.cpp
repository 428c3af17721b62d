// A batch under construction: memory brought to the backend, folded values brought back.
#include <algorithm>
#include <cstring>
#include <unordered_map>

#include <fmt/format.h>

#include "runtime/device_state.hpp"
#include "runtime/element_name.hpp"
#include "runtime/execute.hpp"
#include "runtime/homes.hpp"

namespace weft::runtime {
namespace {

// Folded values are 4 to 32 bytes, but a GPU binds storage at multiples of this.
constexpr std::uint64_t fold_stride = 256, fold_arena = 16 * fold_stride;
// No tier binds nothing, so an empty array has this many bytes, which nobody reads: the length says so.
constexpr std::uint64_t least_bytes = 32;

constexpr std::uint64_t rounded(std::uint64_t bytes) { return std::max(least_bytes, (bytes + 15) / 16 * 16); }

}  // namespace

struct Builder::Impl {
  Impl(DeviceState& d, backend::Backend& b) : device(d), where(b) {}
  DeviceState& device;
  backend::Backend& where;
  backend::Batch batch;
  std::shared_ptr<Flight> flight = std::make_shared<Flight>();
  std::unordered_map<ResidentState*, std::pair<std::shared_ptr<ResidentState>, backend::Region>> brought;
  std::vector<std::shared_ptr<ResidentState>> written;
  struct Uploaded {
    std::shared_ptr<ResidentState> state;
    std::uint64_t version;
  };
  std::vector<Uploaded> uploaded;
  struct Arena {
    backend::MemoryId memory;
    std::uint64_t used = 0;
    std::shared_ptr<std::vector<std::byte>> read;
  };
  std::vector<Arena> arenas;
  struct Value {
    std::size_t arena;
    std::uint64_t offset;
    std::shared_ptr<std::vector<std::byte>> bytes;
  };
  std::vector<Value> values;
  bool submitted = false, finished = false;

  void check_there() const {
    if (where.lost()) throw DeviceLost(device.lost_message(where));
  }
  backend::MemoryId create(std::uint64_t bytes, const std::string& label) {
    auto made = where.create({rounded(bytes), label});
    if (!made) std::rethrow_exception(to_exception(made.error()));
    ++device.counters.buffers;
    return *made;
  }
  void pass(std::variant<backend::Run, backend::Upload, backend::Copy, backend::Fill, backend::Read> what,
            std::string label) {
    batch.passes.push_back({std::move(what), 0, std::move(label)});
  }
  Home& settle_home(ResidentState& r, const std::string& label);
  backend::MemoryId fold_memory();
  void upload(ResidentState& r, const Home& to, const std::byte* from, const std::string& label);
  void take_back_uploads(const backend::ErrorRecord*);
  void note_host_uses();
};

/// A current home of the array on this backend.
Home& Builder::Impl::settle_home(ResidentState& r, const std::string& label) {
  const std::uint64_t bytes = r.bytes();
  Home* here = home_on(r, &where);
  if (here && here->version == r.version) return *here;

  Home* from = newest(r);
  if (!from) {
    const auto memory = create(bytes, label);
    return r.homes.emplace_back(Home{&where, memory, r.version, where.host_pointer(memory)});
  }
  if (!from->address) {  // fetch() was to bring it to the host
    if (from->where->lost()) throw DeviceLost(device.lost_message(*from->where));
    throw StateError(fmt::format("{}: its newest copy is on another tier", label));
  }
  const std::byte* address = from->address;
  if (!from->where && bytes > 0) {
    // Plain host memory becomes the backend's where it can, and there is no second copy.
    if (auto used = where.import({from->address, bytes})) {
      if (here) drop_home(r, here);
      Home* plain = home_on(r, nullptr);
      *plain = {&where, *used, r.version, plain->address};
      return *plain;
    } else if (used.error().kind != backend::ErrorKind::unsupported) {
      std::rethrow_exception(to_exception(used.error()));
    }
  }
  if (!here) {
    const auto memory = create(bytes, label);
    here = &r.homes.emplace_back(Home{&where, memory, 0, where.host_pointer(memory)});
  }
  upload(r, *here, address, label);
  here->version = r.version;
  return *here;
}

void Builder::Impl::upload(ResidentState& r, const Home& to, const std::byte* from, const std::string& label) {
  const std::uint64_t bytes = r.bytes();
  if (bytes == 0) return;
  flight->kept.push_back(r.host);  // it may be replaced before the batch is done
  pass(backend::Upload{{to.memory, 0, bytes}, {from, bytes}}, label);
  uploaded.push_back({r.shared_from_this(), r.version});
}

backend::MemoryId Builder::Impl::fold_memory() {
  auto& spare = device.fold_arenas;
  const auto found = std::find_if(spare.begin(), spare.end(), [&](const auto& a) { return a.first == &where; });
  if (found == spare.end()) return create(fold_arena, "folds");
  const auto memory = found->second;
  spare.erase(found);
  return memory;
}

/// The batch did not run, so what it was to upload is not there. Batches behind it that counted on it fail as well.
void Builder::Impl::take_back_uploads(const backend::ErrorRecord* error) {
  for (const Uploaded& u : uploaded) {
    if (Home* h = home_on(*u.state, &where); h && h->version == u.version) drop_home(*u.state, h);
    if (!error) continue;
    for (const auto& f : device.unsettled)
      if (f->backend == &where && std::find(f->uses.begin(), f->uses.end(), u.state.get()) != f->uses.end() &&
          (!f->result || *f->result))
        f->failed_before = *error;
  }
  uploaded.clear();
}

/// The callers' memory of the batch: what it uploads from, reads into or works on in place. A GPU takes an upload at once
/// and gives a read when it is done, so a batch behind it may have to wait (KER-DEV-02).
void Builder::Impl::note_host_uses() {
  auto& uses = flight->host;
  for (const auto& p : batch.passes) {
    if (const auto* up = std::get_if<backend::Upload>(&p.what))
      uses.push_back({up->from.data(), up->from.size(), false, where.host_pointer(up->to.memory) != nullptr});
    else if (const auto* down = std::get_if<backend::Read>(&p.what); down && p.label != "folds")
      uses.push_back({down->into.data(), down->into.size(), true, where.host_pointer(down->from.memory) != nullptr});
  }
  for (const auto& [state, b] : brought)
    if (state->host && state->host->callers() && where.host_pointer(b.second.memory)) {
      const bool is_written = std::find(written.begin(), written.end(), b.first) != written.end();
      uses.push_back({state->host->data(), state->bytes(), is_written, true});
    }
}

Builder::Builder(DeviceState& device, backend::Backend& where, std::string label, bool timed)
    : impl_(new Impl(device, where)) {
  impl_->batch.label = std::move(label);
  impl_->batch.timed = timed;
  impl_->flight->backend = &where;
}

Builder::~Builder() {
  if (!impl_) return;
  // What the batch reads and writes lives in its callers: leaving it alone is no choice.
  if (impl_->submitted) {
    while (!done()) impl_->device.pump(std::chrono::milliseconds(1));
  } else {
    impl_->take_back_uploads(nullptr);
  }
  std::erase(impl_->device.unsettled, impl_->flight);
  for (const auto& a : impl_->arenas) impl_->device.fold_arenas.emplace_back(&impl_->where, a.memory);
}

DeviceState& Builder::device() { return impl_->device; }
backend::Backend& Builder::backend() { return impl_->where; }
backend::Batch& Builder::batch() { return impl_->batch; }

backend::Region Builder::bring(const Bound& bound, const std::string& label) {
  ResidentState& r = *bound.resident;
  if (const auto found = impl_->brought.find(&r); found != impl_->brought.end()) return found->second.second;
  impl_->check_there();
  std::string name = label;
  {
    std::lock_guard lock(r.label_mutex);
    if (!r.label.empty()) name = r.label;
  }
  const Home& home = impl_->settle_home(r, name);
  const backend::Region region{home.memory, 0, r.bytes() ? r.bytes() : least_bytes};
  if (r.host) impl_->flight->kept.push_back(r.host);
  impl_->brought.emplace(&r, std::pair(bound.resident, region));
  return region;
}

void Builder::writes(const Bound& bound) {
  auto& w = impl_->written;
  if (std::find(w.begin(), w.end(), bound.resident) == w.end()) w.push_back(bound.resident);
}

Builder::FoldValue Builder::fold_value(DType dtype) {
  impl_->check_there();
  auto& arenas = impl_->arenas;
  if (arenas.empty() || arenas.back().used + fold_stride > fold_arena)
    arenas.push_back({impl_->fold_memory(), 0, std::make_shared<std::vector<std::byte>>()});
  auto& arena = arenas.back();
  FoldValue value{{arena.memory, arena.used, dtype.bytes()}, std::make_shared<std::vector<std::byte>>(dtype.bytes())};
  impl_->values.push_back({arenas.size() - 1, arena.used, value.bytes});
  arena.used += fold_stride;
  return value;
}

void Builder::keep(std::shared_ptr<const void> what) { impl_->flight->kept.push_back(std::move(what)); }

void Builder::submit() {
  DeviceState& device = impl_->device;
  backend::Backend& where = impl_->where;
  backend::Batch& batch = impl_->batch;
  const std::shared_ptr<Flight>& flight = impl_->flight;
  impl_->submitted = true;
  if (batch.passes.empty()) {
    flight->result = backend::Outcome{};
    return;
  }
  for (auto& a : impl_->arenas) {
    a.read->resize(a.used - fold_stride + 32);
    impl_->pass(backend::Read{{a.memory, 0, a.read->size()}, *a.read}, "folds");
    flight->kept.push_back(a.read);
  }
  // From here on the order of the backend makes what is written visible to what comes later.
  for (const auto& r : impl_->written) {
    Home* home = home_on(*r, &where);
    wrote(*r, *home);
    if (r->host && r->host->callers() && home->address != r->host->data() && r->bytes() > 0)
      impl_->pass(backend::Read{{home->memory, 0, r->bytes()}, {r->host->data(), r->bytes()}}, "host memory");
  }
  for (const auto& [state, b] : impl_->brought) flight->kept.push_back(b.first), flight->uses.push_back(state);
  device.counters.passes += batch.passes.size();
  for (const auto& p : batch.passes) {
    if (const auto* up = std::get_if<backend::Upload>(&p.what))
      device.counters.uploads += !where.host_pointer(up->to.memory);
    else if (const auto* down = std::get_if<backend::Read>(&p.what))
      device.counters.downloads += p.label != "folds" && !where.host_pointer(down->from.memory);
  }
  // Two tiers share host memory, so only one of them has work under way at a time.
  device.drain_others(where);
  impl_->note_host_uses();
  device.drain_host(flight->host);
  if (where.lost()) {
    flight->result = backend::ErrorRecord{backend::ErrorKind::lost, device.lost_message(where), ""};
    return;
  }
  device.unsettled.push_back(flight);
  device.flights.push_back(flight);
  where.submit(std::move(batch), [flight = flight](backend::Expected<backend::Outcome> outcome) {
    if (!flight->result) flight->result = std::move(outcome);
  });
  if (flight->result) std::erase(device.flights, flight);
}

bool Builder::done() const { return impl_->flight->result.has_value(); }

backend::Outcome Builder::finish() {
  auto& result = *impl_->flight->result;
  std::erase(impl_->device.unsettled, impl_->flight);
  if (impl_->flight->failed_before && result) result = *impl_->flight->failed_before;
  if (!result) impl_->take_back_uploads(&result.error());
  impl_->flight->kept.clear();
  if (!result) {
    if (result.error().kind == backend::ErrorKind::lost)
      throw DeviceLost(impl_->device.lost_message(impl_->where) + ": " + result.error().message);
    std::rethrow_exception(to_exception(result.error()));
  }
  for (const auto& v : impl_->values)
    std::memcpy(v.bytes->data(), impl_->arenas[v.arena].read->data() + v.offset, v.bytes->size());
  if (!impl_->finished) {
    for (const auto& p : result->passes) impl_->device.counters.dispatches += p.dispatches;
    impl_->device.counters.submissions += result->submissions;
    impl_->finished = true;
  }
  return *result;
}

}  // namespace weft::runtime
