#include "demo.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "share.hpp"

namespace weft::cli {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds(Clock::duration d) { return std::chrono::duration<double, std::milli>(d).count(); }

double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
  return v[v.size() / 2];
}

// What a run gave, compared by its bits.
struct Developed {
  std::vector<std::uint32_t> pixels;
  Luminance luminance;
  bool operator==(const Developed& o) const {
    return pixels.size() == o.pixels.size() &&
           std::memcmp(pixels.data(), o.pixels.data(), pixels.size() * sizeof pixels[0]) == 0 &&
           std::memcmp(&luminance, &o.luminance, sizeof luminance) == 0;
  }
};

// Says on stderr what is being done, once it has been quiet for a second.
class Progress {
 public:
  void step(const std::string& what) {
    if (Clock::now() - last_ < std::chrono::seconds(1)) return;
    last_ = Clock::now();
    fmt::print(stderr, "... {}\n", what);
  }
 private:
  Clock::time_point last_ = Clock::now();
};

TierResult run_tier(Device& device, const DemoResult& demo, int repeat, Progress& progress) {
  const DeviceInfo info = device.info();
  TierResult result;
  result.tier = info.tier;
  result.adapter = info.adapter;
  result.software = info.software;

  Photo photo(device, demo.before);
  progress.step(fmt::format("{}: compiling the kernels", name(info.tier)));
  Developed apart, fused;
  apart.luminance = photo.apart();
  apart.pixels = photo.pixels();
  const DeviceStats before = device.stats();
  photo.apart();
  const DeviceStats after = device.stats();
  result.apart_dispatches = after.dispatches - before.dispatches;
  result.apart_submissions = after.submissions - before.submissions;
  fused.luminance = photo.fused(result.report);
  fused.pixels = photo.pixels();
  result.equal = apart == fused;

  std::vector<double> apart_ms, fused_ms;
  for (int r = 0; r < repeat; ++r) {
    progress.step(fmt::format("{}: run {} of {}", name(info.tier), r + 1, repeat));
    auto t0 = Clock::now();
    photo.apart();
    device.wait();
    auto t1 = Clock::now();
    photo.fused(result.report);
    device.wait();
    auto t2 = Clock::now();
    apart_ms.push_back(milliseconds(t1 - t0));
    fused_ms.push_back(milliseconds(t2 - t1));
  }
  result.apart_ms = median(apart_ms);
  result.fused_ms = median(fused_ms);
  result.pixels = std::move(fused.pixels);
  result.luminance = fused.luminance;
  return result;
}

void print_tier(const TierResult& t) {
  fmt::print("{}: {}{}\n", name(t.tier), t.adapter, t.software ? " (software)" : "");
  for (const FuseGroup& group : t.report.groups) {
    if (group.why) fmt::print("    {}\n", *group.why);
    fmt::print("  {} {}", group.fused ? "fused" : "alone", fmt::join(group.calls, " + "));
    if (group.gpu_time) fmt::print("  ({:.3f} ms)", *group.gpu_time / 1e6);
    fmt::print("\n");
  }
  double gpu = 0;
  bool timed = false;
  for (const FuseGroup& group : t.report.groups)
    if (group.gpu_time) gpu += *group.gpu_time, timed = true;
  fmt::print("  apart: {} dispatches, {} submissions, {:.2f} ms\n", t.apart_dispatches, t.apart_submissions,
             t.apart_ms);
  fmt::print("  fused: {} dispatches, {} submissions, {:.2f} ms{}\n", t.report.dispatches, t.report.submissions,
             t.fused_ms, timed ? fmt::format(", {:.2f} ms of it on the device", gpu / 1e6) : "");
  fmt::print("  luminance {:.4f} .. {:.4f}, mean {:.6f}\n", t.luminance.least, t.luminance.greatest, t.luminance.mean);
  fmt::print("  bits, apart and fused: {}\n\n", t.equal ? "equal" : "DIFFER");
}

std::vector<Agreement> agreements(const std::vector<TierResult>& tiers) {
  std::vector<Agreement> all;
  for (std::size_t a = 0; a < tiers.size(); ++a)
    for (std::size_t b = a + 1; b < tiers.size(); ++b) {
      const TierResult &x = tiers[a], &y = tiers[b];
      Agreement pair{fmt::format("{} ({})", name(x.tier), x.adapter), fmt::format("{} ({})", name(y.tier), y.adapter)};
      for (std::size_t i = 0; i < x.pixels.size(); ++i) pair.differing += x.pixels[i] != y.pixels[i];
      pair.equal = pair.differing == 0 && std::memcmp(&x.luminance, &y.luminance, sizeof x.luminance) == 0;
      all.push_back(std::move(pair));
    }
  return all;
}

