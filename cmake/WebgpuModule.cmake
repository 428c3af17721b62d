# weft-webgpu: kernels on Vulkan, Metal and Direct3D 12 through wgpu-native. Only its headers are needed to build; the
# library itself is laid beside the modules and opened at run time.
set(native_library "${WEFT_WGPU_NATIVE_DIR}/libwgpu_native-release.so")
if(NOT EXISTS "${WEFT_WGPU_NATIVE_DIR}/webgpu.h" OR NOT EXISTS "${native_library}")
  weft_left_out("the webgpu tier" "wgpu-native" "run ./dev setup, or set WEFT_WGPU_NATIVE_DIR to an unpacked release")
  return()
endif()

weft_module(webgpu src/backends/webgpu INCLUDE "${WEFT_WGPU_NATIVE_DIR}")
configure_file("${native_library}" "${PROJECT_BINARY_DIR}/lib/libwgpu_native.so" COPYONLY)
install(PROGRAMS "${PROJECT_BINARY_DIR}/lib/libwgpu_native.so" DESTINATION "${CMAKE_INSTALL_LIBDIR}")
