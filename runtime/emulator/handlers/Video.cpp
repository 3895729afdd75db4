// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Video instructions on 2 halves or 4 bytes of a register (PTX ISA 9.0, 9.7.18.2): a plain loop
// over the parts. Op::imm says what the types and modifiers are.
#include "runtime/emulator/handlers/Lanes.h"

namespace heddle::emulator::HEDDLE_EMU_ISA {

void addVideoHandlers(HandlerTable &table); // for PackedInteger.cpp, which adds them

namespace {

// Bits of Op::imm; bits 8 and up are the comparison of vset.
constexpr u32 kSignedResult = 1, kSignedA = 2, kSignedB = 4, kSaturates = 8, kAdds = 16;

enum class Operation : u8 { kAdd, kSub, kAverage, kDistance, kMin, kMax, kSet };

s32 combined(Operation operation, s32 a, s32 b, u32 comparison) {
  switch (operation) {
  case Operation::kAdd:
    return a + b;
  case Operation::kSub:
    return a - b;
  case Operation::kAverage: // halves away from zero
    return (a + b + (a + b >= 0 ? 1 : 0)) >> 1;
  case Operation::kDistance:
    return a > b ? a - b : b - a;
  case Operation::kMin:
    return a < b ? a : b;
  case Operation::kMax:
    return a > b ? a : b;
  default: // eq, ne, lt, le, gt, ge
    bool holds[] = {a == b, a != b, a<b, a <= b, a> b, a >= b};
    return holds[comparison];
  }
}

template <Operation kOperation, u32 kParts> void video(Warp &warp, const Op &op) {
  constexpr u32 kBits = 32 / kParts, kMask = (1u << kBits) - 1;
  const u32 *a = lanesOf<u32>(warp, op.a), *b = lanesOf<u32>(warp, op.b);
  const u32 *c = lanesOf<u32>(warp, op.c);
  u32 flags = u32(op.imm);
  bool isSigned = flags & kSignedResult;
  s32 low = isSigned ? -(1 << (kBits - 1)) : 0;
  s32 high = isSigned ? (1 << (kBits - 1)) - 1 : s32(kMask);
  auto part = [](u32 word, u32 i, bool isSignedPart) {
    u32 value = (word >> (i * kBits)) & kMask;
    return isSignedPart ? s32(value << (32 - kBits)) >> (32 - kBits) : s32(value);
  };
  alignas(64) u32 result[kLaneCount];
  for (u32 l = 0; l < kLaneCount; ++l) {
    u32 word = 0, sum = c[l];
    for (u32 i = 0; i < kParts; ++i) {
      s32 value = combined(kOperation, part(a[l], i, flags & kSignedA),
                           part(b[l], i, flags & kSignedB), flags >> 8);
      if (flags & kSaturates)
        value = value < low ? low : value > high ? high : value;
      word |= (u32(value) & kMask) << (i * kBits);
      sum += u32(value);
    }
    result[l] = flags & kAdds ? sum : word;
  }
  merge(lanesOf<u32>(warp, op.d), result, maskOf(warp, op));
}

#define VIDEO(name, operation)                                                                     \
  {name "2", video<operation, 2>, "w:www", OpClass::kInteger}, {                                   \
    name "4", video<operation, 4>, "w:www", OpClass::kInteger                                      \
  }

const Instruction kRows[] = {
    VIDEO("vadd", Operation::kAdd),      VIDEO("vsub", Operation::kSub),
    VIDEO("vavrg", Operation::kAverage), VIDEO("vabsdiff", Operation::kDistance),
    VIDEO("vmin", Operation::kMin),      VIDEO("vmax", Operation::kMax),
    VIDEO("vset", Operation::kSet),
};

} // namespace

void addVideoHandlers(HandlerTable &table) { addRows(table, kRows); }

} // namespace heddle::emulator::HEDDLE_EMU_ISA
