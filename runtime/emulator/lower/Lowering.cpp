// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bodies of functions, statement by statement; the layout of shared and local memory; calls, which
// are inlined; labels.
#include "runtime/emulator/lower/Lowering.h"
#include "runtime/emulator/check/registers/RegisterCheck.h"
#include "runtime/emulator/host/HostFunctions.h"
#include <algorithm>

namespace heddle::emulator {

using ptx::Operand;
using ptx::Statement;

namespace {

constexpr uint32_t kUnplaced = ~0u;
constexpr uint32_t kMaxCallDepth = 64;
/// How deep recursion is followed: where a function calls itself twice, the text doubles each time.
constexpr int64_t kRecursionDepths[] = {24, 12, 6};
constexpr uint64_t kMaxLocalBytes = 1 << 20;
constexpr uint64_t kMaxSharedBytes = 1 << 20;
constexpr size_t kMaxOps = 4 << 20;
constexpr uint64_t kMaxExpansion = 1 << 20;
constexpr uint64_t kCallStatements = 16; // a call costs about that much

uint64_t alignUp(uint64_t value, uint64_t align) { return (value + align - 1) / align * align; }

} // namespace

uint32_t Lowering::labelOf(const std::string &name) {
  auto [place, isNew] = labels.try_emplace(name, static_cast<uint32_t>(labelOps.size()));
  if (isNew)
    labelOps.push_back(kUnplaced);
  return place->second;
}

/// Counts what one statement becomes beyond itself.
bool Lowering::expand(uint64_t statements) {
  module.expansion += statements;
  if (module.expansion > kMaxExpansion)
    fail("the module becomes more than " + std::to_string(kMaxExpansion) +
         " instructions longer when calls are inlined");
  return error.empty();
}

/// Shared variables of the function and those of the module that it or its callees name.
void Lowering::layoutShared(const ptx::Function &function, uint32_t depth) {
  if (depth > kMaxCallDepth || !laidOut.insert(&function).second ||
      (depth > 0 && !expand(function.body.size() + 1)))
    return;
  auto place = [&](const ptx::Variable &variable) {
    if (variable.space != ptx::Space::kShared || sharedOffsets.count(variable.name))
      return;
    if (variable.bytes == 0) { // its size is known at the launch
      sharedOffsets[variable.name] = kUnplaced;
      dynamicAlign = std::max(dynamicAlign, variable.align);
      return;
    }
    sharedEnd = alignUp(sharedEnd, variable.align);
    sharedOffsets[variable.name] = sharedEnd;
    sharedEnd += variable.bytes;
    sharedSizes.push_back({variable.name, static_cast<uint32_t>(variable.bytes)});
    if (sharedEnd > kMaxSharedBytes)
      fail("shared variables of more than a megabyte");
  };
  for (const ptx::Variable &variable : function.variables)
    place(variable);
  auto visit = [&](auto &self, const Operand &operand) -> void {
    if (auto found = module.sharedByName.find(operand.name); found != module.sharedByName.end())
      place(*found->second);
    for (const Operand &member : operand.members)
      self(self, member);
  };
  for (const Statement &statement : function.body) {
    for (const Operand &operand : statement.operands)
      visit(visit, operand);
    if (statement.opcode != "call" || statement.operands.empty())
      continue;
    for (const Operand &operand : statement.operands)
      if (const ptx::Function *callee = module.findFunction(operand.name))
        layoutShared(*callee, depth + 1);
    // Through an address it may be any of them.
    const std::string &last = statement.operands.back().name;
    if (function.callTargets.count(last) || function.prototypes.count(last))
      for (const auto &callee : module.functions)
        if (!callee->isEntry)
          layoutShared(*callee, depth + 1);
  }
}

void Lowering::placeLocal(Frame &owner, const ptx::Variable &variable) {
  localEnd = alignUp(localEnd, variable.align);
  owner.local[variable.name] = localEnd;
  localEnd += variable.bytes;
  if (localEnd > kMaxLocalBytes)
    fail("local variables of more than a megabyte a thread");
}

bool Lowering::run(const ptx::Function &function) {
  kernel.name = function.name;
  uint32_t offset = 0;
  for (const ptx::Variable &parameter : function.params) {
    offset = static_cast<uint32_t>(alignUp(offset, parameter.align));
    kernel.params.push_back({parameter.name, offset, static_cast<uint32_t>(parameter.bytes)});
    if (parameter.bytes > 32764 || (offset += parameter.bytes) > 32764)
      fail("parameters of more than 32764 bytes");
  }
  kernel.paramBytes = offset;
  kernel.maxThreads = function.maxThreads;
  std::copy(function.required, function.required + 3, kernel.requiredThreads);
  std::copy(function.cluster, function.cluster + 3, kernel.cluster);
  kernel.maxClusterRank = function.maxClusterRank;

  layoutShared(function, 0);
  sharedEnd = alignUp(sharedEnd, dynamicAlign);
  for (auto &[name, place] : sharedOffsets)
    if (place == kUnplaced)
      place = sharedEnd;
  kernel.sharedBytes = static_cast<uint32_t>(sharedEnd);
  for (const auto &[name, variable] : sharedSizes)
    kernel.sharedVariables.push_back({name, static_cast<uint32_t>(sharedOffsets[name]), variable});

  Frame top;
  top.function = &function;
  if (!body(top))
    return false;
  current = nullptr;
  guard = guardFlip = 0;
  frame = &top;
  emit("exit", 0);
  resolveLabels();
  kernel.localBytes = static_cast<uint32_t>(alignUp(localEnd, 16));
  if (error.empty() && collectsUses)
    insertRegisterChecks(kernel, uses, table);
  if (error.empty())
    placeMeetings(kernel, table);
  return error.empty();
}

bool Lowering::body(Frame &next) {
  Frame *caller = frame;
  frame = &next;
  next.returnLabel = labelOf(next.prefix + "@return");
  for (const ptx::Variable &variable : next.function->variables)
    if (variable.space == ptx::Space::kLocal || variable.space == ptx::Space::kParam)
      placeLocal(next, variable);
  for (const Statement &statement : next.function->body)
    if (statement.kind == Statement::Kind::kBranchTargets)
      next.branchTables[statement.label] = &statement;
  for (const Statement &statement : next.function->body) {
    current = &statement;
    if (statement.kind == Statement::Kind::kLabel) {
      uint32_t label = labelOf(next.prefix + statement.label);
      if (labelOps[label] != kUnplaced)
        fail("label \"" + statement.label + "\" is defined twice");
      labelOps[label] = static_cast<uint32_t>(kernel.ops.size());
    } else if (statement.kind == Statement::Kind::kInstruction) {
      use = StatementUse();
      use.first = static_cast<uint32_t>(kernel.ops.size());
      instruction(statement);
      if (collectsUses && statement.opcode != "call") {
        use.end = static_cast<uint32_t>(kernel.ops.size());
        use.guard = guard;
        use.guardFlip = guardFlip;
        use.line = statement.line;
        use.opcode = statement.opcode;
        use.form = statement.text();
        uses.push_back(std::move(use));
      }
    }
    if (kernel.ops.size() > kMaxOps)
      fail("the function is too long");
    if (!error.empty())
      return false;
  }
  labelOps[next.returnLabel] = static_cast<uint32_t>(kernel.ops.size());
  frame = caller;
  return true;
}

/// call (result), name, (arguments): the callee's body takes its place.
void Lowering::call(const Statement &statement) {
  CallLists lists;
  std::string name;
  size_t list = 0;
  for (const Operand &operand : statement.operands) {
    if (operand.kind == Operand::Kind::kName && name.empty()) {
      name = operand.name;
      list = 1;
    } else if (operand.kind == Operand::Kind::kVector) {
      for (const Operand &member : operand.members)
        lists[list].push_back(&member);
    }
  }
  if (const Register *address = findRegister(name)) {
    noteUse(use.reads, *address, name);
    return callThrough(statement, address->slot, lists);
  }
  const ptx::Function *callee = module.findFunction(name);
  if (!callee || !callee->hasBody)
    return callHost(name, lists);
  uint32_t savedGuard = guard, savedFlip = guardFlip;
  uint32_t after = labelOf("@after#" + std::to_string(callCount));
  if (guard != 0) { // skip the body where the guard is off
    Op &skip = emit("bra", 0);
    skip.guardFlip = ~guardFlip;
    skip.target = after;
  }
  guard = guardFlip = 0;
  inlineCall(callee, lists);
  labelOps[after] = static_cast<uint32_t>(kernel.ops.size());
  guard = savedGuard;
  guardFlip = savedFlip;
}

/// vprintf and the like: an op of that name with the places of arguments and results.
void Lowering::callHost(const std::string &name, const CallLists &lists) {
  size_t arguments = 0, results = 0;
  if (!findHostFunction(name, arguments, results))
    return fail("function \"" + name + "\" is not defined in this module");
  if (lists[1].size() != arguments || lists[0].size() != results)
    return fail("function \"" + name + "\" takes another number of arguments");
  std::vector<uint32_t> places{static_cast<uint32_t>(arguments + results)};
  for (size_t i : {1, 0})
    for (const Operand *operand : lists[i]) {
      auto given = frame->local.find(operand->name);
      if (given == frame->local.end())
        return fail("argument \"" + operand->name + "\" is no .param variable");
      places.push_back(static_cast<uint32_t>(given->second));
    }
  setTable(emit(name, 0), std::move(places));
}

static bool isAlike(const std::vector<ptx::Variable> &a, const std::vector<ptx::Variable> &b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto &x, const auto &y) { return x.bytes == y.bytes; });
}

