# Uses Weft from a project outside of it. find_package: installs the build, then builds and runs a program with what was
# installed. add_subdirectory, FetchContent: configures only, since their build would be this one over again.
# usage: cmake -D WAY=... -D WEFT_SOURCE=... -D WEFT_BUILD=... -D PROGRAM_SOURCE=... -D COMPILER=... -P RunEmbedding.cmake
set(work "${WEFT_BUILD}/embedding/${WAY}")
file(REMOVE_RECURSE "${work}")

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

if(WAY STREQUAL "find_package")
  run("${CMAKE_COMMAND}" --install "${WEFT_BUILD}" --prefix "${work}/installed")
endif()
run("${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}/embedding" -B "${work}/build" -G Ninja
  -D "CMAKE_CXX_COMPILER=${COMPILER}" -D "CMAKE_PREFIX_PATH=${work}/installed" -D "WAY=${WAY}"
  -D "WEFT_SOURCE=${WEFT_SOURCE}" -D "PROGRAM_SOURCE=${PROGRAM_SOURCE}")
if(WAY STREQUAL "find_package")
  run("${CMAKE_COMMAND}" --build "${work}/build")
  run("${work}/build/embedding")
endif()
