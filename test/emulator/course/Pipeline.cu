// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuda::pipeline: batches are copied into a ring of stages while earlier ones are worked on. In the
// first kernel every thread does both; in the second one warp copies and the others compute.
#include <cooperative_groups.h>
#include <cuda/pipeline>
namespace cg = cooperative_groups;
#pragma nv_diag_suppress static_var_with_dynamic_init

template <int kStages> __device__ void unified(const float *x, float *out, int batches) {
  __shared__ float ring[kStages][128];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> state;
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  float sum = 0;
  for (int compute = 0, fetch = 0; compute < batches; ++compute) {
    for (; fetch < batches && fetch < compute + kStages; ++fetch) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, ring[fetch % kStages], x + fetch * 128,
                         cuda::aligned_size_t<16>(512), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum += (compute + 1) * ring[compute % kStages][127 - threadIdx.x];
    pipe.consumer_release();
  }
  out[threadIdx.x] = sum;
}
extern "C" __global__ void twoStages(const float *x, float *out, int batches) {
  unified<2>(x, out, batches);
}
extern "C" __global__ void fourStages(const float *x, float *out, int batches) {
  unified<4>(x, out, batches);
}

/// A pipeline of one thread is made of cp.async groups.
extern "C" __global__ void ofThread(const float *x, float *out, int batches) {
  __shared__ float ring[2][128];
  auto pipe = cuda::make_pipeline();
  auto fetch = [&](int batch) {
    pipe.producer_acquire();
    cuda::memcpy_async(&ring[batch % 2][threadIdx.x], &x[batch * 128 + threadIdx.x], sizeof(float),
                       pipe);
    pipe.producer_commit();
  };
  fetch(0);
  float sum = 0;
  for (int batch = 0; batch < batches; ++batch) {
    if (batch + 1 < batches) {
      fetch(batch + 1);
      cuda::pipeline_consumer_wait_prior<1>(pipe);
    } else {
      cuda::pipeline_consumer_wait_prior<0>(pipe);
    }
    __syncthreads();
    sum += (batch + 1) * ring[batch % 2][127 - threadIdx.x];
    __syncthreads();
    pipe.consumer_release();
  }
  out[threadIdx.x] = sum;
}

extern "C" __global__ void specialised(const float *x, float *out, int batches) {
  __shared__ float ring[3][128];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 3> state;
  auto block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  bool isProducer = threadIdx.x >= 128; // 160 threads
  auto pipe = cuda::make_pipeline(
      block, &state, isProducer ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  float sum = 0;
  for (int batch = 0; batch < batches; ++batch) {
    if (isProducer) {
      pipe.producer_acquire();
      cuda::memcpy_async(warp, ring[batch % 3], x + batch * 128, cuda::aligned_size_t<16>(512),
                         pipe);
      pipe.producer_commit();
    } else {
      pipe.consumer_wait();
      sum += (batch + 1) * ring[batch % 3][127 - threadIdx.x];
      pipe.consumer_release();
    }
  }
  if (!isProducer)
    out[threadIdx.x] = sum;
}
