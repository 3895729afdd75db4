// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mma.sync of integers of 8 and 4 bits and of single bits.
#include "runtime/emulator/handlers/tensor/MmaSync.h"

namespace heddle::emulator::HEDDLE_EMU_ISA {

namespace {

constexpr OpClass kT = OpClass::kTensor;

#define M8 "ww w w ww"
#define K1 "wwww ww w wwww"
#define K2 "wwww wwww ww wwww"

// Three shapes of each pair of types: half a fragment of A, a whole one, two of them.
#define FORMS(S, A, B, m8, k1, k2, types)                                                          \
  {"mma.m8n8k" m8 ".s32." types, mma<S, A, B, 1, 1, Sums::kIntegers>, M8, kT},                     \
      {"mma.m16n8k" k1 ".s32." types, mma<S, A, B, 1, 2, Sums::kIntegers>, K1, kT}, {              \
    "mma.m16n8k" k2 ".s32." types, mma<S, A, B, 2, 2, Sums::kIntegers>, K2, kT                     \
  }
#define BYTES(a, A, b, B) FORMS(PairSteps, MmaByte<A>, MmaByte<B>, "16", "16", "32", a "." b ".s32")
#define NIBBLES(a, A, b, B)                                                                        \
  FORMS(PairSteps, MmaNibble<A>, MmaNibble<B>, "32", "32", "64", a "." b ".s32")

const Instruction kIntegerRows[] = {
    BYTES("s8", s8, "s8", s8),
    BYTES("s8", s8, "u8", u8),
    BYTES("u8", u8, "s8", s8),
    BYTES("u8", u8, "u8", u8),
    NIBBLES("s4", true, "s4", true),
    NIBBLES("s4", true, "u4", false),
    NIBBLES("u4", false, "s4", true),
    NIBBLES("u4", false, "u4", false),
    FORMS(BitSteps<false>, MmaBits, MmaBits, "128", "128", "256", "b1.b1.s32.and.popc"),
    FORMS(BitSteps<true>, MmaBits, MmaBits, "128", "128", "256", "b1.b1.s32.xor.popc"),
};

} // namespace

void addMmaIntegerHandlers(HandlerTable &table) { addRows(table, kIntegerRows); }

} // namespace heddle::emulator::HEDDLE_EMU_ISA
