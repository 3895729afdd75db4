// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What tensor copies must do, written another way than the emulator does it: element by element,
// with the swizzle tables as the PTX ISA prints them, and with all positions of an im2col walk
// listed beforehand.
#ifndef HEDDLE_TEST_EMULATOR_TENSORMODEL_H
#define HEDDLE_TEST_EMULATOR_TENSORMODEL_H

#include <cstdint>
#include <cuda.h>
#include <functional>
#include <vector>

namespace heddle::emulator::test {

using Bytes = std::vector<uint8_t>;
using Coordinates = std::vector<int64_t>;

constexpr uint8_t kUntouched = 0xa5; ///< of shared memory that a load does not reach

/// Where byte `at` of shared memory goes in a swizzled layout.
uint32_t placeOf(CUtensorMapSwizzle mode, uint32_t at);
/// Bytes that a row takes up at least.
uint32_t spanOf(CUtensorMapSwizzle mode);

/// A tensor in global memory and how it is seen: in boxes, or for im2col.
struct Tensor {
  CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_UINT16;
  uint32_t elementBytes = 2;
  std::vector<uint64_t> sizes;
  std::vector<uint64_t> strides; ///< of dimensions 1 on
  std::vector<uint32_t> box, steps;
  CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE;
  CUtensorMapFloatOOBfill fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
  std::vector<int> lower, upper; ///< im2col, in the driver's order: D, H, W
  uint32_t channels = 8, pixels = 16;
  Bytes memory;

  /// Strides with `padding` bytes after each row, and memory with a pattern.
  void allocate(uint64_t padding);
  /// Memory begins at `base`, which is aligned to 64.
  CUtensorMap map(const void *base) const;
  /// Offset of an element in memory; -1: outside of the tensor.
  int64_t element(const Coordinates &at) const;
  uint64_t boxElements() const;
};

/// Calls visit(coordinates in the tensor, byte offset in the box before swizzling).
void visitBox(const Tensor &tensor, const Coordinates &corner,
              const std::function<void(const Coordinates &, uint32_t)> &visit);
/// The same for an im2col walk; the offsets are added to W, H and D.
void visitIm2col(const Tensor &tensor, const Coordinates &corner,
                 const std::vector<uint16_t> &offsets,
                 const std::function<void(const Coordinates &, uint32_t)> &visit);

using Visit = std::function<void(const std::function<void(const Coordinates &, uint32_t)> &)>;
/// Shared memory of `bytes` after a load of what `visit` goes over; its first byte has the address
/// `address`.
Bytes imageOf(const Tensor &tensor, const Visit &visit, size_t bytes, uint32_t address);
/// The tensor's memory after a store from `shared`.
Bytes memoryAfterStore(const Tensor &tensor, const Visit &visit, const Bytes &shared,
                       uint32_t address);

} // namespace heddle::emulator::test

#endif // HEDDLE_TEST_EMULATOR_TENSORMODEL_H
