// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles of tensors, copied by the tensor memory accelerator through CCCL's wrappers: there and
// back, in two and three dimensions, with edges that lie outside.
#include <cuda.h>
#include <cuda/barrier>
namespace cde = cuda::device::experimental;
using Barrier = cuda::barrier<cuda::thread_scope_block>;
#pragma nv_diag_suppress static_var_with_dynamic_init

extern "C" __global__ void increment(const __grid_constant__ CUtensorMap map) {
  __shared__ alignas(128) int tile[8][32];
  __shared__ Barrier barrier;
  int x = blockIdx.x * 32, y = blockIdx.y * 8;
  if (threadIdx.x == 0) {
    init(&barrier, blockDim.x);
    cde::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  Barrier::arrival_token token;
  if (threadIdx.x == 0) {
    cde::cp_async_bulk_tensor_2d_global_to_shared(&tile, &map, x, y, barrier);
    token = cuda::device::barrier_arrive_tx(barrier, 1, sizeof tile);
  } else {
    token = barrier.arrive();
  }
  barrier.wait(std::move(token));
  for (int row = 0; row < 8; ++row)
    tile[row][threadIdx.x] += 1000 * (y + row) + x + threadIdx.x;
  cde::fence_proxy_async_shared_cta();
  __syncthreads();
  if (threadIdx.x == 0) {
    cde::cp_async_bulk_tensor_2d_shared_to_global(&map, x, y, &tile);
    cde::cp_async_bulk_commit_group();
    cde::cp_async_bulk_wait_group_read<0>();
  }
}

/// A box of 4 x 4 x 16 floats that begins outside of the tensor; zeros come from there.
extern "C" __global__ void corner(const __grid_constant__ CUtensorMap map, float *out, int x, int y,
                                  int z) {
  __shared__ alignas(128) float box[4 * 4 * 16];
  __shared__ Barrier barrier;
  if (threadIdx.x == 0) {
    init(&barrier, blockDim.x);
    cde::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  Barrier::arrival_token token;
  if (threadIdx.x == 0) {
    cde::cp_async_bulk_tensor_3d_global_to_shared(box, &map, x, y, z, barrier);
    token = cuda::device::barrier_arrive_tx(barrier, 1, sizeof box);
  } else {
    token = barrier.arrive();
  }
  barrier.wait(std::move(token));
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    out[i] = box[i];
}
