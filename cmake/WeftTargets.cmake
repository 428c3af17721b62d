# The few functions that the other CMake files share.

# weft_sources(VAR FOLDER...): the *.cpp of the given folders of src/.
function(weft_sources var)
  list(TRANSFORM ARGN PREPEND "${PROJECT_SOURCE_DIR}/src/")
  list(TRANSFORM ARGN APPEND "/*.cpp")
  file(GLOB found CONFIGURE_DEPENDS ${ARGN})
  set(${var} ${found} PARENT_SCOPE)
endfunction()

# weft_no_undefined(TARGET): a missing symbol fails the link, not a dlopen later. (clang's sanitizers need it left open.)
function(weft_no_undefined target)
  if(NOT WEFT_SANITIZE AND NOT APPLE)
    target_link_options(${target} PRIVATE -Wl,-z,defs)
  endif()
endfunction()

# weft_module(NAME FOLDER [LINK item...] [INCLUDE folder...] [OPTIONS link-option...]): the module weft-NAME from
# FOLDER/*.cpp, loaded by libweft on first use. Its object files are a target of their own, weft-NAME-objects, so that
# its unit tests can reach inside. With WEFT_STATIC_MODULES it is a static library that comes with weft::weft.
function(weft_module name folder)
  cmake_parse_arguments(arg "" "" "LINK;INCLUDE;OPTIONS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${folder}/*.cpp")
  if(NOT sources)
    return()
  endif()
  if(WEFT_STATIC_MODULES)
    set(code weft-${name})
    add_library(${code} STATIC ${sources})
  else()
    set(code weft-${name}-objects)
    add_library(${code} OBJECT ${sources})
    add_library(weft-${name} MODULE)
    target_link_libraries(weft-${name} PRIVATE ${code})
    target_link_options(weft-${name} PRIVATE -Wl,--exclude-libs,ALL) # what it links statically stays its own
    weft_no_undefined(weft-${name})
  endif()
  target_include_directories(${code} SYSTEM PUBLIC $<BUILD_INTERFACE:${arg_INCLUDE}>)
  target_link_libraries(${code} PUBLIC weft ${arg_LINK} PRIVATE weft_internal)
  target_link_options(${code} INTERFACE ${arg_OPTIONS})
  target_compile_definitions(${code} PRIVATE WEFT_MODULE_NAME=${name})
  set_target_properties(${code} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_EXTENSIONS OFF
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  set_target_properties(weft-${name} PROPERTIES PREFIX lib OUTPUT_NAME weft-${name} INSTALL_RPATH "$ORIGIN")
  set_property(GLOBAL APPEND PROPERTY WEFT_MODULES weft-${name})
endfunction()

# weft_with_modules(): weft::weft of a static build, the core with every module. They are linked whole, for nothing but
# its own static initialiser announces a module.
function(weft_with_modules)
  get_property(modules GLOBAL PROPERTY WEFT_MODULES)
  add_library(weft_static INTERFACE)
  foreach(module IN LISTS modules)
    target_link_libraries(weft_static INTERFACE $<LINK_LIBRARY:WHOLE_ARCHIVE,$<TARGET_NAME:${module}>>)
  endforeach()
  target_link_libraries(weft_static INTERFACE weft)
  set_target_properties(weft_static PROPERTIES EXPORT_NAME weft)
  set_target_properties(weft PROPERTIES EXPORT_NAME core)
  add_library(weft::weft ALIAS weft_static)
endfunction()

# weft_left_out(WHAT MISSING HOW): the one line for a tier whose library is not here.
function(weft_left_out what missing how)
  message(NOTICE "weft: ${what} is left out: ${missing} is missing (${how})")
endfunction()
