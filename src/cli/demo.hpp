// `weft demo`: a photograph through a chain of kernels on every tier, apart and fused, and what came of it.
#pragma once

#include <weft/weft.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "image.hpp"
#include "photo.hpp"

namespace weft::cli {

struct DemoOptions {
  std::string image;              // empty: the photograph that comes with the program
  std::string out = "weft-demo";  // folder for photo.png and report.html
  std::vector<Tier> tiers;        // empty: every tier present
  int repeat = 5;                 // timed runs, apart and fused in turn
  bool json = false;
};

struct TierResult {
  Tier tier = Tier::cpu;
  std::string adapter;
  bool software = false;
  FuseReport report;  // of the fused run
  std::uint64_t apart_dispatches = 0, apart_submissions = 0;
  double apart_ms = 0, fused_ms = 0;  // medians, from the first call to the results on the host
  std::vector<std::uint32_t> pixels;  // of the fused run
  Luminance luminance{};
  bool equal = false;  // memcmp of apart and fused: pixels and luminance
};

struct Agreement {
  std::string a, b;  // adapters
  bool equal = false;
  std::uint64_t differing = 0;  // pixels
};

struct DemoResult {
  std::string source;  // the image's file name
  Image before, after;
  std::vector<TierResult> tiers;
  std::vector<std::pair<Tier, std::string>> absent;  // and why
  std::vector<Agreement> agreements;
  std::uint64_t calls = 0;
};

/// Runs the chain and writes the pictures and the report into `options.out`; prints as it goes. Returns the exit code.
int demo_command(const DemoOptions&);

/// One file that opens without a network: pictures, plans with the reasons on their cuts, times.
std::string report_html(const DemoResult&);

/// The same as data.
std::string report_json(const DemoResult&);

}  // namespace weft::cli
