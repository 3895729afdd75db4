// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams, events, and captures. Work is done when it is submitted, in the order of the calls; a
// captured stream makes a graph of it instead.
#ifndef HEDDLE_RUNTIME_EMULATOR_DRIVER_STREAM_STREAM_H
#define HEDDLE_RUNTIME_EMULATOR_DRIVER_STREAM_STREAM_H

#include "runtime/emulator/driver/stream/Work.h"

namespace heddle::emulator {

struct GraphNode;

constexpr int kLeastPriority = 0, kGreatestPriority = -5;

/// A graph in the making by one stream and those that joined through events.
struct Capture {
  unsigned long long id = 0;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  Stream *origin = nullptr;
  Graph *graph = nullptr; ///< a handle already; of the program where it gave one
  bool isOwned = true;    ///< the graph is made by the capture
  bool isInvalid = false;

  /// The call must not be made while a stream is captured.
  CUresult invalidate(const Call &call);
};

struct Stream {
  Stream(Context &context, unsigned flags, int priority);
  ~Stream();

  Context &context;
  unsigned flags;
  int priority;
  unsigned long long id;
  std::map<int, CUlaunchAttributeValue> attributes;
  std::shared_ptr<Capture> capture;
  std::vector<GraphNode *> last; ///< what the next node of the capture depends on

  CUstream handle() { return reinterpret_cast<CUstream>(this); }
  /// Also for null, CU_STREAM_LEGACY and CU_STREAM_PER_THREAD; null: it is none.
  static Stream *find(const Call &call, CUstream handle);
};

struct Event {
  Context *context = nullptr;
  unsigned flags = 0;
  bool isRecorded = false;
  int64_t nanoseconds = 0;
  // Recorded in a captured stream.
  std::weak_ptr<Capture> capture;
  std::vector<GraphNode *> nodes;

  void record(); ///< now
};

/// Ends a capture for all its streams.
void endCapture(const std::shared_ptr<Capture> &capture);

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_DRIVER_STREAM_STREAM_H
