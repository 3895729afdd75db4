// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a kernel around bulk copies on the emulated device: each block has a box in shared memory,
// filled with a byte that is known, and an mbarrier; in the end each block writes its box out.
#ifndef HEDDLE_TEST_EMULATOR_BULKRIG_H
#define HEDDLE_TEST_EMULATOR_BULKRIG_H

#include "test/emulator/TensorModel.h"
#include <string>

namespace heddle::emulator::test {

struct BulkCase {
  /// What thread 0 of each block does. It finds %in and %out (global), %map (generic), %box, %bar
  /// (shared, 32 bits), %rank, numbers in %n0 to %n9 and halves of the first four in %h0 to %h3,
  /// and may use %r, %d, %p and %e (16 bits).
  std::string body;
  std::string afterwards; ///< what all threads do then, before they wait
  std::string target = "sm_90a";
  std::vector<int32_t> numbers;
  uint32_t boxBytes = 1024; ///< of each block, written to %out + rank * boxBytes
  uint32_t blocks = 1;      ///< of one cluster
  /// Bytes that each block's mbarrier waits for; 0: nobody waits.
  std::vector<uint32_t> expected;
  bool fillsWithNumbers = false; ///< byte i of the box is 3 i + 5 + 16 rank at the start
};

struct BulkResult {
  int code = 0; ///< CUresult
  std::string report;
  Bytes memory; ///< behind %in, afterwards
  Bytes boxes;  ///< of all blocks
};

/// `memory` is copied to %in, to which the map must point; see inputAddress.
BulkResult runBulk(const BulkCase &test, const Bytes &memory,
                   const std::function<CUtensorMap(const void *)> &makeMap);
BulkResult runBulk(const BulkCase &test, const Bytes &memory);

std::string bulkText(const BulkCase &test);
uint8_t numberAt(uint32_t i, uint32_t rank); ///< see fillsWithNumbers

} // namespace heddle::emulator::test

#endif // HEDDLE_TEST_EMULATOR_BULKRIG_H
