// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of an artifact's variants a device runs, and whether as machine code or as PTX.
#ifndef HEDDLE_RUNTIME_CHOOSECODE_H
#define HEDDLE_RUNTIME_CHOOSECODE_H

#include "heddle/Artifact.h"

namespace heddle::runtime {

enum class CodeForm : uint8_t { kCubin, kPtx };

struct CodeChoice {
  const artifact::Variant *variant = nullptr;
  CodeForm form = CodeForm::kPtx;
};

/// The variant for the highest architecture that the device can run: its cubin where the machine
/// code fits, else its PTX. An emulated device executes PTX only.
///
/// Errors:  kUnsupported with the device's compute capability, the targets that the artifact has
///          and the one to compile for.
Result<CodeChoice> chooseCode(const artifact::ArtifactData &data, int major, int minor,
                              bool emulated);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_CHOOSECODE_H
