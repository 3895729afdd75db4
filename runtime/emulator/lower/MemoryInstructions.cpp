// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which handler an instruction that reaches memory is: loads, stores, atomics, asynchronous copies.
#include "runtime/emulator/async/Async.h"
#include "runtime/emulator/lower/Lowering.h"
#include <algorithm>
#include <cstring>

namespace heddle::emulator {

using ptx::Operand;
using ptx::Statement;

namespace {

/// The memory that modifiers name.
std::string spaceOf(const Statement &statement) {
  for (const std::string &modifier : statement.modifiers) {
    if (modifier == "global" || modifier == "const")
      return "global";
    if (modifier == "shared" || modifier == "shared::cta")
      return "shared";
    if (modifier == "local")
      return "local";
    if (modifier.starts_with("param"))
      return "param";
    if (modifier == "shared::cluster")
      return "cluster";
  }
  return "generic";
}

uint32_t vectorOf(const Statement &statement) {
  for (const std::string &modifier : statement.modifiers)
    if (modifier == "v2" || modifier == "v4" || modifier == "v8")
      return static_cast<uint32_t>(modifier[1] - '0');
  return 1;
}

/// "u8" or "s8" of any type: what is in memory.
std::string memoryType(const std::string &type, bool isLoad, uint32_t width) {
  uint32_t bytes = ptx::typeBytes(type);
  bool isSigned = isLoad && type[0] == 's' && width > bytes;
  return (isSigned ? "s" : "u") + std::to_string(bytes * 8);
}

/// What the checks know of the order of accesses.
uint32_t orderOf(const Statement &statement) {
  bool isAtomic = statement.opcode == "atom" || statement.opcode == "red";
  uint32_t order = isAtomic ? uint32_t(kStrongAccess) : 0;
  for (const std::string &modifier : statement.modifiers) {
    bool isBoth = modifier == "acq_rel" || modifier == "sc";
    if (isBoth || modifier == "volatile" || modifier == "relaxed" || modifier == "acquire" ||
        modifier == "release" || modifier == "mmio")
      order |= kStrongAccess;
    if (isBoth || modifier == "acquire")
      order |= kAcquireAccess;
    if (isBoth || modifier == "release")
      order |= kReleaseAccess;
  }
  return order;
}

std::string registerType(uint32_t width) { return "b" + std::to_string(width * 8); }

} // namespace

/// A kernel parameter at a fixed place: one load an element.
void Lowering::loadParameter(const Statement &statement, const Parameter &parameter,
                             const std::string &type) {
  uint32_t bytes = ptx::typeBytes(type), count = vectorOf(statement);
  const Operand &to = statement.operands[0], &address = statement.operands[1];
  uint64_t begin = static_cast<uint64_t>(address.value);
  if (begin + uint64_t(bytes) * count > parameter.bytes || begin > parameter.bytes)
    return fail("the load reaches behind the parameter");
  for (uint32_t i = 0; i < count; ++i) {
    const Operand &element = count == 1 ? to : to.members[i];
    uint32_t width = widthOf(element, std::max(bytes, 2u));
    std::string name =
        "ld.param.fixed." + memoryType(type, true, width) + "." + registerType(width);
    Op &op = emit(name, destination(element, width));
    op.imm = static_cast<int64_t>(parameter.offset + begin + uint64_t(bytes) * i);
    op.bytes = static_cast<uint16_t>(bytes);
  }
}

void Lowering::loadOrStore(const Statement &statement) {
  bool isLoad = statement.opcode != "st";
  const auto &operands = statement.operands;
  if (operands.size() < 2 || statement.modifiers.empty())
    return fail("operands are missing");
  const std::string &type = statement.modifiers.back();
  uint32_t bytes = ptx::typeBytes(type), count = vectorOf(statement);
  const Operand &value = operands[isLoad ? 0 : 1], &address = operands[isLoad ? 1 : 0];
  if (bytes == 16 && count == 1)
    return loadOrStoreWide(statement);
  if (bytes == 0 || bytes > 8 || uint64_t(bytes) * count > 32)
    return fail("this type is not supported");
  // ld.f16x2 and the like do not exist; nvcc and LLVM move their bits.
  if ((count > 1) != (value.kind == Operand::Kind::kVector) ||
      (count > 1 && value.members.size() != count))
    return fail("the vector in braces must have as many registers as the instruction says");
  std::string space = spaceOf(statement);
  if (space == "param") {
    if (frame->local.count(address.name)) // of a call
      space = "local";
    else if (isLoad && callDepth == 0)
      for (const Parameter &parameter : kernel.params)
        if (parameter.name == address.name)
          return loadParameter(statement, parameter, type);
  }
  const Operand &first = count > 1 ? value.members[0] : value;
  uint32_t width = std::max(bytes, 2u);
  // Sinks and immediates take the width of the registers beside them.
  for (uint32_t i = 0; i < count; ++i)
    width = std::max(width, widthOf(count > 1 ? value.members[i] : first, 2));
  uint32_t addressBytes = 0, base = addressBase(address, addressBytes);
  if (addressBytes == 4 && (space == "global" || space == "generic"))
    return fail("a global or generic address has 64 bits");
  std::vector<uint32_t> slots;
  for (uint32_t i = 0; i < count; ++i) {
    const Operand &element = count > 1 ? value.members[i] : value;
    slots.push_back(isLoad ? destination(element, width) : source(element, width));
  }
  std::string name = (isLoad ? "ld." : "st.") + space +
                     (count > 1 ? ".v" + std::to_string(count) : "") + "." +
                     memoryType(type, isLoad, width) + "." + registerType(width);
  Op &op = emit(name, slots[0], base);
  op.imm = address.value;
  op.target = addressBytes;
  op.join = orderOf(statement);
  op.bytes = static_cast<uint16_t>(bytes * count);
  if (count > 1)
    setTable(op, std::move(slots));
}

/// 128 bits: two registers of 64, moved together.
void Lowering::loadOrStoreWide(const Statement &statement) {
  bool isLoad = statement.opcode != "st";
  const Operand &value = statement.operands[isLoad ? 0 : 1];
  const Operand &address = statement.operands[isLoad ? 1 : 0];
  std::string space = spaceOf(statement);
  if (space == "param" && frame->local.count(address.name))
    space = "local";
  uint32_t addressBytes = 0, base = addressBase(address, addressBytes);
  uint32_t low = isLoad ? destination(value, 16) : source(value, 16);
  Op &op = emit((isLoad ? "ld." : "st.") + space + ".v2.u64.b64", low, base);
  op.imm = address.value;
  op.target = addressBytes;
  op.join = orderOf(statement);
  op.bytes = 16;
  setTable(op, {low, low + 8 * kLaneCount});
}

/// Generic addresses of windows are the window's start and the offset in it.
void Lowering::cvta(const Statement &statement) {
  if (statement.operands.size() != 2)
    return fail("cvta takes a result and a source");
  if (statement.modifiers.back() != "u64")
    return fail("addresses have 64 bits");
  bool toSpace = statement.has("to");
  std::string space = spaceOf(statement);
  uint32_t a = source(statement.operands[1], 8), d = destination(statement.operands[0], 8);
  uint64_t window = space == "shared" || space == "cluster" ? kSharedWindow
                    : space == "local"                      ? kLocalWindow
                    : space == "param"                      ? kParamWindow
                                                            : 0;
  if (window == 0)
    emit("mov.b64", d, a);
  else
    emit(toSpace ? "sub.u64" : "add.u64", d, a, constant(8, window));
}

void Lowering::atomic(const Statement &statement) {
  std::string operation, type;
  for (const std::string &modifier : statement.modifiers) {
    static const char *const kOperations[] = {"add", "min",  "max", "and", "or",
                                              "xor", "exch", "cas", "inc", "dec"};
    if (std::find_if(std::begin(kOperations), std::end(kOperations),
                     [&](const char *name) { return modifier == name; }) != std::end(kOperations))
      operation = modifier;
    if (ptx::isType(modifier))
      type = modifier;
  }
  bool returns = statement.opcode == "atom", isCas = operation == "cas";
  size_t first = returns ? 1 : 0, hint = statement.has("L2::cache_hint") ? 1 : 0;
  const auto &operands = statement.operands;
  uint32_t count = vectorOf(statement), bytes = ptx::typeBytes(type);
  if (operands.size() != first + (isCas ? 3 : 2) + hint || (isCas && count != 1))
    return fail("the instruction takes an address and a value, and .cas another value");
  if (operation == "exch" || isCas || operation == "and" || operation == "or" || operation == "xor")
    type = "b" + std::to_string(bytes * 8);
  uint32_t addressBytes = 0, base = addressBase(operands[first], addressBytes);
  std::string space = spaceOf(statement);
  if (addressBytes == 4 && space != "shared" && space != "cluster")
    return fail("a global or generic address has 64 bits");
  // Each element of a vector is changed for itself. Results wait, as they may be sources of others.
  std::vector<std::pair<uint32_t, uint32_t>> results;
  for (uint32_t i = 0; i < count; ++i) {
    auto element = [&](const Operand &operand) -> const Operand & {
      return count > 1 && i < operand.members.size() ? operand.members[i] : operand;
    };
    uint32_t b = source(element(operands[first + 1]), bytes);
    uint32_t c = isCas ? source(operands[first + 2], bytes) : b;
    uint32_t d = returns ? destination(element(operands[0]), bytes) : allocate(bytes);
    if (count > 1 && returns) {
      results.push_back({d, allocate(bytes)});
      d = results.back().second;
    }
    Op &op = emit("atom." + space + "." + operation + "." + type, d, base, b, c);
    op.imm = operands[first].value + int64_t(bytes) * i;
    op.target = addressBytes;
    op.join = orderOf(statement);
    op.bytes = static_cast<uint16_t>(bytes);
  }
  for (auto [to, from] : results)
    emit("mov.b" + std::to_string(bytes * 8), to, from);
}

void Lowering::copyAsync(const Statement &statement) {
  const auto &operands = statement.operands;
  if (!statement.has("async") || statement.has("bulk"))
    return fail("the emulated device does not know this instruction");
  if (statement.has("mbarrier"))
    return copyArrive(statement);
  if (statement.has("commit_group")) {
    emit("cp.async.commit_group", 0);
    return;
  }
  if (statement.has("wait_group") || statement.has("wait_all")) {
    bool isAll = statement.has("wait_all");
    if (operands.size() != (isAll ? 0u : 1u) ||
        (!isAll && operands[0].kind != Operand::Kind::kInteger))
      return fail("cp.async.wait_group takes a number, cp.async.wait_all nothing");
    if (isAll)
      emit("cp.async.commit_group", 0);
    emit("cp.async.wait_group", 0).imm = isAll ? 0 : operands[0].value;
    return;
  }
  if (operands.size() < 3 || operands[2].kind != Operand::Kind::kInteger)
    return fail("cp.async takes two addresses and a size");
  uint32_t bytes = static_cast<uint32_t>(operands[2].value);
  if (bytes != 4 && bytes != 8 && bytes != 16)
    return fail("cp.async copies 4, 8 or 16 bytes");
  uint32_t sharedBytes = 0, globalBytes = 0;
  uint32_t to = addressBase(operands[0], sharedBytes);
  uint32_t from = addressBase(operands[1], globalBytes);
  if (globalBytes != 8)
    return fail("a global address has 64 bits");
  // What follows the size: how much is read or a predicate to read nothing, and a cache policy.
  size_t more = operands.size() - (statement.has("L2::cache_hint") ? 1 : 0);
  uint32_t size = ~0u, ignore = ~0u, ignoreFlip = 0;
  if (more == 4) {
    const Register *found =
        operands[3].kind == Operand::Kind::kName ? findRegister(operands[3].name) : nullptr;
    if (found && found->bytes == 0) {
      Operand plain = operands[3];
      plain.negated = false;
      ignore = predicate(plain);
      ignoreFlip = operands[3].negated ? ~0u : 0;
    } else {
      size = source(operands[3], 4);
    }
  } else if (more != 3) {
    return fail("cp.async takes two addresses, a size and at most one operand more");
  }
  Op &op = emit(asyncIsLazy() ? "cp.async.lazy" : "cp.async", 0, from, to);
  op.bytes = static_cast<uint16_t>(bytes);
  setTable(op, {static_cast<uint32_t>(operands[0].value), static_cast<uint32_t>(operands[1].value),
                statement.has("global") ? 0u : 1u, sharedBytes, size, ignore, ignoreFlip});
}

} // namespace heddle::emulator
