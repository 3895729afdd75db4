// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the report of `ptxas -v`:
//   ptxas info    : Compiling entry function 'add' for 'sm_80'
//   ptxas info    : Function properties for add
//       0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
//   ptxas info    : Used 8 registers, used 0 barriers, 1024 bytes smem, 376 bytes cmem[0]
#include "lib/ptxas/Ptxas.h"
#include <algorithm>
#include <cctype>

namespace heddle::ptxas {

/// The number in front of `unit`, or 0.
static uint32_t numberBefore(std::string_view line, std::string_view unit) {
  size_t end = line.find(unit);
  if (end == std::string_view::npos)
    return 0;
  size_t begin = end;
  while (begin > 0 && std::isdigit(static_cast<unsigned char>(line[begin - 1])))
    --begin;
  uint64_t number = 0;
  for (size_t i = begin; i < end && number < UINT32_MAX; ++i)
    number = number * 10 + static_cast<uint64_t>(line[i] - '0');
  return static_cast<uint32_t>(std::min<uint64_t>(number, UINT32_MAX));
}

void parseLog(Assembly &assembly) {
  constexpr std::string_view kEntry = "Compiling entry function '";
  KernelReport *kernel = nullptr;
  std::string_view log = assembly.log;
  for (size_t begin = 0; begin < log.size();) {
    size_t end = std::min(log.find('\n', begin), log.size());
    std::string_view line = log.substr(begin, end - begin);
    begin = end + 1;
    if (size_t at = line.find(kEntry); at != std::string_view::npos) {
      std::string_view name = line.substr(at + kEntry.size());
      kernel = &assembly.kernels.emplace_back();
      kernel->name = name.substr(0, name.find('\''));
    } else if (kernel && line.find(" bytes stack frame") != std::string_view::npos) {
      kernel->stackBytes = numberBefore(line, " bytes stack frame");
      kernel->spillStoreBytes = numberBefore(line, " bytes spill stores");
      kernel->spillLoadBytes = numberBefore(line, " bytes spill loads");
    } else if (kernel && line.find(" registers") != std::string_view::npos) {
      kernel->registers = numberBefore(line, " registers");
      kernel->barriers = numberBefore(line, " barriers");
      kernel->sharedBytes = numberBefore(line, " bytes smem");
    } else if (line.find("warning") != std::string_view::npos ||
               line.find("(C7") != std::string_view::npos) {
      assembly.warnings.emplace_back(line);
    }
  }
}

} // namespace heddle::ptxas
