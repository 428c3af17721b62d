# cmake --install, and the package that find_package(weft) reads.
include(CMakePackageConfigHelpers)
get_property(modules GLOBAL PROPERTY WEFT_MODULES)

set(exported weft)
if(WEFT_STATIC_MODULES)
  list(APPEND exported weft_static weft_internal ${modules})
elseif(modules)
  install(TARGETS ${modules} LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
endif()
install(TARGETS ${exported} EXPORT weftTargets)
if(TARGET weft_cli)
  install(TARGETS weft_cli)
endif()
if(IS_DIRECTORY "${PROJECT_SOURCE_DIR}/include")
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
endif()

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/weft")
install(EXPORT weftTargets NAMESPACE weft:: DESTINATION "${package_dir}")
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/weftConfig.cmake.in" "${PROJECT_BINARY_DIR}/weftConfig.cmake"
  INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/weftConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/weftConfig.cmake" "${PROJECT_BINARY_DIR}/weftConfigVersion.cmake"
  DESTINATION "${package_dir}")
