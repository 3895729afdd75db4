// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gravity between all pairs of bodies, tile after tile through shared memory.
extern "C" __global__ void accelerations(const float4 *bodies, float4 *out, int n,
                                         float softening) {
  __shared__ float4 tile[64];
  int i = blockIdx.x * 64 + threadIdx.x;
  float4 own = bodies[i];
  float3 sum = {0, 0, 0};
  for (int base = 0; base < n; base += 64) {
    tile[threadIdx.x] = bodies[base + threadIdx.x];
    __syncthreads();
#pragma unroll 4
    for (int j = 0; j < 64; ++j) {
      float4 other = tile[j];
      float dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
      float r = rsqrtf(dx * dx + dy * dy + dz * dz + softening);
      float weight = other.w * r * r * r;
      sum.x += dx * weight;
      sum.y += dy * weight;
      sum.z += dz * weight;
    }
    __syncthreads();
  }
  out[i] = make_float4(sum.x, sum.y, sum.z, 0);
}
