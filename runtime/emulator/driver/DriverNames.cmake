# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Reads cuda.h and writes two sources, so that they are complete for whatever toolkit is there:
# - ${names}: every function that cuda.h declares, under every name that it has. Those that the
#   driver defines win over these weak ones. A name that cuda.h maps to a newer version
#   (`#define cuMemAlloc cuMemAlloc_v2`) and the per-thread names (_ptds, _ptsz) jump there; the
#   rest return CUDA_ERROR_NOT_SUPPORTED and name themselves. A table of all for cuGetProcAddress.
# - ${errors}: names of CUresult's values.
#   cmake -Dheader=cuda.h -Dnames=Names.cpp -Derrors=Errors.inc -P DriverNames.cmake
file(READ "${header}" text)
string(REGEX MATCHALL "CUDAAPI[ \t\r\n]+cu[A-Z][A-Za-z0-9_]*[ \t]*\\(" declarations "${text}")
string(REGEX MATCHALL "#[ \t]*define[ \t]+cu[A-Z][A-Za-z0-9_]*[ \t]+[A-Za-z0-9_()]+" defines "${text}")

# What cuda.h itself maps names to. __CUDA_API_PTSZ(f) is f, or f_ptsz per thread.
set(all "")
set(perThread "")
foreach(define IN LISTS defines)
  string(REGEX MATCH "(cu[A-Z][A-Za-z0-9_]*)[ \t]+([A-Za-z0-9_()]+)$" matched "${define}")
  set(from ${CMAKE_MATCH_1})
  set(to ${CMAKE_MATCH_2})
  if(to MATCHES "__CUDA_API_PT(DS|SZ)\\((cu[A-Za-z0-9_]*)\\)")
    string(TOLOWER _pt${CMAKE_MATCH_1} suffix)
    set(to ${CMAKE_MATCH_2})
    list(APPEND perThread ${to}${suffix})
    set(target_${to}${suffix} ${to})
  endif()
  if(to MATCHES "^(cu[A-Z].*)_(ptds|ptsz)$")
    list(APPEND perThread ${to})
    set(target_${to} ${CMAKE_MATCH_1})
  elseif(to MATCHES "^cu[A-Z]")
    list(APPEND all ${to})
    if(NOT from STREQUAL to)
      list(APPEND all ${from})
      set(target_${from} ${to})
    endif()
  endif()
endforeach()
foreach(declaration IN LISTS declarations)
  string(REGEX MATCH "cu[A-Z][A-Za-z0-9_]*" name "${declaration}")
  if(name MATCHES "^(cu[A-Z].*)_(ptds|ptsz)$")
    list(APPEND perThread ${name})
    if(NOT DEFINED target_${name})
      set(target_${name} ${CMAKE_MATCH_1})
    endif()
  else()
    list(APPEND all ${name})
  endif()
endforeach()
list(APPEND all ${perThread})
list(REMOVE_DUPLICATES all)
list(SORT all)

set(code "")
set(table "")
set(known "")
foreach(name IN LISTS all)
  if(DEFINED target_${name})
    string(APPEND code "heddle_jump ${name}, ${target_${name}}\\n\"\n    \"")
  else()
    string(APPEND code "heddle_missing ${name}\\n\"\n    \"")
  endif()
  string(APPEND known "void ${name}();\n")
  string(APPEND table "    {\"${name}\", ${name}},\n")
endforeach()
file(WRITE "${names}.new" "// Made of cuda.h by DriverNames.cmake.
#include \"runtime/emulator/driver/Names.h\"

asm(\".text\\n\"
    \".macro heddle_jump name, target\\n\"
    \".weak \\\\name\\n\"
    \".type \\\\name, @function\\n\"
    \"\\\\name: jmp \\\\target@PLT\\n\"
    \".size \\\\name, .-\\\\name\\n\"
    \".endm\\n\"
    \".macro heddle_missing name\\n\"
    \".weak \\\\name\\n\"
    \".type \\\\name, @function\\n\"
    \"\\\\name: leaq 1f(%rip), %rdi\\n\"
    \"jmp heddleEmuNotSupported\\n\"
    \".size \\\\name, .-\\\\name\\n\"
    \".pushsection .rodata.str1.1, \\\"aMS\\\", @progbits, 1\\n\"
    \"1: .string \\\"\\\\name\\\"\\n\"
    \".popsection\\n\"
    \".endm\\n\"
    \"${code}\");

#pragma GCC visibility push(default)
extern \"C\" {
${known}}
#pragma GCC visibility pop

namespace heddle::emulator {
static const DriverName kNames[] = {
${table}};
std::span<const DriverName> driverNames() { return kNames; }
} // namespace heddle::emulator
")
file(COPY_FILE "${names}.new" "${names}" ONLY_IF_DIFFERENT)

# CUDA_SUCCESS and the CUDA_ERROR_* values.
string(REGEX MATCHALL "CUDA_(SUCCESS|ERROR_[A-Z0-9_]+)[ \t]*=[ \t]*[0-9]+" values "${text}")
set(rows "")
foreach(value IN LISTS values)
  string(REGEX MATCH "^CUDA_[A-Z0-9_]+" name "${value}")
  list(APPEND rows "HEDDLE_ERROR(${name})")
endforeach()
list(REMOVE_DUPLICATES rows)
list(JOIN rows "\n" rows)
file(WRITE "${errors}.new" "// Made of cuda.h by DriverNames.cmake.\n${rows}\n")
file(COPY_FILE "${errors}.new" "${errors}" ONLY_IF_DIFFERENT)
