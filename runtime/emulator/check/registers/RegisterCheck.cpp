// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ops that look at registers at run time, and where they are put.
#include "runtime/emulator/check/registers/RegisterCheck.h"
#include "runtime/emulator/check/BlockCheck.h"
#include "runtime/emulator/check/SyncCheck.h"
#include "runtime/emulator/check/registers/RegisterFlow.h"
#include <algorithm>
#include <set>

namespace heddle::emulator {

namespace {

uint32_t lanesOf(const Warp &warp, const Op &op) {
  return warp.active & (warp.predicates[op.guard] ^ op.guardFlip);
}

// Lists in Op::more begin with their length. Written lanes of a register are a hidden predicate.

void clearWritten(Warp &warp, const Op &op) {
  for (uint32_t i = 0; i < op.more[0]; ++i)
    warp.predicates[op.more[1 + i]] &= ~warp.active;
}

/// Pairs: the lanes written, the name.
void checkWritten(Warp &warp, const Op &op) {
  uint32_t lanes = lanesOf(warp, op);
  for (uint32_t i = 0; i < op.more[0]; i += 2) {
    uint32_t missing = lanes & ~warp.predicates[op.more[1 + i]];
    if (missing == 0)
      continue;
    const std::string &name = warp.block->launch->kernel->registerNames[op.more[2 + i]];
    reportFault(warp, op, Fault::kUninitialised, static_cast<uint32_t>(__builtin_ctz(missing)),
                "read of register \"" + name + "\", which nobody has written in " +
                    std::to_string(__builtin_popcount(missing)) + " of the lanes that read it");
    return;
  }
}

/// op.d is written; where op.more has a list, as far as all of its registers are.
void markWritten(Warp &warp, const Op &op) {
  uint32_t lanes = lanesOf(warp, op), value = lanes;
  for (uint32_t i = 0; op.more && i < op.more[0]; ++i)
    value &= warp.predicates[op.more[1 + i]];
  uint32_t &to = warp.predicates[op.d];
  to = (to & ~lanes) | value;
}

// Registers of wgmma have numbers. Lists: how many; then number * 2 + 1 of those that are written.

WgmmaState &stateOf(Warp &warp) {
  BlockCheck &check = *warp.block->check;
  WgmmaState &state = check.cluster().wgmma[check.agentOf(warp.index)];
  state.touched.resize(warp.block->launch->kernel->wgmmaRegisters.size(), 0);
  state.used.resize(state.touched.size(), 0);
  return state;
}

const std::string &wgmmaName(const Warp &warp, uint32_t number) {
  return warp.block->launch->kernel->wgmmaRegisters[number];
}

/// Forgets what was waited for.
void prune(Warp &warp, WgmmaState &state) {
  if (state.flights.empty())
    return;
  BlockCheck &check = *warp.block->check;
  uint32_t agent = check.agentOf(warp.index);
  Completion all = check.cluster().async.issuedSoFar(AsyncKind::kWgmma, agent);
  uint32_t known = check.cluster().orders.timesOf(agent)[all.agent];
  std::erase_if(state.flights,
                [&](const WgmmaState::Flight &flight) { return flight.time <= known; });
}

/// The wgmma in flight that forbids to touch a register; null: none.
const WgmmaState::Flight *findUser(const WgmmaState &state, uint32_t number, bool isWrite) {
  for (const WgmmaState::Flight &flight : state.flights)
    for (uint32_t i = 0; i < flight.operands[0]; ++i) {
      uint32_t operand = flight.operands[1 + i];
      // Results may not be touched at all, sources not be written.
      if (operand >> 1 == number && ((operand & 1) || isWrite))
        return &flight;
    }
  return nullptr;
}

/// False: a wgmma in flight forbids the touch, which was reported.
bool mayTouch(Warp &warp, const Op &op, const WgmmaState &state, uint32_t operand) {
  uint32_t number = operand >> 1;
  bool isWrite = operand & 1;
  const WgmmaState::Flight *user = findUser(state, number, isWrite);
  if (!user)
    return true;
  reportFault(warp, op, Fault::kAsync, kLaneCount,
              "missing wgmma.wait_group: register \"" + wgmmaName(warp, number) + "\" is " +
                  (isWrite ? "written" : "read") + " while the wgmma.mma_async in PTX line " +
                  std::to_string(user->line) + " that uses it is in flight");
  return false;
}

void touchRegisters(Warp &warp, const Op &op) {
  if (!warp.block->check || lanesOf(warp, op) == 0)
    return;
  WgmmaState &state = stateOf(warp);
  prune(warp, state);
  for (uint32_t i = 0; i < op.more[0]; ++i) {
    state.touched[op.more[1 + i] >> 1] = op.line;
    if (!mayTouch(warp, op, state, op.more[1 + i]))
      return;
  }
}

/// The first register of the list becomes a copy of the second one, or a number.
void copyRegister(Warp &warp, const Op &op) {
  if (!warp.block->check || lanesOf(warp, op) == 0)
    return;
  WgmmaState &state = stateOf(warp);
  prune(warp, state);
  bool hasSource = op.more[0] == 2;
  if (!mayTouch(warp, op, state, op.more[1]) ||
      (hasSource && !mayTouch(warp, op, state, op.more[2])))
    return;
  uint32_t to = op.more[1] >> 1, from = hasSource ? state.touched[op.more[2] >> 1] : 0;
  // What a wgmma has used since the fence is more than a name.
  state.touched[to] = state.used[to] ? op.line : from;
}

void issueWgmma(Warp &warp, const Op &op) {
  if (!warp.block->check || lanesOf(warp, op) == 0)
    return;
  WgmmaState &state = stateOf(warp);
  prune(warp, state);
  if (!state.isFenced) {
    reportFault(warp, op, Fault::kAsync, kLaneCount,
                "missing wgmma.fence: it is needed before the first wgmma.mma_async of a kernel");
    return;
  }
  for (uint32_t i = 0; i < op.more[0]; ++i) {
    uint32_t number = op.more[1 + i] >> 1;
    if (state.touched[number]) {
      reportFault(warp, op, Fault::kAsync, kLaneCount,
                  "missing wgmma.fence: register \"" + wgmmaName(warp, number) +
                      "\" was touched in PTX line " + std::to_string(state.touched[number]) +
                      " since the last one");
      return;
    }
  }
  for (uint32_t i = 0; i < op.more[0]; ++i)
    state.used[op.more[1 + i] >> 1] = 1;
  state.issued = op.more;
}

/// Builds the new list of ops.
class Inserter {
public:
  Inserter(Kernel &kernel, const std::vector<StatementUse> &uses, const HandlerTable &table)
      : kernel(kernel), uses(uses), table(table), before(kernel.ops.size() + 1),
        after(kernel.ops.size() + 1) {}

