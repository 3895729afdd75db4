// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands become registers: declared ones, and hidden ones for immediates, addresses of variables
// and special registers.
#include "runtime/emulator/lower/Operands.h"
#include "runtime/emulator/numerics/Numerics.h"
#include <cstring>

namespace heddle::emulator {

using ptx::Operand;

bool functionAddress(const ptx::Module &module, const std::string &name, uint64_t &address) {
  const ptx::Function *function = module.findFunction(name);
  for (size_t i = 0; function && i < module.functions.size(); ++i)
    if (module.functions[i].get() == function)
      return address = kCodeWindow + 16 * (i + 1), true;
  return false;
}

void Operands::fail(const std::string &what) {
  if (!error.empty())
    return;
  uint32_t line = current ? current->line : frame ? frame->function->line : 0;
  error = "line " + std::to_string(line) + ": ";
  if (current && current->kind == ptx::Statement::Kind::kInstruction)
    error += "\"" + current->text() + "\": ";
  error += what + " (in \"" + kernel.name + "\")";
}

uint32_t Operands::allocate(uint32_t bytes) {
  uint32_t slot = kernel.registerBytes;
  uint32_t size = bytes * kLaneCount;
  kernel.registerBytes += size < 64 ? 64 : size;
  if (kernel.registerBytes > (64u << 20))
    fail("the function has too many registers");
  return slot;
}

uint32_t Operands::constant(uint32_t bytes, uint64_t value) {
  if (bytes < 8)
    value &= (1ull << (8 * bytes)) - 1;
  auto [place, isNew] = constants.try_emplace({bytes, value}, 0);
  if (isNew) {
    place->second = allocate(bytes);
    kernel.constants.push_back({place->second, bytes, value});
  }
  return place->second;
}

const Operands::Register *Operands::findRegister(const std::string &name) {
  auto found = frame->registers.find(name);
  if (found != frame->registers.end())
    return &found->second;
  const ptx::RegisterType *declared = frame->function->findRegister(name);
  if (!declared)
    return nullptr;
  // A register of 8 bits has room for 16, one of 128 bits is two of 64.
  uint32_t bytes = declared->bytes == 1 ? 2 : declared->bytes;
  Register result{bytes == 0 ? allocatePredicate() : allocate(bytes), bytes};
  return &frame->registers.emplace(name, result).first->second;
}

void Operands::noteUse(std::vector<RegisterUse> &uses, const Register &which,
                       const std::string &name) {
  if (collectsUses)
    uses.push_back({which.slot, which.bytes, name});
}

bool Operands::symbolAddress(const std::string &name, uint64_t &value) {
  if (auto found = frame->local.find(name); found != frame->local.end())
    return value = kLocalBase + found->second, true;
  if (auto found = sharedOffsets.find(frame->prefix + name); found != sharedOffsets.end())
    return value = kSharedBase + found->second, true;
  if (auto found = sharedOffsets.find(name); found != sharedOffsets.end())
    return value = kSharedBase + found->second, true;
  if (auto found = globals.find(name); found != globals.end())
    return value = found->second, true;
  if (functionAddress(module, name, value))
    return true;
  for (const Parameter &parameter : kernel.params)
    if (parameter.name == name && callDepth == 0)
      return value = parameter.offset, true;
  return false;
}

uint32_t Operands::special(const std::string &name, uint32_t bytes, bool &found) {
  static const std::unordered_map<std::string, Special> kNames = {
      {"%tid.x", Special::kTidX},
      {"%tid.y", Special::kTidY},
      {"%tid.z", Special::kTidZ},
      {"%ntid.x", Special::kNtidX},
      {"%ntid.y", Special::kNtidY},
      {"%ntid.z", Special::kNtidZ},
      {"%ctaid.x", Special::kCtaidX},
      {"%ctaid.y", Special::kCtaidY},
      {"%ctaid.z", Special::kCtaidZ},
      {"%nctaid.x", Special::kNctaidX},
      {"%nctaid.y", Special::kNctaidY},
      {"%nctaid.z", Special::kNctaidZ},
      {"%laneid", Special::kLaneId},
      {"%warpid", Special::kWarpId},
      {"%nwarpid", Special::kNwarpId},
      {"%lanemask_eq", Special::kLaneMaskEq},
      {"%lanemask_lt", Special::kLaneMaskLt},
      {"%lanemask_le", Special::kLaneMaskLe},
      {"%lanemask_gt", Special::kLaneMaskGt},
      {"%lanemask_ge", Special::kLaneMaskGe},
      {"%smid", Special::kSmId},
      {"%nsmid", Special::kNsmId},
      {"%gridid", Special::kGridId},
      {"%dynamic_smem_size", Special::kDynamicShared},
      {"%total_smem_size", Special::kTotalShared},
      {"%clusterid.x", Special::kClusterIdX},
      {"%clusterid.y", Special::kClusterIdY},
      {"%clusterid.z", Special::kClusterIdZ},
      {"%nclusterid.x", Special::kNclusterIdX},
      {"%nclusterid.y", Special::kNclusterIdY},
      {"%nclusterid.z", Special::kNclusterIdZ},
      {"%cluster_ctaid.x", Special::kClusterCtaidX},
      {"%cluster_ctaid.y", Special::kClusterCtaidY},
      {"%cluster_ctaid.z", Special::kClusterCtaidZ},
      {"%cluster_nctaid.x", Special::kClusterNctaidX},
      {"%cluster_nctaid.y", Special::kClusterNctaidY},
      {"%cluster_nctaid.z", Special::kClusterNctaidZ},
      {"%envreg1", Special::kWorkspaceHigh},
      {"%envreg2", Special::kWorkspaceLow},
      {"%cluster_ctarank", Special::kClusterCtarank},
      {"%cluster_nctarank", Special::kClusterNctarank}};
  found = true;
  if (name == "%clock" || name == "%clock64" || name == "%globaltimer" ||
      name == "%globaltimer_lo") {
    uint32_t slot = allocate(bytes);
    emit(bytes == 8 ? "clock.u64" : "clock.u32", slot);
    return slot;
  }
  if (name == "%clock_hi" || name == "%globaltimer_hi") {
    uint32_t time = allocate(8), slot = allocate(4);
    emit("clock.u64", time);
    emit("unpack.b64", slot, time);
    return slot;
  }
  // The first bytes of shared memory are the system's, as addresses begin behind them.
  if (name == "%reserved_smem_offset_end" || name == "%reserved_smem_offset_cap")
    return constant(bytes, kSharedBase);
  if (name.ends_with(".w") || name.starts_with("%reserved_smem_offset_") ||
      name == "%current_graph_exec" ||
      (name.starts_with("%envreg") && name != "%envreg1" && name != "%envreg2"))
    return constant(bytes, 0);
  if (name == "%aggr_smem_size") {
    uint32_t sum = allocate(bytes), total = special("%total_smem_size", bytes, found);
    emit("add.u32", sum, total, constant(bytes, kSharedBase));
    return sum;
  }
  auto which = kNames.find(name);
  if (which == kNames.end()) {
    found = false;
    return 0;
  }
  auto [place, isNew] = specials.try_emplace({static_cast<int>(which->second), bytes}, 0);
  if (isNew) {
    place->second = allocate(bytes);
    kernel.specials.push_back({which->second, place->second, bytes});
  }
  return place->second;
}

uint32_t Operands::source(const Operand &operand, uint32_t bytes) {
  switch (operand.kind) {
  case Operand::Kind::kInteger:
    return constant(bytes, static_cast<uint64_t>(operand.value));
  case Operand::Kind::kFloat32:
    if (bytes == 8) {
      uint32_t bits = static_cast<uint32_t>(operand.value);
      float narrow;
      std::memcpy(&narrow, &bits, 4);
      double wide = narrow;
      uint64_t value;
      std::memcpy(&value, &wide, 8);
      return constant(8, value);
    }
    return constant(bytes, static_cast<uint64_t>(operand.value));
  case Operand::Kind::kFloat64:
    if (bytes == 4) {
      double wide;
      std::memcpy(&wide, &operand.value, 8);
      float narrow = static_cast<float>(wide);
      uint32_t bits;
      std::memcpy(&bits, &narrow, 4);
      return constant(4, bits);
    }
    return constant(bytes, static_cast<uint64_t>(operand.value));
  case Operand::Kind::kName:
    break;
  default:
    fail("a register or a number is expected");
    return 0;
  }
  if (const Register *found = findRegister(operand.name)) {
    if (found->bytes != bytes) {
      fail("\"" + operand.name + "\" has " + std::to_string(found->bytes * 8) +
           " bits, the instruction takes " + std::to_string(bytes * 8));
      return 0;
    }
    noteUse(use.reads, *found, operand.name);
    if (operand.value == 0)
      return found->slot;
    // "%rd1+2", which LLVM prints of a descriptor.
    uint32_t base = found->slot, sum = allocate(bytes);
    emit(bytes == 8 ? "add.u64" : "add.u32", sum, base,
         constant(bytes, static_cast<uint64_t>(operand.value)));
    return sum;
  }
  bool isSpecial = false;
  uint32_t slot = special(operand.name, bytes, isSpecial);
  if (isSpecial)
    return slot;
  if (operand.name == "WARP_SZ")
    return constant(bytes, kLaneCount);
  uint64_t address = 0;
  if (symbolAddress(operand.name, address))
    return constant(bytes, address + static_cast<uint64_t>(operand.value));
  fail("\"" + operand.name + "\" is not declared, or is a special register that is not supported");
  return 0;
}

uint32_t Operands::destination(const Operand &operand, uint32_t bytes) {
  if (operand.kind == Operand::Kind::kSink)
    return allocate(bytes);
  const Register *found =
      operand.kind == Operand::Kind::kName ? findRegister(operand.name) : nullptr;
  if (!found) {
    fail("the result must be a declared register");
    return 0;
  }
  if (found->bytes != bytes)
    fail("\"" + operand.name + "\" has " + std::to_string(found->bytes * 8) +
         " bits, the result has " + std::to_string(bytes * 8));
  noteUse(use.writes, *found, operand.name);
  return found->slot;
}

uint32_t Operands::predicateDestination(const std::string &name) {
  if (name.empty())
    return allocatePredicate();
  const Register *found = findRegister(name);
  if (found && found->bytes == 0) {
    noteUse(use.writes, *found, name);
    return found->slot;
  }
  fail("\"" + name + "\" must be a predicate");
  return 0;
}

uint32_t Operands::predicate(const Operand &operand) {
  if (operand.kind == Operand::Kind::kInteger) {
    uint32_t result = allocatePredicate();
    emit("set.pred", result).imm = operand.value ? -1 : 0;
    return result;
  }
  const Register *found =
      operand.kind == Operand::Kind::kName ? findRegister(operand.name) : nullptr;
  if (!found || found->bytes != 0) {
    fail("a predicate is expected");
    return 0;
  }
  noteUse(use.reads, *found, operand.name);
  if (!operand.negated)
    return found->slot;
  uint32_t result = allocatePredicate();
  emit("not.pred", result, found->slot);
  return result;
}

uint32_t Operands::widthOf(const Operand &operand, uint32_t otherwise) {
  if (operand.kind != Operand::Kind::kName)
    return otherwise;
  const Register *found = findRegister(operand.name);
  return found ? found->bytes : otherwise;
}

uint32_t Operands::addressBase(const Operand &operand, uint32_t &bytes) {
  bytes = 8;
  if (operand.kind != Operand::Kind::kAddress) {
    fail("an address in brackets is expected");
    return 0;
  }
  if (operand.name.empty())
    return constant(8, 0);
  if (const Register *found = findRegister(operand.name)) {
    bytes = found->bytes;
    if (bytes != 4 && bytes != 8)
      fail("an address has 32 or 64 bits");
    noteUse(use.reads, *found, operand.name);
    return found->slot;
  }
  uint64_t address = 0;
  if (!symbolAddress(operand.name, address))
    fail("\"" + operand.name + "\" is not declared");
  return constant(8, address);
}

const Instruction *Operands::find(const std::string &name) {
  // Approximations have a second handler.
  if (numerics() == Numerics::kParanoid)
    if (const Instruction *found = table.find("paranoid." + name))
      return found;
  const Instruction *found = table.find(name);
  if (!found)
    fail("the emulated device does not know this instruction (as \"" + name + "\")");
  return found;
}

Op &Operands::emit(const Instruction &instruction) {
  Op &op = kernel.ops.emplace_back();
  op.run = instruction.run;
  op.kind = instruction.kind;
  op.guard = guard;
  op.guardFlip = guardFlip;
  op.line = current ? current->line : 0;
  return op;
}

Op &Operands::emit(const std::string &name, uint32_t d, uint32_t a, uint32_t b, uint32_t c) {
  static const Instruction kMissing{"", nullptr, "", OpClass::kNone};
  const Instruction *found = find(name);
  Op &op = emit(found ? *found : kMissing);
  op.d = d;
  op.a = a;
  op.b = b;
  op.c = c;
  return op;
}

void Operands::setTable(Op &op, std::vector<uint32_t> values) {
  op.more = kernel.tables.emplace_back(std::move(values)).data();
}

static uint32_t bytesOfLetter(char letter) {
  return letter == 'h' ? 2 : letter == 'w' ? 4 : letter == 'd' ? 8 : 1;
}

uint32_t Operands::sourceLetter(char letter, const Operand &operand) {
  return letter == 'p' ? predicate(operand) : source(operand, bytesOfLetter(letter));
}

void Operands::generic(const Instruction &instruction, const ptx::Statement &statement) {
  const char *letters = instruction.operands;
  Op op;
  std::vector<uint32_t> more;
  size_t operand = 0, sources = 0;
  const auto &operands = statement.operands;
  bool isResult = std::strchr(letters, ':') != nullptr;
  if (isResult && letters[0] != ':') {
    if (operands.empty())
      return fail("operands are missing");
    const Operand &result = operands[operand++];
    op.d = letters[0] == 'p' ? predicateDestination(result.name)
                             : destination(result, bytesOfLetter(letters[0]));
    if (letters[1] == 'p')
      more.push_back(predicateDestination(result.second));
  }
  const char *at = isResult ? std::strchr(letters, ':') + 1 : letters;
  uint32_t *slots[] = {&op.a, &op.b, &op.c};
  for (; *at; ++at) {
    if (*at == 'c') {
      if (carry == 0)
        carry = allocatePredicate();
      more.push_back(carry);
      continue;
    }
    if (operand >= operands.size())
      return fail("operands are missing");
    const Operand &from = operands[operand++];
    if (*at == 'i') {
      if (from.kind != Operand::Kind::kInteger)
        return fail("an immediate is expected");
      op.imm = from.value;
    } else if (sources < 3) {
      *slots[sources++] = sourceLetter(*at, from);
    } else {
      more.push_back(sourceLetter(*at, from));
    }
  }
  if (operand != operands.size())
    return fail("there are more operands than the instruction takes");
  Op &placed = emit(instruction);
  placed.d = op.d;
  placed.a = op.a;
  placed.b = op.b;
  placed.c = op.c;
  placed.imm = op.imm;
  if (!more.empty())
    setTable(placed, std::move(more));
}

} // namespace heddle::emulator
