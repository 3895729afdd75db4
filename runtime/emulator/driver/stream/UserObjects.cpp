// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects of the program that graphs keep alive: a count of references, and a call when it is 0.
#include "runtime/emulator/driver/Handles.h"
#include "runtime/emulator/driver/stream/Graph.h"

namespace heddle::emulator {

struct UserObject {
  void *data = nullptr;
  CUhostFn destroy = nullptr;
  std::atomic<unsigned> references{0};
};

} // namespace heddle::emulator

using namespace heddle::emulator;

static CUresult release(const Call &call, CUuserObject handle, unsigned count) {
  UserObject *object = Handles<UserObject>::get().find(handle);
  if (!object || count == 0)
    return CUDA_ERROR_INVALID_VALUE;
  if (object->references < count)
    return call.refuse(CUDA_ERROR_INVALID_VALUE, "more references than there are");
  object->references -= count;
  if (object->references == 0) {
    std::unique_ptr<UserObject> last = Handles<UserObject>::get().take(handle);
    if (last)
      last->destroy(last->data);
  }
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuUserObjectCreate(CUuserObject *handle, void *data, CUhostFn destroy,
                                           unsigned count, unsigned flags) {
  Call call("cuUserObjectCreate", Call::kDriver);
  if (!call)
    return call.code;
  if (!handle || !destroy || count == 0 || flags != CU_USER_OBJECT_NO_DESTRUCTOR_SYNC)
    return CUDA_ERROR_INVALID_VALUE;
  auto object = std::make_unique<UserObject>();
  object->data = data;
  object->destroy = destroy;
  object->references = count;
  *handle = reinterpret_cast<CUuserObject>(Handles<UserObject>::get().add(std::move(object)));
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuUserObjectRetain(CUuserObject handle, unsigned count) {
  UserObject *object = Handles<UserObject>::get().find(handle);
  if (!object || count == 0)
    return CUDA_ERROR_INVALID_VALUE;
  object->references += count;
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuUserObjectRelease(CUuserObject handle, unsigned count) {
  Call call("cuUserObjectRelease", Call::kDriver);
  return call ? release(call, handle, count) : call.code;
}

HEDDLE_EMU_API CUresult cuGraphRetainUserObject(CUgraph graphHandle, CUuserObject handle,
                                                unsigned count, unsigned flags) {
  Call call("cuGraphRetainUserObject", Call::kDriver);
  if (!call)
    return call.code;
  Graph *graph = Graph::find(graphHandle);
  constexpr unsigned kMost = 1u << 20;
  if (!graph || count > kMost || flags & ~unsigned(CU_GRAPH_USER_OBJECT_MOVE))
    return CUDA_ERROR_INVALID_VALUE;
  if (!(flags & CU_GRAPH_USER_OBJECT_MOVE))
    if (CUresult code = cuUserObjectRetain(handle, count); code != CUDA_SUCCESS)
      return code;
  // The last copy of the graph gives them back.
  for (unsigned i = 0; i < count; ++i)
    graph->memory->atEnd.emplace_back(
        handle, [handle] { release(Call("cuGraphDestroy", Call::kNothing), handle, 1); });
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuGraphReleaseUserObject(CUgraph graphHandle, CUuserObject handle,
                                                 unsigned count) {
  Call call("cuGraphReleaseUserObject", Call::kDriver);
  if (!call)
    return call.code;
  Graph *graph = Graph::find(graphHandle);
  if (!graph)
    return CUDA_ERROR_INVALID_VALUE;
  auto &held = graph->memory->atEnd;
  for (auto i = held.begin(); i != held.end() && count;) {
    bool isWanted = i->first == handle;
    i = isWanted ? held.erase(i) : i + 1;
    if (!isWanted)
      continue;
    --count;
    release(call, handle, 1);
  }
  return count ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
