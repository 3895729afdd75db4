// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which handler an instruction of arithmetic, comparison, conversion, control or the whole warp is,
// from its name and modifiers.
#include "runtime/emulator/lower/Lowering.h"
#include <algorithm>
#include <cstring>
#include <set>

namespace heddle::emulator {

using ptx::Operand;
using ptx::Statement;

namespace {

constexpr uint32_t kNoPredicate = ~0u;

bool isOneOf(const std::string &word, std::initializer_list<const char *> words) {
  return std::any_of(words.begin(), words.end(), [&](const char *w) { return word == w; });
}

/// "b32" for "s32", "u32" and "f32".
std::string bitsType(const std::string &type) {
  uint32_t bytes = ptx::typeBytes(type);
  return type == "pred" || bytes == 0 ? type : "b" + std::to_string(bytes * 8);
}

bool isHalf(const std::string &type) { return isOneOf(type, {"f16", "bf16", "f16x2", "bf16x2"}); }
bool isFloat(const std::string &type) { return isHalf(type) || type == "f32" || type == "f64"; }

} // namespace

void Lowering::instruction(const Statement &statement) {
  guard = guardFlip = 0;
  if (!statement.guard.empty()) {
    const Register *found = findRegister(statement.guard);
    if (!found || found->bytes != 0)
      return fail("the guard \"" + statement.guard + "\" must be a predicate");
    noteUse(use.reads, *found, statement.guard);
    guard = found->slot;
    guardFlip = statement.guardNegated ? ~0u : 0;
  }
  using Member = void (Lowering::*)(const Statement &);
  static const std::unordered_map<std::string, Member> kSpecialForms = {
      {"mov", &Lowering::move},
      {"ld", &Lowering::loadOrStore},
      {"ldu", &Lowering::loadOrStore},
      {"st", &Lowering::loadOrStore},
      {"cvta", &Lowering::cvta},
      {"cvt", &Lowering::convert},
      {"setp", &Lowering::compare},
      {"set", &Lowering::compareToValue},
      {"bra", &Lowering::branch},
      {"brx", &Lowering::branch},
      {"call", &Lowering::call},
      {"bar", &Lowering::barrier},
      {"barrier", &Lowering::barrier},
      {"mbarrier", &Lowering::mbarrier},
      {"mapa", &Lowering::clusterAddress},
      {"getctarank", &Lowering::clusterAddress},
      {"shfl", &Lowering::warpWide},
      {"vote", &Lowering::warpWide},
      {"match", &Lowering::warpWide},
      {"elect", &Lowering::warpWide},
      {"atom", &Lowering::atomic},
      {"red", &Lowering::atomic},
      {"cp", &Lowering::copyAsync},
      {"createpolicy", &Lowering::createPolicy},
      {"tensormap", &Lowering::tensorMapInstruction},
      {"ldmatrix", &Lowering::matrixMove},
      {"stmatrix", &Lowering::matrixMove},
      {"mma", &Lowering::matrixMultiply},
      {"wgmma", &Lowering::warpgroup},
      {"wmma", &Lowering::fragmentMultiply},
      {"tcgen05", &Lowering::tensorMemory},
      {"setmaxnreg", &Lowering::registerCount},
  };
  if ((statement.opcode == "st" || statement.opcode == "red") && statement.has("async"))
    return storeAsync(statement);
  if (statement.opcode == "cp" && statement.has("bulk"))
    return bulkCopy(statement);
  if (statement.opcode == "st" && statement.has("bulk"))
    return bulkFill(statement);
  if (statement.opcode == "prefetch" && statement.has("tensormap"))
    return tensorMapInstruction(statement);
  if (auto found = kSpecialForms.find(statement.opcode); found != kSpecialForms.end())
    return (this->*found->second)(statement);
  if (!wordsOnly(statement) && !packedArithmetic(statement))
    arithmetic(statement);
}

/// Instructions whose operands do not matter.
bool Lowering::wordsOnly(const Statement &statement) {
  const std::string &name = statement.opcode;
  if (isOneOf(name, {"membar", "fence"})) {
    bool isProxy = statement.has("proxy") && statement.has("async");
    emit(isProxy                          ? "fence.proxy.async"
         : statement.has("mbarrier_init") ? "fence.mbarrier_init"
                                          : "fence",
         0);
  } else if (isOneOf(name, {"prefetch", "prefetchu", "nanosleep", "griddepcontrol", "discard",
                            "applypriority", "pmevent"})) {
    // Hints, or waits for what has happened already.
  } else if (name == "ret") {
    if (callDepth == 0)
      emit("exit", 0);
    else
      emit("bra", 0).target = frame->returnLabel;
  } else if (name == "exit") {
    emit("exit", 0);
  } else if (name == "trap" || name == "brkpt") {
    emit("trap", 0);
  } else {
    return false;
  }
  return true;
}

void Lowering::arithmetic(const Statement &statement) {
  const std::string &type =
      statement.modifiers.empty() ? statement.opcode : statement.modifiers.back();
  std::string opcode = statement.opcode;
  bool flush = false, saturate = false, relu = false;
  std::vector<std::string> kept;
  for (const std::string &modifier : statement.modifiers) {
    if (isFloat(type) && type != "f64" && modifier == "ftz")
      flush = true;
    else if (isFloat(type) && (modifier == "sat" || modifier == "satfinite"))
      saturate = true;
    else if (isFloat(type) && modifier == "relu")
      relu = true;
    else if (isFloat(type) && isOneOf(modifier, {"rn", "full", "approx"}))
      continue;
    else
      kept.push_back(modifier);
  }
  if (opcode == "mad" && isFloat(type))
    opcode = "fma";
  if (kept.size() > 1 && kept.back() == "relu") // "max.s32.relu"
    std::rotate(kept.begin(), kept.end() - 1, kept.end());
  if (opcode == "fma" && relu && isHalf(type)) {
    kept.insert(kept.begin(), "relu");
    relu = false;
  }
  if (isOneOf(opcode, {"and", "or", "xor", "not", "cnot", "shl", "popc", "clz", "brev", "bfi",
                       "selp", "shf", "lop3"}) ||
      (opcode == "slct" && !kept.empty()))
    for (std::string &modifier : kept)
      if (ptx::isType(modifier) && (opcode != "slct" || &modifier == &kept[0]))
        modifier = bitsType(modifier);
  std::string name = opcode;
  bool isExtreme = opcode == "min" || opcode == "max";
  bool isOfThree = isExtreme && statement.operands.size() == 4;
  for (const std::string &modifier : kept) {
    // The three numbers of "min.NaN.abs.f32" have handlers of their own: "min.NaN3.abs.f32".
    bool isFirstBehind = isOfThree && modifier != "NaN";
    name += (isFirstBehind ? "3." : ".") + modifier;
    isOfThree &= !isFirstBehind;
  }
  if (opcode == "dp4a" && kept.size() == 2)
    name = "dp4a." + kept[0] + "." + kept[1];
  const Instruction *found = find(name);
  if (!found)
    return;
  if (!found->operands)
    return fail("this form is not supported");
  if (!flush && !saturate && !relu)
    return generic(*found, statement);

  // Subnormals become zero in temporaries, and again in the result; slct looks at its last source.
  Statement changed = statement;
  generic(*found, changed);
  if (!error.empty())
    return;
  Op placed = kernel.ops.back();
  kernel.ops.pop_back();
  bool isSelection = opcode == "slct";
  std::string flushing = "flush." + type;
  if (flush) {
    uint32_t *slots[] = {&placed.a, &placed.b, &placed.c};
    size_t sources = std::strlen(found->operands) - 2;
    for (size_t i = isSelection ? 2 : 0; i < sources && i < 3; ++i)
      *slots[i] = throughUnary(flushing.c_str(), *slots[i], ptx::typeBytes(type));
  }
  kernel.ops.push_back(placed);
  if (flush && !isSelection)
    emit(flushing, placed.d, placed.d);
  if (saturate)
    emit("saturate." + type, placed.d, placed.d);
  if (relu)
    emit("relu." + type, placed.d, placed.d);
}

void Lowering::pack(const Operand &to, const std::vector<Operand> &from, uint32_t bytes) {
  uint32_t part = bytes / static_cast<uint32_t>(from.size());
  if (bytes == 16 && from.size() == 2) {
    uint32_t low = source(from[0], 8), high = source(from[1], 8), d = destination(to, 16);
    emit("mov.b64", d, low);
    emit("mov.b64", d + 8 * kLaneCount, high);
    return;
  }
  std::vector<uint32_t> slots;
  for (const Operand &operand : from)
    slots.push_back(source(operand, std::max(part, 2u)));
  uint32_t d = destination(to, bytes);
  if (part == 1) {
    packBytes(d, slots);
  } else if (from.size() == 2 && part >= 2) {
    emit(bytes == 4 ? "pack.b32" : "pack.b64", d, slots[0], slots[1]);
  } else if (from.size() == 4 && part == 2) {
    uint32_t low = allocate(4), high = allocate(4);
    emit("pack.b32", low, slots[0], slots[1]);
    emit("pack.b32", high, slots[2], slots[3]);
    emit("pack.b64", d, low, high);
  } else {
    fail("this way of packing is not supported");
  }
}

/// Bytes stand in registers of 16 bits.
void Lowering::packBytes(uint32_t d, std::vector<uint32_t> slots) {
  std::vector<uint32_t> pairs;
  bool isOnly = slots.size() == 2;
  for (size_t i = 0; i + 1 < slots.size(); i += 2) {
    uint32_t low = allocate(2), high = allocate(2);
    emit("and.b16", low, slots[i], constant(2, 0xff));
    emit("shl.b16", high, slots[i + 1], constant(4, 8));
    pairs.push_back(isOnly ? d : allocate(2));
    emit("or.b16", pairs.back(), low, high);
  }
  if (pairs.size() == 2)
    emit("pack.b32", d, pairs[0], pairs[1]);
  else if (pairs.size() == 4)
    emit("pack.b64", d, throughBinary("pack.b32", pairs[0], pairs[1], 4),
         throughBinary("pack.b32", pairs[2], pairs[3], 4));
}

void Lowering::unpackBytes(const std::vector<Operand> &to, uint32_t a) {
  for (size_t i = 0; i < to.size(); ++i) {
    if (to[i].kind == Operand::Kind::kSink)
      continue;
    uint32_t half = a;
    if (to.size() == 8) {
      half = throughUnary(i < 4 ? "cvt.u32.u64" : "unpack.b64", a, 4);
      half = throughUnary(i % 4 < 2 ? "cvt.u16.u32" : "unpack.b32", half, 2);
    } else if (to.size() == 4) {
      half = throughUnary(i < 2 ? "cvt.u16.u32" : "unpack.b32", a, 2);
    }
    if (i % 2)
      emit("shr.u16", destination(to[i], 2), half, constant(4, 8));
    else
      emit("and.b16", destination(to[i], 2), half, constant(2, 0xff));
  }
}

void Lowering::unpack(const std::vector<Operand> &to, const Operand &from, uint32_t bytes) {
  uint32_t part = bytes / static_cast<uint32_t>(to.size());
  uint32_t a = source(from, bytes);
  if (bytes == 16 && to.size() == 2) {
    for (uint32_t i = 0; i < 2; ++i)
      if (to[i].kind != Operand::Kind::kSink)
        emit("mov.b64", destination(to[i], 8), a + i * 8 * kLaneCount);
    return;
  }
  auto split = [&](uint32_t slot, uint32_t width, const Operand &low, const Operand &high) {
    if (low.kind != Operand::Kind::kSink)
      emit(width == 4 ? "cvt.u16.u32" : "cvt.u32.u64", destination(low, width / 2), slot);
    if (high.kind != Operand::Kind::kSink)
      emit(width == 4 ? "unpack.b32" : "unpack.b64", destination(high, width / 2), slot);
  };
  if (part == 1) {
    unpackBytes(to, a);
  } else if (to.size() == 2 && part >= 2) {
    split(a, bytes, to[0], to[1]);
  } else if (to.size() == 4 && part == 2) {
    uint32_t low = allocate(4), high = allocate(4);
    emit("cvt.u32.u64", low, a);
    emit("unpack.b64", high, a);
    split(low, 4, to[0], to[1]);
    split(high, 4, to[2], to[3]);
  } else {
    fail("this way of unpacking is not supported");
  }
}

void Lowering::move(const Statement &statement) {
  if (statement.operands.size() != 2 || statement.modifiers.empty())
    return fail("mov takes a result and a source");
  const Operand &to = statement.operands[0], &from = statement.operands[1];
  const std::string &type = statement.modifiers.back();
  if (type == "pred") {
    uint32_t a = predicate(from);
    emit("mov.pred", predicateDestination(to.name), a);
    return;
  }
  uint32_t bytes = ptx::typeBytes(type);
  if (bytes != 2 && bytes != 4 && bytes != 8 && bytes != 16)
    return fail("this type is not supported");
  if (from.kind == Operand::Kind::kVector && !from.members.empty())
    return pack(to, from.members, bytes);
  if (to.kind == Operand::Kind::kVector && !to.members.empty())
    return unpack(to.members, from, bytes);
  uint32_t a = source(from, bytes), d = destination(to, bytes);
  if (bytes == 16) {
    emit("mov.b64", d, a);
    emit("mov.b64", d + 8 * kLaneCount, a + 8 * kLaneCount);
    return;
  }
  emit("mov." + bitsType(type), d, a);
}

void Lowering::branch(const Statement &statement) {
  if (statement.opcode == "bra") {
    if (statement.operands.size() != 1 || statement.operands[0].kind != Operand::Kind::kName)
      return fail("bra takes a label");
    emit("bra", 0).target = labelOf(frame->prefix + statement.operands[0].name);
    return;
  }
  if (statement.operands.size() != 2 || !statement.has("idx"))
    return fail("brx.idx takes an index and a table of labels");
  auto found = frame->branchTables.find(statement.operands[1].name);
  if (found == frame->branchTables.end())
    return fail("\"" + statement.operands[1].name + "\" is no table of labels");
  if (!expand(found->second->operands.size() / 4))
    return;
  std::vector<uint32_t> targets{static_cast<uint32_t>(found->second->operands.size())};
  for (const Operand &target : found->second->operands)
    targets.push_back(labelOf(frame->prefix + target.name));
  uint32_t index = source(statement.operands[0], 4);
  setTable(emit("brx.idx", 0, index), std::move(targets));
}

/// shfl, vote, match, elect: a predicate beside the result, and the lanes named last.
void Lowering::warpWide(const Statement &statement) {
  std::string name = statement.text();
  const auto &operands = statement.operands;
  const Instruction *found = find(name);
  if (!found)
    return;
  auto second = [&](const Operand &operand) {
    return operand.second.empty() ? kNoPredicate : predicateDestination(operand.second);
  };
  if (statement.opcode == "shfl") {
    if (operands.size() != 5)
      return fail("shfl.sync takes a result and four sources");
    uint32_t a = source(operands[1], 4), b = source(operands[2], 4), c = source(operands[3], 4);
    uint32_t lanes = source(operands[4], 4);
    std::vector<uint32_t> more{second(operands[0]), lanes};
    setTable(emit(name, destination(operands[0], 4), a, b, c), std::move(more));
  } else if (statement.opcode == "elect") {
    if (operands.size() != 2)
      return fail("elect.sync takes a result and the lanes");
    uint32_t lanes = source(operands[1], 4);
    std::vector<uint32_t> more{second(operands[0])};
    setTable(
        emit(name, operands[0].name.empty() ? allocate(4) : destination(operands[0], 4), lanes),
        std::move(more));
  } else if (operands.size() != 3) {
    fail("the instruction takes a result, a source and the lanes");
  } else if (statement.opcode == "vote") {
    Operand plain = operands[1];
    plain.negated = false;
    uint32_t p = predicate(plain), lanes = source(operands[2], 4);
    uint32_t d = statement.has("ballot") ? destination(operands[0], 4)
                                         : predicateDestination(operands[0].name);
    emit(name, d, p, operands[1].negated ? ~0u : 0, lanes);
  } else {
    uint32_t a = source(operands[1], statement.modifiers.back() == "b64" ? 8 : 4);
    uint32_t lanes = source(operands[2], 4);
    std::vector<uint32_t> more{second(operands[0])};
    setTable(emit(name, destination(operands[0], 4), a, 0, lanes), std::move(more));
  }
}

} // namespace heddle::emulator
