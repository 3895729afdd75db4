// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams, events, captures and graphs: what runs when, and what is refused.
#include "test/emulator/DriverRig.h"

namespace heddle::emulator::test {
namespace {

class DriverGraph : public ::testing::Test {
protected:
  void SetUp() override {
    useDevice(0);
    kernel = std::make_unique<Loaded>(adder());
    memory = std::make_unique<Buffer<unsigned>>(std::vector<unsigned>(32, 0));
    ASSERT_EQ(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  }
  void TearDown() override { cuStreamDestroy(stream); }
  CUresult add(unsigned value, CUstream to) {
    void *params[] = {&memory->address(), &value};
    return cuLaunchKernel(kernel->function, 1, 1, 1, 32, 1, 1, 0, to, params, nullptr);
  }
  CUDA_KERNEL_NODE_PARAMS node(unsigned &value) {
    params[0] = &memory->address();
    params[1] = &value;
    CUDA_KERNEL_NODE_PARAMS result = {};
    result.func = kernel->function;
    result.gridDimX = result.gridDimY = result.gridDimZ = 1;
    result.blockDimX = 32;
    result.blockDimY = result.blockDimZ = 1;
    result.kernelParams = params;
    return result;
  }
  unsigned value() { return memory->read()[31]; }

  std::unique_ptr<Loaded> kernel;
  std::unique_ptr<Buffer<unsigned>> memory;
  CUstream stream = nullptr;
  void *params[2];
};

TEST_F(DriverGraph, StreamsAndEvents) {
  int least = 0, greatest = 0, priority = 0;
  ASSERT_EQ(cuCtxGetStreamPriorityRange(&least, &greatest), CUDA_SUCCESS);
  EXPECT_LT(greatest, least);
  CUstream urgent;
  ASSERT_EQ(cuStreamCreateWithPriority(&urgent, CU_STREAM_NON_BLOCKING, -100), CUDA_SUCCESS);
  cuStreamGetPriority(urgent, &priority);
  EXPECT_EQ(priority, greatest);
  CUevent start, end, untimed;
  cuEventCreate(&start, CU_EVENT_DEFAULT);
  cuEventCreate(&end, CU_EVENT_DEFAULT);
  cuEventCreate(&untimed, CU_EVENT_DISABLE_TIMING);
  float milliseconds = -1;
  EXPECT_EQ(cuEventElapsedTime(&milliseconds, start, end), CUDA_ERROR_INVALID_HANDLE);
  ASSERT_EQ(cuEventRecord(start, urgent), CUDA_SUCCESS);
  ASSERT_EQ(add(1, urgent), CUDA_SUCCESS);
  ASSERT_EQ(cuEventRecord(end, urgent), CUDA_SUCCESS);
  ASSERT_EQ(cuEventElapsedTime(&milliseconds, start, end), CUDA_SUCCESS);
  EXPECT_GT(milliseconds, 0);
  cuEventRecord(untimed, urgent);
  EXPECT_EQ(cuEventElapsedTime(&milliseconds, start, untimed), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuStreamWaitEvent(stream, end, 0), CUDA_SUCCESS);
  int called = 0;
  cuLaunchHostFunc(stream, [](void *data) { ++*static_cast<int *>(data); }, &called);
  cuStreamAddCallback(
      stream, [](CUstream, CUresult, void *data) { *static_cast<int *>(data) += 10; }, &called, 0);
  EXPECT_EQ(called, 11);
  EXPECT_EQ(cuStreamDestroy(urgent), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(urgent), CUDA_ERROR_INVALID_HANDLE);
  for (CUevent event : {start, end, untimed})
    EXPECT_EQ(cuEventDestroy(event), CUDA_SUCCESS);
  EXPECT_EQ(cuEventQuery(start), CUDA_ERROR_INVALID_HANDLE);
}

// fill -> two kernels -> a copy, added in another order than they run in.
TEST_F(DriverGraph, ExplicitNodes) {
  CUgraph graph;
  ASSERT_EQ(cuGraphCreate(&graph, 0), CUDA_SUCCESS);
  CUgraphNode last, fill, first, second, host;
  unsigned result = 0, one = 1, ten = 10;
  CUDA_MEMCPY3D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = memory->address();
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = &result;
  copy.WidthInBytes = 4;
  copy.Height = copy.Depth = 1;
  ASSERT_EQ(cuGraphAddMemcpyNode(&last, graph, nullptr, 0, &copy, nullptr), CUDA_SUCCESS);
  CUDA_MEMSET_NODE_PARAMS set = {memory->address(), 0, 100, 4, 32, 1};
  ASSERT_EQ(cuGraphAddMemsetNode(&fill, graph, nullptr, 0, &set, nullptr), CUDA_SUCCESS);
  CUDA_KERNEL_NODE_PARAMS work = node(one);
  ASSERT_EQ(cuGraphAddKernelNode(&first, graph, &fill, 1, &work), CUDA_SUCCESS) << report();
  CUgraphNodeParams any = {};
  any.type = CU_GRAPH_NODE_TYPE_KERNEL;
  work = node(ten);
  std::memcpy(&any.kernel, &work, sizeof work);
  ASSERT_EQ(cuGraphAddNode(&second, graph, &first, nullptr, 1, &any), CUDA_SUCCESS) << report();
  ASSERT_EQ(cuGraphAddDependencies(graph, &second, &last, nullptr, 1), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphAddDependencies(graph, &last, &fill, nullptr, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_NE(report().find("wait for each other"), std::string::npos);
  int called = 0;
  CUDA_HOST_NODE_PARAMS call = {[](void *data) { ++*static_cast<int *>(data); }, &called};
  ASSERT_EQ(cuGraphAddHostNode(&host, graph, &last, 1, &call), CUDA_SUCCESS);
  size_t nodes = 0, edges = 0, roots = 0;
  cuGraphGetNodes(graph, nullptr, &nodes);
  cuGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges);
  cuGraphGetRootNodes(graph, nullptr, &roots);
  EXPECT_EQ(nodes, 5u);
  EXPECT_EQ(edges, 4u);
  EXPECT_EQ(roots, 1u);
  CUgraphExec exec;
  ASSERT_EQ(cuGraphInstantiate(&exec, graph, 0), CUDA_SUCCESS) << report();
  EXPECT_EQ(value(), 0u) << "nothing runs before the launch";
  ASSERT_EQ(cuGraphLaunch(exec, stream), CUDA_SUCCESS) << report();
  EXPECT_EQ(result, 111u);
  EXPECT_EQ(called, 1);
  // Other parameters in the executable, and a node that is switched off.
  unsigned thousand = 1000;
  work = node(thousand);
  ASSERT_EQ(cuGraphExecKernelNodeSetParams(exec, second, &work), CUDA_SUCCESS) << report();
  ASSERT_EQ(cuGraphNodeSetEnabled(exec, first, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphLaunch(exec, stream), CUDA_SUCCESS);
  EXPECT_EQ(result, 1100u);
  CUDA_KERNEL_NODE_PARAMS told;
  ASSERT_EQ(cuGraphKernelNodeGetParams(second, &told), CUDA_SUCCESS);
  EXPECT_EQ(*static_cast<unsigned *>(told.kernelParams[1]), 10u)
      << "the graph's own node is as it was";
  EXPECT_EQ(cuGraphDestroy(graph), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphLaunch(exec, stream), CUDA_SUCCESS) << "an executable lives without its graph";
  EXPECT_EQ(cuGraphExecDestroy(exec), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphLaunch(exec, stream), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(DriverGraph, ClonesAndChildren) {
  CUgraph graph, outer, clone;
  cuGraphCreate(&graph, 0);
  cuGraphCreate(&outer, 0);
  unsigned one = 1;
  CUDA_KERNEL_NODE_PARAMS work = node(one);
  CUgraphNode inner, child, after, copied;
  ASSERT_EQ(cuGraphAddKernelNode(&inner, graph, nullptr, 0, &work), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphAddChildGraphNode(&child, outer, nullptr, 0, graph), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphAddKernelNode(&after, outer, &child, 1, &work), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphClone(&clone, outer), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphNodeFindInClone(&copied, after, clone), CUDA_SUCCESS);
  CUgraphNodeType type;
  cuGraphNodeGetType(copied, &type);
  EXPECT_EQ(type, CU_GRAPH_NODE_TYPE_KERNEL);
  CUgraphExec exec;
  ASSERT_EQ(cuGraphInstantiate(&exec, clone, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphLaunch(exec, stream), CUDA_SUCCESS);
  EXPECT_EQ(value(), 2u);
  // An update takes over parameters of the same nodes, and refuses others.
  unsigned five = 5;
  work = node(five);
  ASSERT_EQ(cuGraphKernelNodeSetParams(after, &work), CUDA_SUCCESS);
  CUgraphExecUpdateResultInfo info;
  ASSERT_EQ(cuGraphExecUpdate(exec, outer, &info), CUDA_SUCCESS) << report();
  ASSERT_EQ(cuGraphLaunch(exec, stream), CUDA_SUCCESS);
  EXPECT_EQ(value(), 8u);
  EXPECT_EQ(cuGraphExecUpdate(exec, graph, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  EXPECT_EQ(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
  for (CUgraph each : {graph, outer, clone})
    EXPECT_EQ(cuGraphDestroy(each), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphAddEmptyNode(&inner, graph, nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  cuGraphExecDestroy(exec);
}

// A second stream joins through an event and comes back through another.
TEST_F(DriverGraph, CaptureForksAndJoins) {
  CUstream side;
  CUevent fork, join;
  cuStreamCreate(&side, CU_STREAM_NON_BLOCKING);
  cuEventCreate(&fork, CU_EVENT_DISABLE_TIMING);
  cuEventCreate(&join, CU_EVENT_DISABLE_TIMING);
  ASSERT_EQ(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
  CUdeviceptr scratch;
  ASSERT_EQ(cuMemsetD32Async(memory->address(), 3, 32, stream), CUDA_SUCCESS);
  ASSERT_EQ(cuEventRecord(fork, stream), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamWaitEvent(side, fork, 0), CUDA_SUCCESS);
  ASSERT_EQ(add(4, side), CUDA_SUCCESS);
  ASSERT_EQ(cuMemAllocAsync(&scratch, 128, stream), CUDA_SUCCESS);
  ASSERT_EQ(cuMemsetD32Async(scratch, 0, 32, stream), CUDA_SUCCESS);
  CUstreamCaptureStatus status;
  cuStreamIsCapturing(side, &status);
  EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  ASSERT_EQ(cuEventRecord(join, side), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamWaitEvent(stream, join, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuMemFreeAsync(scratch, stream), CUDA_SUCCESS);
  CUgraph graph;
  ASSERT_EQ(cuStreamEndCapture(stream, &graph), CUDA_SUCCESS) << report();
  EXPECT_EQ(value(), 0u) << "a capture does nothing";
  size_t nodes = 0;
  cuGraphGetNodes(graph, nullptr, &nodes);
  EXPECT_EQ(nodes, 5u);
  CUgraphExec exec;
  ASSERT_EQ(cuGraphInstantiate(&exec, graph, 0), CUDA_SUCCESS);
  for (int i = 0; i < 2; ++i)
    ASSERT_EQ(cuGraphLaunch(exec, stream), CUDA_SUCCESS) << report();
  EXPECT_EQ(value(), 7u);
  cuGraphExecDestroy(exec);
  cuGraphDestroy(graph);
  cuStreamIsCapturing(side, &status);
  EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_NONE);
  cuStreamDestroy(side);
}

// An object of the program lives as long as the last executable of the graph.
TEST_F(DriverGraph, UserObjects) {
  int destroyed = 0;
  CUuserObject object;
  ASSERT_EQ(cuUserObjectCreate(
                &object, &destroyed, [](void *data) { ++*static_cast<int *>(data); }, 1,
                CU_USER_OBJECT_NO_DESTRUCTOR_SYNC),
            CUDA_SUCCESS);
  CUgraph graph;
  CUgraphExec exec;
  cuGraphCreate(&graph, 0);
  ASSERT_EQ(cuGraphRetainUserObject(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphInstantiate(&exec, graph, 0), CUDA_SUCCESS);
  cuGraphDestroy(graph);
  EXPECT_EQ(destroyed, 0);
  cuGraphExecDestroy(exec);
  EXPECT_EQ(destroyed, 1);
  EXPECT_EQ(cuUserObjectRelease(object, 1), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(DriverGraph, CaptureRefuses) {
  CUgraph graph;
  EXPECT_EQ(cuStreamBeginCapture(nullptr, CU_STREAM_CAPTURE_MODE_GLOBAL),
            CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(cuStreamEndCapture(stream, &graph), CUDA_ERROR_ILLEGAL_STATE);
  // Waiting spoils it.
  cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(add(1, stream), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_EQ(cuStreamEndCapture(stream, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_EQ(graph, nullptr);
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS) << "the stream is usable again";
  // Work of another stream that is not joined.
  CUstream side;
  CUevent fork;
  cuStreamCreate(&side, CU_STREAM_NON_BLOCKING);
  cuEventCreate(&fork, CU_EVENT_DISABLE_TIMING);
  cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
  add(1, stream);
  cuEventRecord(fork, stream);
  cuStreamWaitEvent(side, fork, 0);
  add(1, side);
  EXPECT_EQ(cuStreamEndCapture(side, &graph), CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
  EXPECT_EQ(cuStreamEndCapture(stream, &graph), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
  cuEventDestroy(fork);
  cuStreamDestroy(side);
}

} // namespace
} // namespace heddle::emulator::test
