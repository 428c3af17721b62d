// All of Weft's public surface.
#pragma once

#include <weft/device.hpp>
#include <weft/dtype.hpp>
#include <weft/error.hpp>
#include <weft/fuse.hpp>
#include <weft/future.hpp>
#include <weft/kernel.hpp>
#include <weft/resident.hpp>
#include <weft/types.hpp>
