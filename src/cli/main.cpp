// The `weft` program: devices, demo, ir, map, explain.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <weft/error.hpp>
#include <weft/types.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>

#include "demo.hpp"
#include "devices.hpp"
#include "ir_command.hpp"
#include "map_command.hpp"
#include "photo.hpp"

namespace {

using namespace weft;

void add_devices(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("devices", "List every tier of this machine, with limits, or why it is not there");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print data instead of text");
  command->callback([&exit_code, json] { exit_code = cli::devices_command(*json); });
}

Tier tier_named(const std::string& text) {
  for (Tier t : {Tier::webgpu, Tier::gles, Tier::cpu})
    if (CLI::detail::to_lower(text) == name(t)) return t;
  throw CLI::ValidationError("--tier", text + " is no tier; they are webgpu, gles and cpu");
}

void add_demo(CLI::App& app, int& exit_code) {
  auto* command =
      app.add_subcommand("demo", "Develop a photograph with eleven kernels, apart and fused, on every tier");
  auto options = std::make_shared<cli::DemoOptions>();
  command->add_option("image", options->image,
                      "A PNG or JPEG file; the photograph that comes with the program if left out");
  command->add_option("--out", options->out, "Folder for photo.png and report.html")->capture_default_str();
  command->add_option_function<std::vector<std::string>>(
      "--tier",
      [options](const std::vector<std::string>& names) {
        for (const std::string& n : names) options->tiers.push_back(tier_named(n));
      },
      "Only these tiers: webgpu, gles, cpu");
  command->add_option("--repeat", options->repeat, "Timed runs, apart and fused in turn")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command->add_flag("--json", options->json, "Print data instead of text");
  command->footer(
      "Examples:\n  weft demo\n  weft demo holiday.jpg --out developed --tier cpu\n  weft demo --json --repeat 20");
  command->callback([&exit_code, options] { exit_code = cli::demo_command(*options); });
}

void add_explain(CLI::App& app, int& exit_code) {
  auto* command =
      app.add_subcommand("explain", "Print what tracing proved of a demo kernel, its accesses and its code");
  auto kernel = std::make_shared<std::string>();
  command->add_option("kernel", *kernel, "The kernel's name; left out: list the names");
  command->footer("Example:\n  weft explain blur_x");
  command->callback([&exit_code, kernel] {
    const auto names = cli::photo_kernel_names();
    if (kernel->empty()) return fmt::print("{}\n", fmt::join(names, "\n"));
    const std::string text = cli::explain_photo_kernel(*kernel);
    if (text.empty())
      throw TypeError(fmt::format("{} is no kernel of the demo; they are {}", *kernel, fmt::join(names, ", ")));
    fmt::print("{}", text);
    exit_code = 0;
  });
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "Weft: portable GPU array computing. A kernel is written once, in C++, and runs on every tier with the same bits.",
      "weft");
  app.require_subcommand(1);
  app.set_version_flag("--version", "weft " WEFT_VERSION);
  app.footer(
      "Examples:\n  weft devices\n  weft demo photo.jpg --out developed\n  weft ir graph.json --from json --passes commit,lower,cast\n"
      "  weft explain blur_x\n\n`weft COMMAND --help` tells more.");
  int exit_code = 0;
  add_devices(app, exit_code);
  add_demo(app, exit_code);
  add_ir_command(app, exit_code);
  add_map_command(app, exit_code);
  add_explain(app, exit_code);
  if (argc > 1 && argv[1][0] != '-') {
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
    if (std::find(names.begin(), names.end(), argv[1]) == names.end()) {
      fmt::print(stderr, "weft: {} is no command; they are {}. Run `weft --help` for more information.\n", argv[1],
                 fmt::join(names, ", "));
      return 1;
    }
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) { return app.exit(e) == 0 ? 0 : 1; } catch (const CompileError& e) {
    fmt::print(stderr, "weft: {}\n{}\n", e.what(), e.source);
    return 1;
  } catch (const std::exception& e) {
    fmt::print(stderr, "weft: {}\n", e.what());
    return 1;
  }
  return exit_code;
}
