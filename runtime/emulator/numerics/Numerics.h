// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How tensor cores and approximations round: HEDDLE_EMU_NUMERICS.
#ifndef HEDDLE_RUNTIME_EMULATOR_NUMERICS_NUMERICS_H
#define HEDDLE_RUNTIME_EMULATOR_NUMERICS_NUMERICS_H

#include <cstdint>
#include <string_view>

namespace heddle::emulator {

struct Warp;
struct Op;

enum class Numerics : uint8_t {
  kFast,    ///< sums in f32 over k in ascending order, each step rounded once
  kExact,   ///< as the tensor cores of the emulated GPU
  kParanoid ///< any order, any direction of rounding; approximations as bad as documented
};
Numerics numerics();
/// HEDDLE_EMU_SEED.
uint64_t numericsSeed();
/// The seed, the instruction and who executes it, mixed.
uint64_t numericsSeed(const Warp &warp, const Op &op);

/// What becomes of the exact sum.
enum class TensorSum : uint8_t {
  kFloat,   ///< f32, cut off
  kHalf,    ///< f16, rounded to nearest even
  kFloat13, ///< f32, cut off behind 13 places
};

/// How one instruction rounds. Four bytes: it is Op::target of the handlers that need it.
struct TensorPrecision {
  uint8_t fractionBits = 0; ///< places that aligned products keep
  uint8_t group = 0;        ///< products that are added at once; 0: all
  TensorSum sum = TensorSum::kFloat;
  uint8_t isParanoid = 0;
};

/// Of products whose input type is "f16", "e4m3", ..., on compute capability 10 * major + minor.
TensorPrecision tensorPrecision(int capability, std::string_view type, bool isHalf,
                                bool isWarpgroup);

/// The compute capability of the emulated GPU, which the driver sets before modules are loaded.
void setCapability(int capability);
int capability();

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_NUMERICS_NUMERICS_H
