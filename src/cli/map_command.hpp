// `weft map`: what a mapping expression says of each position, drawn, compared and cut into tiles (spec mapping.md, MAP-VIS).
#pragma once

#include <CLI/CLI.hpp>

/// Adds the subcommand; when it is the one that runs, `exit_code` is what the program is to end with.
void add_map_command(CLI::App&, int& exit_code);
