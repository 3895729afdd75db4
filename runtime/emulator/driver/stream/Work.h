// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A piece of work for a device: what a call puts into a stream and what a node of a graph does. It
// holds all that it needs, because a graph does it later.
#ifndef HEDDLE_RUNTIME_EMULATOR_DRIVER_STREAM_WORK_H
#define HEDDLE_RUNTIME_EMULATOR_DRIVER_STREAM_WORK_H

#include "runtime/emulator/driver/Context.h"
#include <functional>
#include <map>
#include <memory>
#include <variant>

namespace heddle::emulator {

struct Kernel;
struct Graph;
struct Event;

struct KernelWork {
  CUfunction function = nullptr;
  uint32_t grid[3] = {1, 1, 1}, threads[3] = {1, 1, 1}, cluster[3] = {1, 1, 1};
  bool isCooperative = false;
  uint32_t dynamicBytes = 0;
  std::vector<uint8_t> params;
  std::map<int, CUlaunchAttributeValue> attributes; ///< by CUlaunchAttributeID
  /// What the parameters are to those who ask a node: pointers into `params`.
  std::shared_ptr<std::vector<void *>> pointers;
};
struct CopyWork {
  CUDA_MEMCPY3D shape = {};
};
struct FillWork {
  CUDA_MEMSET_NODE_PARAMS shape = {};
};
struct HostWork {
  CUhostFn function = nullptr;
  void *data = nullptr;
  std::function<void()> callback; ///< of cuStreamAddCallback, in the place of `function`
};
struct EmptyWork {};
struct ChildWork {
  std::shared_ptr<Graph> graph; ///< a copy of its own
};
struct RecordWork {
  Event *event = nullptr;
};
struct WaitWork {
  Event *event = nullptr;
};
struct AllocateWork {
  CUDA_MEM_ALLOC_NODE_PARAMS params = {};
};
struct FreeWork {
  CUdeviceptr address = 0;
};
/// In the order of CUgraphNodeType as far as `typeOf` says.
using Work = std::variant<KernelWork, CopyWork, FillWork, HostWork, EmptyWork, ChildWork,
                          RecordWork, WaitWork, AllocateWork, FreeWork>;

CUgraphNodeType typeOf(const Work &work);
/// Does it now. Refusals have a text, faults break the context.
CUresult perform(const Call &call, Context &context, Work &work);

/// Puts work into a stream: done at once, or a node where the stream is captured.
CUresult submit(const Call &call, CUstream stream, Work work);

// What `perform` is made of.
CUresult runKernel(const Call &call, Context &context, const KernelWork &work);
CUresult runCopy(const Call &call, Context &context, const CUDA_MEMCPY3D &shape);
CUresult runFill(const Call &call, Context &context, const CUDA_MEMSET_NODE_PARAMS &shape);
CUresult runGraph(const Call &call, Context &context, Graph &graph);

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_DRIVER_STREAM_WORK_H