/// A call through an address becomes a choice between the functions that it may be: those listed,
/// or those that are declared like the prototype.
void Lowering::callThrough(const Statement &statement, uint32_t address, const CallLists &lists) {
  const std::string &last = statement.operands.back().name;
  const ptx::Function &caller = *frame->function;
  std::vector<const ptx::Function *> choices;
  if (auto targets = caller.callTargets.find(last); targets != caller.callTargets.end()) {
    for (const std::string &name : targets->second)
      choices.push_back(module.findFunction(name));
  } else if (auto found = caller.prototypes.find(last); found != caller.prototypes.end()) {
    for (const auto &function : module.functions)
      if (!function->isEntry && isAlike(function->params, found->second.params) &&
          isAlike(function->results, found->second.results))
        choices.push_back(function.get());
  } else {
    return fail("\"" + last + "\" is neither .calltargets nor .callprototype");
  }
  uint32_t savedGuard = guard, savedFlip = guardFlip;
  std::string number = std::to_string(callCount++);
  uint32_t after = labelOf("@after#" + number);
  if (guard != 0) {
    Op &skip = emit("bra", 0);
    skip.guardFlip = ~guardFlip;
    skip.target = after;
  }
  guard = guardFlip = 0;
  for (const ptx::Function *callee : choices) {
    uint64_t place = 0;
    bool isRunning = std::find(callStack.begin(), callStack.end(), callee) != callStack.end();
    if (!callee || !callee->hasBody || isRunning || !symbolAddress(callee->name, place))
      continue;
    uint32_t isOther = allocatePredicate();
    uint32_t next = labelOf("@next#" + number + "#" + callee->name);
    emit("setp.ne.u64", isOther, address, constant(8, place));
    Op &skip = emit("bra", 0);
    skip.guard = isOther;
    skip.target = next;
    inlineCall(callee, lists);
    if (!error.empty())
      return;
    emit("bra", 0).target = after;
    labelOps[next] = static_cast<uint32_t>(kernel.ops.size());
  }
  emit("call.nowhere", 0, address);
  labelOps[after] = static_cast<uint32_t>(kernel.ops.size());
  guard = savedGuard;
  guardFlip = savedFlip;
}

