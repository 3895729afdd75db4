// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor maps of the emulated device: what cuTensorMapEncode* makes and cp.async.bulk.tensor reads.
// The 128 bytes are our own, plain and without pointers to anything but the tensor, so they may be
// copied as a kernel parameter or through global memory; a magic number tells maps from other
// bytes.
#ifndef HEDDLE_RUNTIME_EMULATOR_ASYNC_TENSORMAP_H
#define HEDDLE_RUNTIME_EMULATOR_ASYNC_TENSORMAP_H

#include <cstdint>
#include <cuda.h>
#include <string>

namespace heddle::emulator {

/// In the order of tensormap.replace's .elemtype (PTX ISA 9.0, 9.7.9.28), which is not that of
/// CUtensorMapDataType.
enum class TensorType : uint8_t {
  kU8,
  kU16,
  kU32,
  kS32,
  kU64,
  kS64,
  kF16,
  kF32,
  kF32Ftz,
  kF64,
  kBF16,
  kTF32,
  kTF32Ftz,
  kB4x16,    ///< 16U4_ALIGN8B: sixteen 4-bit values, 8 bytes in both memories
  kB4x16P64, ///< 16U4_ALIGN16B: 8 bytes in global, 16 bytes in shared memory
  kB6x16P32, ///< 16U6_ALIGN16B: 12 bytes in global, 16 bytes in shared memory
  kCount
};

enum class TensorMode : uint8_t { kTiled, kIm2col, kIm2colW, kIm2colW128 };

enum class SwizzleAtom : uint8_t { k16Bytes, k32Bytes, k32BytesFlip8, k64Bytes };

struct alignas(64) TensorMap {
  static constexpr uint64_t kMagic = 0x70614d72736e6554; ///< "TensrMap"
  static constexpr uint32_t kMaxRank = 5;

  uint64_t magic;
  uint64_t address;
  uint64_t strides[4]; ///< bytes, of dimensions 1 to 4
  uint64_t sizes[5];   ///< elements, innermost first
  uint16_t box[5];     ///< tiled: elements; im2col: channels, then pixels
  int16_t lower[3];    ///< im2col: W, H, D
  int16_t upper[3];
  uint8_t steps[5]; ///< elementStrides
  uint8_t rank;
  TensorType type;
  TensorMode mode;
  uint8_t interleaveBytes; ///< 0, 16 or 32
  uint8_t swizzleBytes;    ///< 0, 32, 64 or 128
  SwizzleAtom atom;
  uint8_t fillsNaN;
  uint8_t l2Promotion;
  uint8_t reserved;
  uint32_t seal; ///< sealOf() when whyUnsound() found nothing

  bool isMap() const { return magic == kMagic; }
  uint32_t sealOf() const; ///< of all bytes before the seal
  /// The map was found to be sound and no byte of it has changed since.
  bool isSealed() const { return isMap() && seal == sealOf(); }
};
static_assert(sizeof(TensorMap) == 128 && sizeof(TensorMap) == sizeof(CUtensorMap));

/// Bits of an element in global memory: 4 to 64.
uint32_t tensorTypeBits(TensorType type);
const char *tensorTypeName(TensorType type);
bool isPacked(TensorType type); ///< narrower than a byte
bool isFloat(TensorType type);

/// The driver's calls but for the state of the device: check all arguments and fill the map. The
/// text says what is wrong with them; empty: the map was written.
std::string encodeTiledMap(CUtensorMap *map, CUtensorMapDataType type, uint32_t rank, void *address,
                           const uint64_t *sizes, const uint64_t *strides, const uint32_t *box,
                           const uint32_t *steps, CUtensorMapInterleave interleave,
                           CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                           CUtensorMapFloatOOBfill fill);
std::string encodeIm2colMap(CUtensorMap *map, CUtensorMapDataType type, uint32_t rank,
                            void *address, const uint64_t *sizes, const uint64_t *strides,
                            const int *lower, const int *upper, uint32_t channels, uint32_t pixels,
                            const uint32_t *steps, CUtensorMapInterleave interleave,
                            CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                            CUtensorMapFloatOOBfill fill);
std::string encodeIm2colWideMap(CUtensorMap *map, CUtensorMapDataType type, uint32_t rank,
                                void *address, const uint64_t *sizes, const uint64_t *strides,
                                int lower, int upper, uint32_t channels, uint32_t pixels,
                                const uint32_t *steps, CUtensorMapInterleave interleave,
                                CUtensorMapIm2ColWideMode mode, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill);
std::string replaceMapAddress(CUtensorMap *map, void *address);

/// What is wrong with the fields of a map as a whole; empty: nothing. Maps that were encoded are
/// sound, maps that tensormap.replace changed may not be.
std::string whyUnsound(const TensorMap &map);

/// A field of tensormap.replace.tile.
enum class TensorField : uint8_t {
  kGlobalAddress,
  kRank,
  kBoxDim,
  kGlobalDim,
  kGlobalStride,
  kElementStride,
  kElemtype,
  kInterleaveLayout,
  kSwizzleMode,
  kSwizzleAtomicity,
  kFillMode,
  kCount
};
const char *tensorFieldName(TensorField field); ///< as in PTX: "box_dim"
/// tensormap.replace. `ordinal` is that of box_dim, global_dim, global_stride, element_stride. The
/// text says what is wrong; empty: the field was replaced.
std::string replaceField(TensorMap &map, TensorField field, uint32_t ordinal, uint64_t value);

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_ASYNC_TENSORMAP_H
