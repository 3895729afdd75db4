// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A row per block: softmax in one pass over online maxima, and layer normalisation with vector
// loads.
struct Online {
  float most, sum;
};
__device__ Online merge(Online a, Online b) {
  float most = fmaxf(a.most, b.most);
  return {most, a.sum * __expf(a.most - most) + b.sum * __expf(b.most - most)};
}

extern "C" __global__ void softmax(const float *x, float *y, int cols) {
  __shared__ Online warps[4];
  x += blockIdx.x * cols;
  y += blockIdx.x * cols;
  Online own = {-1e30f, 0};
  for (int i = threadIdx.x; i < cols; i += 128)
    own = merge(own, {x[i], 1});
  for (int offset = 16; offset; offset /= 2)
    own =
        merge(own, {__shfl_xor_sync(~0u, own.most, offset), __shfl_xor_sync(~0u, own.sum, offset)});
  if (threadIdx.x % 32 == 0)
    warps[threadIdx.x / 32] = own;
  __syncthreads();
  Online all = merge(merge(warps[0], warps[1]), merge(warps[2], warps[3]));
  for (int i = threadIdx.x; i < cols; i += 128)
    y[i] = __fdividef(__expf(x[i] - all.most), all.sum);
}

__device__ float blockSum(float v) {
  __shared__ float warps[4];
  for (int offset = 16; offset; offset /= 2)
    v += __shfl_xor_sync(~0u, v, offset);
  __syncthreads();
  if (threadIdx.x % 32 == 0)
    warps[threadIdx.x / 32] = v;
  __syncthreads();
  return warps[0] + warps[1] + warps[2] + warps[3];
}

extern "C" __global__ void layerNorm(const float4 *x, const float4 *scale, const float4 *bias,
                                     float4 *y, int cols) {
  x += blockIdx.x * cols / 4;
  y += blockIdx.x * cols / 4;
  float sum = 0, squares = 0;
  for (int i = threadIdx.x; i < cols / 4; i += 128) {
    float4 v = __ldg(&x[i]);
    sum += v.x + v.y + v.z + v.w;
  }
  float mean = blockSum(sum) / cols;
  for (int i = threadIdx.x; i < cols / 4; i += 128) {
    float4 v = __ldg(&x[i]);
    v.x -= mean, v.y -= mean, v.z -= mean, v.w -= mean;
    squares += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
  }
  float r = rsqrtf(blockSum(squares) / cols + 1e-5f);
  for (int i = threadIdx.x; i < cols / 4; i += 128) {
    float4 v = x[i], s = scale[i], b = bias[i];
    v.x = (v.x - mean) * r * s.x + b.x;
    v.y = (v.y - mean) * r * s.y + b.y;
    v.z = (v.z - mean) * r * s.z + b.z;
    v.w = (v.w - mean) * r * s.w + b.w;
    __stcs(&y[i], v);
  }
}
