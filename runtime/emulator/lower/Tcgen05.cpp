// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which handler an instruction of tcgen05 is, and its operands.
#include "runtime/emulator/lower/Lowering.h"
#include "runtime/emulator/tmem/Fragments.h"
#include "runtime/emulator/tmem/Multiply.h"
#include <cstdlib>
#include <cstring>

namespace heddle::emulator {

using ptx::Operand;
using ptx::Statement;

namespace {

constexpr uint32_t kMulticastBit = 0x200; ///< in Op::target, see tmem/TmemHandlers.cpp

template <typename T> std::vector<uint32_t> packed(const T &operands) {
  static_assert(sizeof(T) % sizeof(uint32_t) == 0);
  std::vector<uint32_t> words(sizeof(T) / sizeof(uint32_t));
  std::memcpy(words.data(), &operands, sizeof operands);
  return words;
}

/// The first of the names that the statement has; `count`: none.
uint32_t indexOf(const Statement &statement, std::initializer_list<const char *> names) {
  uint32_t i = 0;
  for (const char *name : names) {
    if (statement.has(name))
      return i;
    ++i;
  }
  return i;
}

} // namespace

/// All instructions of a kernel name the same .cta_group.
void Lowering::tensorMemory(const Statement &statement) {
  uint32_t group = statement.has("cta_group::2") ? 2 : statement.has("cta_group::1") ? 1 : 0;
  if (group && tmemGroup && group != tmemGroup)
    return fail("all tcgen05 instructions of a kernel must have the same .cta_group, one above has "
                ".cta_group::" +
                std::to_string(tmemGroup));
  tmemGroup = group ? group : tmemGroup;
  const std::string &name = statement.modifiers.empty() ? statement.opcode : statement.modifiers[0];
  const auto &operands = statement.operands;
  if (name == "ld" || name == "st")
    return tensorMemoryMove(statement);
  if (name == "mma")
    return tensorMemoryMultiply(statement);
  if (name == "commit" || name == "alloc") {
    bool isCommit = name == "commit", isMulticast = statement.has("multicast::cluster");
    if (operands.size() != (isCommit && !isMulticast ? 1u : 2u))
      return fail("the number of operands does not fit the modifiers");
    uint32_t second =
        isCommit ? (isMulticast ? source(operands[1], 2) : 0) : source(operands[1], 4);
    Op &op = emit("tcgen05." + name, 0);
    bool isShared = statement.has("shared::cluster") || statement.has("shared::cta");
    placeAddress(op, operands[0], !isShared);
    if (isCommit) {
      op.c = second;
      op.target |= isMulticast ? kMulticastBit : 0;
    } else {
      op.b = second;
      op.c = group;
    }
    return;
  }
  if (name == "dealloc") {
    if (operands.size() != 2)
      return fail("tcgen05.dealloc takes an address and a number of columns");
    uint32_t a = source(operands[0], 4), b = source(operands[1], 4);
    emit("tcgen05.dealloc", 0, a, b);
    return;
  }
  if (name == "cp" || name == "shift") {
    bool isCopy = name == "cp";
    if (operands.size() != (isCopy ? 2u : 1u))
      return fail("the number of operands does not fit the instruction");
    TmemOperand to = tmemOperand(operands[0]);
    uint32_t b = isCopy ? source(operands[1], 8) : 0;
    Op &op = emit("tcgen05." + name, 0, to.slot, b, group);
    op.imm = to.offset;
    if (!isCopy)
      return;
    op.d = indexOf(statement, {"128x256b", "4x256b", "128x128b", "warpx2::02_13", "warpx2::01_23"});
    op.target = statement.has("b4x16_p64") ? 4 : statement.has("b6x16_p32") ? 6 : 0;
    return;
  }
  if (!operands.empty())
    return fail("the instruction takes no operands");
  if (name == "wait::ld" || name == "wait::st" || name == "relinquish_alloc_permit")
    emit("tcgen05." + name, 0);
  else if (name == "fence::before_thread_sync" || name == "fence::after_thread_sync")
    emit("tcgen05.fence", 0);
  else
    fail("the emulated device does not know this instruction");
}

/// [register + offset]
TmemOperand Lowering::tmemOperand(const Operand &operand) {
  uint32_t bytes = 0;
  TmemOperand result;
  result.slot = addressBase(operand, bytes);
  result.offset = static_cast<int32_t>(operand.value);
  if (operand.name.empty())
    result.slot = constant(4, 0);
  else if (bytes != 4)
    fail("an address in tensor memory has 32 bits");
  return result;
}

/// ld: registers{, reduced}, [address]{, split}; st: [address]{, split}, registers
void Lowering::tensorMemoryMove(const Statement &statement) {
  const auto &operands = statement.operands;
  bool isLoad = statement.modifiers[0] == "ld", reduces = statement.has("red");
  TmemMove move{};
  move.shape = static_cast<TmemShape>(
      indexOf(statement, {"32x32b", "16x64b", "16x128b", "16x256b", "16x32bx2"}));
  if (move.shape > TmemShape::k16x32x2)
    return fail("the shape is missing");
  bool isSplit = move.shape == TmemShape::k16x32x2;
  if (operands.size() != 2u + isSplit + reduces)
    return fail("the number of operands does not fit the modifiers");
  move.isPacked = statement.has("pack::16b") || statement.has("unpack::16b");
  size_t at = isLoad ? 1 + reduces : 0;
  TmemOperand address = tmemOperand(operands[at]);
  if (isSplit) {
    const Operand &split = operands[at + 1];
    if (split.kind != Operand::Kind::kInteger || split.value < 0 || split.value > 512)
      return fail("the offset between the halves must be a number of columns from 0 to 512");
    move.split = static_cast<uint32_t>(split.value);
  }
  const Operand &vector = isLoad ? operands[0] : operands.back();
  std::vector<uint32_t> slots;
  if (vector.kind == Operand::Kind::kVector)
    for (const Operand &member : vector.members)
      slots.push_back(isLoad ? destination(member, 4) : source(member, 4));
  else
    slots.push_back(isLoad ? destination(vector, 4) : source(vector, 4));
  uint32_t repeats = 0;
  for (const std::string &modifier : statement.modifiers)
    if (modifier[0] == 'x')
      repeats = static_cast<uint32_t>(std::strtoul(modifier.c_str() + 1, nullptr, 10));
  uint32_t each = move.shape == TmemShape::k16x128 ? 2 : move.shape == TmemShape::k16x256 ? 4 : 1;
  move.count = static_cast<uint32_t>(slots.size());
  if (move.count != repeats * each || move.count > 128)
    return fail("the shape takes " + std::to_string(repeats * each) + " registers");
  if (reduces) {
    auto flag = [&](const char *word, uint32_t bit) { return statement.has(word) ? bit : 0u; };
    move.reduction = kReduces | flag("max", kReduceMax) | flag("s32", kReduceSigned) |
                     flag("f32", kReduceFloat) | flag("abs", kReduceAbs) | flag("NaN", kReduceNan);
    move.reduced = destination(operands[1], 4);
  }
  Op &op = emit(isLoad ? "tcgen05.ld" : "tcgen05.st", 0, address.slot);
  op.imm = address.offset;
  std::vector<uint32_t> table = packed(move);
  table.insert(table.end(), slots.begin(), slots.end());
  setTable(op, std::move(table));
}

/// tcgen05.mma{.ws} [d], a, b, shape{, {lanes}}{, [scales of a], [scales of b]}, enable{, scale of
/// d or mask of columns}
void Lowering::tensorMemoryMultiply(const Statement &statement) {
  const auto &operands = statement.operands;
  if (statement.has("sp"))
    return fail("tcgen05.mma with a sparse matrix A is not supported");
  MmaOperands o;
  o.form.kind = static_cast<MmaKind>(
      indexOf(statement, {"kind::f16", "kind::tf32", "kind::f8f6f4", "kind::i8", "kind::mxf8f6f4",
                          "kind::mxf4", "kind::mxf4nvf4"}));
  if (o.form.kind > MmaKind::kMxF4NvF4)
    return fail("the kind is missing");
  o.form.blockGroup = statement.has("cta_group::2") ? 2 : 1;
  o.form.isWeights = statement.has("ws");
  o.isShifted = statement.has("ashift");
  bool isScaled = statement.has("block_scale");
  if (isScaled != (o.form.kind >= MmaKind::kMxF8F6F4))
    return fail("kinds with mx have .block_scale, the others have not");
  if (isScaled)
    o.form.scaleVector = statement.has("scale_vec::4X") || statement.has("block16") ? 4
                         : o.form.kind == MmaKind::kMxF8F6F4                        ? 1
                                                                                    : 2;
  size_t at = 4, expected = 5u + (isScaled ? 2 : 0);
  bool hasMask = operands.size() > at && operands[at].kind == Operand::Kind::kVector;
  expected += hasMask;
  if (operands.size() != expected && operands.size() != expected + 1)
    return fail("the number of operands does not fit the modifiers");
  o.d = tmemOperand(operands[0]);
  uint32_t a = 0;
  if (operands[1].kind == Operand::Kind::kAddress)
    o.a = tmemOperand(operands[1]);
  else
    a = source(operands[1], 8);
  o.b = source(operands[2], 8);
  o.shape = source(operands[3], 4);
  if (hasMask) {
    o.maskCount = static_cast<uint32_t>(operands[at].members.size());
    if (o.maskCount != 4 * o.form.blockGroup)
      return fail("the lanes that are not written take " + std::to_string(4 * o.form.blockGroup) +
                  " registers");
    for (uint32_t i = 0; i < o.maskCount; ++i)
      o.masks[i] = source(operands[at].members[i], 4);
    ++at;
  }
  if (isScaled) {
    o.scaleA = tmemOperand(operands[at++]);
    o.scaleB = tmemOperand(operands[at++]);
  }
  Operand enable = operands[at++];
  o.flip = enable.negated ? ~0u : 0;
  enable.negated = false;
  o.predicate = predicate(enable);
  if (at < operands.size() && o.form.isWeights) {
    o.columnMask = source(operands[at], 8);
  } else if (at < operands.size()) {
    const Operand &scale = operands[at];
    if (scale.kind != Operand::Kind::kInteger || scale.value < 0 || scale.value > 15)
      return fail("scale-input-d is a number from 0 to 15");
    o.scaleD = static_cast<uint32_t>(scale.value);
  }
  Op &op = emit("tcgen05.mma", 0, a);
  setTable(op, packed(o));
}

} // namespace heddle::emulator
