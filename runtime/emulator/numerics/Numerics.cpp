// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What HEDDLE_EMU_NUMERICS asks for, and the precision of tensor cores by architecture.
#include "runtime/emulator/numerics/Numerics.h"
#include "runtime/emulator/exec/Warp.h"
#include <cstdlib>

namespace heddle::emulator {

Numerics numerics() {
  static const Numerics chosen = [] {
    const char *text = std::getenv("HEDDLE_EMU_NUMERICS");
    std::string_view asked = text ? text : "";
    return asked == "exact"      ? Numerics::kExact
           : asked == "paranoid" ? Numerics::kParanoid
                                 : Numerics::kFast;
  }();
  return chosen;
}

uint64_t numericsSeed() {
  static const uint64_t seed = [] {
    const char *text = std::getenv("HEDDLE_EMU_SEED");
    return text ? std::strtoull(text, nullptr, 0) : 0;
  }();
  return seed;
}

uint64_t numericsSeed(const Warp &warp, const Op &op) {
  uint64_t seed = numericsSeed();
  const uint32_t (&block)[3] = warp.block->index;
  for (uint64_t part : {uint64_t(op.line), uint64_t(warp.index), uint64_t(block[0]),
                        uint64_t(block[1]) << 32 | block[2]})
    seed = (seed ^ part) * 0xff51afd7ed558ccd + (seed >> 29);
  return seed;
}

namespace {

int theCapability = 80;

} // namespace

void setCapability(int capability) { theCapability = capability; }
int capability() { return theCapability; }

// MMA-Sim (arXiv 2511.10909), tables of its paper and its source: places are 23 on Volta, 24 from
// Turing to Ada, 25 from Hopper on, but 13 for one-byte floats on Ada and in Hopper's wgmma. Ampere
// and Ada add 8 products of 16-bit floats at once, 4 of tf32 and 16 of one-byte floats.
TensorPrecision tensorPrecision(int capability, std::string_view type, bool isHalf,
                                bool isWarpgroup) {
  TensorPrecision result;
  bool isByte = type == "e4m3" || type == "e5m2";
  bool isAda = capability == 89, isAmpere = capability >= 80 && capability < 89;
  result.fractionBits = capability < 75 ? 23 : capability < 90 ? 24 : 25;
  if (isAda || isAmpere)
    result.group = isByte ? 16 : type == "tf32" ? 4 : 8;
  result.sum = isHalf ? TensorSum::kHalf : TensorSum::kFloat;
  if (isByte && (isAda || isWarpgroup)) {
    result.fractionBits = 13;
    if (!isHalf)
      result.sum = TensorSum::kFloat13;
  }
  result.isParanoid = numerics() == Numerics::kParanoid;
  return result;
}

} // namespace heddle::emulator
