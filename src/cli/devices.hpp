// `weft devices`: every tier of this machine, its adapter and limits, and why a tier is not there.
#pragma once

namespace weft::cli {

int devices_command(bool json);

}  // namespace weft::cli