void write_text(const std::filesystem::path& path, const std::string& text) {
  write_file(path.string(), text.data(), text.size());
}

}  // namespace

std::string report_json(const DemoResult& result) {
  nlohmann::json tiers = nlohmann::json::array();
  for (const TierResult& t : result.tiers) {
    nlohmann::json groups = nlohmann::json::array();
    for (const FuseGroup& g : t.report.groups) {
      nlohmann::json row{{"calls", g.calls}, {"fused", g.fused}};
      if (g.why) row["why"] = *g.why;
      if (g.workgroup_shapes) row["workgroup_shapes"] = *g.workgroup_shapes;
      if (g.gpu_time) row["gpu_time_ns"] = *g.gpu_time;
      groups.push_back(std::move(row));
    }
    tiers.push_back(
        {{"tier", name(t.tier)},
         {"adapter", t.adapter},
         {"software", t.software},
         {"groups", std::move(groups)},
         {"apart", {{"dispatches", t.apart_dispatches}, {"submissions", t.apart_submissions}, {"ms", t.apart_ms}}},
         {"fused", {{"dispatches", t.report.dispatches}, {"submissions", t.report.submissions}, {"ms", t.fused_ms}}},
         {"luminance", {{"min", t.luminance.least}, {"max", t.luminance.greatest}, {"mean", t.luminance.mean}}},
         {"bits_equal", t.equal}});
  }
  nlohmann::json pairs = nlohmann::json::array();
  for (const Agreement& a : result.agreements)
    pairs.push_back({{"a", a.a}, {"b", a.b}, {"equal", a.equal}, {"differing_pixels", a.differing}});
  nlohmann::json absent = nlohmann::json::array();
  for (auto& [tier, why] : result.absent) absent.push_back({{"tier", name(tier)}, {"why", why}});
  return nlohmann::json{{"image", result.source},
                        {"width", result.before.width},
                        {"height", result.before.height},
                        {"calls", result.calls},
                        {"tiers", tiers},
                        {"pairs", pairs},
                        {"absent", absent}}
      .dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

int demo_command(const DemoOptions& options) {
  DemoResult result;
  const std::filesystem::path path =
      options.image.empty() ? share_file("photo.jpg") : std::filesystem::path(options.image);
  result.source = path.filename().string();
  result.before = read_image(path.string());
  result.calls = Photo::calls;

  std::error_code failed;
  const std::filesystem::path out = options.out;
  std::filesystem::create_directories(out, failed);
  if (failed) throw IoError(options.out + " cannot be made: " + failed.message());

  if (!options.json)
    fmt::print("{}: {} x {} pixels through {} kernel calls\n\n", result.source, result.before.width,
               result.before.height, result.calls);
  Progress progress;
  const bool stated = !options.tiers.empty();
  for (Tier tier : stated ? options.tiers : std::vector{Tier::webgpu, Tier::gles, Tier::cpu}) {
    std::optional<Device> device;
    try {
      device.emplace(DeviceOptions{.tiers = {tier}});
    } catch (const LoadError& e) {
      if (stated) throw;
      result.absent.emplace_back(tier, e.what());
      continue;
    }
    result.tiers.push_back(run_tier(*device, result, options.repeat, progress));
    if (!options.json) print_tier(result.tiers.back());
  }
  if (result.tiers.empty()) throw LoadError("no tier is available: " + result.absent.front().second);

  result.agreements = agreements(result.tiers);
  result.after = {result.before.width, result.before.height, result.tiers.front().pixels};
  const auto png = encode_png(result.after);
  write_file((out / "photo.png").string(), png.data(), png.size());
  write_text(out / "report.html", report_html(result));

  const bool equal = std::all_of(result.tiers.begin(), result.tiers.end(), [](const TierResult& t) { return t.equal; });
  if (options.json) {
    fmt::print("{}\n", report_json(result));
  } else {
    for (auto& [tier, why] : result.absent) fmt::print("{} takes no part: {}\n", name(tier), why);
    for (const Agreement& a : result.agreements)
      fmt::print("{} and {}: {}\n", a.a, a.b,
                 a.equal ? "the same bits" : fmt::format("differ in {} pixels", a.differing));
    fmt::print("wrote {} and {}\n", (out / "photo.png").string(), (out / "report.html").string());
    fmt::print("bits equal: {}\n", equal ? "yes" : "no");
  }
  return equal ? 0 : 1;
}

}  // namespace weft::cli
