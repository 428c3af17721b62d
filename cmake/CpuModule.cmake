# weft-cpu: kernels compiled by LLVM for this machine's cores, run by oneTBB. LLVM is linked from its static archives and
# hidden, so that the module loads in 2 ms and meets no other LLVM of the process (a Vulkan driver often brings one).
find_program(LLVM_CONFIG NAMES llvm-config-19)
find_package(TBB QUIET)
find_package(ZLIB QUIET)
find_library(ZSTD_LIBRARY zstd)
set(missing)
foreach(need IN ITEMS LLVM_CONFIG:llvm-19-dev TBB_FOUND:libtbb-dev ZLIB_FOUND:zlib1g-dev ZSTD_LIBRARY:libzstd-dev)
  string(REPLACE ":" ";" need ${need})
  list(GET need 0 variable)
  list(GET need 1 package)
  if(NOT ${variable})
    list(APPEND missing ${package})
  endif()
endforeach()
if(missing)
  list(JOIN missing " " missing)
  weft_left_out("the cpu tier" "a library (${missing})" "apt-get install ${missing}")
  return()
endif()

function(llvm_config var)
  execute_process(COMMAND "${LLVM_CONFIG}" ${ARGN} OUTPUT_VARIABLE out OUTPUT_STRIP_TRAILING_WHITESPACE
    COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(out UNIX_COMMAND "${out}")
  set(${var} ${out} PARENT_SCOPE)
endfunction()
llvm_config(llvm_include --includedir)
llvm_config(llvm_libs --link-static --libfiles orcjit native passes)

# Of `llvm-config --system-libs`, z3 and xml2 are not needed by these components.
weft_module(cpu src/backends/cpu
  INCLUDE "${llvm_include}"
  LINK ${llvm_libs} ZLIB::ZLIB ${ZSTD_LIBRARY} TBB::tbb rt m
  OPTIONS -Wl,--gc-sections)
