#include "runtime/tiers.hpp"

#include <weft/error.hpp>

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include <fmt/format.h>

namespace weft::runtime {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

/// WEFT_TIERS=webgpu,cpu
std::vector<Tier> parse_tiers(const std::string& text) {
  std::vector<Tier> tiers;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string word = text.substr(at, end - at);
    const auto same = [&](Tier t) { return word == name(t); };
    if (same(Tier::webgpu)) tiers.push_back(Tier::webgpu);
    else if (same(Tier::gles)) tiers.push_back(Tier::gles);
    else if (same(Tier::cpu)) tiers.push_back(Tier::cpu);
    else throw TypeError(fmt::format("WEFT_TIERS: \"{}\" is no tier; the tiers are webgpu, gles and cpu", word));
    at = end + 1;
  }
  return tiers;
}

std::string lower(std::string s) {
  for (char& c : s)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return s;
}

bool has_adapter(const backend::Info& info, const std::string& part) {
  return lower(info.adapter).find(lower(part)) != std::string::npos;
}

}  // namespace

Tiers::Tiers(const DeviceOptions& options, DriverSource source) : source_(std::move(source)) {
  options_.adapter = options.adapter.empty() ? environment("WEFT_ADAPTER") : options.adapter;
  options_.limits = options.limits;

  std::vector<Tier> wanted = options.tiers.tiers();
  bool best = options.tiers.is_best();
  if (const std::string stated = environment("WEFT_TIERS"); best && !stated.empty()) {
    wanted = parse_tiers(stated);
    best = false;
  }
  if (best) wanted = {Tier::webgpu, Tier::gles, Tier::cpu};
  if (wanted.empty()) throw TypeError("Device: its list of tiers is empty; name webgpu, gles or cpu, or leave it out");
  for (std::size_t i = 0; i < wanted.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (wanted[i] == wanted[j])
        throw TypeError(fmt::format("Device: its list of tiers names {} twice", name(wanted[i])));
  slots_.resize(wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) slots_[i].tier = wanted[i];

  if (best) order_best();
  check_adapter();
  for (first_ = 0; first_ < slots_.size(); ++first_) {
    open(slots_[first_]);
    if (slots_[first_].backend) break;
  }
  if (first_ == slots_.size()) nothing();
  first_info_ = slots_[first_].backend->info();
}

Tiers::~Tiers() = default;

// A GPU comes first, then the cpu, then what only pretends to be a GPU, which is slower than the cpu tier (KER-DEV-01). An
// adapter that was asked for by name keeps its place.
void Tiers::order_best() {
  for (TierSlot& s : slots_)
    if (s.tier != Tier::cpu) find(s);
  std::vector<TierSlot> first, last;
  for (TierSlot& s : slots_) {
    const bool pretends = s.found && s.found->software && options_.adapter.empty();
    if (pretends)
      s.place = fmt::format("it is a software adapter ({}), which comes after the cpu tier", s.found->adapter);
    (pretends ? last : first).push_back(std::move(s));
  }
  first.insert(first.end(), std::make_move_iterator(last.begin()), std::make_move_iterator(last.end()));
  slots_ = std::move(first);
}

/// Finds the adapter that `open` would take.
void Tiers::find(TierSlot& s) const {
  if (s.found || !s.missing.empty()) return;
  try {
    if (!s.driver) s.driver = source_(s.tier);
    auto all = s.driver->adapters();
    if (!all) {
      s.missing = all.error().message;
      return;
    }
    std::string names;
    for (const backend::Info& info : *all) {
      if (s.tier == Tier::cpu || has_adapter(info, options_.adapter)) {
        s.found = info;
        return;
      }
      names += (names.empty() ? "" : ", ") + info.adapter;
    }
    s.missing = names.empty() ? std::string("there is no adapter")
                              : fmt::format("no adapter's name contains \"{}\"; there is {}", options_.adapter, names);
  } catch (const LoadError& e) { s.missing = e.what(); }
}

// A name that no adapter has is a mistake to hear of, not a reason to go on with another.
void Tiers::check_adapter() const {
  if (options_.adapter.empty()) return;
  std::string tried;
  for (TierSlot& s : slots_) {
    if (s.tier == Tier::cpu) continue;
    find(s);
    if (s.found) return;
    tried += fmt::format("\n  {}: {}", name(s.tier), s.missing);
  }
  if (!tried.empty())
    throw LoadError(fmt::format("Device: no tier has the adapter \"{}\":{}", options_.adapter, tried));
}

void Tiers::open(TierSlot& s) {
  if (s.backend || !s.missing.empty()) return;
  try {
    if (!s.driver) s.driver = source_(s.tier);
    backend::OpenOptions options = options_;
    if (s.tier == Tier::cpu) options.adapter.clear();  // the name is a GPU's
    else if (s.found && !options.adapter.empty()) options.adapter = s.found->adapter;
    auto opened = s.driver->open(options);
    if (opened) s.backend = std::move(*opened), s.found = s.backend->info();
    else s.missing = opened.error().message;
  } catch (const LoadError& e) { s.missing = e.what(); }
}

void Tiers::nothing() const {
  std::string text = "Device: none of its tiers is available:";
  for (const TierSlot& s : slots_) text += fmt::format("\n  {}: {}", name(s.tier), s.missing);
  throw LoadError(text);
}

backend::Backend* Tiers::open(std::size_t k, std::string& why) {
  TierSlot& s = slots_[k];
  if (s.backend) return s.backend.get();  // set by this thread only, once there is a queue
  std::lock_guard lock(mutex_);
  open(s);
  if (!s.backend) why = s.missing;
  return s.backend.get();
}

std::vector<backend::Backend*> Tiers::opened() const {
  std::vector<backend::Backend*> all;
  for (const TierSlot& s : slots_)
    if (s.backend) all.push_back(s.backend.get());
  return all;
}

std::vector<TierInfo> Tiers::info() const {
  std::lock_guard lock(mutex_);
  std::vector<TierInfo> all;
  std::string stated;
  for (std::size_t k = 0; k < slots_.size(); ++k) {
    find(slots_[k]);
    const TierSlot& s = slots_[k];
    TierInfo info;
    info.tier = s.tier;
    info.available = s.missing.empty();
    if (s.found) info.adapter = s.found->adapter, info.driver = s.found->driver, info.software = s.found->software;
    if (!s.missing.empty()) info.reason = s.missing;
    else if (!s.place.empty()) info.reason = s.place;
    else if (k != first_) info.reason = fmt::format("{} comes before it", name(slots_[first_].tier));
    all.push_back(std::move(info));
    stated += (k ? ", " : "") + std::string(name(s.tier));
  }
  for (Tier t : {Tier::webgpu, Tier::gles, Tier::cpu}) {
    if (std::any_of(slots_.begin(), slots_.end(), [&](const TierSlot& s) { return s.tier == t; })) continue;
    TierInfo info;
    info.tier = t;
    info.reason = fmt::format("it is not among the tiers asked for ({})", stated);
    all.push_back(std::move(info));
  }
  return all;
}

}  // namespace weft::runtime
