// Kernels and devices in one include: all a program needs that declares kernels, calls them, fuses them and waits. Mappings
// (<weft/mapping.hpp>) and tensors (<weft/tensor.hpp>) have their own.
#pragma once

#include <weft/device.hpp>
#include <weft/dtype.hpp>
#include <weft/error.hpp>
#include <weft/fuse.hpp>
#include <weft/future.hpp>
#include <weft/kernel.hpp>
#include <weft/resident.hpp>
#include <weft/types.hpp>
