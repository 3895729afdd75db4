# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Finds MLIR and LLVM 22 and offers `heddle_mlir_library` and `heddle_dialect`, so that a folder's CMakeLists.txt says only
# what is in it.

find_package(MLIR 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)
# AddLLVM resets these.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)

# mlir-tblgen takes its search path from the folder.
include_directories(SYSTEM ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
add_library(heddle_mlir INTERFACE)
target_include_directories(heddle_mlir SYSTEM INTERFACE ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
# mlir-tblgen leaves parameters of the classes that it writes unused.
target_compile_options(heddle_mlir INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti> -Wno-unused-parameter)
target_compile_definitions(heddle_mlir INTERFACE ${LLVM_DEFINITIONS_LIST})
target_link_libraries(heddle_mlir INTERFACE MLIR LLVM)

# heddle_mlir_library(NAME SOURCES ... [DEPENDS generated targets ...] [LINK libraries ...])
function(heddle_mlir_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC heddle_mlir ${ARG_LINK})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()