  void followWrites() {
    RegisterFlow flow(kernel, uses, table);
    std::vector<uint32_t> lanes(flow.count(), 0), all;
    for (uint32_t reg = 0; reg < flow.count(); ++reg) {
      if (!flow.isFollowed(reg))
        continue;
      lanes[reg] = kernel.predicates++;
      all.push_back(lanes[reg]);
    }
    if (all.empty())
      return;
    atEntry(all);
    for (size_t s = 0; s < uses.size(); ++s)
      followStatement(flow, lanes, s);
  }

  void followWgmma() {
    std::map<uint32_t, uint32_t> numbers; // slot -> number
    for (const StatementUse &use : uses)
      if (isWgmma(use))
        for (const auto *list : {&use.writes, &use.reads})
          for (const RegisterUse &reg : *list)
            if (isOperand(reg) && numbers.try_emplace(reg.slot, numbers.size()).second)
              kernel.wgmmaRegisters.push_back(reg.name);
    if (numbers.empty())
      return;
    numberCopies(numbers);
    for (const StatementUse &use : uses) {
      if (copyOfWgmma(use, numbers))
        continue;
      std::set<uint32_t> touched;
      for (const RegisterUse &reg : use.writes)
        if (auto found = numbers.find(reg.slot); isOperand(reg) && found != numbers.end())
          touched.insert(found->second * 2 + 1);
      for (const RegisterUse &reg : use.reads)
        if (auto found = numbers.find(reg.slot); isOperand(reg) && found != numbers.end())
          if (!touched.count(found->second * 2 + 1))
            touched.insert(found->second * 2);
      if (touched.empty() || use.first == use.end)
        continue;
      Op op = make(use, isWgmma(use) ? issueWgmma : touchRegisters);
      setList(op, {touched.begin(), touched.end()});
      before[use.first].push_back(op);
    }
  }

  void rewrite() {
    const Instruction *bra = table.find("bra"), *indexed = table.find("brx.idx");
    std::vector<Op> result;
    std::vector<uint32_t> placed(kernel.ops.size() + 1);
    for (size_t i = 0; i <= kernel.ops.size(); ++i) {
      result.insert(result.end(), after[i].begin(), after[i].end());
      placed[i] = static_cast<uint32_t>(result.size());
      if (i == kernel.ops.size())
        break;
      result.insert(result.end(), before[i].begin(), before[i].end());
      result.push_back(kernel.ops[i]);
    }
    for (Op &op : result) {
      if (op.run == bra->run)
        op.target = placed[op.target];
      auto *targets = const_cast<uint32_t *>(op.more);
      for (uint32_t t = 0; op.run == indexed->run && t < targets[0]; ++t)
        targets[1 + t] = placed[targets[1 + t]];
    }
    kernel.ops = std::move(result);
  }

private:
  /// One register becomes another, or a number.
  static bool isPlainCopy(const StatementUse &use) {
    return use.opcode == "mov" && use.reads.size() <= 1 && use.writes.size() == 1 && use.guard == 0;
  }
  static bool isWgmma(const StatementUse &use) { return use.form.starts_with("wgmma.mma_async"); }
  /// Accumulators and fragments; no descriptor, no predicate.
  static bool isOperand(const RegisterUse &reg) { return reg.bytes == 4; }

