// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The immediate post-dominator of each branch is where its lanes meet again. LLVM does not print
// blocks in an order in which "the lowest address first" would bring lanes together, so it is
// computed.
#include "runtime/emulator/lower/Dominators.h"
#include "runtime/emulator/lower/Lowering.h"
#include <algorithm>

namespace heddle::emulator {

static_assert(kNoJoin == kNoDominator);

namespace {

struct Graph {
  std::vector<uint32_t> starts;              ///< block -> first op
  std::vector<std::vector<uint32_t>> next;   ///< block -> blocks; the exit is block starts.size()
  std::vector<std::vector<uint32_t>> before; ///< the reverse
};

class Meetings {
public:
  Meetings(Kernel &kernel, const HandlerTable &table)
      : kernel(kernel), bra(table.find("bra")->run), indexed(table.find("brx.idx")->run),
        exit(table.find("exit")->run), trap(table.find("trap")->run), meet(*table.find("meet")) {}

  void run() {
    build();
    // A loop without an exit never reaches the root; its lanes meet nowhere.
    dominator =
        immediateDominators(graph.before, graph.next, static_cast<uint32_t>(graph.next.size() - 1));
    rewrite();
  }

private:
  bool ends(const Op &op) const {
    return op.run == bra || op.run == indexed || op.run == exit || op.run == trap;
  }
  static bool isGuarded(const Op &op) { return op.guard != 0 || op.guardFlip != 0; }

  void build() {
    const auto &ops = kernel.ops;
    std::vector<char> leads(ops.size() + 1, 0);
    leads[0] = 1;
    auto lead = [&](uint32_t op) { leads[std::min<size_t>(op, ops.size())] = 1; };
    for (size_t i = 0; i < ops.size(); ++i) {
      if (!ends(ops[i]))
        continue;
      leads[i + 1] = 1;
      if (ops[i].run == bra)
        lead(ops[i].target);
      for (uint32_t t = 0; ops[i].run == indexed && t < ops[i].more[0]; ++t)
        lead(ops[i].more[1 + t]);
    }
    blockOf.resize(ops.size());
    for (size_t i = 0; i < ops.size(); ++i) {
      if (leads[i])
        graph.starts.push_back(static_cast<uint32_t>(i));
      blockOf[i] = static_cast<uint32_t>(graph.starts.size() - 1);
    }
    uint32_t count = static_cast<uint32_t>(graph.starts.size());
    graph.next.resize(count + 1);
    graph.before.resize(count + 1);
    for (uint32_t b = 0; b < count; ++b) {
      size_t last = (b + 1 < count ? graph.starts[b + 1] : ops.size()) - 1;
      const Op &op = ops[last];
      auto connect = [&](uint32_t to) {
        graph.next[b].push_back(to);
        graph.before[to].push_back(b);
      };
      if (op.run == bra)
        connect(blockOf[op.target]);
      else if (op.run == exit || op.run == trap)
        connect(count);
      for (uint32_t t = 0; op.run == indexed && t < op.more[0]; ++t)
        connect(blockOf[op.more[1 + t]]);
      if (!ends(op) || isGuarded(op))
        connect(b + 1); // the last op of a kernel is an exit without a guard
    }
  }

  void rewrite() {
    uint32_t exitBlock = static_cast<uint32_t>(graph.starts.size());
    std::vector<char> isMeeting(exitBlock + 1, 0);
    auto joinOf = [&](size_t op) {
      uint32_t block = dominator[blockOf[op]];
      return block == kNoJoin || block == exitBlock ? kNoJoin : block;
    };
    auto parts = [&](const Op &op) {
      return op.run == indexed || (op.run == bra && isGuarded(op));
    };
    for (size_t i = 0; i < kernel.ops.size(); ++i)
      if (parts(kernel.ops[i]))
        if (uint32_t block = joinOf(i); block != kNoJoin)
          isMeeting[block] = 1;
    std::vector<Op> result;
    std::vector<uint32_t> placed(exitBlock, 0);
    result.reserve(kernel.ops.size() + exitBlock);
    std::vector<uint32_t> joins;
    for (size_t i = 0; i < kernel.ops.size(); ++i) {
      uint32_t block = blockOf[i];
      if (graph.starts[block] == i) {
        placed[block] = static_cast<uint32_t>(result.size());
        if (isMeeting[block]) {
          Op op;
          op.run = meet.run;
          op.target = placed[block];
          op.line = kernel.ops[i].line;
          result.push_back(op);
          joins.push_back(kNoJoin);
        }
      }
      result.push_back(kernel.ops[i]);
      joins.push_back(parts(kernel.ops[i]) ? joinOf(i) : kNoJoin);
    }
    for (size_t i = 0; i < result.size(); ++i) {
      Op &op = result[i];
      if (op.run != bra && op.run != indexed)
        continue;
      op.join = joins[i] == kNoJoin ? kNoJoin : placed[joins[i]];
      if (op.run == bra)
        op.target = placed[blockOf[op.target]];
      auto *targets = const_cast<uint32_t *>(op.more);
      for (uint32_t t = 0; op.run == indexed && t < targets[0]; ++t)
        targets[1 + t] = placed[blockOf[targets[1 + t]]];
    }
    kernel.ops = std::move(result);
  }

  Kernel &kernel;
  Handler bra, indexed, exit, trap;
  const Instruction &meet;
  Graph graph;
  std::vector<uint32_t> blockOf, dominator;
};

} // namespace

void placeMeetings(Kernel &kernel, const HandlerTable &table) { Meetings(kernel, table).run(); }

} // namespace heddle::emulator
