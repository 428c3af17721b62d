#include "runtime/driver_source.hpp"

#include <weft/error.hpp>

#include <mutex>
#include <string>

#include "runtime/module.hpp"

namespace weft::runtime {
namespace {

std::mutex source_mutex;
DriverSource test_source;

backend::Driver* from_module(Tier tier) {
  return static_cast<backend::Driver*>(load_module("weft-" + std::string(name(tier))));
}

}  // namespace

DriverSource driver_source() {
  std::lock_guard lock(source_mutex);
  return test_source ? test_source : DriverSource(from_module);
}

void set_driver_source(DriverSource source) {
  std::lock_guard lock(source_mutex);
  test_source = std::move(source);
}

}  // namespace weft::runtime
