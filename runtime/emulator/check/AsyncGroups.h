// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asynchronous work that warps have issued: in which group it is, who has waited for it, and which
// mbarrier reports it.
//
// Work that groups or commits complete (cp.async, bulk stores, wgmma, tcgen05) is an agent of its
// own for each warp and kind; its time is the number of the piece. Bulk loads are records, because
// each may be reported by another mbarrier.
#ifndef HEDDLE_RUNTIME_EMULATOR_CHECK_ASYNCGROUPS_H
#define HEDDLE_RUNTIME_EMULATOR_CHECK_ASYNCGROUPS_H

#include "runtime/emulator/async/Async.h"
#include "runtime/emulator/check/SharedShadow.h"
#include <map>

namespace heddle::emulator {

/// A piece of asynchronous work.
struct AsyncPiece {
  AsyncKind kind = AsyncKind::kCopy;
  Warp *warp = nullptr;
  const Op *op = nullptr;
  uint32_t agentOfWarp = 0, lanes = 0;
  bool isAsyncProxy = false;
  uint32_t agent = 0, time = 0; ///< of kinds with groups
  struct Signal {
    uint32_t rank;
    Completion completion;
  };
  std::vector<Signal> signals; ///< of bulk loads
};

class AsyncGroups : public BulkLoads {
public:
  AsyncGroups(Orders &orders) : orders(orders) {}
  void start();

  /// Returns the record, at least 1.
  uint32_t issue(AsyncKind kind, uint32_t warpAgent, Warp &warp, const Op &op, uint32_t lanes);
  void makeGeneric(uint32_t record) { pieces[(record - 1) % kRemembered].isAsyncProxy = false; }
  /// Null: so old that it was forgotten.
  const AsyncPiece *find(uint32_t record) const;
  void signal(uint32_t record, uint32_t rank, Completion completion);
  Completion completionOf(uint32_t record, uint32_t rank) const override;
  uint32_t issuerOf(uint32_t record) const override;
  uint32_t issuerOfAgent(uint32_t agent, uint32_t otherwise) const override;

  void commit(AsyncKind kind, uint32_t warpAgent, uint32_t lanes);
  /// The newest `pending` groups of the lanes may be left; `waiter` knows the others to be done.
  void wait(AsyncKind kind, uint32_t warpAgent, uint32_t waiter, uint32_t lanes, uint32_t pending);
  /// All pieces of the kind that the warp issued so far: agent and time; {0, 0}: none.
  Completion issuedSoFar(AsyncKind kind, uint32_t warpAgent) const;

  /// Of an agent that completes work.
  AsyncKind kindOf(uint32_t agent) const {
    auto found = kinds.find(agent);
    return found == kinds.end() ? AsyncKind::kBulkLoad : found->second.second;
  }
  /// Work that nobody has waited for, and what is missing; null: there is none.
  const AsyncPiece *findForgotten(const char *&what) const;

private:
  struct Commit {
    uint32_t lanes, time;
  };
  /// What one warp issued of one kind.
  struct Stream {
    uint32_t agent = 0, issued = 0, committed = 0;
    uint32_t lastRecord = 0;
    std::vector<Commit> commits; ///< the newest ones
  };
  static constexpr uint32_t kRemembered = 1 << 16;
  static constexpr size_t kCommits = 64;
  void addStream(Stream &stream, uint32_t warpAgent, AsyncKind kind);
  Stream *findStream(AsyncKind kind, uint32_t warpAgent);

  Orders &orders;
  std::vector<AsyncPiece> pieces; ///< a ring, by record
  uint32_t newest = 0;
  std::map<std::pair<uint32_t, AsyncKind>, Stream> streams; ///< by warp
  std::map<uint32_t, std::pair<uint32_t, AsyncKind>> kinds; ///< by agent: warp and kind
};

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_CHECK_ASYNCGROUPS_H
