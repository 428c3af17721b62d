#include "fuse/entries.hpp"

#include <weft/error.hpp>

#include <algorithm>

namespace weft::fusion {

namespace {

template <class T> void add(std::string& key, const T& v) { key.append(reinterpret_cast<const char*>(&v), sizeof v); }

std::string key_of(const Shape& s) {
  std::string key;
  key.reserve(64 * s.faces.size());
  for (std::size_t k = 0; k < s.faces.size(); ++k) {
    add(key, s.faces[k].get());
    for (const Place& p : s.places[k]) add(key, p.number * 4 + static_cast<std::uint32_t>(p.kind));
  }
  add(key, s.workgroup);
  key += {static_cast<char>(s.config.bits), static_cast<char>(s.config.wide), static_cast<char>(s.config.fences)};
  return key;
}

std::shared_ptr<const trace::Program> build(const Shape& s) {
  LinkRequest request{.calls = {}, .workgroup = s.workgroup, .config = s.config};
  for (std::size_t k = 0; k < s.faces.size(); ++k)
    request.calls.push_back({trace::lower_loop(s.faces[k], 0, s.config), s.places[k]});
  return trace::finish(link(request));
}

bool same(const std::weak_ptr<runtime::DeviceState>& a, const std::shared_ptr<runtime::DeviceState>& b) {
  return !a.owner_before(b) && !b.owner_before(a);
}

}  // namespace

bool Entry::failed_on(const std::shared_ptr<runtime::DeviceState>& device) const {
  std::lock_guard lock(mutex_);
  return std::any_of(failed_.begin(), failed_.end(), [&](const auto& f) { return same(f, device); });
}

void Entry::fails_on(const std::shared_ptr<runtime::DeviceState>& device) {
  std::lock_guard lock(mutex_);
  std::erase_if(failed_, [](const auto& f) { return f.expired(); });
  failed_.push_back(device);
}

// An address of the key may belong to another kernel by now; then the entry is not the shape's.
std::shared_ptr<Entry> EntryCache::find(const Shape& s, const std::string& key) {
  const auto face = faces_.find(s.faces.front().get());
  if (face == faces_.end()) return nullptr;
  const auto found = face->second.entries.find(key);
  if (found == face->second.entries.end()) return nullptr;
  for (std::size_t k = 0; k < s.faces.size(); ++k)
    if (found->second->faces_[k].lock() != s.faces[k]) return nullptr;
  return found->second;
}

std::shared_ptr<Entry> EntryCache::get(const Shape& s) {
  const std::string key = key_of(s);
  {
    std::lock_guard lock(mutex_);
    if (auto found = find(s, key)) return found;
  }
  auto entry = std::make_shared<Entry>();
  entry->faces_.assign(s.faces.begin(), s.faces.end());
  try {
    entry->program_ = build(s);
  } catch (const std::exception& e) {  // the calls run apart, and say what is wrong with them where something is
    entry->fault_ = e.what();
  }
  std::lock_guard lock(mutex_);
  if (auto found = find(s, key)) return found;
  ++built_;
  Face& face = faces_[s.faces.front().get()];
  if (face.alive.lock() != s.faces.front()) face = {.alive = s.faces.front(), .entries = {}};
  face.entries[key] = entry;
  if (faces_.size() > prune_at_) prune();
  return entry;
}

void EntryCache::prune() {
  std::erase_if(faces_, [](const auto& f) { return f.second.alive.expired(); });
  prune_at_ = std::max<std::size_t>(64, 2 * faces_.size());
}

std::size_t EntryCache::size() const {
  std::lock_guard lock(mutex_);
  std::size_t n = 0;
  for (const auto& [core, face] : faces_) n += face.alive.expired() ? 0 : face.entries.size();
  return n;
}

std::size_t EntryCache::built() const {
  std::lock_guard lock(mutex_);
  return built_;
}

}  // namespace weft::fusion
