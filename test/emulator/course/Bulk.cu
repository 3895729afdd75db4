// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bulk copies: cuda::device::memcpy_async_tx on a cuda::barrier, and a ring of stages written with
// cuda::ptx, where one thread copies and reuses a stage only when all others have read it.
#include <cuda/barrier>
#include <cuda/ptx>
using Barrier = cuda::barrier<cuda::thread_scope_block>;
namespace ptx = cuda::ptx;
#pragma nv_diag_suppress static_var_with_dynamic_init

extern "C" __global__ void reverse(const int *x, int *out) {
  __shared__ alignas(16) int buffer[512];
  __shared__ Barrier barrier;
  if (threadIdx.x == 0) {
    init(&barrier, blockDim.x);
    ptx::fence_proxy_async(ptx::space_shared);
  }
  __syncthreads();
  if (threadIdx.x == 0)
    cuda::device::memcpy_async_tx(buffer, x + blockIdx.x * 512,
                                  cuda::aligned_size_t<16>(sizeof buffer), barrier);
  auto token = cuda::device::barrier_arrive_tx(barrier, 1, threadIdx.x == 0 ? sizeof buffer : 0);
  barrier.wait(std::move(token));
  for (int i = threadIdx.x; i < 256; i += blockDim.x) {
    int v = buffer[i];
    buffer[i] = buffer[511 - i];
    buffer[511 - i] = v;
  }
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + blockIdx.x * 512, buffer,
                       sizeof buffer);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
  }
}

extern "C" __global__ void ring(const float *x, float *out, int batches) {
  constexpr int kStages = 3;
  __shared__ alignas(16) float stage[kStages][128];
  __shared__ uint64_t full[kStages], empty[kStages];
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) {
      ptx::mbarrier_init(&full[s], 1);
      ptx::mbarrier_init(&empty[s], 128);
    }
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    ptx::fence_proxy_async(ptx::space_shared);
  }
  __syncthreads();
  if (threadIdx.x == 128) { // 160 threads
    for (int b = 0; b < batches; ++b) {
      int s = b % kStages, round = b / kStages;
      if (round > 0)
        while (!ptx::mbarrier_try_wait_parity(&empty[s], (round - 1) & 1))
          ;
      ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[s],
                                     sizeof stage[s]);
      ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, stage[s], x + b * 128,
                         sizeof stage[s], &full[s]);
    }
  } else if (threadIdx.x < 128) {
    float sum = 0;
    for (int b = 0; b < batches; ++b) {
      int s = b % kStages;
      while (!ptx::mbarrier_try_wait_parity(&full[s], b / kStages & 1))
        ;
      sum += (b + 1) * stage[s][threadIdx.x ^ 1];
      ptx::mbarrier_arrive(&empty[s]);
    }
    out[threadIdx.x] = sum;
  }
}

/// The sums of all blocks, added by the copy itself.
extern "C" __global__ void addAll(const int *x, int *out) {
  __shared__ alignas(16) int buffer[64];
  buffer[threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x];
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, out, buffer,
                              sizeof buffer);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
  }
}
