// The short names M(...) and I(...) of WEFT_M and WEFT_I, for those who want them.
#pragma once

#include <weft/mapping.hpp>

#define M(...) WEFT_M(__VA_ARGS__)
#define I(...) WEFT_I(__VA_ARGS__)
