// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the writer and the reader of the file agree on besides the schema.
#ifndef HEDDLE_LIB_ARTIFACT_LAYOUT_H
#define HEDDLE_LIB_ARTIFACT_LAYOUT_H

#include <cstddef>
#include <cstdint>

namespace heddle::artifact {

/// The file: [u32 header size][header, a FlatBuffer with identifier HDDL][sections].
inline constexpr size_t kSizePrefixBytes = 4;
/// Offset of the identifier: behind the size and the offset of the root table.
inline constexpr size_t kIdentifierOffset = 8;
inline constexpr char kIdentifier[] = "HDDL";
/// Sections start at multiples of this; a cache line, and what a device copy likes best.
inline constexpr uint64_t kSectionAlignment = 64;
/// FlatBuffers addresses with 31 bits.
inline constexpr uint64_t kMaxHeaderBytes = (uint64_t{1} << 31) - 64;

constexpr uint64_t alignSection(uint64_t offset) {
  return (offset + kSectionAlignment - 1) / kSectionAlignment * kSectionAlignment;
}

} // namespace heddle::artifact

#endif // HEDDLE_LIB_ARTIFACT_LAYOUT_H
