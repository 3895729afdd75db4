// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contexts, and the stack of them that each thread has.
#ifndef HEDDLE_RUNTIME_EMULATOR_DRIVER_CONTEXT_H
#define HEDDLE_RUNTIME_EMULATOR_DRIVER_CONTEXT_H

#include "runtime/emulator/driver/Driver.h"
#include <atomic>
#include <map>
#include <set>

namespace heddle::emulator {

struct Stream;

struct Context {
  explicit Context(EmulatedDevice &device, unsigned flags);
  ~Context();

  EmulatedDevice &device;
  unsigned flags;
  unsigned long long id;
  bool isPrimary = false;

  /// After a fault every call fails with its code, as on a GPU.
  std::atomic<CUresult> sticky{CUDA_SUCCESS};
  std::string fault;

  std::mutex mutex;
  std::map<CUlimit, size_t> limits;
  CUfunc_cache cacheConfig = CU_FUNC_CACHE_PREFER_NONE;
  std::set<int> peers; ///< devices whose memory kernels of this context may touch

  std::unique_ptr<Stream> legacyStream, threadStream;

  CUcontext handle() { return reinterpret_cast<CUcontext>(this); }
  /// A kernel faulted: the context is of no use any more.
  CUresult breakWith(CUresult code, const std::string &text);
  /// Frees what belongs to the context: modules, streams, events and memory.
  void release();

  /// The default streams and those that the program made.
  std::vector<Stream *> streams();

  /// The calling thread's current context; null: none.
  static Context *current();
  static Context *find(CUcontext handle);
};

/// The device's primary context, made where nobody retained it before.
Context *retainPrimary(EmulatedDevice &device);

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_DRIVER_CONTEXT_H
