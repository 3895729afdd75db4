// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic operations of every kind on global and shared memory, and one built from compare-and-swap.
__device__ float atomicMaxFloat(float *address, float value) {
  int *word = reinterpret_cast<int *>(address), old = *word, seen;
  do {
    seen = old;
    if (__int_as_float(seen) >= value)
      break;
    old = atomicCAS(word, seen, __float_as_int(value));
  } while (old != seen);
  return __int_as_float(old);
}

extern "C" __global__ void words(unsigned *out, const unsigned *x) {
  unsigned v = x[blockIdx.x * blockDim.x + threadIdx.x];
  atomicAdd(&out[0], v);
  atomicSub(&out[1], v);
  atomicMin(&out[2], v);
  atomicMax(&out[3], v);
  atomicAnd(&out[4], v | 0xff);
  atomicOr(&out[5], v & 0xff00);
  atomicXor(&out[6], v);
  atomicInc(&out[7], 99);
  atomicDec(&out[8], 99);
  atomicMin(reinterpret_cast<int *>(&out[9]), int(v));
  atomicMax(reinterpret_cast<int *>(&out[10]), int(v));
  atomicAdd_system(&out[11], 1u);
  atomicAdd_block(&out[12 + blockIdx.x], 1u);
}

extern "C" __global__ void wide(unsigned long long *out, double *sum, const unsigned *x) {
  __shared__ unsigned long long own[2];
  __shared__ double part;
  if (threadIdx.x == 0)
    own[0] = own[1] = 0, part = 0;
  __syncthreads();
  unsigned long long v = x[blockIdx.x * blockDim.x + threadIdx.x];
  atomicAdd(&own[0], v * 0x100000001ull);
  atomicMax(&own[1], v << 20);
  atomicAdd(&part, 0.5 * v);
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(&out[0], own[0]);
    atomicMax(&out[1], own[1]);
    atomicExch(&out[2 + blockIdx.x], own[0]);
    atomicAdd(sum, part);
  }
}

extern "C" __global__ void floats(float *out, const float *x) {
  float v = x[blockIdx.x * blockDim.x + threadIdx.x];
  atomicAdd(&out[0], 1.0f);
  atomicMaxFloat(&out[1], v);
  float old = atomicAdd(&out[2], 1.0f); // every thread sees another number
  out[4 + int(old)] = old;
}
