// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assembles PTX with NVIDIA's ptxas as a child process, which is the only form of it that does
// everything (setmaxnreg among them), and reads its report.
#ifndef HEDDLE_LIB_PTXAS_PTXAS_H
#define HEDDLE_LIB_PTXAS_PTXAS_H

#include "heddle/Status.h"
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::ptxas {

struct Options {
  int optimization = 3;
  int timeoutSeconds = 600;
  std::vector<std::string> extraArguments{};
};

struct KernelReport {
  std::string name;
  uint32_t registers = 0;
  uint32_t stackBytes = 0;
  uint32_t spillStoreBytes = 0, spillLoadBytes = 0;
  uint32_t sharedBytes = 0;
  uint32_t barriers = 0;
};

struct Assembly {
  std::vector<uint8_t> cubin;
  std::vector<KernelReport> kernels;
  std::vector<std::string> warnings; ///< whole lines, advice about performance (C75xx) among them
  std::string log;                   ///< all that ptxas printed
};

/// The ptxas that `assemble` would run: the file that $HEDDLE_PTXAS names, else the one found when
/// Heddle was built, else the one in $PATH, else that of /usr/local/cuda.
/// Errors:  kNotFound with all the places looked at and how to get it.
Result<std::string> findPtxas();

/// Assembles `ptx` for `target` ("sm_90a").
///
/// Errors:  kNotFound as `findPtxas` says; kInvalidArgument with ptxas' own lines if it refuses the
///          text; kIo if it cannot be run, dies or takes longer than the time limit.
/// Thread:  safe; every call has a temporary folder of its own and removes it.
Result<Assembly> assemble(std::string_view ptx, std::string_view target,
                          const Options &options = {});

/// Reads what `ptxas -v` printed into kernels and warnings.
void parseLog(Assembly &assembly);

} // namespace heddle::ptxas

#endif // HEDDLE_LIB_PTXAS_PTXAS_H
