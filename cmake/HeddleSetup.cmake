# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compiler flags, ccache, lld and the CUDA header: what every target of Heddle shares.

find_program(HEDDLE_CCACHE ccache)
if(HEDDLE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${HEDDLE_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${HEDDLE_CCACHE})
endif()
find_program(HEDDLE_LLD NAMES ld.lld ld.lld-22 HINTS /usr/lib/llvm-22/bin)
if(HEDDLE_LLD)
  get_filename_component(heddle_lld_folder ${HEDDLE_LLD} DIRECTORY)
  add_link_options(-B${heddle_lld_folder} -fuse-ld=lld)
endif()

add_compile_options(-Wall -Wextra)
if(HEDDLE_WERROR)
  add_compile_options(-Werror)
endif()
# An include is the path in the repository; public headers are found below include/ as well.
include_directories(${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/include ${CMAKE_BINARY_DIR})

# cuda.h comes from an installed toolkit or from the PyPI wheel that tools/setup.sh puts below build/venv.
file(GLOB heddle_cuda_wheel_folders ${CMAKE_SOURCE_DIR}/build/venv/lib/python3*/site-packages/nvidia/cu*/include
     ${CMAKE_SOURCE_DIR}/build/venv/lib/python3*/site-packages/nvidia/cuda_runtime/include)
find_path(HEDDLE_CUDA_INCLUDE cuda.h HINTS $ENV{CUDA_HOME}/include /usr/local/cuda/include
          ${heddle_cuda_wheel_folders})
if(NOT HEDDLE_CUDA_INCLUDE)
  message(FATAL_ERROR "cuda.h not found: run tools/setup.sh, or set HEDDLE_CUDA_INCLUDE to the folder that has it")
endif()
add_library(heddle_cuda_header INTERFACE)
target_include_directories(heddle_cuda_header SYSTEM INTERFACE ${HEDDLE_CUDA_INCLUDE})
