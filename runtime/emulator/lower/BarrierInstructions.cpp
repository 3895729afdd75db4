// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which handler an instruction is by which threads wait for each other: barriers of blocks and
// clusters, mbarriers, and the instructions that reach into another block of the cluster.
#include "runtime/emulator/async/Async.h"
#include "runtime/emulator/lower/Lowering.h"
#include <algorithm>

namespace heddle::emulator {

using ptx::Operand;
using ptx::Statement;

namespace {

constexpr uint32_t kNoSlot = ~0u;
constexpr uint32_t kGenericBit = 0x100; ///< in Op::target, see async/BarrierHandlers.cpp

bool hasSharedSpace(const Statement &statement) {
  return statement.has("shared") || statement.has("shared::cta") ||
         statement.has("shared::cluster");
}

} // namespace

/// bar, barrier{.cta}: sync, arrive, red.
void Lowering::barrier(const Statement &statement) {
  const auto &operands = statement.operands;
  if (statement.has("warp")) {
    if (operands.size() != 1)
      return fail("bar.warp.sync takes the lanes");
    emit("bar.warp.sync", 0, source(operands[0], 4)).imm = kMeetsElsewhere;
    return;
  }
  if (statement.has("cluster"))
    return clusterBarrier(statement);
  bool isRed = statement.has("red"), arrives = statement.has("arrive");
  bool isAligned = statement.opcode == "bar" || statement.has("aligned");
  size_t first = isRed ? 1 : 0, last = operands.size() - (isRed ? 1 : 0);
  if (operands.size() < (isRed ? 3u : 1u) || last - first > 2 || last <= first)
    return fail("the instruction takes a barrier and at most a number of threads" +
                std::string(isRed ? ", a result before and a predicate behind them" : ""));
  uint32_t number = source(operands[first], 4);
  uint32_t threads = last - first == 2 ? source(operands[first + 1], 4) : kNoJoin;
  if (arrives && threads == kNoJoin)
    return fail("bar.arrive takes the number of threads");
  std::vector<uint32_t> more;
  if (isRed) {
    uint32_t kind = statement.has("popc") ? 0 : statement.has("and") ? 1 : 2;
    Operand plain = operands.back();
    plain.negated = false;
    uint32_t p = predicate(plain);
    uint32_t d = kind == 0 ? destination(operands[0], 4) : predicateDestination(operands[0].name);
    more = {kind, p, operands.back().negated ? ~0u : 0, d};
  }
  Op &op = emit(arrives ? "bar.arrive" : "bar.sync", 0, number, threads);
  op.imm = isAligned ? 1 : 0;
  if (isRed)
    setTable(op, std::move(more));
}

void Lowering::clusterBarrier(const Statement &statement) {
  bool arrives = statement.has("arrive");
  if (!statement.operands.empty() || arrives == statement.has("wait"))
    return fail("barrier.cluster has .arrive or .wait and no operands");
  emit(arrives ? "barrier.cluster.arrive" : "barrier.cluster.wait", 0).imm =
      statement.has("aligned") ? 1 : 0;
}

/// The address of an mbarrier: in .shared, or generic.
void Lowering::placeAddress(Op &op, const Operand &operand, bool isGeneric) {
  uint32_t bytes = 0;
  op.a = addressBase(operand, bytes);
  op.imm = operand.value;
  // The name of a variable is an address in its space.
  bool isRegister = findRegister(operand.name) != nullptr;
  op.target = bytes | (isGeneric && isRegister ? kGenericBit : 0);
  if (isGeneric && bytes != 8)
    fail("a generic address has 64 bits");
}

void Lowering::mbarrier(const Statement &statement) {
  const auto &operands = statement.operands;
  if (statement.has("test_wait") || statement.has("try_wait"))
    return mbarrierWait(statement);
  if (statement.has("pending_count")) {
    if (operands.size() != 2)
      return fail("mbarrier.pending_count takes a result and a state");
    uint32_t a = source(operands[1], 8);
    emit("mbarrier.pending_count", destination(operands[0], 4), a);
    return;
  }
  bool isGeneric = !hasSharedSpace(statement);
  bool drops = statement.has("arrive_drop"), arrives = drops || statement.has("arrive");
  size_t at = arrives ? 1 : 0; // a state, or "_", comes first
  if (arrives && !operands.empty() && operands[0].kind == Operand::Kind::kAddress)
    at = 0;
  if (operands.size() <= at)
    return fail("the address of the mbarrier is missing");
  bool isInval = statement.has("inval"), expects = statement.has("expect_tx");
  if (!arrives && operands.size() != (isInval ? 1u : 2u))
    return fail(isInval ? "mbarrier.inval takes an address"
                        : "the instruction takes an address and a count");
  if (arrives && operands.size() > at + 2)
    return fail("mbarrier.arrive takes a state, an address and at most a count");
  uint32_t value = operands.size() > at + 1 ? source(operands[at + 1], 4) : kNoSlot;
  if (expects && value == kNoSlot)
    return fail("the number of bytes is missing");
  std::string name = "mbarrier.";
  if (arrives)
    name += std::string(drops ? "arrive_drop" : "arrive") +
            (statement.has("noComplete") ? ".noComplete" : "");
  else
    name += isInval                        ? "inval"
            : statement.has("init")        ? "init"
            : statement.has("complete_tx") ? "complete_tx"
            : expects                      ? "expect_tx"
                                           : "?";
  uint32_t d = kNoSlot;
  if (arrives && at == 1 && operands[0].kind != Operand::Kind::kSink)
    d = destination(operands[0], 8);
  Op &op = emit(name, d);
  placeAddress(op, operands[at], isGeneric);
  op.b = arrives && expects ? kNoSlot : value;
  op.c = arrives && expects ? value : kNoSlot;
}

/// mbarrier.{test_wait,try_wait}{.parity} p, [address], state or parity{, time}
void Lowering::mbarrierWait(const Statement &statement) {
  const auto &operands = statement.operands;
  bool tries = statement.has("try_wait"), isParity = statement.has("parity");
  if (operands.size() < 3 || operands.size() > (tries ? 4u : 3u))
    return fail("the instruction takes a predicate, an address and a state or a parity");
  uint32_t value = source(operands[2], isParity ? 4 : 8);
  uint32_t p = predicateDestination(operands[0].name);
  Op &op = emit(std::string("mbarrier.") + (tries ? "try_wait" : "test_wait") +
                    (isParity ? ".parity" : ""),
                p);
  placeAddress(op, operands[1], !hasSharedSpace(statement));
  op.b = value;
}

void Lowering::copyArrive(const Statement &statement) {
  if (statement.operands.size() != 1)
    return fail("cp.async.mbarrier.arrive takes an address");
  Op &op = emit("cp.async.mbarrier.arrive", 0);
  placeAddress(op, statement.operands[0], !hasSharedSpace(statement));
  op.b = statement.has("noinc") ? 1 : 0;
}

/// {st,red}.async...mbarrier::complete_tx::bytes... [address], value, [mbarrier]
void Lowering::storeAsync(const Statement &statement) {
  const auto &operands = statement.operands;
  if (operands.size() != 3 || !statement.has("mbarrier::complete_tx::bytes"))
    return fail("the instruction takes an address, a value and an mbarrier");
  const std::string &type = statement.modifiers.back();
  uint32_t bytes = ptx::typeBytes(type), operation = 0;
  if (bytes != 4 && bytes != 8)
    return fail("this type is not supported");
  static const char *const kReductions[] = {"",    "add", "min", "max", "inc",
                                            "dec", "and", "or",  "xor"};
  for (uint32_t i = 1; i < 9; ++i)
    if (statement.has(kReductions[i]))
      operation = i;
  const Operand &value = operands[1];
  std::vector<uint32_t> values;
  if (value.kind == Operand::Kind::kVector)
    for (const Operand &member : value.members)
      values.push_back(source(member, bytes));
  else
    values.push_back(source(value, bytes));
  if (values.size() > 4)
    return fail("at most four elements are stored");
  uint32_t addressBytes = 0, barrierBytes = 0;
  uint32_t to = addressBase(operands[0], addressBytes);
  uint32_t barrier = addressBase(operands[2], barrierBytes);
  if (addressBytes != barrierBytes)
    return fail("both addresses must have the same number of bits");
  std::vector<uint32_t> more{barrier,
                             static_cast<uint32_t>(operands[2].value),
                             operation,
                             bytes,
                             type[0] == 's' ? 1u : 0u,
                             static_cast<uint32_t>(values.size())};
  values.resize(4, 0);
  more.insert(more.end(), values.begin(), values.end());
  Op &op = emit("st.async", 0, to);
  op.imm = operands[0].value;
  op.target = addressBytes;
  op.bytes = static_cast<uint16_t>(bytes);
  setTable(op, std::move(more));
}

/// mapa{.shared::cluster}.u32 d, a, rank and getctarank{.shared::cluster}.u32 d, a
void Lowering::clusterAddress(const Statement &statement) {
  const auto &operands = statement.operands;
  bool isMap = statement.opcode == "mapa", isGeneric = !statement.has("shared::cluster");
  if (operands.size() != (isMap ? 3u : 2u))
    return fail(isMap ? "mapa takes a result, an address and a rank"
                      : "getctarank takes a result and an address");
  bool isWide = isGeneric || statement.modifiers.back() == "u64";
  if (!isMap)
    isWide = isGeneric || widthOf(operands[1], 4) == 8;
  uint32_t bytes = isWide ? 8 : 4;
  uint32_t b = isMap ? source(operands[2], 4) : 0;
  uint32_t a = source(operands[1], bytes);
  Op &op = emit(statement.opcode, destination(operands[0], isMap ? bytes : 4), a, b);
  op.target = bytes | (isGeneric ? kGenericBit : 0);
}

} // namespace heddle::emulator
