// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Picks a variant by the compatibility rules of the target table.
#include "runtime/ChooseCode.h"
#include "heddle/Target.h"
#include <tuple>

namespace heddle::runtime {

Result<CodeChoice> chooseCode(const artifact::ArtifactData &data, int major, int minor,
                              bool emulated) {
  CodeChoice best;
  // A program without kernels has no code at all and runs anywhere.
  std::tuple<int, int, bool> bestRank;
  std::string present;
  for (const artifact::Variant &variant : data.variants) {
    present += (present.empty() ? "" : ", ") + variant.target;
    Result<const Target *> found = findTarget(variant.target);
    if (!found.ok())
      continue; // made by a newer compiler for a newer architecture
    const Target &target = **found;
    bool cubinRuns = !emulated && !variant.cubin.empty() && target.cubinRunsOn(major, minor);
    bool ptxRuns =
        (!variant.ptx.empty() || variant.kernels.empty()) && target.ptxRunsOn(major, minor);
    if (!cubinRuns && !ptxRuns)
      continue;
    std::tuple<int, int, bool> rank(target.major, target.minor, cubinRuns);
    if (best.variant && rank <= bestRank)
      continue;
    best = {&variant, cubinRuns ? CodeForm::kCubin : CodeForm::kPtx};
    bestRank = rank;
  }
  if (best.variant)
    return best;
  Result<const Target *> wanted = targetForComputeCapability(major, minor);
  return unsupported(
      "no code for this device: it has compute capability " + std::to_string(major) + "." +
      std::to_string(minor) + ", the file has code for " + present +
      "; compile with --target=" + (wanted.ok() ? std::string((*wanted)->name) : "..."));
}

} // namespace heddle::runtime