/// The callee's body, with the arguments' memory under its names.
void Lowering::inlineCall(const ptx::Function *callee, const CallLists &lists) {
  const std::string &name = callee->name;
  // A recursive function is inlined in itself, as deep as is followed; deeper calls are faults.
  if (std::count(callStack.begin(), callStack.end(), callee) >= maxRecursion) {
    isRecursive = true;
    emit("call.deep", 0).imm = maxRecursion;
    return;
  }
  if (callDepth >= kMaxCallDepth)
    return fail("calls are nested more than " + std::to_string(kMaxCallDepth) + " deep");
  if (lists[0].size() != callee->results.size() || lists[1].size() != callee->params.size())
    return fail("function \"" + name + "\" takes another number of arguments");

  if (!expand(callee->body.size() + kCallStatements))
    return;

  Frame next;
  next.function = callee;
  next.prefix = name + "#" + std::to_string(callCount++) + "#";
  for (size_t i = 0; i < 2; ++i) {
    const auto &formal = i == 0 ? callee->results : callee->params;
    for (size_t k = 0; k < formal.size(); ++k) {
      auto given = frame->local.find(lists[i][k]->name);
      if (given == frame->local.end())
        return fail("argument \"" + lists[i][k]->name + "\" is no .param variable");
      next.local[formal[k].name] = given->second;
    }
  }
  const Statement *calling = current;
  ++callDepth;
  callStack.push_back(callee);
  body(next);
  callStack.pop_back();
  --callDepth;
  current = calling;
}

void Lowering::resolveLabels() {
  const Instruction *bra = table.find("bra"), *indexed = table.find("brx.idx");
  for (auto &[name, label] : labels)
    if (labelOps[label] == kUnplaced)
      fail("label \"" + name + "\" is not defined");
  if (!error.empty())
    return;
  std::unordered_map<const uint32_t *, bool> done;
  for (Op &op : kernel.ops) {
    if (op.run == bra->run) {
      op.target = labelOps[op.target];
    } else if (op.run == indexed->run) {
      auto *targets = const_cast<uint32_t *>(op.more);
      for (uint32_t i = 0; i < targets[0]; ++i)
        targets[1 + i] = labelOps[targets[1 + i]];
    }
  }
}

bool lowerKernel(const ptx::Module &module, const ptx::Function &function,
                 const GlobalAddresses &globals, Kernel &kernel, std::string &error) {
  const Kernel empty = kernel;
  uint64_t expansion = module.expansion;
  for (int64_t depth : kRecursionDepths) {
    error.clear();
    Lowering lowering(module, globals, kernel, error, depth);
    if (lowering.run(function))
      return true;
    if (!lowering.isTooDeep())
      return false;
    if (depth != std::end(kRecursionDepths)[-1]) {
      // A part of it stays counted, so that a text cannot ask for this over and over.
      kernel = empty;
      module.expansion = expansion + (module.expansion - expansion) / 8;
      expansion = module.expansion;
    }
  }
  return false;
}

} // namespace heddle::emulator
