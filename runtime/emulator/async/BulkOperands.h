// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Op::more holds for bulk copies: the lowering writes it, the handlers read it.
#ifndef HEDDLE_RUNTIME_EMULATOR_ASYNC_BULKOPERANDS_H
#define HEDDLE_RUNTIME_EMULATOR_ASYNC_BULKOPERANDS_H

#include <cstdint>
#include <cstring>
#include <vector>

namespace heddle::emulator {

constexpr uint32_t kNoOperand = ~0u;

enum class MapSpace : uint32_t { kGeneric, kGlobal, kShared, kParam };

/// [register + offset]
struct BulkAddress {
  uint32_t slot = kNoOperand;
  int32_t offset = 0;
  uint32_t bytes = 8; ///< of the register: 4 or 8
};

struct BulkOperands {
  BulkAddress to;   ///< of a store through a tensor map: the map
  BulkAddress from; ///< of a load through a tensor map: the map
  BulkAddress barrier;
  uint32_t size = kNoOperand; ///< register of 32 bits
  uint32_t mask = kNoOperand; ///< register of 16 bits: blocks of a multicast, bytes of .cp_mask
  uint32_t isOwnBlock = 0;    ///< the destination is .shared::cta
  uint32_t blockGroup = 1;    ///< .cta_group
  uint32_t reduceOp = 0, reduceType = 0, flushes = 0;
  uint32_t access = 0, rank = 0; ///< TensorAccess
  uint32_t coordinates[5] = {kNoOperand, kNoOperand, kNoOperand, kNoOperand, kNoOperand};
  uint32_t offsets[3] = {kNoOperand, kNoOperand, kNoOperand};          ///< registers of 16 bits
  uint32_t field = 0, ordinal = 0, value = kNoOperand, valueBytes = 4; ///< tensormap.replace
  uint32_t space = 0; ///< MapSpace of tensormap.replace and prefetch.tensormap

  std::vector<uint32_t> pack() const {
    std::vector<uint32_t> words(sizeof(BulkOperands) / sizeof(uint32_t));
    std::memcpy(words.data(), this, sizeof *this);
    return words;
  }
  static BulkOperands unpack(const uint32_t *words) {
    BulkOperands operands;
    std::memcpy(static_cast<void *>(&operands), words, sizeof operands);
    return operands;
  }
};

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_ASYNC_BULKOPERANDS_H
