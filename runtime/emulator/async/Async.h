// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asynchronous work of a cluster: cp.async, bulk and tensor copies, wgmma, tcgen05.
//
// In eager mode work is done when it is issued. In lazy mode (HEDDLE_EMU_ASYNC=lazy) it is done as
// late as the kernel allows: at the wait that needs it, or, where an mbarrier says that it is done,
// when no warp can go on otherwise. A missing wait then becomes a wrong number.
#ifndef HEDDLE_RUNTIME_EMULATOR_ASYNC_ASYNC_H
#define HEDDLE_RUNTIME_EMULATOR_ASYNC_ASYNC_H

#include "runtime/emulator/async/Wgmma.h"
#include <cstdint>
#include <functional>
#include <vector>

namespace heddle::emulator {

struct Warp;
struct Op;
struct Cluster;

/// Who waits how.
enum class AsyncKind : uint8_t {
  kCopy,      ///< cp.async: groups of a thread (commit_group, wait_group), or an mbarrier
  kBulkLoad,  ///< cp.async.bulk to shared memory: an mbarrier
  kBulkStore, ///< cp.async.bulk and cp.reduce.async.bulk from shared memory: bulk groups of a
              ///< thread
  kWgmma,     ///< wgmma.mma_async: groups of a warp
  kTensor,    ///< tcgen05.mma, cp and shift: tcgen05.commit to an mbarrier
  kTmemLoad,  ///< tcgen05.ld: tcgen05.wait::ld
  kTmemStore  ///< tcgen05.st: tcgen05.wait::st
};
constexpr uint32_t kAsyncKinds = 7;

bool asyncIsLazy();

/// Does the work. It captures all it needs by value (or what lives as long as the cluster runs).
/// False: it reported a fault.
using AsyncWork = std::function<bool()>;

class AsyncQueue {
public:
  /// Forgets everything: another cluster begins.
  void start();
  /// `lanes`: whose groups it belongs to; one lane for kCopy and kBulkStore, whose groups are a
  /// thread's, all of the warp for kWgmma. Only in lazy mode; in eager mode
  /// the caller does the work itself, without a std::function.
  void defer(Warp &warp, AsyncKind kind, uint32_t lanes, AsyncWork work);
  /// What was issued so far by these lanes, and is not in a group yet, becomes one.
  void commit(Warp &warp, AsyncKind kind, uint32_t lanes);
  /// Does what must be done so that at most `pending` of the newest groups are left. False: a
  /// fault.
  bool wait(Warp &warp, AsyncKind kind, uint32_t lanes, uint32_t pending);
  /// Everything of this kind that these lanes issued, in a group or not, then `work`: one item.
  void deferBehind(Warp &warp, AsyncKind kind, uint32_t lanes, AsyncWork work);
  /// Does one item that nobody waits for with a group (an mbarrier says that it is done), picked by
  /// `random`. False: there is none.
  bool runOne(uint32_t random, bool &isFault);
  bool isEmpty() const { return items.empty(); }
  /// Does all that is left: the cluster ends. False: a fault.
  bool finish();

  WgmmaAccumulators accumulators;

private:
  struct Item {
    const Warp *warp;
    AsyncKind kind;
    uint32_t lanes;
    uint32_t group; ///< 0: not committed
    AsyncWork work;
  };
  bool runWhere(const std::function<bool(Item &)> &chosen);
  std::vector<Item> items;
  struct Groups {
    const Warp *warp;
    uint32_t committed[kAsyncKinds][32];
  };
  std::vector<Groups> groups;
  Groups &groupsOf(const Warp &warp);
};

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_ASYNC_ASYNC_H
