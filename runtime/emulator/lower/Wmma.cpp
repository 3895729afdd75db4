// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// wmma.load, wmma.store and wmma.mma (PTX ISA 9.0, 9.7.14.4).
#include "runtime/emulator/lower/Lowering.h"
#include "runtime/emulator/numerics/Numerics.h"
#include "runtime/emulator/numerics/WmmaLayout.h"
#include <algorithm>
#include <bit>
#include <cstring>

namespace heddle::emulator {

using ptx::Operand;
using ptx::Statement;

namespace {

/// m16n16k16 and the like.
bool findShape(const Statement &statement, WmmaShape &shape) {
  for (const std::string &modifier : statement.modifiers)
    if (std::sscanf(modifier.c_str(), "m%un%uk%u", &shape.m, &shape.n, &shape.k) == 3)
      return (shape.m == 8 || shape.m == 16 || shape.m == 32) && shape.n % 8 == 0 &&
             shape.n <= 32 && shape.k <= 128;
  return false;
}

uint32_t bitsOf(const std::string &type) {
  if (type == "b1")
    return 1;
  if (type == "s4" || type == "u4")
    return 4;
  return type == "tf32" ? 32 : ptx::typeBytes(type) * 8;
}

/// The elements of a vector, or the operand alone.
std::vector<Operand> membersOf(const Operand &operand) {
  return operand.kind == Operand::Kind::kVector ? operand.members : std::vector<Operand>{operand};
}

std::vector<uint32_t> tableOf(const void *head, size_t bytes, const std::vector<uint32_t> &slots) {
  std::vector<uint32_t> table(bytes / sizeof(uint32_t));
  std::memcpy(table.data(), head, bytes);
  table.insert(table.end(), slots.begin(), slots.end());
  return table;
}

} // namespace

void Lowering::fragmentMove(const Statement &statement) {
  bool isLoad = statement.has("load");
  const auto &operands = statement.operands;
  WmmaMove move{};
  if (!findShape(statement, move.shape) || operands.size() < 2 || operands.size() > 3)
    return fail("wmma.load and wmma.store take a shape, registers, an address and a stride");
  const std::string &type = statement.modifiers.back();
  move.bits = bitsOf(type);
  move.matrix = statement.has("a")   ? WmmaMatrix::kA
                : statement.has("b") ? WmmaMatrix::kB
                                     : WmmaMatrix::kSum;
  move.isColumn = statement.has("col");
  if (move.bits == 0 || move.lines() > kLaneCount ||
      (move.bits < 8 && move.isColumn != (move.matrix == WmmaMatrix::kB)) ||
      move.lineElements() * move.bits > 1024)
    return fail("this shape, type or layout is not supported");
  std::vector<Operand> members = membersOf(operands[isLoad ? 0 : 1]);
  const Operand &address = operands[isLoad ? 1 : 0];
  // What the layout needs must be there; there may be more.
  uint32_t row = 0, column = 0, bytes = move.bits > 32 ? 8 : 4;
  move.registers = static_cast<uint32_t>(members.size());
  if (move.element(move.registers, 0, 0, row, column))
    return fail("there are too few registers for the matrix");
  uint32_t addressBytes = 0, base = addressBase(address, addressBytes);
  const char *space = statement.has("global")                                   ? "global"
                      : statement.has("shared") || statement.has("shared::cta") ? "shared"
                                                                                : "generic";
  if (addressBytes == 4 && std::strcmp(space, "shared") != 0)
    return fail("a global or generic address has 64 bits");
  move.stride = operands.size() == 3 ? source(operands[2], 4) : WmmaMove::kNoStride;
  std::vector<uint32_t> slots;
  for (const Operand &member : members)
    slots.push_back(isLoad ? destination(member, bytes) : source(member, bytes));
  Op &op = emit(std::string(isLoad ? "wmma.load." : "wmma.store.") + space, 0, base);
  op.imm = address.value;
  op.target = addressBytes;
  setTable(op, tableOf(&move, sizeof move, slots));
}

void Lowering::fragmentMultiply(const Statement &statement) {
  if (statement.has("load") || statement.has("store"))
    return fragmentMove(statement);
  const auto &operands = statement.operands;
  WmmaMultiply o{};
  if (!statement.has("mma") || !findShape(statement, o.shape) || operands.size() != 4)
    return fail("of wmma there are load, store and mma, which takes D, A, B and C");
  std::string name = "wmma.mma";
  static const char *const kIgnored[] = {"mma", "sync", "aligned", "row", "col", "rn"};
  static const char *const kDirections[] = {"rz", "rm", "rp"};
  uint32_t option = 0;
  bool isDouble = statement.has("f64");
  std::string type = "f16"; // of A
  for (const std::string &modifier : statement.modifiers) {
    auto direction = std::find(std::begin(kDirections), std::end(kDirections), modifier);
    if (direction != std::end(kDirections))
      option = static_cast<uint32_t>(direction - kDirections) + 1;
    else if (modifier == "satfinite")
      option = 1;
    else if (modifier[0] != 'm' &&
             std::find(std::begin(kIgnored), std::end(kIgnored), modifier) == std::end(kIgnored))
      name += "." + modifier;
    static const char *const kTypes[] = {"bf16", "tf32", "s8", "u8", "s4", "u4", "b1"};
    if (std::find(std::begin(kTypes), std::end(kTypes), modifier) != std::end(kTypes))
      type = modifier;
  }
  const Instruction *found = isDouble ? find("mma.m8n8k4.f64.f64.f64.f64") : findProduct(name);
  if (!found)
    return;
  std::vector<uint32_t> slots;
  uint32_t counts[4], bytes = isDouble ? 8 : 4;
  for (size_t i = 0; i < 4; ++i) {
    std::vector<Operand> members = membersOf(operands[i]);
    counts[i] = static_cast<uint32_t>(members.size());
    for (const Operand &member : members)
      slots.push_back(i == 0 ? destination(member, bytes) : source(member, bytes));
  }
  o.d = counts[0];
  o.a = counts[1];
  o.b = counts[2];
  o.c = counts[3];
  // The verifier knows the counts; the handler must not read behind the table in any case.
  uint32_t blocks = o.shape.rowBlocks() * o.shape.columnBlocks(), halves = o.shape.rowHalves();
  uint32_t parts = isDouble ? 1 : 32 / bitsOf(type), steps = o.shape.k / (4 * parts);
  uint32_t perHalf = name.starts_with("wmma.mma.f16.") ? 1 : 2;
  uint32_t perHalfC = name.ends_with(".f16") ? 1 : 2;
  if (o.d < blocks * halves * perHalf || o.c < blocks * halves * perHalfC ||
      o.a < o.shape.rowBlocks() * halves * steps || o.b < o.shape.columnBlocks() * steps)
    return fail("there are too few registers for the matrices");
  Op &op = emit(*found);
  op.imm = 2ll * o.shape.m * o.shape.n * o.shape.k;
  op.c = option;
  op.target = std::bit_cast<uint32_t>(
      tensorPrecision(capability(), type, name.starts_with("wmma.mma.f16."), false));
  setTable(op, isDouble ? std::move(slots) : tableOf(&o, sizeof o, slots));
}

} // namespace heddle::emulator
