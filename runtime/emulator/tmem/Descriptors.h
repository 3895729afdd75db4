// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The descriptors of tcgen05.mma and tcgen05.cp: what a product is made of, where its matrices lie
// in shared memory, and which columns of B count as zero (PTX ISA 9.0, 9.7.16.4).
#ifndef HEDDLE_RUNTIME_EMULATOR_TMEM_DESCRIPTORS_H
#define HEDDLE_RUNTIME_EMULATOR_TMEM_DESCRIPTORS_H

#include <cstdint>
#include <string>

namespace heddle::emulator {

enum class MmaKind : uint32_t { kF16, kTf32, kF8F6F4, kI8, kMxF8F6F4, kMxF4, kMxF4NvF4 };

enum class MmaType : uint32_t {
  kF16,
  kBf16,
  kTf32,
  kE4M3,
  kE5M2,
  kE2M3,
  kE3M2,
  kE2M1,
  kU8,
  kS8,
  kF32,
  kS32
};
uint32_t bitsOf(MmaType type);

/// What an instruction is, from its modifiers.
struct MmaForm {
  MmaKind kind;
  uint32_t blockGroup;  ///< .cta_group: 1 or 2
  uint32_t isWeights;   ///< .ws
  uint32_t scaleVector; ///< scale factors along K of a row: 1, 2, 4; 0: no .block_scale
};

/// An instruction descriptor, decoded.
struct MmaShape {
  MmaType a, b, d;
  uint32_t m, n, k;
  bool isNegative;           ///< A is negated or B is, not both
  bool isTurnedA, isTurnedB; ///< MN-major
  bool saturates;
  uint32_t scaleIdA, scaleIdB; ///< bytes in the word
  bool scaleIsUe8m0;           ///< else ue4m3
};
/// Empty, or what is wrong with the descriptor for this instruction.
std::string decodeShape(uint32_t descriptor, const MmaForm &form, MmaShape &shape);

/// A matrix in shared memory, made of pieces of 16 bytes.
class SharedMatrix {
public:
  /// Empty, or what is wrong with the descriptor. `bits`: of an element, as swizzles see it.
  std::string decode(uint64_t descriptor, bool isTurned, uint32_t elementBits);
  /// K-major: row `i` along M or N, piece `j` of 16 bytes along K. MN-major: row `i` along K, piece
  /// `j` along M or N.
  uint32_t address(uint32_t i, uint32_t j) const;

private:
  uint32_t start = 0, leading = 0, stride = 0, base = 0;
  uint32_t width = 1; ///< pieces in a row of the pattern
  bool isTurned = false, hasWideAtoms = false;
};

/// A bit of the result for each column of B: it counts as zero.
struct ColumnMask {
  uint64_t bits[4] = {};
  uint32_t shift = 0; ///< the first column of B that is used
  bool isSet(uint32_t column) const { return bits[column / 64] >> (column % 64) & 1; }
};
/// Empty, or what is wrong with the descriptor.
std::string decodeColumnMask(uint64_t descriptor, uint32_t m, uint32_t n, ColumnMask &mask);

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_TMEM_DESCRIPTORS_H
