// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The analysis of RegisterFlow.h: a register counts as written where it is on all ways. A write
// under a guard counts for nothing, because lanes differ; such reads are judged at run time.
#include "runtime/emulator/check/registers/RegisterFlow.h"
#include <algorithm>

namespace heddle::emulator {

RegisterFlow::RegisterFlow(const Kernel &kernel, const std::vector<StatementUse> &uses,
                           const HandlerTable &table)
    : kernel(kernel), uses(uses), bra(table.find("bra")->run), indexed(table.find("brx.idx")->run),
      exit(table.find("exit")->run), trap(table.find("trap")->run) {
  for (const StatementUse &use : uses)
    for (const auto *list : {&use.reads, &use.writes})
      for (const RegisterUse &reg : *list)
        if (numbers.try_emplace({reg.bytes == 0, reg.slot}, names.size()).second)
          names.push_back(reg.name);
  findBlocks();
  solve();
  collect();
}

uint32_t RegisterFlow::numberOf(const RegisterUse &use) const {
  return numbers.at({use.bytes == 0, use.slot});
}

bool RegisterFlow::isCopy(const StatementUse &use) {
  return use.opcode == "mov" || use.opcode == "selp" || use.opcode == "prmt";
}

void RegisterFlow::findBlocks() {
  const auto &ops = kernel.ops;
  std::vector<char> leads(ops.size() + 1, 0);
  leads[0] = 1;
  auto ends = [&](const Op &op) {
    return op.run == bra || op.run == indexed || op.run == exit || op.run == trap;
  };
  for (size_t i = 0; i < ops.size(); ++i) {
    if (!ends(ops[i]))
      continue;
    leads[i + 1] = 1;
    if (ops[i].run == bra)
      leads[std::min<size_t>(ops[i].target, ops.size())] = 1;
    for (uint32_t t = 0; ops[i].run == indexed && t < ops[i].more[0]; ++t)
      leads[std::min<size_t>(ops[i].more[1 + t], ops.size())] = 1;
  }
  blockOf.resize(ops.size());
  uint32_t count = 0;
  for (size_t i = 0; i < ops.size(); ++i) {
    count += leads[i];
    blockOf[i] = count - 1;
  }
  next.resize(count);
  for (size_t i = 0; i < ops.size(); ++i) {
    if (i + 1 < ops.size() && !leads[i + 1])
      continue;
    const Op &op = ops[i];
    auto connect = [&](size_t to) {
      if (to < ops.size())
        next[blockOf[i]].push_back(blockOf[to]);
    };
    if (op.run == bra)
      connect(op.target);
    for (uint32_t t = 0; op.run == indexed && t < op.more[0]; ++t)
      connect(op.more[1 + t]);
    if (!ends(op) || op.guard != 0 || op.guardFlip != 0)
      connect(i + 1);
  }
  statements.resize(count);
  for (size_t s = 0; s < uses.size(); ++s)
    if (uses[s].first < uses[s].end)
      statements[blockOf[uses[s].first]].push_back(s);
}

void RegisterFlow::step(const StatementUse &use, Set &written) const {
  bool isGuarded = use.guard != 0 || use.guardFlip != 0;
  bool passes =
      !isCopy(use) || std::all_of(use.reads.begin(), use.reads.end(),
                                  [&](const RegisterUse &reg) { return written[numberOf(reg)]; });
  for (const RegisterUse &reg : use.writes) {
    if (!passes)
      written[numberOf(reg)] = false;
    else if (!isGuarded)
      written[numberOf(reg)] = true;
  }
}

void RegisterFlow::solve() {
  entry.assign(next.size(), Set(names.size(), true));
  isReached.assign(next.size(), 0);
  if (next.empty())
    return;
  entry[0].assign(names.size(), false);
  isReached[0] = 1;
  std::vector<uint32_t> work{0};
  std::vector<char> isQueued(next.size(), 0);
  while (!work.empty()) {
    uint32_t block = work.back();
    work.pop_back();
    isQueued[block] = 0;
    Set state = entry[block];
    for (size_t s : statements[block])
      step(uses[s], state);
    for (uint32_t to : next[block]) {
      bool changed = !isReached[to];
      isReached[to] = 1;
      for (size_t i = 0; i < state.size(); ++i)
        if (entry[to][i] && !state[i]) {
          entry[to][i] = false;
          changed = true;
        }
      if (changed && !isQueued[to]) {
        isQueued[to] = 1;
        work.push_back(to);
      }
    }
  }
}

/// Early reads, and what must be followed to judge them: also the sources of copies.
void RegisterFlow::collect() {
  followed.assign(names.size(), 0);
  earlyReads.resize(uses.size());
  std::vector<std::pair<uint32_t, uint32_t>> copies; // of what may be unwritten: to, from
  for (uint32_t block = 0; block < next.size(); ++block) {
    if (!isReached[block])
      continue;
    Set state = entry[block];
    for (size_t s : statements[block]) {
      const StatementUse &use = uses[s];
      for (const RegisterUse &reg : use.reads) {
        uint32_t number = numberOf(reg);
        bool isResult = std::any_of(use.writes.begin(), use.writes.end(),
                                    [&](const RegisterUse &w) { return numberOf(w) == number; });
        // wgmma reads its result only where scale-d says so.
        if (state[number] || (use.opcode == "wgmma" && isResult))
          continue;
        earlyReads[s].push_back(number);
        if (isCopy(use))
          for (const RegisterUse &to : use.writes)
            copies.push_back({numberOf(to), number});
        else
          followed[number] = 1;
      }
      step(use, state);
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (auto [to, from] : copies)
      if (followed[to] && !followed[from])
        followed[from] = changed = true;
  }
}

} // namespace heddle::emulator
