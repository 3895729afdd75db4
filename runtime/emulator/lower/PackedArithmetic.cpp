// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic that becomes several ops: pairs of f32 in 64 bits, f16 and bf16 with f32, the smallest
// and largest of three, lop3 with a predicate.
#include "runtime/emulator/lower/Lowering.h"
#include <algorithm>

namespace heddle::emulator {

using ptx::Operand;
using ptx::Statement;

/// False: the instruction is none of these.
bool Lowering::packedArithmetic(const Statement &statement) {
  const std::string &opcode = statement.opcode;
  if (statement.modifiers.empty())
    return false;
  const std::string &type = statement.modifiers.back();
  bool isSum = opcode == "add" || opcode == "sub" || opcode == "fma";
  if ((isSum || opcode == "mul") && type == "f32x2")
    return pairOfSingles(statement), true;
  if (isSum && (type == "f16" || type == "bf16") && statement.has("f32"))
    return mixedArithmetic(statement), true;
  if (opcode == "lop3" && (statement.has("or") || statement.has("and")))
    return logicAndPredicate(statement), true;
  if (opcode[0] == 'v' && (opcode.back() == '2' || opcode.back() == '4'))
    return video(statement), true;
  if (opcode == "isspacep" && statement.has("const"))
    return isInConstants(statement), true;
  if (opcode == "createpolicy") { // a hint for caches, which are not modelled
    if (statement.operands.empty())
      return fail("the result is missing"), true;
    emit("mov.b64", destination(statement.operands[0], 8), constant(8, 0));
    return true;
  }
  return false;
}

/// add.f32x2 and the like: the operation on each half.
void Lowering::pairOfSingles(const Statement &statement) {
  const auto &operands = statement.operands;
  size_t sources = statement.opcode == "fma" ? 3 : 2;
  if (operands.size() != sources + 1)
    return fail("the instruction takes a result and " + std::to_string(sources) + " sources");
  std::string name = statement.opcode;
  for (const std::string &modifier : statement.modifiers)
    if (modifier == "rz" || modifier == "rm" || modifier == "rp")
      name += "." + modifier;
  bool flushes = statement.has("ftz");
  uint32_t slots[2][3] = {}, results[2];
  for (size_t i = 0; i < sources; ++i) {
    uint32_t pair = source(operands[i + 1], 8);
    slots[0][i] = throughUnary("cvt.u32.u64", pair, 4);
    slots[1][i] = throughUnary("unpack.b64", pair, 4);
  }
  for (uint32_t half = 0; half < 2; ++half) {
    for (uint32_t &slot : slots[half])
      if (flushes && slot)
        slot = throughUnary("flush.f32", slot, 4);
    results[half] = allocate(4);
    emit(name + ".f32", results[half], slots[half][0], slots[half][1], slots[half][2]);
    if (flushes)
      emit("flush.f32", results[half], results[half]);
  }
  emit("pack.b64", destination(operands[0], 8), results[0], results[1]);
}

/// add.f32.f16 d, a, c: a becomes f32, which is exact; then the operation rounds once.
void Lowering::mixedArithmetic(const Statement &statement) {
  const auto &operands = statement.operands;
  const std::string &type = statement.modifiers.back();
  size_t sources = statement.opcode == "fma" ? 3 : 2;
  if (operands.size() != sources + 1)
    return fail("the instruction takes a result and " + std::to_string(sources) + " sources");
  std::string name = statement.opcode;
  for (const std::string &modifier : statement.modifiers)
    if (modifier == "rz" || modifier == "rm" || modifier == "rp")
      name += "." + modifier;
  uint32_t slots[3] = {};
  for (size_t i = 0; i < sources; ++i)
    slots[i] = i + 1 < sources
                   ? throughUnary(("cvt.f32." + type).c_str(), source(operands[i + 1], 2), 4)
                   : source(operands[i + 1], 4);
  uint32_t d = destination(operands[0], 4);
  emit(name + ".f32", d, slots[0], slots[1], slots[2]);
  if (statement.has("sat"))
    emit("saturate.f32", d, d);
}

/// isspacep.const: the module's .const variables lie in global memory, so each is looked at.
void Lowering::isInConstants(const Statement &statement) {
  if (statement.operands.size() != 2)
    return fail("isspacep takes a predicate and an address");
  uint32_t address = source(statement.operands[1], 8), isInside = allocatePredicate();
  emit("set.pred", isInside).imm = 0;
  for (const ptx::Variable &variable : module.variables) {
    auto place = globals.find(variable.name);
    if (variable.space != ptx::Space::kConst || place == globals.end())
      continue;
    uint32_t distance = allocate(8), isHere = allocatePredicate();
    emit("sub.u64", distance, address, constant(8, place->second));
    emit("setp.lt.u64", isHere, distance, constant(8, variable.bytes));
    emit("or.pred", isInside, isInside, isHere);
  }
  emit("mov.pred", predicateDestination(statement.operands[0].name), isInside);
}

/// vadd4.dtype.atype.btype{.sat}{.add} d, a, b, c and its like, on all parts of the registers.
void Lowering::video(const Statement &statement) {
  static const char *const kComparisons[] = {"eq", "ne", "lt", "le", "gt", "ge"};
  const Instruction *found = find(statement.opcode);
  if (!found)
    return;
  bool isSet = statement.opcode.starts_with("vset");
  int64_t flags = 0, signs = isSet ? 2 : 1; // vset has no type of its result
  for (const std::string &modifier : statement.modifiers) {
    auto comparison = std::find(std::begin(kComparisons), std::end(kComparisons), modifier);
    if (modifier == "sat")
      flags |= 8;
    else if (modifier == "add")
      flags |= 16;
    else if (comparison != std::end(kComparisons))
      flags |= (comparison - std::begin(kComparisons)) << 8;
    else {
      flags |= modifier == "s32" ? signs : 0;
      signs <<= 1;
    }
  }
  generic(*found, statement);
  if (error.empty())
    kernel.ops.back().imm = flags;
}

/// lop3.BoolOp.b32 d|p, a, b, c, table, q: p = (d != 0) BoolOp q.
void Lowering::logicAndPredicate(const Statement &statement) {
  const auto &operands = statement.operands;
  if (operands.size() != 6 || operands[4].kind != Operand::Kind::kInteger)
    return fail("lop3 with a predicate takes three sources, a table and a predicate");
  uint32_t a = source(operands[1], 4), b = source(operands[2], 4), c = source(operands[3], 4);
  uint32_t other = otherPredicate(operands[5]);
  bool isSink = operands[0].kind == Operand::Kind::kSink || operands[0].name.empty();
  uint32_t d = isSink ? allocate(4) : destination(operands[0], 4);
  emit("lop3.b32", d, a, b, c).imm = operands[4].value;
  uint32_t isSet = allocatePredicate();
  emit("setp.ne.u32", isSet, d, constant(4, 0));
  emit(statement.has("or") ? "or.pred" : "and.pred", predicateDestination(operands[0].second),
       isSet, other);
}

} // namespace heddle::emulator
