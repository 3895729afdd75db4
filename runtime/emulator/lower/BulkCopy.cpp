// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cp.async.bulk and all that follows from it: reductions, prefetches, groups, tensor maps. Which
// forms exist for which target is the verifier's matter; what is asked here keeps a handler from
// reading operands that are not there.
#include "runtime/emulator/async/BulkOperands.h"
#include "runtime/emulator/async/TensorCopy.h"
#include "runtime/emulator/lower/Lowering.h"
#include <algorithm>

namespace heddle::emulator {

using ptx::Operand;
using ptx::Statement;

namespace {

struct Form {
  std::string to, from; ///< state spaces; of a prefetch `to` is empty
  bool isTensor = false, isReduction = false, isPrefetch = false;
  bool hasPolicy = false, isMulticast = false, hasMask = false;
  uint32_t rank = 0;
};

bool isSpace(const std::string &word) {
  return word == "global" || word == "shared::cta" || word == "shared::cluster";
}

Form formOf(const Statement &statement) {
  Form form;
  std::vector<std::string> spaces;
  for (const std::string &modifier : statement.modifiers) {
    if (isSpace(modifier))
      spaces.push_back(modifier);
    if (modifier.size() == 2 && modifier[1] == 'd' && modifier[0] >= '1' && modifier[0] <= '5')
      form.rank = static_cast<uint32_t>(modifier[0] - '0');
  }
  form.isTensor = statement.has("tensor");
  form.isReduction = statement.has("reduce");
  form.isPrefetch = statement.has("prefetch");
  form.hasPolicy = statement.has("L2::cache_hint");
  form.isMulticast = statement.has("multicast::cluster");
  form.hasMask = statement.has("cp_mask");
  if (form.isPrefetch && spaces.size() == 1)
    form.from = spaces[0];
  if (!form.isPrefetch && spaces.size() == 2)
    form.to = spaces[0], form.from = spaces[1];
  return form;
}

bool isFirstOf(const std::string &word, const char *a, const char *b) {
  return word == a || word == b;
}

} // namespace

/// [register + offset]. A generic address may be the name of a variable or parameter.
BulkAddress Lowering::bulkAddress(const Operand &operand, bool isGeneric) {
  BulkAddress address;
  address.offset = static_cast<int32_t>(operand.value);
  if (operand.value != address.offset)
    fail("the offset has more than 32 bits");
  address.slot = addressBase(operand, address.bytes);
  bool isVariable = !operand.name.empty() && !findRegister(operand.name);
  if (!isGeneric || !isVariable || !error.empty())
    return address;
  uint64_t at = 0;
  symbolAddress(operand.name, at);
  bool isParameter =
      callDepth == 0 && std::any_of(kernel.params.begin(), kernel.params.end(),
                                    [&](const Parameter &p) { return p.name == operand.name; });
  if (isParameter)
    address.slot = constant(8, at + kParamWindow);
  else if (!globals.count(operand.name))
    address.slot = constant(8, at + kSharedWindow);
  return address;
}

void Lowering::bulkCopy(const Statement &statement) {
  if (statement.has("commit_group")) {
    emit("bulk.commit_group", 0);
    return;
  }
  if (statement.has("wait_group")) {
    const auto &operands = statement.operands;
    if (operands.size() != 1 || operands[0].kind != Operand::Kind::kInteger ||
        operands[0].value < 0)
      return fail("cp.async.bulk.wait_group takes the number of groups that may be left");
    Op &op = emit("bulk.wait_group", 0);
    op.imm = std::min<int64_t>(operands[0].value, 1 << 30);
    op.b = statement.has("read") ? 1 : 0;
    return;
  }
  if (statement.has("tensor"))
    return tensorCopy(statement);
  Form form = formOf(statement);
  const auto &operands = statement.operands;
  bool isStore = form.to == "global" && form.from == "shared::cta";
  bool isMove = form.to == "shared::cluster" && form.from == "shared::cta";
  bool isLoad = isFirstOf(form.to, "shared::cluster", "shared::cta") && form.from == "global";
  if (form.isPrefetch ? form.from != "global"
                      : !isStore && !isMove && !(isLoad && !form.isReduction))
    return fail("a bulk copy does not go between these state spaces");
  size_t count = form.isPrefetch ? 2 : isStore ? 3 : 4;
  if (operands.size() != count + form.isMulticast + form.hasPolicy + form.hasMask)
    return fail("the number of operands does not fit the modifiers");
  BulkOperands packed;
  size_t at = 0;
  if (!form.isPrefetch)
    packed.to = bulkAddress(operands[at++], false);
  packed.from = bulkAddress(operands[at++], false);
  packed.size = source(operands[at++], 4);
  if (isLoad || isMove)
    packed.barrier = bulkAddress(operands[at++], false);
  if (form.isMulticast && isLoad)
    packed.mask = source(operands[at++], 2);
  if (form.hasPolicy)
    source(operands[at++], 8);
  if (form.hasMask && isStore)
    packed.mask = source(operands[at++], 2);
  packed.isOwnBlock = form.to == "shared::cta";
  if (form.isReduction && !bulkReduction(statement, packed, isMove))
    return;
  std::string name = form.isPrefetch ? "bulk.prefetch"
                     : isLoad        ? "bulk.load"
                     : isMove        ? "bulk.move"
                                     : "bulk.store";
  setTable(emit(name + (form.isReduction ? ".reduce" : ""), 0), packed.pack());
}

/// .add and so on, and the type but for tensors.
bool Lowering::bulkReduction(const Statement &statement, BulkOperands &packed, bool isShared) {
  ReduceOp op = ReduceOp::kCount;
  ReduceType type = ReduceType::kCount;
  for (const std::string &modifier : statement.modifiers)
    if (!findReduceOp(modifier, op))
      findReduceType(modifier, type);
  packed.reduceOp = static_cast<uint32_t>(op);
  packed.reduceType = static_cast<uint32_t>(type);
  if (statement.has("tensor")) {
    if (op == ReduceOp::kCount)
      fail("the operation of the reduction is missing");
    return error.empty();
  }
  if (op == ReduceOp::kCount || type == ReduceType::kCount ||
      !isReduction(isShared ? ReduceTarget::kShared : ReduceTarget::kGlobal, op, type))
    fail("there is no reduction of this type");
  // PTX ISA 9.0, cp.reduce.async.bulk: add.f32 flushes subnormal numbers, the others keep them.
  packed.flushes = type == ReduceType::kF32;
  return error.empty();
}

void Lowering::tensorCopy(const Statement &statement) {
  Form form = formOf(statement);
  const auto &operands = statement.operands;
  bool isStore = form.to == "global" && form.from == "shared::cta";
  bool isLoad = isFirstOf(form.to, "shared::cluster", "shared::cta") && form.from == "global" &&
                !form.isReduction;
  if ((form.isPrefetch ? form.from != "global" : !isStore && !isLoad) || form.rank == 0)
    return fail("a tensor copy does not go between these state spaces, or the dimensions are "
                "missing");
  BulkOperands packed;
  TensorAccess access = TensorAccess::kTile;
  uint32_t offsets = 0;
  if (statement.has("tile::gather4") || statement.has("tile::scatter4"))
    access = TensorAccess::kFourRows;
  else if (statement.has("im2col_no_offs"))
    access = TensorAccess::kIm2col;
  else if (statement.has("im2col"))
    access = TensorAccess::kIm2col, offsets = form.rank < 3 ? 0 : form.rank - 2;
  else if (statement.has("im2col::w"))
    access = TensorAccess::kIm2colW, offsets = 2;
  else if (statement.has("im2col::w::128"))
    access = TensorAccess::kIm2colW128, offsets = 2;
  size_t count = (isLoad    ? 3
                  : isStore ? 2
                            : 1) +
                 (offsets ? 1 : 0) + (form.isMulticast ? 1 : 0) + (form.hasPolicy ? 1 : 0);
  if (operands.size() != count)
    return fail("the number of operands does not fit the modifiers");
  size_t at = 0;
  if (isLoad)
    packed.to = bulkAddress(operands[at++], false);
  const Operand &tensor = operands[at++];
  (isStore ? packed.to : packed.from) = bulkAddress(tensor, true);
  uint32_t coordinates = access == TensorAccess::kFourRows ? 5 : form.rank;
  if (tensor.members.size() != 1 || tensor.members[0].members.size() != coordinates)
    return fail("the tensor map must be followed by {" + std::to_string(coordinates) +
                " coordinates}");
  for (uint32_t i = 0; i < coordinates; ++i)
    packed.coordinates[i] = source(tensor.members[0].members[i], 4);
  if (isStore)
    packed.from = bulkAddress(operands[at++], false);
  if (isLoad)
    packed.barrier = bulkAddress(operands[at++], false);
  if (offsets) {
    const Operand &vector = operands[at++];
    if (vector.kind != Operand::Kind::kVector || vector.members.size() != offsets)
      return fail("this mode takes {" + std::to_string(offsets) + " offsets}");
    for (uint32_t i = 0; i < offsets; ++i)
      packed.offsets[i] = source(vector.members[i], 2);
  }
  if (form.isMulticast)
    packed.mask = source(operands[at++], 2);
  if (form.hasPolicy)
    source(operands[at++], 8);
  packed.access = static_cast<uint32_t>(access);
  packed.rank = form.rank;
  packed.isOwnBlock = form.to == "shared::cta";
  packed.blockGroup = statement.has("cta_group::2") ? 2 : 1;
  if (form.isReduction && !bulkReduction(statement, packed, false))
    return;
  std::string name = form.isPrefetch ? "tensor.prefetch" : isLoad ? "tensor.load" : "tensor.store";
  setTable(emit(name + (form.isReduction ? ".reduce" : ""), 0), packed.pack());
}

/// st.bulk: zeros in shared memory.
void Lowering::bulkFill(const Statement &statement) {
  const auto &operands = statement.operands;
  if (operands.size() != 3 || operands[2].kind != Operand::Kind::kInteger || operands[2].value != 0)
    return fail("st.bulk takes an address, a size and the number 0");
  BulkOperands packed;
  bool isGeneric = !statement.has("shared::cta");
  packed.to = bulkAddress(operands[0], isGeneric);
  packed.size = source(operands[1], 8);
  packed.space = static_cast<uint32_t>(isGeneric ? MapSpace::kGeneric : MapSpace::kShared);
  setTable(emit("bulk.fill", 0), packed.pack());
}

/// A policy is a hint that nothing here looks at.
void Lowering::createPolicy(const Statement &statement) {
  const auto &operands = statement.operands;
  if (operands.empty())
    return fail("the result is missing");
  emit("mov.b64", destination(operands[0], 8), constant(8, 0));
}

/// tensormap.replace, tensormap.cp_fenceproxy, prefetch.tensormap.
void Lowering::tensorMapInstruction(const Statement &statement) {
  const auto &operands = statement.operands;
  BulkOperands packed;
  if (statement.opcode == "prefetch") {
    if (operands.size() != 1)
      return fail("prefetch.tensormap takes the address of a tensor map");
    bool isParam = statement.has("param");
    packed.from = bulkAddress(operands[0], !isParam);
    packed.space = static_cast<uint32_t>(isParam ? MapSpace::kParam : MapSpace::kGeneric);
    setTable(emit("tensormap.prefetch", 0), packed.pack());
    return;
  }
  if (statement.has("cp_fenceproxy")) {
    if (operands.size() != 3 || operands[2].kind != Operand::Kind::kInteger ||
        operands[2].value != 128)
      return fail("tensormap.cp_fenceproxy takes two addresses and the size 128");
    packed.to = bulkAddress(operands[0], false);
    packed.from = bulkAddress(operands[1], false);
    setTable(emit("tensormap.cp_fenceproxy", 0), packed.pack());
    return;
  }
  if (!statement.has("replace") || !statement.has("tile"))
    return fail("the emulated device does not know this instruction");
  TensorField field = TensorField::kCount;
  for (uint32_t i = 0; i < static_cast<uint32_t>(TensorField::kCount); ++i)
    if (statement.has(tensorFieldName(static_cast<TensorField>(i))))
      field = static_cast<TensorField>(i);
  if (field == TensorField::kCount)
    return fail("the field is missing");
  bool isIndexed = field >= TensorField::kBoxDim && field <= TensorField::kElementStride;
  if (operands.size() != (isIndexed ? 3u : 2u))
    return fail(isIndexed ? "this field takes an address, an ordinal and a value"
                          : "this field takes an address and a value");
  bool isWide = field == TensorField::kGlobalAddress || field == TensorField::kGlobalStride;
  if (!statement.has(isWide ? "b64" : "b32"))
    return fail(std::string("this field has the type .") + (isWide ? "b64" : "b32"));
  if (isIndexed) {
    if (operands[1].kind != Operand::Kind::kInteger || operands[1].value < 0 ||
        operands[1].value > 4)
      return fail("the ordinal must be a number from 0 to 4");
    packed.ordinal = static_cast<uint32_t>(operands[1].value);
  }
  MapSpace space = statement.has("global")        ? MapSpace::kGlobal
                   : statement.has("shared::cta") ? MapSpace::kShared
                                                  : MapSpace::kGeneric;
  packed.to = bulkAddress(operands[0], space == MapSpace::kGeneric);
  packed.space = static_cast<uint32_t>(space);
  packed.field = static_cast<uint32_t>(field);
  packed.valueBytes = isWide ? 8 : 4;
  packed.value = source(operands.back(), packed.valueBytes);
  setTable(emit("tensormap.replace", 0), packed.pack());
}

} // namespace heddle::emulator
