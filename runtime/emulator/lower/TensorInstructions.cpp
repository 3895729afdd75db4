// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which handler an instruction of the tensor cores is: mma, wgmma, and the moves of matrices.
#include "runtime/emulator/async/Wgmma.h"
#include "runtime/emulator/check/registers/RegisterCheck.h"
#include "runtime/emulator/lower/Lowering.h"
#include "runtime/emulator/numerics/Numerics.h"
#include <algorithm>
#include <bit>
#include <cstring>

namespace heddle::emulator {

using ptx::Operand;
using ptx::Statement;

/// ldmatrix and stmatrix: m8n8 of .b16, or one of the shapes with elements of a byte.
void Lowering::matrixMove(const Statement &statement) {
  bool isLoad = statement.opcode == "ldmatrix";
  const auto &operands = statement.operands;
  if (operands.size() != 2)
    return fail("operands are missing");
  std::string name = statement.opcode;
  for (const char *shape : {"m16n16", "m8n16", "m16n8"})
    if (statement.has(shape))
      name += std::string(".") + shape;
  uint32_t count = 0;
  for (const char *form : {"x1", "x2", "x4"})
    if (statement.has(form)) {
      name += std::string(".") + form;
      count = static_cast<uint32_t>(form[1] - '0');
    }
  if (statement.has("m8n8"))
    name += statement.has("trans") ? ".trans" : "";
  else if (isLoad)
    name += statement.has("b6x16_p32") ? ".b6" : statement.has("b4x16_p64") ? ".b4" : ".b8";
  count *= statement.has("m16n16") ? 2 : 1;
  const Operand &tiles = operands[isLoad ? 0 : 1], &address = operands[isLoad ? 1 : 0];
  std::vector<uint32_t> slots;
  if (tiles.kind == Operand::Kind::kVector)
    for (const Operand &tile : tiles.members)
      slots.push_back(isLoad ? destination(tile, 4) : source(tile, 4));
  else
    slots.push_back(isLoad ? destination(tiles, 4) : source(tiles, 4));
  if (slots.size() != count)
    return fail("the number of registers must be that of the matrices, for m16n16 twice that");
  uint32_t addressBytes = 0, base = addressBase(address, addressBytes);
  if (!statement.has("shared") && !statement.has("shared::cta") && findRegister(address.name)) {
    if (addressBytes != 8)
      return fail("a generic address has 64 bits");
    uint32_t offset = allocate(8);
    emit("sub.u64", offset, base, constant(8, kSharedWindow));
    base = offset;
  }
  Op &op = emit(name, 0, base);
  op.imm = address.value;
  op.target = addressBytes;
  op.bytes = 16;
  setTable(op, std::move(slots));
}

/// The handler of a product, for the numerics that are asked for; floats have two.
const Instruction *Lowering::findProduct(const std::string &name) {
  if (numerics() != Numerics::kFast)
    if (const Instruction *found = table.find("hardware." + name))
      return found;
  return find(name);
}

void Lowering::matrixMultiply(const Statement &statement) {
  std::string name = "mma";
  // One-byte floats are the same with kind::f8f6f4.
  static const char *const kIgnored[] = {"sync", "aligned", "row", "col", "rn", "kind::f8f6f4"};
  static const char *const kDirections[] = {"rz", "rm", "rp"};
  uint32_t option = 0; // a direction of rounding, or saturation
  for (const std::string &modifier : statement.modifiers) {
    auto direction = std::find(std::begin(kDirections), std::end(kDirections), modifier);
    if (direction != std::end(kDirections))
      option = static_cast<uint32_t>(direction - kDirections) + 1;
    else if (modifier == "satfinite")
      option = 1;
    else if (modifier == "sp" || modifier == "sp::ordered_metadata")
      name += ".sp";
    else if (std::find(std::begin(kIgnored), std::end(kIgnored), modifier) == std::end(kIgnored))
      name += "." + modifier;
  }
  const Instruction *found = findProduct(name);
  if (!found)
    return;
  bool isSparse = name.starts_with("mma.sp.");
  if (statement.operands.size() != (isSparse ? 6u : 4u) ||
      (isSparse && statement.operands[5].kind != Operand::Kind::kInteger))
    return fail("mma.sync takes D, A, B and C, mma.sp also metadata and a selector");
  std::vector<uint32_t> slots;
  if (!fragments(statement, found->operands, slots))
    return;
  int m = 0, n = 0, k = 0;
  size_t shape = isSparse ? 7 : 4;
  std::sscanf(name.c_str() + shape, "m%dn%dk%d", &m, &n, &k);
  Op &op = emit(*found);
  op.imm = 2ll * m * n * k;
  op.b = isSparse ? option : 0;
  op.c = isSparse ? static_cast<uint32_t>(statement.operands[5].value) : option;
  size_t types = name.find('.', shape);
  std::string a = name.substr(types + 5, name.find('.', types + 5) - types - 5);
  TensorPrecision precision =
      tensorPrecision(capability(), a, name.compare(types, 5, ".f16.") == 0, false);
  precision.group *= isSparse ? 2 : 1; // as many that are not zero
  op.target = std::bit_cast<uint32_t>(precision);
  setTable(op, std::move(slots));
}

/// The registers of the operands, of which `letters` gives the number and the widths; the first
/// operand is the result.
bool Lowering::fragments(const Statement &statement, const char *letters,
                         std::vector<uint32_t> &slots) {
  for (size_t i = 0; *letters; ++i) {
    const Operand &operand = statement.operands[i];
    size_t count = std::strcspn(letters, " ");
    bool isVector = operand.kind == Operand::Kind::kVector;
    if ((isVector ? operand.members.size() : 1) != count) {
      fail("operand " + std::to_string(i + 1) + " takes " + std::to_string(count) + " registers");
      return false;
    }
    for (size_t k = 0; k < count; ++k) {
      const Operand &element = isVector ? operand.members[k] : operand;
      uint32_t bytes = letters[k] == 'd' ? 8 : 4;
      slots.push_back(i == 0 ? destination(element, bytes) : source(element, bytes));
    }
    letters += count + (letters[count] == ' ' ? 1 : 0);
  }
  return error.empty();
}

/// wgmma.fence, commit_group, wait_group and mma_async.
void Lowering::warpgroup(const Statement &statement) {
  const auto &operands = statement.operands;
  if (!statement.has("sync") || !statement.has("aligned"))
    return fail("wgmma is .sync.aligned");
  if (statement.has("mma_async"))
    return warpgroupMultiply(statement);
  bool waits = statement.has("wait_group");
  if (!waits && !statement.has("fence") && !statement.has("commit_group"))
    return fail("of wgmma there are fence, mma_async, commit_group and wait_group");
  if (operands.size() != (waits ? 1u : 0u) ||
      (waits && (operands[0].kind != Operand::Kind::kInteger || operands[0].value < 0 ||
                 operands[0].value > 7)))
    return fail(waits ? "wgmma.wait_group takes a number from 0 to 7" : "there are no operands");
  Op &op = emit(waits                    ? "wgmma.wait_group"
                : statement.has("fence") ? "wgmma.fence"
                                         : "wgmma.commit_group",
                0);
  op.imm = waits ? operands[0].value : 0;
}

namespace {

/// N is a multiple of 8; integers and bits have fewer sizes (PTX ISA 9.0, 9.7.15.2).
bool isColumnCount(int n, bool isInteger) {
  if (n < 8 || n > 256 || n % 8 != 0)
    return false;
  return !isInteger || n <= 32 || n % 16 == 0;
}

} // namespace

/// wgmma.mma_async.sync.aligned.m64nNkK{.satfinite}.D.A.B{.and.popc} d, a, b, scale-d{,
/// imm-scale-a, imm-scale-b{, imm-trans-a}{, imm-trans-b}}
void Lowering::warpgroupMultiply(const Statement &statement) {
  const auto &operands = statement.operands;
  int n = 0, k = 0;
  std::string name = "wgmma";
  for (const std::string &modifier : statement.modifiers) {
    if (modifier == "sync" || modifier == "aligned" || modifier == "mma_async")
      continue;
    if (modifier == "sp")
      return fail("wgmma with a sparse matrix A is not supported");
    if (modifier[0] == 'm' && std::sscanf(modifier.c_str(), "m64n%dk%d", &n, &k) == 2)
      continue;
    name += "." + modifier;
  }
  const Instruction *found = findProduct(name);
  if (!found)
    return;
  std::string type =
      statement.modifiers[statement.modifiers.size() - (statement.has("popc") ? 3 : 1)];
  uint32_t bits = type == "b1" ? 1 : ptx::typeBytes(type) * 8;
  if (type == "tf32")
    bits = 32;
  bits = bits == 0 ? 8 : bits; // e4m3, e5m2
  bool isInteger = name.find(".s32.") != std::string::npos;
  if (!isColumnCount(n, isInteger) || k * static_cast<int>(bits) != 256)
    return fail("the shape must be m64nNk" + std::to_string(256 / bits) +
                ", N a multiple of 8 up to 256 (of integers 8, 16, 24, 32, 48, 64, 80, ...)");
  bool hasRegisters = operands.size() > 1 && operands[1].kind == Operand::Kind::kVector;
  bool canTurn = type == "f16" || type == "bf16";
  size_t expected = 4 + (isInteger ? 0 : 2) + (canTurn ? (hasRegisters ? 1 : 2) : 0);
  if (operands.size() != expected)
    return fail("the instruction takes " + std::to_string(expected) + " operands, there are " +
                std::to_string(operands.size()));
  WgmmaOperands o{};
  o.columns = static_cast<uint32_t>(n);
  o.sums = o.columns / (name.starts_with("wgmma.f16.") ? 4 : 2);
  o.hasRegisters = hasRegisters;
  if (operands[0].kind != Operand::Kind::kVector || operands[0].members.size() != o.sums ||
      (hasRegisters && operands[1].members.size() != 4))
    return fail("D takes " + std::to_string(o.sums) + " registers, A a descriptor or 4 registers");
  int64_t immediates[4] = {1, 1, 0, 0};
  for (size_t i = 4; i < operands.size(); ++i) {
    bool isScale = i < 6;
    size_t which = isScale || !hasRegisters ? i - 4 : 3;
    int64_t value = operands[i].value;
    if (operands[i].kind != Operand::Kind::kInteger ||
        !(isScale ? value == 1 || value == -1 : value == 0 || value == 1))
      return fail("imm-scale is 1 or -1, imm-trans is 0 or 1");
    immediates[which] = value;
  }
  o.isNegative = immediates[0] * immediates[1] < 0;
  o.isTurnedA = immediates[2] != 0;
  o.isTurnedB = immediates[3] != 0;
  uint32_t a = 0;
  for (uint32_t i = 0; hasRegisters && i < 4; ++i)
    o.a[i] = source(operands[1].members[i], 4);
  if (!hasRegisters)
    a = source(operands[1], 8);
  uint32_t b = source(operands[2], 8);
  Operand scale = operands[3];
  scale.negated = false;
  o.scale = predicate(scale);
  o.scaleFlip = operands[3].negated ? ~0u : 0;
  for (uint32_t i = 0; i < o.sums; ++i)
    o.d[i] = destination(operands[0].members[i], 4);
  Op &op = emit(*found);
  op.a = a;
  op.b = b;
  op.imm = 2ll * 16 * n * k;
  op.target = std::bit_cast<uint32_t>(
      tensorPrecision(capability(), type, name.starts_with("wgmma.f16."), true));
  std::vector<uint32_t> table(sizeof o / 4);
  std::memcpy(table.data(), &o, sizeof o);
  setTable(op, std::move(table));
}

/// setmaxnreg changes nothing here; its number is checked, and what all warps want together.
void Lowering::registerCount(const Statement &statement) {
  const auto &operands = statement.operands;
  if (operands.size() != 1 || operands[0].kind != Operand::Kind::kInteger ||
      operands[0].value < 24 || operands[0].value > 256 || operands[0].value % 8 != 0)
    fail("setmaxnreg takes a number from 24 to 256 that is a multiple of 8");
  if (!CheckOptions::get().sync || operands.empty())
    return;
  static const Instruction kCount{"", setRegisterCount, "", OpClass::kNone};
  emit(kCount).imm = operands[0].value;
}

} // namespace heddle::emulator
