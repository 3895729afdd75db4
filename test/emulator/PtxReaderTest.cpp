// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the reader makes of directives, initialisers, scopes and operands, and where it sees faults.
#include "runtime/emulator/ptx/Parser.h"
#include "runtime/emulator/ptx/Verify.h"
#include <gtest/gtest.h>

namespace heddle::emulator::ptx {
namespace {

const std::string kHead = ".version 8.0\n.target sm_90a, debug\n.address_size 64\n";

Module parsed(const std::string &text) {
  Module module;
  std::string error;
  EXPECT_TRUE(parse(kHead + text, module, error)) << error;
  EXPECT_TRUE(verify(module, error)) << error;
  return module;
}

std::string errorOf(const std::string &text) {
  Module module;
  std::string error;
  if (parse(kHead + text, module, error))
    verify(module, error);
  return error;
}

const std::string kEntry = ".visible .entry k()\n{\n.reg .pred %p<3>;\n.reg .b16 %h<3>;\n.reg .b32 "
                           "%r<5>;\n.reg .b64 %d<3>;\n";

// PTX ISA 9.0, 11.4: performance directives and cluster dimensions.
TEST(PtxReader, KeepsTheDirectivesOfAKernel) {
  Module module = parsed(".visible .entry k(.param .b64 .ptr .global .align 16 a, .param .align 64 "
                         ".b8 map[128]) .maxntid 64, 4 .minnctapersm 2 .maxnreg 40 "
                         ".reqnctapercluster 2, 2 .explicitcluster { ret; }\n");
  const Function &kernel = *module.functions.at(0);
  EXPECT_EQ(module.version, 80u);
  EXPECT_EQ(module.targetOptions, std::vector<std::string>{"debug"});
  EXPECT_TRUE(kernel.isEntry && kernel.isVisible && kernel.isExplicitCluster);
  EXPECT_EQ(kernel.maxThreads, 256u);
  EXPECT_EQ(kernel.minBlocksPerSm, 2u);
  EXPECT_EQ(kernel.maxRegisters, 40u);
  EXPECT_EQ(kernel.cluster[0] * 100 + kernel.cluster[1] * 10 + kernel.cluster[2], 221u);
  EXPECT_EQ(kernel.params.at(0).align, 8u); // .ptr's alignment is that of what it points to
  EXPECT_EQ(kernel.params.at(1).align, 64u);
  EXPECT_EQ(kernel.params.at(1).bytes, 128u);
}

// PTX ISA 9.0, 4.5: literals, and the precedence of operators, which is C's.
TEST(PtxReader, ComputesConstantExpressions) {
  auto valueOf = [](const std::string &expression) {
    Module module = parsed(".global .u32 x = " + expression + ";\n");
    const auto &init = module.variables.at(0).init;
    return init.at(0) | init.at(1) << 8 | init.at(2) << 16 | uint32_t(init.at(3)) << 24;
  };
  EXPECT_EQ(valueOf("1 + 2 * 3 - 8 / 2 % 3"), 6u);
  EXPECT_EQ(valueOf("(1 << 4 | 0x0F) ^ 010"), 23u);
  EXPECT_EQ(valueOf("0b101 & ~1"), 4u);
  EXPECT_EQ(valueOf("!0 + !7"), 1u);
  EXPECT_EQ(valueOf("3 > 2 && 2 >= 3 || 1 == 1 ? 10 : 20"), 10u);
  EXPECT_EQ(valueOf("-7 / 2"), uint32_t(-3));
  EXPECT_EQ(valueOf("-8 >> 1"), uint32_t(-4));
  EXPECT_EQ(valueOf("(.u64) -8 >> 60"), 15u);
  EXPECT_EQ(valueOf("WARP_SZ - 1"), 31u);
}

// PTX ISA 9.0, 5.4.4: what a row leaves out is zero; addresses, whole or a byte of them.
TEST(PtxReader, PlacesInitialisers) {
  Module module =
      parsed(".global .u32 g;\n.global .b8 rows[3][2] = {{1}, {2, 3}};\n"
             ".global .f32 f[2] = {-1.5, 0f3F800000};\n"
             ".global .u64 p[2] = {0, generic(g)+8};\n.global .u8 m[3] = {7, 0xFF00(g)};\n");
  EXPECT_EQ(module.variables.at(1).init, (std::vector<uint8_t>{1, 0, 2, 3}));
  EXPECT_EQ(module.variables.at(1).bytes, 6u);
  EXPECT_EQ(module.variables.at(2).init,
            (std::vector<uint8_t>{0, 0, 0xC0, 0xBF, 0, 0, 0x80, 0x3F}));
  const Variable::Reference &whole = module.variables.at(3).references.at(0);
  EXPECT_EQ(whole.symbol, "g");
  EXPECT_TRUE(whole.generic);
  EXPECT_EQ(whole.offset, 8u);
  EXPECT_EQ(whole.addend, 8);
  const Variable::Reference &byte = module.variables.at(4).references.at(0);
  EXPECT_EQ(byte.offset, 1u);
  EXPECT_EQ(byte.bytes, 1u);
  EXPECT_EQ(byte.mask, 0xFF00u);
}

// PTX ISA 9.0, 4.4: a name of an inner scope hides that of an outer one, families included.
TEST(PtxReader, GivesNamesOfScopesTheirOwn) {
  Module module =
      parsed(kEntry + "{\n.reg.b32 x, %r<2>;\nmov.b32 x, %r1;\nbra L;\nL:\n}\n{\n"
                      ".reg .b16 x;\nmov.b16 x, 3;\nbra L;\nL:\nmov.b32 %r4, 1;\n}\nret;\n}\n");
  const Function &kernel = *module.functions.at(0);
  std::vector<const Statement *> moves;
  for (const Statement &statement : kernel.body)
    if (statement.opcode == "mov")
      moves.push_back(&statement);
  ASSERT_EQ(moves.size(), 3u);
  EXPECT_NE(moves[0]->operands[0].name, moves[1]->operands[0].name);
  EXPECT_EQ(kernel.findRegister(moves[0]->operands[0].name)->bytes, 4u);
  EXPECT_EQ(kernel.findRegister(moves[1]->operands[0].name)->bytes, 2u);
  EXPECT_NE(moves[0]->operands[1].name, "%r1"); // of the scope, not of the kernel
  EXPECT_EQ(moves[2]->operands[0].name, "%r4");
}

// Prototypes and tables are not statements; functions are found by their aliases.
TEST(PtxReader, KeepsPrototypesAndAliases) {
  Module module = parsed(".func (.param .b32 r) f(.param .b32 a) { ret; }\n"
                         ".func (.param .b32 r) g(.param .b32 a);\n.alias g, f;\n" +
                         kEntry +
                         "p: .callprototype (.param .b32 _) _ (.param .b64 _, .param .align 4 .b8 "
                         "_[12]) .noreturn;\nt: .calltargets f;\nret;\n}\n");
  const Function &kernel = *module.functions.at(2);
  EXPECT_EQ(kernel.prototypes.at("p").params.at(1).bytes, 12u);
  EXPECT_TRUE(kernel.prototypes.at("p").isNoReturn);
  EXPECT_EQ(kernel.callTargets.at("t"), std::vector<std::string>{"f"});
  EXPECT_EQ(module.findFunction("g"), module.functions.at(0).get());
}

// Libraries print modifiers in orders that ptxas takes; the lowering sees that of the table.
TEST(PtxReader, PutsModifiersInOrder) {
  Module module = parsed(kEntry + "atom.add.acq_rel.gpu.global.u32 %r1, [%d1], %r2;\nret;\n}\n");
  EXPECT_EQ(module.functions.at(0)->body.at(0).text(), "atom.acq_rel.gpu.global.add.u32");
}

// Every fault has its line and column, what was expected and what stands there.
TEST(PtxReader, SaysWhereAndWhat) {
  EXPECT_EQ(errorOf(kEntry + "add.s32 %r1 %r2;\n}\n"),
            "line 10, column 13: expected \",\" or \";\", got \"%r2\"");
  EXPECT_EQ(errorOf(".global .align 3 .b8 x;\n"),
            "line 4, column 16: an alignment must be a power of two");
  EXPECT_EQ(errorOf(".entry k() { .reg .b33 x; }\n"),
            "line 4, column 19: expected the type of a register, got \".b33\"");
  EXPECT_EQ(errorOf(kEntry + "add.s32 %r1, %r2, %r9;\n}\n"),
            "line 10: \"add.s32\": operand 3: \"%r9\" is not declared (in \"k\")");
  EXPECT_EQ(
      errorOf(kEntry + "add.s32 %r1, %r2, %h1;\n}\n"),
      "line 10: \"add.s32\": operand 3: \"%h1\" is 16 bits, expected 32 bits (integer) (in \"k\")");
  EXPECT_EQ(
      errorOf(kEntry + "mul.hi.f32 %r1, %r2, %r3;\n}\n"),
      "line 10: \"mul.hi.f32\": there is no such form: behind 1 modifiers expected .u16, .s16, "
      ".u32, .s32, .u64, .s64, got .f32 (in \"k\")");
  EXPECT_EQ(
      errorOf(kEntry + "tcgen05.wait::ld.sync.aligned;\n}\n"),
      "line 10: \"tcgen05.wait::ld.sync.aligned\": the form needs .target sm_100a or sm_110a or "
      "sm_100f or sm_110f, the text is for sm_90a (in \"k\")");
}

} // namespace
} // namespace heddle::emulator::ptx
