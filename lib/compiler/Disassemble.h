// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Machine code as text, by NVIDIA's disassembler.
#ifndef HEDDLE_LIB_COMPILER_DISASSEMBLE_H
#define HEDDLE_LIB_COMPILER_DISASSEMBLE_H

#include "heddle/Status.h"
#include <cstdint>
#include <span>
#include <string>

namespace heddle::compiler {

/// The SASS of a cubin, by nvdisasm or cuobjdump: the file that $HEDDLE_NVDISASM names, else the
/// one in $PATH, else that of /usr/local/cuda. Errors:  kNotFound with how to get one; kIo if it
/// fails.
Result<std::string> disassemble(std::span<const uint8_t> cubin);

} // namespace heddle::compiler

#endif // HEDDLE_LIB_COMPILER_DISASSEMBLE_H