  /// Compilers copy operands by mov between the fence and the wgmma, which ptxas takes for new
  /// names of the same registers: what is copied into operands has numbers as well.
  void numberCopies(std::map<uint32_t, uint32_t> &numbers) {
    for (bool changed = true; changed;) {
      changed = false;
      for (const StatementUse &use : uses) {
        if (!isPlainCopy(use) || use.reads.empty() || !isOperand(use.writes[0]) ||
            !isOperand(use.reads[0]) || !numbers.count(use.writes[0].slot))
          continue;
        if (!numbers.try_emplace(use.reads[0].slot, numbers.size()).second)
          continue;
        kernel.wgmmaRegisters.push_back(use.reads[0].name);
        changed = true;
      }
    }
  }
  /// True: the statement is a copy into an operand, which is as the source is.
  bool copyOfWgmma(const StatementUse &use, const std::map<uint32_t, uint32_t> &numbers) {
    if (!isPlainCopy(use) || use.first == use.end || !isOperand(use.writes[0]))
      return false;
    auto to = numbers.find(use.writes[0].slot);
    if (to == numbers.end())
      return false;
    std::vector<uint32_t> list{to->second * 2 + 1};
    if (!use.reads.empty()) {
      auto from = numbers.find(use.reads[0].slot);
      if (from == numbers.end() || !isOperand(use.reads[0]))
        return false;
      list.push_back(from->second * 2);
    }
    Op op = make(use, copyRegister);
    setList(op, std::move(list));
    before[use.first].push_back(op);
    return true;
  }

  void setList(Op &op, std::vector<uint32_t> list) {
    list.insert(list.begin(), static_cast<uint32_t>(list.size()));
    op.more = kernel.tables.emplace_back(std::move(list)).data();
  }
  static Op make(const StatementUse &use, Handler run) {
    Op op;
    op.run = run;
    op.guard = use.guard;
    op.guardFlip = use.guardFlip;
    op.line = use.line;
    return op;
  }
  /// In front of the first op, once: a branch back to it finds it behind.
  void atEntry(const std::vector<uint32_t> &all) {
    Op op;
    op.run = clearWritten;
    op.line = uses.empty() ? 0 : uses[0].line;
    setList(op, all);
    after[0].push_back(op);
  }
  void followStatement(const RegisterFlow &flow, const std::vector<uint32_t> &lanes, size_t s) {
    const StatementUse &use = uses[s];
    if (use.first == use.end)
      return;
    std::vector<uint32_t> reads, ofGuard, sources;
    for (uint32_t reg : flow.early(s)) {
      if (!flow.isFollowed(reg))
        continue;
      sources.push_back(lanes[reg]);
      bool isGuard = std::any_of(use.reads.begin(), use.reads.end(), [&](const RegisterUse &r) {
        return r.bytes == 0 && use.guard != 0 && r.slot == use.guard && flow.numberOf(r) == reg;
      });
      auto &list = isGuard ? ofGuard : reads;
      list.push_back(lanes[reg]);
      list.push_back(static_cast<uint32_t>(kernel.registerNames.size()));
      kernel.registerNames.push_back(flow.nameOf(reg));
    }
    if (!ofGuard.empty()) {
      Op op = make(use, checkWritten);
      op.guard = op.guardFlip = 0;
      setList(op, ofGuard);
      before[use.first].push_back(op);
    }
    bool isCopy = RegisterFlow::isCopy(use);
    if (!reads.empty() && !isCopy) {
      Op op = make(use, checkWritten);
      setList(op, reads);
      before[use.first].push_back(op);
    }
    for (const RegisterUse &reg : use.writes) {
      uint32_t number = flow.numberOf(reg);
      if (!flow.isFollowed(number))
        continue;
      Op op = make(use, markWritten);
      op.d = lanes[number];
      if (isCopy && !sources.empty())
        setList(op, sources);
      // A predicate that guards its own write is read before it changes.
      bool isOwnGuard = reg.bytes == 0 && reg.slot == use.guard;
      (isOwnGuard ? before[use.first] : after[use.end]).push_back(op);
    }
  }

  Kernel &kernel;
  const std::vector<StatementUse> &uses;
  const HandlerTable &table;
  std::vector<std::vector<Op>> before, after;
};

} // namespace

void setRegisterCount(Warp &warp, const Op &op) {
  if (warp.block->check && CheckOptions::get().sync && lanesOf(warp, op))
    noteRegisterCount(warp, op, static_cast<uint32_t>(op.imm));
}

void startWgmma(WgmmaState &state, uint32_t time, uint32_t line) {
  if (state.issued)
    state.flights.push_back({time, line, state.issued});
  state.issued = nullptr;
}

void fenceWgmma(WgmmaState &state) {
  state.isFenced = true;
  std::fill(state.touched.begin(), state.touched.end(), 0);
  std::fill(state.used.begin(), state.used.end(), 0);
}

void insertRegisterChecks(Kernel &kernel, const std::vector<StatementUse> &uses,
                          const HandlerTable &table) {
  Inserter inserter(kernel, uses, table);
  if (CheckOptions::get().initialised)
    inserter.followWrites();
  if (CheckOptions::get().async)
    inserter.followWgmma();
  inserter.rewrite();
}

} // namespace heddle::emulator
