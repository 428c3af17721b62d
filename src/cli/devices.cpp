#include "devices.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <weft/weft.hpp>

namespace weft::cli {
namespace {

void print(const DeviceInfo& info) {
  fmt::print("{}: {}{}\n  driver   {}\n", name(info.tier), info.adapter, info.software ? " (software)" : "",
             info.driver);
  for (auto& [limit, value] : info.limits) fmt::print("  {:<40} {}\n", limit, value);
  if (!info.features.empty()) fmt::print("  features {}\n", fmt::join(info.features, ", "));
  for (const std::string& clause : info.inexact) fmt::print("  not exact: {}\n", clause);
}

nlohmann::json json_of(const DeviceInfo& info) {
  nlohmann::json limits = nlohmann::json::object();
  for (auto& [limit, value] : info.limits) limits[limit] = value;
  return {{"tier", name(info.tier)},   {"available", true}, {"adapter", info.adapter},   {"driver", info.driver},
          {"software", info.software}, {"limits", limits},  {"features", info.features}, {"inexact", info.inexact}};
}

}  // namespace

int devices_command(bool json) {
  nlohmann::json rows = nlohmann::json::array();
  bool any = false;
  for (Tier tier : {Tier::webgpu, Tier::gles, Tier::cpu}) {
    try {
      const Device device(DeviceOptions{.tiers = {tier}});
      any = true;
      if (json) rows.push_back(json_of(device.info()));
      else print(device.info());
    } catch (const LoadError& e) {
      if (json) rows.push_back({{"tier", name(tier)}, {"available", false}, {"why", e.what()}});
      else fmt::print("{}: not available\n  {}\n", name(tier), e.what());
    }
  }
  if (json) fmt::print("{}\n", rows.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  return any ? 0 : 1;
}

}  // namespace weft::cli
