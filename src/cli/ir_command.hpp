// `weft ir`: the weak-type passes over a graph in a file, and what they did (spec weak.md, WEAK-TOOL-03, -04).
#pragma once

#include <CLI/CLI.hpp>

/// Adds the subcommand; when it is the one that runs, `exit_code` is what the program is to end with.
void add_ir_command(CLI::App&, int& exit_code);
