// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What ".target sm_90a" can do, and from which .version on a target exists.
#ifndef HEDDLE_RUNTIME_EMULATOR_PTX_TARGETS_H
#define HEDDLE_RUNTIME_EMULATOR_PTX_TARGETS_H

#include <cstdint>
#include <string>
#include <string_view>

namespace heddle::emulator::ptx {

struct TargetName {
  uint32_t number = 0; ///< 90
  char suffix = 0;     ///< 'a', 'f' or 0
};

/// False: no target of that form.
bool parseTarget(std::string_view text, TargetName &target);

/// Whether a form with a row's `targets` exists on the target.
bool hasForm(const char *targets, TargetName target);

/// The first .version that knows the target, 78 for sm_90; 0: no such target.
uint32_t firstVersion(TargetName target);

/// "sm_90a or the family of sm_100", for errors.
std::string describeTargets(const char *targets);

} // namespace heddle::emulator::ptx

#endif // HEDDLE_RUNTIME_EMULATOR_PTX_TARGETS_H
